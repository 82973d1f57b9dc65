"""The index of one vault: rows and a search backend kept in step, and rebuilt when in doubt."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Protocol, Self, TypeVar

from memvault.core.memory import IndexEntry
from memvault.core.query import NO_FILTERS
from memvault.core.value import MutableRecord, field
from memvault.errors import Busy, DamagedIndex, Unwritable
from memvault.storage.index.derived import DerivedValues
from memvault.storage.index.postings.store import ByteCache
from memvault.storage.index.query import GuardedBackend, IndexQueries
from memvault.storage.index.rows import COLUMNS, encode_row, fold_name, memory_marks, search_document
from memvault.storage.index.search import NO_BACKENDS, BackendMaker
from memvault.storage.vault.listing import UNSURE, FolderEntries
from memvault.system import files
from memvault.system.files import StatKey

# The differences between the files and the rows.

Listing = Iterable[tuple[str, FolderEntries]]


def folder_of(path: str) -> str:
    """Return the folder of a note as listings name it."""
    above, slash, _ = path.rpartition("/")
    return above + slash


class IndexDiff(MutableRecord):
    """How the files differ from the rows: paths that came, changed or went, and the folders' new digests."""

    added: dict[str, StatKey] = field(default_factory=dict)
    changed: dict[str, StatKey] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    folders: dict[str, str] = field(default_factory=dict)
    folders_gone: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)  # from -> to, by inode

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone or self.folders or self.folders_gone)

    def paths_to_read(self) -> Iterator[tuple[str, StatKey]]:
        """Return the notes that came or changed, in order."""
        return iter(sorted({**self.added, **self.changed}.items()))

    def compare_folder(self, folder: str, entries: FolderEntries, known: Mapping[str, StatKey]) -> None:
        """Compare one folder's notes with its rows."""
        seen = set()
        for name, key in entries:
            seen.add(name)
            before = known.get(name)
            if before is None:
                self.added[folder + name] = key
            elif before != key:
                self.changed[folder + name] = key
        self.gone |= {folder + name for name in known.keys() - seen}

    def compare_note(self, path: str, key: StatKey | None, before: StatKey | None) -> None:
        """Compare one note with its row; its folder is compared again at the next listing."""
        if key == before:
            return
        if key is None:
            self.gone.add(path)
        else:
            (self.added if before is None else self.changed)[path] = key
        self.folders.setdefault(folder_of(path), "")

    def recheck_folder(self, folder: str) -> None:
        """Have a folder compared again at the next listing; where nothing else differs, its digest stays."""
        if self.added or self.changed or self.gone or self.folders_gone:
            self.folders[folder] = ""
        else:
            self.folders.pop(folder, None)

    def find_moves(self, keys: Mapping[str, StatKey]) -> None:
        """Pair notes that went and came with the same size, time and inode: they were moved."""
        by_file = {(key[0], key[1], key[3]): path for path, key in keys.items() if path in self.gone and key[3]}
        for path, key in self.added.items():
            source = by_file.pop((key[0], key[1], key[3]), None)
            if source is not None:
                self.moved[source] = path


BATCH = 6_000
WAIT_SECONDS = 60.0
_FEW = 200  # for so few notes it is faster to query the duplicates of each
_TEXT_BYTES = 24 << 20
_INSERT = f"insert into note values ({','.join('?' * COLUMNS)})"


Done = TypeVar("Done")
Opened = TypeVar("Opened")
Numbered = list[tuple[int, StatKey, IndexEntry]]


