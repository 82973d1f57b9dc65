"""The transcript index: rows and postings beside them, kept in step, and rebuilt when in doubt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from memvault.errors import Busy, DamagedIndex
from memvault.storage.index.index import claim_folder, set_aside
from memvault.storage.index.postings import PostingStore
from memvault.storage.transcript_index.reader import TranscriptTurns
from memvault.storage.transcript_index.rows import TranscriptRows, UnitColumns
from memvault.storage.transcript_index.update import FIELDS, UNITS, ConversationUpdate, IncomingConversation, Key
from memvault.storage.vault.context import VaultContext
from memvault.system import files

WAIT_SECONDS = 60.0
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
        """Open the index in a folder that only its owner can write; set a damaged one aside for a new one."""
        claim_folder(folder)
        try:
            return cls(folder)
        except (DamagedIndex, FileNotFoundError):  # the latter where somebody empties the cache at this moment
            set_aside(folder)
            claim_folder(folder)
            return cls(folder)

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
        return files.lock(self.folder / "lock", wait=WAIT_SECONDS)

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
