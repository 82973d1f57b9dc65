"""The transcript index: rows and postings beside them, kept in step, and rebuilt when in doubt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Self

from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.errors import Busy, DamagedIndex
from memvault.storage.index.index import lock_index, open_or_rebuild
from memvault.storage.index.postings import PostingStore
from memvault.storage.index.sqlite import Tables
from memvault.storage.transcript_index.rows import (
    TranscriptRows,
    TranscriptTurns,
    fact_row,
    turns_between,
)
from memvault.storage.transcript_index.units import FACTS, TEXT, UnitColumns, UnitCutter
from memvault.storage.vault.context import VaultContext
from memvault.system import files

_NONE = 0  # no conversation has that number: a process killed while merging leaves nothing to remove


@dataclass(frozen=True, slots=True)
class IndexedState:
    """How far a conversation is indexed: the stat key of its files, and where reading stopped."""

    number: int
    key: Key
    state: Mapping[str, int]
    turns: int


@dataclass(slots=True)
class TranscriptChanges:
    """Conversations that are new, grown or changed, and those that are gone."""

    changed: dict[str, Key] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


class TranscriptIndex(TranscriptRows):
    """Everything derived from a vault's archive of conversations."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(folder / "rows.sqlite")
        self.terms = PostingStore(folder / "terms", FIELDS)
        self._turn_index: tuple[str, TranscriptTurns] | None = None
        try:
            self._inode = (folder / "rows.sqlite").stat().st_ino
            self._recover()
        except BaseException:
            self.close()  # nobody else can close it
            raise

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the index in a folder that only its owner can write; a damaged one is set aside and built anew."""
        return open_or_rebuild(folder, lambda: cls(folder))

    @classmethod
    def of(cls, context: VaultContext) -> Self:
        """Return the index of a context as it was left; `refresh_transcript_index` brings it up to date."""
        index = context.open_transcripts() if context.open_transcripts is not None else None
        assert isinstance(index, cls)
        return index

    def is_current(self) -> bool:
        """Return whether the open files are still the ones in the folder."""
        try:
            return (self.folder / "rows.sqlite").stat().st_ino == self._inode
        except OSError:
            return False

    def close(self) -> None:
        """Close the files."""
        with suppress(DamagedIndex):
            self.terms.close()
        super().close()

    def lock(self) -> AbstractContextManager[None]:
        """Lock the index: one process updates it at a time; readers wait for nobody."""
        return lock_index(self)

    # -- recovery

    def _recover(self) -> None:
        """Remove what a killed process had begun, so that its conversation is read again."""
        if self._busy_number() is None and self._is_in_step():
            return
        # Whoever holds the lock is alive and writing: readers see the state before, and wait for nobody.
        with suppress(Busy), files.lock(self.folder / "lock", wait=0):
            if (number := self._busy_number()) is not None:
                self._drop_conversation(number)
            if not self._is_in_step():
                raise DamagedIndex(path=self.folder, reason="postings and rows do not belong together")

    def _busy_number(self) -> int | None:
        row = self._tables.fetch_one("select value from meta where name = 'busy'")
        return int(row[0]) if row else None

    def _is_in_step(self) -> bool:
        known = self._tables.fetch_one("select value from meta where name = 'state'")
        if known is None:
            return not self.terms.snapshot().count
        return bool(known[0] == self.terms.state())

    def _save_state(self) -> None:
        self._tables.execute("replace into meta values ('state', ?)", (self.terms.state(),))

    def _drop_conversation(self, number: int) -> None:
        self._tables.execute("replace into meta values ('busy', ?)", (number,))
        self.terms.replace([], gone=[range(number * UNITS, (number + 1) * UNITS)])
        with self._tables.transaction():
            for table in ("turn", "fact", "trajectory", "unit", "columns"):
                self._tables.execute(f"delete from {table} where talk = ?", (number,))  # noqa: S608, RUF100
            self._tables.execute("delete from talk where number = ?", (number,))
            self._tables.execute("delete from meta where name = 'busy'")
            self._save_state()

    # -- comparing

    def find_changes(self, listing: Iterable[tuple[str, Key]]) -> TranscriptChanges:
        """Compare the files of the archive with the index."""
        known: dict[str, str] = dict(self._tables.fetch_all("select path, key from talk"))
        found = TranscriptChanges()
        for path, key in listing:
            if known.pop(path, None) != json.dumps(key):
                found.changed[path] = key
        found.gone = sorted(known)
        return found

    def indexed_state(self, path: str) -> IndexedState | None:
        """Return how far the conversation at a path is indexed."""
        row = self._tables.fetch_one("select number, key, state, turns from talk where path = ?", (path,))
        return IndexedState(row[0], tuple(json.loads(row[1])), json.loads(row[2]), row[3]) if row else None

    # -- indexing

    def remove_path(self, path: str) -> None:
        """Remove a conversation whose file is gone."""
        if known := self.indexed_state(path):
            self._drop_conversation(known.number)

    def index_conversation(self, arriving: IncomingConversation) -> None:
        """Index a conversation, whole or from where it grew; killed meanwhile, it is found to differ again."""
        known = self.indexed_state(arriving.path)
        if known and not arriving.grown:
            self._drop_conversation(known.number)
            known = None
        number = known.number if known else self._next_number()
        self._tables.execute("replace into meta values ('busy', ?)", (number,))
        ConversationUpdate(self._tables, self.terms, number, self.folder / "rows").index_incoming(arriving)
        with self._tables.transaction():
            self._tables.execute("delete from meta where name = 'busy'")
            self._save_state()

    def merge_postings(self) -> bool:
        """Merge the postings of many small changes, if that is worth it; return whether it was."""
        with self.lock():
            self._tables.execute("replace into meta values ('busy', ?)", (_NONE,))
            merged = self.terms.merge_if_idle()
            with self._tables.transaction():
                self._tables.execute("delete from meta where name = 'busy'")
                self._save_state()
        return merged

    def _next_number(self) -> int:
        with self._tables.transaction():
            row = self._tables.fetch_one("select value from meta where name = 'next'")
            number = int(row[0]) if row else 1
            self._tables.execute("replace into meta values ('next', ?)", (number + 1,))
        return number

    # -- searching

    def turn_index(self) -> TranscriptTurns:
        """Return all units as scoring sees them, as of the last update."""
        reading = self.terms.snapshot()
        if self._turn_index is None or self._turn_index[0] != reading.state:
            rows = self._tables.fetch_all(
                "select talk, data, speakers from columns join talk on talk = number order by talk"
            )
            parts = {
                number: (UnitColumns.unpack_columns(data, where=self.folder / "rows"), json.loads(names))
                for number, data, names in rows
            }
            self._turn_index = (reading.state, TranscriptTurns(reading, parts, self.folder / "rows"))
        return self._turn_index[1]


# Index one conversation: its turns in batches, each cut into units with their columns.

FIELDS = (TEXT, FACTS)
UNITS = 1 << 24  # more units than this of one conversation are not indexed
BATCH = 1_000  # turns indexed together,
_MOST_CHARACTERS = 4_000_000  # or fewer, where they are long

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingConversation:
    """What to index of one conversation: all of it, or what is new."""

    path: str
    short: str
    key: Key
    conversation: Conversation
    turns: Iterable[Turn]
    facts: Iterable[Fact]
    trajectories: Iterable[Trajectory]
    state: Callable[[], Mapping[str, int]]  # how far reading got, once it is over
    grown: bool = False  # only what follows the indexed part


class ConversationUpdate:
    """The update of one conversation."""

    def __init__(self, tables: Tables, terms: PostingStore, number: int, folder: Path) -> None:
        self._tables = tables
        self._terms = terms
        self._number = number
        self._folder = folder  # for the error where it is damaged
        self._columns = UnitColumns()
        self._cutter = UnitCutter()
        self._times: list[float] = []
        self._turns = self._units = 0

    def index_incoming(self, arriving: IncomingConversation) -> None:
        """Index everything; the caller has marked the conversation as busy."""
        if arriving.grown:
            self._resume()
        row = self._tables.fetch_one("select coalesce(max(number) + 1, 0) from fact where talk = ?", (self._number,))
        start = int(row[0]) if row else 0
        rows = (
            (self._number, at, fact.turns[-1], fact_row(fact))
            for at, fact in enumerate(arriving.facts, start)
            if fact.turns
        )
        with self._tables.transaction():
            self._tables.execute_many("replace into fact values (?, ?, ?, ?)", rows)
        self._cutter.add_speakers(arriving.conversation.speakers)
        for batch in _split_batches(arriving.turns):
            self._index_turns(batch)
        with self._tables.transaction():
            # A newer topic replaces those that begin within it.
            for each in arriving.trajectories:
                self._tables.execute(
                    "delete from trajectory where talk = ? and first between ? and ?",
                    (self._number, each.first, each.last),
                )
                keywords = json.dumps(each.keywords, ensure_ascii=False)
                self._tables.execute(
                    "replace into trajectory values (?, ?, ?, ?, ?)",
                    (self._number, each.first, each.last, each.summary, keywords),
                )
            self._write_conversation(arriving)

    def _resume(self) -> None:
        """Resume where the last update stopped."""
        row = self._tables.fetch_one(
            "select turns, units, speakers, first, last from talk where number = ?", (self._number,)
        )
        packed = self._tables.fetch_one("select data from columns where talk = ?", (self._number,))
        if row is None or packed is None:
            return
        self._turns, self._units = row[0], row[1]
        self._cutter.add_speakers(json.loads(row[2]))
        self._times = [at for at in row[3:] if at is not None]
        self._columns = UnitColumns.unpack_columns(packed[0], where=self._folder)
        if len(self._columns):
            last = turns_between(self._tables, self._number, self._turns - 1, self._turns - 1)[0]
            self._cutter.resume(self._columns.sitting[-1], last)

    # -- turns

    def _index_turns(self, turns: Sequence[Turn]) -> None:
        documents: list[tuple[int, dict[str, list[str]]]] = []
        units: list[tuple[int, int, int, int, int]] = []
        cut = self._cutter.cut_turns(turns, self._facts_of(turns), start=self._turns)
        for unit in islice(cut, max(0, UNITS - self._units)):
            key = self._number * UNITS + self._units + len(units)
            documents.append((key, unit.fields))
            units.append((key, self._number, unit.place, unit.start, unit.stop))
            self._columns.append_unit(unit.numbers, unit.named_days)
        self._terms.replace(documents, gone=())
        with self._tables.transaction():
            rows = [self._turn_row(place, turn) for place, turn in enumerate(turns, self._turns)]
            self._tables.execute_many("replace into turn values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._tables.execute_many("replace into unit values (?, ?, ?, ?, ?)", units)
        self._turns += len(turns)
        self._units += len(units)

    def _facts_of(self, turns: Sequence[Turn]) -> dict[str, list[str]]:
        """Return the texts of the facts of some turns."""
        found: dict[str, list[str]] = {}
        for start in range(0, len(turns), BATCH // 2):
            ids = [turn.id for turn in turns[start : start + BATCH // 2]]
            marks = ",".join("?" * len(ids))
            sql = f"select turn, data from fact where talk = ? and turn in ({marks})"  # noqa: S608, RUF100
            for turn, data in self._tables.fetch_all(sql, (self._number, *ids)):
                found.setdefault(turn, []).append(json.loads(data)["text"])
        return found

    def _turn_row(self, place: int, turn: Turn) -> tuple[object, ...]:
        at = turn.time.timestamp() if turn.time else None
        if at is not None:
            self._times = [min([at, *self._times]), max([at, *self._times])]
        deeds = json.dumps(turn.deeds, ensure_ascii=False) if turn.deeds else ""
        return (self._number, place, turn.id, turn.session, at, turn.speaker, turn.role, turn.text, deeds)

    # -- finishing

    def _write_conversation(self, arriving: IncomingConversation) -> None:
        talk = arriving.conversation
        first, last = (self._times[0], self._times[-1]) if self._times else (None, None)
        self._tables.execute("replace into columns values (?, ?)", (self._number, self._columns.pack_columns()))
        self._tables.execute(
            f"replace into talk values ({','.join('?' * 14)})",
            (
                *(self._number, arriving.path, json.dumps(arriving.key), talk.id, arriving.short),
                *(
                    talk.source,
                    talk.title,
                    talk.project,
                    json.dumps(list(self._cutter.speakers), ensure_ascii=False),
                    self._turns,
                    self._units,
                ),
                *(first, last, json.dumps(arriving.state())),
            ),
        )


def _split_batches(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    batch: list[Turn] = []
    held = 0
    for turn in turns:
        batch.append(turn)
        held += len(turn.text)
        if len(batch) >= BATCH or held >= _MOST_CHARACTERS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