class Index(IndexQueries):
    """Everything derived from the files of one vault."""

    def __init__(self, folder: Path, backend: str, added: Mapping[str, BackendMaker] = NO_BACKENDS) -> None:
        self.folder = folder
        super().__init__(folder / "rows.sqlite")
        try:
            self.backend = GuardedBackend(backend, folder / backend, added=added)
            self._rows_path = str(folder / "rows.sqlite")
            self._inode = (folder / "rows.sqlite").stat().st_ino
            self.derived = DerivedValues(self._change_counts)
            self.texts = ByteCache(_TEXT_BYTES)  # texts of notes, for a process that runs on
            self._recover_batches()
        except BaseException:
            super().close()  # nobody else can close it
            raise

    @classmethod
    def open(cls, folder: Path, *, backend: str = "whoosh", added: Mapping[str, BackendMaker] = NO_BACKENDS) -> Self:
        """Open the index in a folder that only its owner can write; a damaged one is set aside and built anew."""
        return open_or_rebuild(folder, lambda: cls(folder, backend, added))

    def is_current(self) -> bool:
        """Return whether the open files are still the ones in the folder."""
        try:
            return os.stat(self._rows_path).st_ino == self._inode  # noqa: PTH116 - asked before every call
        except OSError:
            return False

    def close(self) -> None:
        """Close all files."""
        with suppress(DamagedIndex):
            self.backend.close()
        super().close()

    def lock(self) -> AbstractContextManager[None]:
        """Return the lock under which one process updates the index at a time; readers never wait."""
        return lock_index(self)

    def _recover_batches(self) -> None:
        """Undo the batch that a killed process began, and have its notes read again."""
        pending = "select first, last from pending"
        if not self._tables.fetch_all(pending) and self._matches_backend():
            return
        # Another live process holds the lock: readers see the former state and do not wait.
        with suppress(Busy), files.lock(self.folder / "lock", wait=0):
            for first, last in self._tables.fetch_all(pending):
                self.backend.replace([], range(first, last + 1))
                with self._tables.transaction():
                    self._tables.execute("update note set size = -1 where number in (select number from departing)")
                    for table in ("folder", "pending", "departing"):
                        self._tables.execute(f"delete from {table}")
                    self._note_state()
            if not self._matches_backend():
                raise DamagedIndex(path=self.folder, reason="the index is not the one that belongs to the rows")

    def _matches_backend(self) -> bool:
        """Return whether the search backend is the one the rows were last written with."""
        known = self._tables.fetch_one("select value from meta where name = 'state'")
        if known is None:  # new rows beside old texts would share their numbers
            return not self.backend.numbers()
        return bool(known[0] == self.backend.state())

    def _note_state(self) -> None:
        self._tables.execute("replace into meta values ('state', ?)", (self.backend.state(),))

    # -- comparing

    def compare_listing(self, listing: Listing) -> IndexDiff:
        """Return how a listing differs from the rows; an unchanged folder costs one comparison."""
        diff = IndexDiff()
        known: dict[str, str] = dict(self._tables.fetch_all("select path, digest from folder"))
        diff.find_moves(self._compare_folders(diff, listing, known))
        return diff

    def compare_part(self, notes: Mapping[str, StatKey | None], listing: Listing, *, below: Iterable[str]) -> IndexDiff:
        """Return how some notes (None for a missing one) and some folders differ from the rows."""
        diff = IndexDiff()
        known: dict[str, str] = {}
        for folder in below:
            inside = "select path, digest from folder where path >= ? and path < ?"
            known |= dict(self._tables.fetch_all(inside, (folder, f"{folder}\U0010ffff")))
        keys = self._compare_folders(diff, listing, known)
        for path, key in notes.items():
            before = self.stat_key(path)
            if before is not None:
                keys[path] = before
            diff.compare_note(path, key, before)
        diff.find_moves(keys)
        return diff

    def stat_key(self, path: str) -> StatKey | None:
        """Return the stat key that a note had when it was indexed."""
        return self._tables.fetch_one("select size, mtime, ctime, inode from note where path = ?", (path,))

    def confirm_key(self, path: str, key: StatKey) -> None:
        """Confirm the key of a note that was read within a clock tick of its last change."""
        self._tables.execute("update note set ctime = ? where path = ? and ctime = ?", (key[2], path, UNSURE))

    def is_complete(self) -> bool:
        """Return whether the whole vault was compared since the index was made or repaired."""
        return self._tables.fetch_one("select 1 from folder limit 1") is not None

    def _compare_folders(self, diff: IndexDiff, listing: Listing, known: Mapping[str, str]) -> dict[str, StatKey]:
        keys: dict[str, StatKey] = {}
        seen = set()
        for folder, entries in listing:
            seen.add(folder)
            digest = files.digest_parts(entries.digest_parts())
            if known.get(folder) != digest:
                diff.folders[folder] = digest
                keys |= self._compare_folder(diff, folder, entries)
        for folder in known.keys() - seen:
            diff.folders_gone.add(folder)
            keys |= self._compare_folder(diff, folder, FolderEntries())
        return keys

    def _compare_folder(self, diff: IndexDiff, folder: str, entries: FolderEntries) -> dict[str, StatKey]:
        rows = self._tables.fetch_all("select path, size, mtime, ctime, inode from note where folder = ?", (folder,))
        known: dict[str, StatKey] = {row[0]: row[1:] for row in rows}
        diff.compare_folder(folder, entries, {path[len(folder) :]: key for path, key in known.items()})
        return known

    # -- updating

    def update_notes(
        self, diff: IndexDiff, cards: Iterable[tuple[StatKey, IndexEntry]], *, fallback_id: Callable[[str], str]
    ) -> None:
        """Write the differences in batches; after a kill at any point the rest is found to differ again."""
        gone, stream = sorted(diff.gone), iter(cards)
        paths = [*diff.gone, *diff.added, *diff.changed]
        are_few = len(paths) <= _FEW and self._tables.fetch_one("select 1 from meta where name = 'unsettled'") is None
        claims = self._claimed_ids(paths) if are_few else set()
        batches = 0
        while (batch := list(islice(stream, BATCH))) or gone:
            self._write_batch(batch, gone)
            gone, batches = [], batches + 1
        with self._tables.transaction():
            self._tables.execute_many("replace into folder values (?, ?)", diff.folders.items())
            self._tables.execute_many("delete from folder where path = ?", [(path,) for path in diff.folders_gone])
            self._resolve_duplicate_ids(fallback_id, among=claims | self._claimed_ids(paths) if are_few else None)
            self._tables.execute("delete from meta where name = 'unsettled'")
            if batches:  # readers may have seen rows before duplicate ids were resolved
                self._note_change()
        if batches > 1:
            with suppress(Unwritable):  # optional: there may be room for it later
                self._rearrange(self.backend.tidy)  # otherwise every query would start anew in each batch's segment

    def _claimed_ids(self, paths: list[str]) -> set[str]:
        found = (self._tables.fetch_one("select claimed from note where path = ?", (path,)) for path in paths)
        return {row[0] for row in found if row}

    def _write_batch(self, batch: list[tuple[StatKey, IndexEntry]], gone: list[str]) -> None:
        """Reserve numbers, commit to the backend, then write the rows: a kill in between is noticed."""
        paths = [card.memory.path for _, card in batch] + gone
        found = (self._tables.fetch_one("select number from note where path = ?", (path,)) for path in paths)
        departing = [row[0] for row in found if row]
        first = self._reserve_numbers(len(batch), departing)
        numbered: Numbered = [(number, key, card) for number, (key, card) in enumerate(batch, first)]
        self.backend.replace((search_document(number, card) for number, _, card in numbered), departing)
        self._write_rows(numbered, departing)

    def _reserve_numbers(self, count: int, departing: list[int]) -> int:
        with self._tables.transaction():
            row = self._tables.fetch_one("select value from meta where name = 'next'")
            first = int(row[0]) if row else 1
            self._tables.execute("replace into meta values ('next', ?)", (first + count,))
            self._tables.execute("insert into pending values (?, ?)", (first, first + count - 1))
            self._tables.execute_many("insert into departing values (?)", [(number,) for number in departing])
        return first

    def _write_rows(self, numbered: Numbered, departing: list[int]) -> None:
        with self._tables.transaction():
            for table in ("note", "mark", "link"):
                self._tables.execute_many(f"delete from {table} where number = ?", [(number,) for number in departing])
            self._tables.execute_many(_INSERT, [encode_row(number, key, card) for number, key, card in numbered])
            marks = ((number, *mark) for number, _, card in numbered for mark in memory_marks(card))
            self._tables.execute_many("insert or ignore into mark values (?, ?, ?)", marks)
            links = ((fold_name(link), number) for number, _, card in numbered for link in card.links)
            self._tables.execute_many("insert or ignore into link values (?, ?)", links)
            self._tables.execute("delete from pending")
            self._tables.execute("delete from departing")
            # After a kill before duplicate ids are resolved, all are checked.
            self._tables.execute("replace into meta values ('unsettled', 1)")
            self._note_state()
            self._note_change()

    def _resolve_duplicate_ids(self, fallback_id: Callable[[str], str], *, among: Collection[str] | None) -> None:
        """Keep a claimed id for the first path, and give the other notes an id of their own."""
        if among is None:
            self._tables.execute("update note set id = claimed where id != claimed")
            duplicates = list(self.duplicate_ids().values())
        else:  # a single note must not cost a scan of all rows
            again = "update note set id = claimed where claimed = ? and id != claimed"
            self._tables.execute_many(again, [(claimed,) for claimed in among])
            duplicates = [self._paths_claiming(claimed) for claimed in among]
        for paths in duplicates:
            for path in paths[1:]:
                self._tables.execute("update note set id = ? where path = ?", (fallback_id(path), path))

    # -- maintenance

    def row_and_backend_numbers(self) -> tuple[set[int], set[int]]:
        """Return the numbers of the rows and those of the backend, which ought to be the same."""
        return self.matching_numbers(NO_FILTERS), self.backend.numbers()

    def optimise(self) -> None:
        """Make searching as fast as possible."""
        with self.lock():
            self._rearrange(self.backend.optimise)

    def tidy(self) -> bool:
        """Merge what many small changes left, if that pays; return whether it did."""
        with self.lock():
            return bool(self._rearrange(self.backend.tidy))

    def _rearrange(self, act: Callable[[], Done]) -> Done:
        self._reserve_numbers(0, [])  # an empty batch: after a kill nothing has to be undone
        done = act()
        with self._tables.transaction():
            self._tables.execute("delete from pending")
            self._note_state()
        return done


