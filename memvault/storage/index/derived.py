"""What the catalogue knows of each memory's use: what journals and ledgers told, folded."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from memvault.core.value import Record
from memvault.core.weight import TypedValue, UsageHistory
from memvault.storage.index.sqlite import Row, Tables

if TYPE_CHECKING:
    from memvault.core.kinds.practice import PracticeHistory


DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_FOREVER = 1 << 40
_ENDLESS = float(_FOREVER)
_MOST_VALUES = 300
_USE, _WISH, _BASELINE = range(3)


class UsageUpdate(Record, kw_only=True):
    """What further lines of a journal or a ledger tell."""

    touches: Iterable[tuple[str, str, datetime]] = ()
    typed_values: Iterable[tuple[str, str, object, datetime]] = ()
    baseline_counts: Iterable[tuple[str, int, datetime]] = ()
    confirmations: Iterable[tuple[str, str]] = ()
    outcomes: Iterable[tuple[str, str, bool, datetime]] = ()
    practice_counts: Iterable[tuple[str, int, float | None, datetime]] = ()
    archive_marks: Iterable[tuple[str, bool]] = ()
    lifted_counts: Iterable[str] = ()
    now: datetime | None = None  # what is dated later is of a clock that was ahead


class UsageTables:
    """The tables of uses, of what people typed, and of counts from before."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._read: tuple[tuple[int, int] | None, tuple[Row, ...]] = None, ()  # the turns, and when they were read

    def read_offsets(self) -> dict[str, int]:
        """How far each journal and ledger was read."""
        return dict(self._tables.fetch_all("select name, offset from journal"))

    def _fold_usage(self, update: UsageUpdate) -> None:
        """Fold further lines in; one use counts per memory, session and day, an edit once in all."""
        uses = [(id_, who, _day_of(who, at), at.timestamp(), at.timestamp()) for id_, who, at in update.touches]
        now = _ENDLESS if update.now is None else update.now.timestamp()
        wishes = [(id_, what, _plain_value(value), at.timestamp(), now) for id_, what, value, at in update.typed_values]
        counts = [(id_, value, at.timestamp()) for id_, value, at in update.baseline_counts]
        lifted = [(id_,) for id_ in update.lifted_counts]
        self._tables.execute_many(_ADD_USE, uses)
        self._tables.execute_many(_ADD_WISH, wishes)
        self._tables.execute_many("delete from baseline where id = ?", lifted)
        self._tables.execute_many(_ADD_COUNT, counts)
        confirmed = list(update.confirmations)
        self._tables.execute_many("insert or ignore into confirm values (?, ?)", confirmed)
        followed = [(id_, device, at.timestamp(), int(ok)) for id_, device, ok, at in update.outcomes]
        practised = [(id_, count, rate, at.timestamp()) for id_, count, rate, at in update.practice_counts]
        self._tables.execute_many("insert or ignore into followed values (?, ?, ?, ?)", followed)
        self._tables.execute_many(_ADD_PRACTICE, practised)
        if uses or wishes or counts or lifted or confirmed or followed or practised:
            self._note_change()

    def _note_change(self) -> None:
        """Say that something about a memory is not what it was."""
        self._tables.execute("replace into meta values ('turn', ?)", (self._change_count() + 1,))

    def _change_count(self) -> int:
        found = self._tables.fetch_one("select value from meta where name = 'turn'")
        return int(found[0]) if found else 0

    def _change_counts(self) -> tuple[Row, ...]:
        """What is another whenever anything was said of a memory, or found out about two of them."""
        mark = self._tables.change_mark()
        if mark is None or mark != self._read[0]:
            rows = self._tables.fetch_all("select name, value from meta where name in ('turn', 'paired')")
            self._read = mark, tuple(rows)  # the mark is the older: what changes in between is read again
        return self._read[1]

    def state_digest(self) -> str:
        """A word that is another whenever anything about any memory has changed, or the catalogue is a new one."""
        born = self._tables.fetch_one("select value from meta where name = 'born'")
        if born is None:
            born = (os.urandom(8).hex(),)
            self._tables.execute("insert or ignore into meta values ('born', ?)", born)
        return f"{born[0]}:{self._change_count()}"

    # -- asking

    def usage_histories(self, ids: Iterable[str]) -> dict[str, UsageHistory]:
        """What is known of the use of some memories; those of which nothing is known are left out."""
        found: dict[str, UsageHistory] = {}
        for some in _in_batches(ids):
            found |= self._read_histories(f"where id in ({','.join('?' * len(some))})", some)
        return found

    def all_usage_histories(self) -> dict[str, UsageHistory]:
        """What is known of the use of all memories."""
        return self._read_histories("", ())

    def _read_histories(self, condition: str, values: Sequence[str]) -> dict[str, UsageHistory]:
        rows = self._tables.fetch_all(_PASTS.replace("?", condition), [*values] * 3)
        return {id_: _usage_history(found) for id_, found in _group_by_id(rows).items()}

    def confirming_sessions(self) -> dict[str, frozenset[str]]:
        """The conversations that said again what each memory says."""
        rows = _group_by_id(self._tables.fetch_all("select id, session from confirm order by id"))
        return {id_: frozenset(session for (session,) in found) for id_, found in rows.items()}

    def practice_records(self, ids: Iterable[str] | None = None) -> dict[str, PracticeHistory]:
        """How often memories were followed, and worked; of all memories where none are named."""
        from memvault.core.kinds.practice import (  # deferred: a recall does not ask for it
            PracticeHistory,
            PracticeRecord,
        )

        rows = _group_by_id(self._tables.fetch_all("select id, at, ok from followed order by id, at"))
        before = _group_by_id(self._tables.fetch_all("select id, count, rate from practice"))
        known = rows.keys() | before.keys()
        return {
            id_: PracticeHistory(
                tuple((_moment_of(at), bool(ok)) for at, ok in rows.get(id_, [])),
                PracticeRecord(*before[id_][0]) if id_ in before else None,
            )
            for id_ in (known if ids is None else known & set(ids))
        }

    def count_sessions(self, id_: str) -> int:
        """How many conversations, or days, called for a memory; edits of its text are left out."""
        found = self._tables.fetch_one("select count(*) from use where id = ? and who not like 'edit:%'", (id_,))
        return int(found[0]) if found else 0

    def memories_used_in(self, who: str) -> list[str]:
        """The memories that a session used, in the order in which it did."""
        rows = self._tables.fetch_all("select id from use where who = ? group by id order by min(first)", (who,))
        return [row[0] for row in rows]

    def last_edit(self, id_: str) -> datetime | None:
        """When a memory's text was last seen to have been edited; None where it never was."""
        found = self._tables.fetch_one("select max(at) from use where id = ? and who like 'edit:%'", (id_,))
        return datetime.fromtimestamp(found[0], UTC) if found and found[0] is not None else None

    def count_uses_by_day(self) -> list[tuple[date, int]]:
        """How many uses were counted on each UTC day, in order."""
        rows = self._tables.fetch_all("select cast(at / ? as integer), count(*) from use group by 1 order by 1", (DAY,))
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


