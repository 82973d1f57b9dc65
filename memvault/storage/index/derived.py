"""Tables about each memory's use, folded from journals and ledgers, and values derived from the rows."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from memvault.core.value import MutableRecord, field
from memvault.core.weight import TypedValue, UsageHistory
from memvault.storage.index.sqlite import Row, Tables
from memvault.storage.journal.journal import Journal, JsonRecord, read_from
from memvault.text.dates.dates import read_moment

if TYPE_CHECKING:
    from memvault.core.kinds.procedural import PracticeHistory
    from memvault.storage.journal.ledger import Ledger


DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_FOREVER = 1 << 40
_MOST_VALUES = 300
_USE, _WISH, _BASELINE = range(3)


class UsageTables:
    """The tables of uses, of values that people typed, and of counts from before the journals."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._read: tuple[tuple[int, int] | None, tuple[Row, ...]] = None, ()  # mark, counts

    def read_offsets(self) -> dict[str, int]:
        """Return how far each journal and ledger was read."""
        return dict(self._tables.fetch_all("select name, offset from journal"))

    def _fold_usage(self, news: JournalNews, now: datetime) -> None:
        """Fold news in: one use counts per memory, session and day, an edit once in all."""
        uses = [
            (id_, who, 0 if who.startswith("edit:") else int(at.timestamp()) // DAY, at.timestamp(), at.timestamp())
            for id_, who, at in news.touches
        ]
        stamp = now.timestamp()  # a later date comes from a clock that was ahead
        typed = [
            (id_, name, value if isinstance(value, str | int | float) else None, at.timestamp(), stamp)
            for id_, name, value, at in news.typed_values
        ]
        counts = [(id_, value, at.timestamp()) for id_, value, at in news.baseline_counts]
        lifted = [(id_,) for id_ in news.lifted_counts]
        self._tables.execute_many(_ADD_USE, uses)
        self._tables.execute_many(_ADD_WISH, typed)
        self._tables.execute_many("delete from baseline where id = ?", lifted)
        self._tables.execute_many(_ADD_COUNT, counts)
        self._tables.execute_many("insert or ignore into confirm values (?, ?)", news.confirmations)
        outcomes = [(id_, device, at.timestamp(), int(ok)) for id_, device, ok, at in news.outcomes]
        practice = [(id_, count, rate, at.timestamp()) for id_, count, rate, at in news.practice_counts]
        self._tables.execute_many("insert or ignore into followed values (?, ?, ?, ?)", outcomes)
        self._tables.execute_many(_ADD_PRACTICE, practice)
        if uses or typed or counts or lifted or news.confirmations or outcomes or practice:
            self._note_change()

    def _note_change(self) -> None:
        """Record that something about a memory changed."""
        self._tables.execute("replace into meta values ('turn', ?)", (self._change_count() + 1,))

    def _change_count(self) -> int:
        found = self._tables.fetch_one("select value from meta where name = 'turn'")
        return int(found[0]) if found else 0

    def _change_counts(self) -> tuple[Row, ...]:
        """Return a value that differs after any change to a memory or to a pair."""
        mark = self._tables.change_mark()
        if mark is None or mark != self._read[0]:
            rows = self._tables.fetch_all("select name, value from meta where name in ('turn', 'paired')")
            self._read = mark, tuple(rows)  # the mark is older: later changes are read again
        return self._read[1]

    def state_digest(self) -> str:
        """Return a word that differs whenever any memory changed or the index was rebuilt."""
        born = self._tables.fetch_one("select value from meta where name = 'born'")
        if born is None:
            born = (os.urandom(8).hex(),)
            self._tables.execute("insert or ignore into meta values ('born', ?)", born)
        return f"{born[0]}:{self._change_count()}"

    # -- queries

    def usage_histories(self, ids: Iterable[str]) -> dict[str, UsageHistory]:
        """Return the known usage of some memories; those without any are left out."""
        found: dict[str, UsageHistory] = {}
        stream = iter(ids)
        while some := tuple(islice(stream, _MOST_VALUES)):  # older SQLite takes only some hundred values at a time
            found |= self._read_histories(f"where id in ({','.join('?' * len(some))})", some)
        return found

    def all_usage_histories(self) -> dict[str, UsageHistory]:
        """Return the known usage of all memories."""
        return self._read_histories("", ())

    def _read_histories(self, condition: str, values: Sequence[str]) -> dict[str, UsageHistory]:
        rows = self._tables.fetch_all(_PASTS.replace("?", condition), [*values] * 3)
        return {id_: _usage_history(found) for id_, found in _group_by_id(rows).items()}

    def confirming_sessions(self) -> dict[str, frozenset[str]]:
        """Return the conversations that repeated each memory, by id."""
        rows = _group_by_id(self._tables.fetch_all("select id, session from confirm order by id"))
        return {id_: frozenset(session for (session,) in found) for id_, found in rows.items()}

    def practice_records(self, ids: Iterable[str] | None = None) -> dict[str, PracticeHistory]:
        """Return how often memories were followed and worked; of all memories by default."""
        from memvault.core.kinds import procedural  # deferred: a recall does not ask for it

        rows = _group_by_id(self._tables.fetch_all("select id, at, ok from followed order by id, at"))
        before = _group_by_id(self._tables.fetch_all("select id, count, rate from practice"))
        known = rows.keys() | before.keys()
        return {
            id_: procedural.PracticeHistory(
                tuple((_moment_of(at), bool(ok)) for at, ok in rows.get(id_, [])),
                procedural.PracticeRecord(*before[id_][0]) if id_ in before else None,
            )
            for id_ in (known if ids is None else known & set(ids))
        }

    def count_sessions(self, id_: str) -> int:
        """Return how many conversations or days used a memory; edits are left out."""
        found = self._tables.fetch_one("select count(*) from use where id = ? and who not like 'edit:%'", (id_,))
        return int(found[0]) if found else 0

    def memories_used_in(self, who: str) -> list[str]:
        """Return the memories that a session used, in that order."""
        rows = self._tables.fetch_all("select id from use where who = ? group by id order by min(first)", (who,))
        return [row[0] for row in rows]

    def last_edit(self, id_: str) -> datetime | None:
        """Return when a memory's text was last seen to be edited; None where it never was."""
        found = self._tables.fetch_one("select max(at) from use where id = ? and who like 'edit:%'", (id_,))
        return datetime.fromtimestamp(found[0], UTC) if found and found[0] is not None else None

    def count_uses_by_day(self) -> list[tuple[date, int]]:
        """Return how many uses were counted on each UTC day, in order."""
        rows = self._tables.fetch_all("select cast(at / ? as integer), count(*) from use group by 1 order by 1", (DAY,))
        return [(date.fromordinal(_EPOCH + day), count) for day, count in rows if 0 <= day < _FOREVER // DAY]


_ADD_USE = (
    "insert into use values (?, ?, ?, ?, ?)"
    " on conflict do update set at = max(at, excluded.at), first = min(first, excluded.first)"
)
_ADD_WISH = (
    "insert into wish values (?, ?, ?, ?)"
    # A future date, from a clock that was ahead, yields to whatever is seen later.
    " on conflict do update set value = excluded.value, at = excluded.at where excluded.at >= at or at > ?"
)
_ADD_PRACTICE = (
    "insert into practice values (?, ?, ?, ?)"
    " on conflict do update set count = excluded.count, rate = excluded.rate, at = excluded.at where excluded.at < at"
)
# One statement: for a few memories, Python takes most of the time of three.
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


# Which memories duplicate or contradict each other, as found last.

PairRow = tuple[str, str, str, str]  # the two ids, the verdict, and the rest as JSON


class PairTable:
    """The table of similar and contradicting pairs, with a mark of what they were found among."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def write_pairs(self, mark: str, rows: Iterable[PairRow]) -> None:
        """Replace all kept pairs."""
        with self._tables.transaction():
            self._tables.execute("delete from pair")
            self._tables.execute_many("insert or replace into pair values (?, ?, ?, ?)", rows)
            self._tables.execute("replace into meta values ('compared', ?)", (mark,))
            self._note_pair_change()

    def read_pairs(self, mark: str) -> list[PairRow] | None:
        """Return the pairs found among memories with that mark; None where they belong to another."""
        found = self._tables.fetch_one("select value from meta where name = 'compared'")
        if found != (mark,):
            return None
        return self._tables.fetch_all("select one, other, verdict, data from pair order by one, other")

    def drop_pair(self, one: str, other: str) -> None:
        """Remove the pair of two memories: a person has resolved it."""
        with self._tables.transaction():
            self._tables.execute("delete from pair where one = ? and other = ?", sorted((one, other)))
            self._note_pair_change()

    def _note_pair_change(self) -> None:
        """Record that the pairs changed; the memories themselves did not."""
        found = self._tables.fetch_one("select value from meta where name = 'paired'")
        self._tables.execute("replace into meta values ('paired', ?)", (found[0] + 1 if found else 1,))

    def contradicted_ids(self) -> frozenset[str]:
        """Return the memories that any other contradicts."""
        rows = self._tables.fetch_all("select one, other from pair where verdict = 'contradiction'")
        return frozenset([id_ for row in rows for id_ in row])

    def contradicting_ids(self, id_: str) -> list[str]:
        """Return the memories that contradict this one."""
        query = (
            "select other from pair where one = ? and verdict = 'contradiction'"
            " union select one from pair where other = ? and verdict = 'contradiction'"
        )
        return [row[0] for row in self._tables.fetch_all(query, (id_, id_))]


# Values derived from rows and texts, kept until any memory changes.

_MOST = 32


class DerivedValues:
    """Keeps a few computed values until any memory changes; useful in a process that runs on."""

    def __init__(self, change_count: Callable[[], Hashable]) -> None:
        self._change_count = change_count
        self._computed_at: Hashable = None
        self._values: dict[Hashable, Any] = {}

    def current(self) -> dict[Hashable, Any]:
        """Return the dictionary in which values stay while nothing changes."""
        now = self._change_count()
        # A new dictionary: a thread that is still computing writes its outdated value into the old one.
        if now != self._computed_at or len(self._values) > _MOST:
            self._computed_at, self._values = now, {}
        return self._values


# What journals and ledgers say about each memory's use, read on from an offset.


class Touch(NamedTuple):
    """One counted use: a memory, by whom (session, or device where there is none), when."""

    id: str
    who: str
    at: datetime


_MOST_SANE = 1_000_000_000
TYPED_FIELDS = {"weight": "weight", "status": "status", "pin": "pinned"}  # the event, and the field a person changed


class JournalNews(MutableRecord):
    """What further lines of one file say."""

    touches: list[Touch] = field(default_factory=list)
    typed_values: list[tuple[str, str, object, datetime]] = field(default_factory=list)  # id, field, value, when
    baseline_counts: list[tuple[str, int, datetime]] = field(default_factory=list)  # id, count before journals, when
    confirmations: list[tuple[str, str]] = field(default_factory=list)  # id, the conversation that said it again
    outcomes: list[tuple[str, str, bool, datetime]] = field(default_factory=list)  # id, who, whether it worked, when
    practice_counts: list[tuple[str, int, float | None, datetime]] = field(default_factory=list)  # as in the file
    lifted_counts: list[str] = field(default_factory=list)  # ids whose count before the journals is lifted
    archive_marks: list[tuple[str, bool]] = field(default_factory=list)  # foreign notes, archived or lifted


def read_news(journal: Journal, ledger: Ledger, offsets: Mapping[str, int]) -> Iterator[tuple[str, int, JournalNews]]:
    """Yield every file that grew: its name, its new offset, and what came since the old one."""
    for name, path in [*journal.journal_files(), *ledger.ledger_files()]:
        before = offsets.get(name, 0)
        if path.stat().st_size != before:
            entries, after = read_from(path, before)
            device, news = name.partition("/")[0], JournalNews()
            for entry in entries:
                _fold_entry(news, entry, device)
            yield name, after, news


def _fold_entry(news: JournalNews, entry: JsonRecord, device: str) -> None:
    moment = read_moment(str(entry.get("t", "")))
    if moment is None:
        return
    match entry:
        case {"e": "touch", "id": str(id_), "t": str()}:
            news.touches.append(Touch(id_, str(entry.get("session") or f"device:{device}"), moment))
        case {"e": "edit", "id": str(id_), "t": str()}:  # it counts once, however many devices saw it
            news.touches.append(Touch(id_, f"edit:{entry.get('sha')}", moment))
        case {"e": "weight" | "status" | "pin" as event, "id": str(id_), "value": value} if _is_sane(value):
            news.typed_values.append((id_, TYPED_FIELDS[event], value, moment))
        case {"e": "count", "id": str(id_), "value": int(value)} if _is_sane(value):
            news.baseline_counts.append((id_, value, moment))
        case {"e": "lift", "of": "count", "id": str(id_)}:
            news.baseline_counts = [count for count in news.baseline_counts if count[0] != id_]
            news.lifted_counts.append(id_)
        case {"e": "confirm", "id": str(id_), "session": str(session)}:
            news.confirmations.append((id_, session))
        case _:
            _fold_practice(news, entry, device, moment)


def _is_sane(value: object) -> bool:
    """Return whether a value is a text, or a number that a count or a weight can be; a line may come from anywhere."""
    return isinstance(value, str) or (isinstance(value, int | float) and 0 <= value < _MOST_SANE)


def _fold_practice(news: JournalNews, entry: JsonRecord, device: str, moment: datetime) -> None:
    """Fold in how practices were followed, and which foreign notes are archived."""
    match entry:
        case {"e": "archive", "id": str(id_)} | {"e": "lift", "of": "archive", "id": str(id_)}:
            news.archive_marks.append((id_, entry["e"] == "archive"))
        case {"e": "use", "id": str(id_), "ok": bool(ok)}:
            # A repeated line is one use. Older lines have no nonce, and are identified as before.
            drawn = entry.get("nonce")
            news.outcomes.append((id_, f"{device}/{drawn}" if isinstance(drawn, str) else device, ok, moment))
        case {"e": "practice", "id": str(id_), "count": int(count)} if _is_sane(count):
            rate = entry.get("rate")
            is_rate = isinstance(rate, int | float) and 0 <= rate <= 1
            news.practice_counts.append((id_, count, float(rate) if is_rate else None, moment))  # type: ignore[arg-type]