class OpenIndex(Protocol):
    """An index that is open, in its folder."""

    folder: Path

    def is_current(self) -> bool:
        """Return whether the open files are still the ones in the folder."""


@contextmanager
def lock_index(index: OpenIndex) -> Iterator[None]:
    """Hold the lock for updating an index; one that was replaced since it was opened must not be written to."""
    with files.lock(index.folder / "lock", wait=WAIT_SECONDS):
        if not index.is_current():
            raise DamagedIndex(path=index.folder, reason="another process has begun it anew")
        yield


def rebuild_lock(folder: Path) -> AbstractContextManager[None]:
    """Return the lock under which an index is set aside, so that no process sets aside the new one of another."""
    return files.lock(folder.parent / "rebuild.lock", wait=WAIT_SECONDS)


def open_or_rebuild(folder: Path, open_index: Callable[[], Opened]) -> Opened:
    """Open an index in a folder that only its owner can write; a damaged one is set aside and built anew."""
    claim_folder(folder)
    with suppress(DamagedIndex, FileNotFoundError):  # the latter where the cache is being emptied
        return open_index()
    with rebuild_lock(folder):
        claim_folder(folder)
        with suppress(DamagedIndex, FileNotFoundError):  # another process has begun it anew
            return open_index()
        set_aside(folder)
        claim_folder(folder)
        return open_index()


def set_aside(folder: Path) -> None:
    """Move a damaged index out of the way, keeping the last one for inspection."""
    aside = folder.with_name(f"{folder.name}.damaged")
    delete_index(aside)
    with suppress(OSError):
        folder.rename(aside)
    delete_index(folder)


def delete_index(folder: Path) -> None:
    """Delete the folder of an index."""
    import shutil  # deferred: it takes 2 ms to load and is rarely needed

    shutil.rmtree(folder, ignore_errors=True)


def claim_folder(folder: Path) -> None:
    """Create the folder, and refuse one that others may write: an opened index may run code."""
    files.make_folder(folder)
    if os.name == "posix":
        found = folder.lstat()
        if folder.is_symlink() or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise Unwritable(path=folder, reason="others may write there, and an index must be its owner's alone")