def _group_by_id(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for id_, *rest in rows:
        found[id_].append(tuple(rest))
    return found


def _usage_history(rows: list[Row]) -> UsageHistory:
    typed = {what: TypedValue(value, _moment_of(at)) for sort, what, value, at in rows if sort == _WISH}
    return UsageHistory(
        baseline=next((value for sort, _, value, _ in rows if sort == _BASELINE), None),
        uses=tuple((_moment_of(first), _moment_of(last)) for sort, _, first, last in rows if sort == _USE),
        weight=typed.get("weight"),
        status=typed.get("status"),
        pinned=typed.get("pinned"),
    )


def _moment_of(stamp: float) -> datetime:
    return datetime.fromtimestamp(stamp, tz=UTC)


def _plain_value(value: object) -> object:
    return value if isinstance(value, str | int | float) else None


def _day_of(who: str, at: datetime) -> int:
    return 0 if who.startswith("edit:") else int(at.timestamp()) // DAY


# Which memories say the same or contradict each other, as last found out.

PairRow = tuple[str, str, str, str]  # the two ids, the verdict, and the rest as text


class PairTable:
    """The table of pairs, with a mark of what they were found among."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def write_pairs(self, mark: str, rows: Iterable[PairRow]) -> None:
        """Put these pairs in the place of those kept so far."""
        with self._tables.transaction():
            self._tables.execute("delete from pair")
            self._tables.execute_many("insert or replace into pair values (?, ?, ?, ?)", rows)
            self._tables.execute("replace into meta values ('compared', ?)", (mark,))
            self._note_pair_change()

    def read_pairs(self, mark: str) -> list[PairRow] | None:
        """The pairs found among what has that mark; None where they were found among something else."""
        found = self._tables.fetch_one("select value from meta where name = 'compared'")
        if found != (mark,):
            return None
        return self._tables.fetch_all("select one, other, verdict, data from pair order by one, other")

    def drop_pair(self, one: str, other: str) -> None:
        """Forget what was found out about two memories: a person has settled it."""
        with self._tables.transaction():
            self._tables.execute("delete from pair where one = ? and other = ?", sorted((one, other)))
            self._note_pair_change()

    def _note_pair_change(self) -> None:
        """Say that what was found out is not what it was; of the memories themselves that says nothing."""
        found = self._tables.fetch_one("select value from meta where name = 'paired'")
        self._tables.execute("replace into meta values ('paired', ?)", (found[0] + 1 if found else 1,))

    def contradicted_ids(self) -> frozenset[str]:
        """The memories of which any was found to say otherwise."""
        rows = self._tables.fetch_all("select one, other from pair where verdict = 'contradiction'")
        return frozenset([id_ for row in rows for id_ in row])

    def contradicting_ids(self, id_: str) -> list[str]:
        """The memories that were found to say otherwise than this one."""
        query = (
            "select other from pair where one = ? and verdict = 'contradiction'"
            " union select one from pair where other = ? and verdict = 'contradiction'"
        )
        return [row[0] for row in self._tables.fetch_all(query, (id_, id_))]


# What was worked out from the rows and the texts, kept until anything about any memory changes.

_MOST = 32


class DerivedValues:
    """Keeps a few values; only who stays longer than one call is the better for it."""

    def __init__(self, change_count: Callable[[], Hashable]) -> None:
        self._change_count = change_count
        self._computed_at: Hashable = None
        self._values: dict[Hashable, Any] = {}

    def current(self) -> dict[Hashable, Any]:
        """Where values are kept while all stays as it is now; what is worked out from here on may be put there."""
        now = self._change_count()
        # Another one, not the same one emptied: who is still at it puts what is out of date where nobody looks.
        if now != self._computed_at or len(self._values) > _MOST:
            self._computed_at, self._values = now, {}
        return self._values
