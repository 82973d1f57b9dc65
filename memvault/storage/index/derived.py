"""What the catalogue knows of each memory's use: what journals and ledgers told, folded."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from memvault.core.value import Frozen
from memvault.core.weight import Past, Wish
from memvault.storage.index.sqlite import Row, Tables

if TYPE_CHECKING:
    from memvault.core.kinds.practice import Practice


DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_FOREVER = 1 << 40
_ENDLESS = float(_FOREVER)
_MOST_VALUES = 300
_USE, _WISH, _BASELINE = range(3)


class Told(Frozen, kw_only=True):
    """What further lines of a journal or a ledger tell."""

    touches: Iterable[tuple[str, str, datetime]] = ()
    wishes: Iterable[tuple[str, str, object, datetime]] = ()
    counts: Iterable[tuple[str, int, datetime]] = ()
    confirmed: Iterable[tuple[str, str]] = ()
    followed: Iterable[tuple[str, str, bool, datetime]] = ()
    practised: Iterable[tuple[str, int, float | None, datetime]] = ()
    archived: Iterable[tuple[str, bool]] = ()
    uncounted: Iterable[str] = ()
    now: datetime | None = None  # what is dated later is of a clock that was ahead


class Pasts:
    """The tables of uses, of what people typed, and of counts from before."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._read: tuple[tuple[int, int] | None, tuple[Row, ...]] = None, ()  # the turns, and when they were read

    def offsets(self) -> dict[str, int]:
        """How far each journal and ledger was read."""
        return dict(self._tables.all("select name, offset from journal"))

    def _fold(self, told: Told) -> None:
        """Fold further lines in; one use counts per memory, session and day, an edit once in all."""
        uses = [(id_, who, _day(who, at), at.timestamp(), at.timestamp()) for id_, who, at in told.touches]
        now = _ENDLESS if told.now is None else told.now.timestamp()
        wishes = [(id_, what, _plain(value), at.timestamp(), now) for id_, what, value, at in told.wishes]
        counts = [(id_, value, at.timestamp()) for id_, value, at in told.counts]
        lifted = [(id_,) for id_ in told.uncounted]
        self._tables.run_many(_ADD_USE, uses)
        self._tables.run_many(_ADD_WISH, wishes)
        self._tables.run_many("delete from baseline where id = ?", lifted)
        self._tables.run_many(_ADD_COUNT, counts)
        confirmed = list(told.confirmed)
        self._tables.run_many("insert or ignore into confirm values (?, ?)", confirmed)
        followed = [(id_, device, at.timestamp(), int(ok)) for id_, device, ok, at in told.followed]
        practised = [(id_, count, rate, at.timestamp()) for id_, count, rate, at in told.practised]
        self._tables.run_many("insert or ignore into followed values (?, ?, ?, ?)", followed)
        self._tables.run_many(_ADD_PRACTICE, practised)
        if uses or wishes or counts or lifted or confirmed or followed or practised:
            self._note_change()

    def _note_change(self) -> None:
        """Say that something about a memory is not what it was."""
        self._tables.run("replace into meta values ('turn', ?)", (self._turn() + 1,))

    def _turn(self) -> int:
        found = self._tables.one("select value from meta where name = 'turn'")
        return int(found[0]) if found else 0

    def _turns(self) -> tuple[Row, ...]:
        """What is another whenever anything was said of a memory, or found out about two of them."""
        mark = self._tables.mark()
        if mark is None or mark != self._read[0]:
            rows = self._tables.all("select name, value from meta where name in ('turn', 'paired')")
            self._read = mark, tuple(rows)  # the mark is the older: what changes in between is read again
        return self._read[1]

    def standing(self) -> str:
        """A word that is another whenever anything about any memory has changed, or the catalogue is a new one."""
        born = self._tables.one("select value from meta where name = 'born'")
        if born is None:
            born = (os.urandom(8).hex(),)
            self._tables.run("insert or ignore into meta values ('born', ?)", born)
        return f"{born[0]}:{self._turn()}"

    # -- asking

    def pasts(self, ids: Iterable[str]) -> dict[str, Past]:
        """What is known of the use of some memories; those of which nothing is known are left out."""
        found: dict[str, Past] = {}
        for some in _in_batches(ids):
            found |= self._pasts(f"where id in ({','.join('?' * len(some))})", some)
        return found

    def all_pasts(self) -> dict[str, Past]:
        """What is known of the use of all memories."""
        return self._pasts("", ())

    def _pasts(self, condition: str, values: Sequence[str]) -> dict[str, Past]:
        rows = self._tables.all(_PASTS.replace("?", condition), [*values] * 3)
        return {id_: _past(found) for id_, found in _by_id(rows).items()}

    def confirmed(self) -> dict[str, frozenset[str]]:
        """The conversations that said again what each memory says."""
        rows = _by_id(self._tables.all("select id, session from confirm order by id"))
        return {id_: frozenset(session for (session,) in found) for id_, found in rows.items()}

    def practices(self, ids: Iterable[str] | None = None) -> dict[str, Practice]:
        """How often memories were followed, and worked; of all memories where none are named."""
        from memvault.core.kinds.practice import Practice, Standing  # deferred: a recall does not ask for it

        rows = _by_id(self._tables.all("select id, at, ok from followed order by id, at"))
        before = _by_id(self._tables.all("select id, count, rate from practice"))
        known = rows.keys() | before.keys()
        return {
            id_: Practice(
                tuple((_moment(at), bool(ok)) for at, ok in rows.get(id_, [])),
                Standing(*before[id_][0]) if id_ in before else None,
            )
            for id_ in (known if ids is None else known & set(ids))
        }

    def times_asked_for(self, id_: str) -> int:
        """How many conversations, or days, called for a memory; edits of its text are left out."""
        found = self._tables.one("select count(*) from use where id = ? and who not like 'edit:%'", (id_,))
        return int(found[0]) if found else 0

    def used_by(self, who: str) -> list[str]:
        """The memories that a session used, in the order in which it did."""
        rows = self._tables.all("select id from use where who = ? group by id order by min(first)", (who,))
        return [row[0] for row in rows]

    def edited(self, id_: str) -> datetime | None:
        """When a memory's text was last seen to have been edited; None where it never was."""
        found = self._tables.one("select max(at) from use where id = ? and who like 'edit:%'", (id_,))
        return datetime.fromtimestamp(found[0], UTC) if found and found[0] is not None else None

    def touches_by_day(self) -> list[tuple[date, int]]:
        """How many uses were counted on each UTC day, in order."""
        rows = self._tables.all("select cast(at / ? as integer), count(*) from use group by 1 order by 1", (DAY,))
        return [(date.fromordinal(_EPOCH + day), count) for day, count in rows if 0 <= day < _FOREVER // DAY]


_ADD_USE = (
    "insert into use values (?, ?, ?, ?, ?)"
    " on conflict do update set at = max(at, excluded.at), first = min(first, excluded.first)"
)
_ADD_WISH = (
    "insert into wish values (?, ?, ?, ?)"
    # What a clock that was ahead dated in the future gives way to whatever is seen later.
    " on conflict do update set value = excluded.value, at = excluded.at where excluded.at >= at or at > ?"
)
_ADD_PRACTICE = (
    "insert into practice values (?, ?, ?, ?)"
    " on conflict do update set count = excluded.count, rate = excluded.rate, at = excluded.at where excluded.at < at"
)
# One statement: of the time that three take for a few memories, most is Python's.
_PASTS = (
    f"select id, {_USE}, '', first, at from use ?"
    f" union all select id, {_WISH}, field, value, at from wish ?"
    f" union all select id, {_BASELINE}, '', value, at from baseline ?"
    " order by 5"
)
_ADD_COUNT = (
    "insert into baseline values (?, ?, ?)"
    " on conflict do update set value = excluded.value, at = excluded.at where excluded.at < at"
)


def _in_batches(ids: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """SQLite takes no more than some hundred values at a time, in its older versions."""
    stream = iter(ids)
    while some := tuple(islice(stream, _MOST_VALUES)):
        yield some


def _by_id(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for id_, *rest in rows:
        found[id_].append(tuple(rest))
    return found


def _past(rows: list[Row]) -> Past:
    typed = {what: Wish(value, _moment(at)) for sort, what, value, at in rows if sort == _WISH}
    return Past(
        baseline=next((value for sort, _, value, _ in rows if sort == _BASELINE), None),
        uses=tuple((_moment(first), _moment(last)) for sort, _, first, last in rows if sort == _USE),
        weight=typed.get("weight"),
        status=typed.get("status"),
        pinned=typed.get("pinned"),
    )


def _moment(stamp: float) -> datetime:
    return datetime.fromtimestamp(stamp, tz=UTC)


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float) else None


def _day(who: str, at: datetime) -> int:
    return 0 if who.startswith("edit:") else int(at.timestamp()) // DAY


# Which memories say the same or contradict each other, as last found out.

PairRow = tuple[str, str, str, str]  # the two ids, the verdict, and the rest as text


class Pairs:
    """The table of pairs, with a mark of what they were found among."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def keep_pairs(self, mark: str, rows: Iterable[PairRow]) -> None:
        """Put these pairs in the place of those kept so far."""
        with self._tables.transaction():
            self._tables.run("delete from pair")
            self._tables.run_many("insert or replace into pair values (?, ?, ?, ?)", rows)
            self._tables.run("replace into meta values ('compared', ?)", (mark,))
            self._note_pairs()

    def pairs(self, mark: str) -> list[PairRow] | None:
        """The pairs found among what has that mark; None where they were found among something else."""
        found = self._tables.one("select value from meta where name = 'compared'")
        if found != (mark,):
            return None
        return self._tables.all("select one, other, verdict, data from pair order by one, other")

    def drop_pair(self, one: str, other: str) -> None:
        """Forget what was found out about two memories: a person has settled it."""
        with self._tables.transaction():
            self._tables.run("delete from pair where one = ? and other = ?", sorted((one, other)))
            self._note_pairs()

    def _note_pairs(self) -> None:
        """Say that what was found out is not what it was; of the memories themselves that says nothing."""
        found = self._tables.one("select value from meta where name = 'paired'")
        self._tables.run("replace into meta values ('paired', ?)", (found[0] + 1 if found else 1,))

    def doubted(self) -> frozenset[str]:
        """The memories of which any was found to say otherwise."""
        rows = self._tables.all("select one, other from pair where verdict = 'contradiction'")
        return frozenset([id_ for row in rows for id_ in row])

    def contradicting(self, id_: str) -> list[str]:
        """The memories that were found to say otherwise than this one."""
        query = (
            "select other from pair where one = ? and verdict = 'contradiction'"
            " union select one from pair where other = ? and verdict = 'contradiction'"
        )
        return [row[0] for row in self._tables.all(query, (id_, id_))]


# What was worked out from the rows and the texts, kept until anything about any memory changes.

_MOST = 32


class WorkedOut:
    """Keeps a few values; only who stays longer than one call is the better for it."""

    def __init__(self, turn: Callable[[], Hashable]) -> None:
        self._turn = turn
        self._at: Hashable = None
        self._held: dict[Hashable, Any] = {}

    def now(self) -> dict[Hashable, Any]:
        """Where values are kept while all stays as it is now; what is worked out from here on may be put there."""
        now = self._turn()
        # Another one, not the same one emptied: who is still at it puts what is out of date where nobody looks.
        if now != self._at or len(self._held) > _MOST:
            self._at, self._held = now, {}
        return self._held
