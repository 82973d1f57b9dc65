"""The catalogue of conversations: rows and a term index beside them, kept in step, thrown away when in doubt."""

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
_NONE = 0  # no conversation has that number: of a process killed while it merges there is nothing to take out


@dataclass(frozen=True, slots=True)
class IndexedState:
    """How far a conversation was taken in: the stat key of its files then, and where the reading stopped."""

    number: int
    key: Key
    state: Mapping[str, int]
    turns: int


@dataclass(slots=True)
class TranscriptChanges:
    """Conversations that came or grew or changed, and those that went."""

    changed: dict[str, Key] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


class TranscriptIndex(TranscriptRows):
    """Everything derived from the archive of conversations of one vault."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(folder / "rows.sqlite")
        self.terms = PostingStore(folder / "terms", FIELDS)
        self._turn_index: tuple[str, TranscriptTurns] | None = None
        try:
            self._inode = (folder / "rows.sqlite").stat().st_ino
            self._recover()
        except BaseException:
            self.close()  # nobody else has it to let go of
            raise

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The catalogue kept in a folder that only its owner can write; a damaged one is set aside for a new one."""
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
        """Whether the files that are open are still the ones in the folder."""
        try:
            return (self.folder / "rows.sqlite").stat().st_ino == self._inode
        except OSError:
            return False

    def close(self) -> None:
        """Let go of files."""
        with suppress(DamagedIndex):
            self.terms.close()
        super().close()

    def lock(self) -> AbstractContextManager[None]:
        """One process takes conversations in at a time; readers wait for nobody."""
        return files.lock(self.folder / "lock", wait=WAIT_SECONDS)

    # -- in step

    def _recover(self) -> None:
        """What a killed process had begun is taken out again, and its conversation looked at anew."""
        if self._busy_number() is None and self._is_in_step():
            return
        # Whoever holds the lock is alive and at it: readers see what was before, and wait for nobody.
        with suppress(Busy), files.lock(self.folder / "lock", wait=0):
            if (number := self._busy_number()) is not None:
                self._drop_conversation(number)
            if not self._is_in_step():
                raise DamagedIndex(path=self.folder, reason="the terms are not those that belong to the rows")

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
        """What differs between the files of the archive and what is known of them."""
        known: dict[str, str] = dict(self._tables.fetch_all("select path, key from talk"))
        found = TranscriptChanges()
        for path, key in listing:
            if known.pop(path, None) != json.dumps(key):
                found.changed[path] = key
        found.gone = sorted(known)
        return found

    def indexed_state(self, path: str) -> IndexedState | None:
        """How far the conversation of a path was taken in."""
        row = self._tables.fetch_one("select number, key, state, turns from talk where path = ?", (path,))
        return IndexedState(row[0], tuple(json.loads(row[1])), json.loads(row[2]), row[3]) if row else None

    # -- taking in

    def remove_path(self, path: str) -> None:
        """Forget a conversation whose file went."""
        if known := self.indexed_state(path):
            self._drop_conversation(known.number)

    def index_conversation(self, arriving: IncomingConversation) -> None:
        """Take a conversation in, whole or what came since; killed on the way, it is found to differ again."""
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
        """For when there is time: merge what many small changes left, if it is worth it; says whether it was."""
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
        """All units as scoring sees them, as the last intake left them."""
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
