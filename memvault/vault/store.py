"""The notes of one vault: listed, read, and kept inside the vault's walls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memvault import files
from memvault.core.memory import Place
from memvault.core.settings import Settings
from memvault.errors import OutsideVault, Unwritable
from memvault.vault import charter, frontmatter, ignore
from memvault.vault.charter import Charter
from memvault.vault.frontmatter import Block
from memvault.vault.journal import Journal
from memvault.vault.layout import STATE, TRASH, Layout
from memvault.vault.ledger import Ledger
from memvault.vault.records import Record

if TYPE_CHECKING:
    from memvault.vault.oplog import OpLog

StatKey = tuple[int, int, int, int]
Listing = Iterator[tuple[str, list[tuple[str, StatKey]]]]


@dataclass(frozen=True, slots=True)
class Note:
    """A file as it was read: its bytes, its frontmatter, and when it was last written to."""

    path: str
    block: Block
    version: str
    modified: datetime
    clipped: bool = False

    @property
    def raw(self) -> bytes:
        """The bytes as read."""
        return self.block.raw


class Vault:
    """A folder of notes with its charter, layout, journal and ledger."""

    def __init__(self, root: Path, settings: Settings, *, device: str) -> None:
        self.root = root
        self.charter: Charter = charter.read(root)
        self.settings = settings
        self.layout = Layout.of(settings, adopted=self.charter.adopted)
        self.device = device
        self.state = root / STATE
        self.undo = self.state / "undo"
        self.held = self.undo / "held"
        self.journal = Journal(self.state / "journal", device)
        self.ledger = Ledger(self.state / "ledger", device)
        self._hidden = ignore.rules(root)
        self.unreadable: dict[str, str] = {}  # folders and links that the last listing had to pass over

    @property
    def log(self) -> OpLog:
        """The operation log."""
        from memvault.vault.oplog import OpLog  # only those who write, or ask what was written, need it

        return OpLog(self.journal, self.undo)

    def locked(self) -> AbstractContextManager[None]:
        """The one lock that writers of this vault share."""
        return files.lock(self.state / "lock", wait=self.settings.number("files.lock_seconds"))

    @property
    def file_mode(self) -> int:
        """The mode new files get."""
        return 0o640 if self.settings.flag("files.shared") else 0o600

    @property
    def folder_mode(self) -> int:
        """The mode new folders get."""
        return 0o750 if self.settings.flag("files.shared") else 0o700

    def try_journal(self, entries: Sequence[Record], now: datetime) -> bool:
        """Journal what was noticed in passing; a vault that cannot be written is no reason to stop."""
        return _tried(lambda: self.journal.append(entries, now))

    def try_ledger(self, entries: Sequence[Record], now: datetime) -> bool:
        """Keep what was decided in passing, likewise; it will be decided the same way next time."""
        return _tried(lambda: self.ledger.append(entries, now))

    # -- where things are

    def absolute(self, path: str) -> Path:
        """The file behind a vault path; one that leads outside is refused."""
        full = self.root / path
        if not files.inside(self.root, full):
            raise OutsideVault(path=path)
        return full

    def relative(self, path: Path) -> str | None:
        """The vault path of a file, or None where it lies elsewhere."""
        try:
            return path.absolute().relative_to(self.root).as_posix()
        except ValueError:
            return None

    def exists(self, path: str) -> bool:
        """Whether a file of that vault path is there."""
        return os.path.lexists(self.root / path)

    def place(self, path: str) -> Place | None:
        """Which place a note lies in; None for what is no memory or is hidden."""
        return None if self._hidden(path) else self.layout.place(path)

    def hides(self, path: str) -> bool:
        """Whether the person's ignore file hides a path; folders are given with a closing slash."""
        return self._hidden(path)

    # -- listing

    def listing(self) -> Listing:
        """Every folder with its notes and their stat keys, in order; what cannot be read is passed over."""
        self.unreadable = {}
        return self._walk("")

    def _walk(self, folder: str) -> Listing:
        try:
            with os.scandir(self.root / folder) as found:
                entries = sorted(filter(self._is_nameable(folder), found), key=_name)
        except OSError as error:
            self.unreadable[folder or "."] = error.strerror or str(error)
            return
        if folder and any(entry.name == STATE for entry in entries):
            return  # a vault of its own
        has_notes = self.layout.place_of_folder(folder) is not None
        notes = [(entry.name, key) for entry in entries if has_notes and (key := self._note_key(folder, entry))]
        yield folder, notes
        for entry in entries:
            below = f"{folder}{entry.name}/"
            if _is_folder(entry) and is_text(entry.name) and self.layout.walks_into(below) and not self._hidden(below):
                yield from self._walk(below)

    def _is_nameable(self, folder: str) -> Callable[[os.DirEntry[str]], bool]:
        """Whether an entry's name is text, and so can be written down; one that is not is reported."""

        def check(entry: os.DirEntry[str]) -> bool:
            shown = os.fsencode(entry.name).decode("utf-8", "backslashreplace")
            if shown != entry.name:
                self.unreadable[folder + shown] = "its name is not UTF-8 text"
            return shown == entry.name

        return check

    def _note_key(self, folder: str, entry: os.DirEntry[str]) -> StatKey | None:
        name = entry.name
        if not self.layout.holds(folder, name) or self._hidden(folder + name):
            return None
        if not is_text(name):
            self.unreadable[ascii(folder + name)] = "its name is not UTF-8"
            return None
        try:
            if entry.is_symlink() and not files.inside(self.root, self.root / folder / name):
                self.unreadable[folder + name] = "it is a link that leads outside the vault"
                return None
            stat = entry.stat()
        except OSError as error:
            self.unreadable[folder + name] = error.strerror or str(error)
            return None
        if not entry.is_file():
            return None
        # Some file systems number their files beyond what a database counts to.
        return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino & 0x7FFF_FFFF_FFFF_FFFF

    def is_in_inner_vault(self, path: str) -> bool:
        """Whether a path lies in a vault of its own inside this one."""
        parents = [
            parent for parent in (self.root / path).parents if parent != self.root and self.root in parent.parents
        ]
        return any((parent / STATE).is_dir() for parent in parents)

    def size_of(self, paths: list[str]) -> int:
        """The bytes that some notes take on disk."""
        return sum((self.root / path).stat().st_size for path in paths if self.exists(path))

    def trash(self) -> list[str]:
        """The notes in the vault's trash."""
        folder = self.root / TRASH
        return sorted(self.relative(path) or "" for path in folder.rglob("*.md")) if folder.is_dir() else []

    # -- reading

    def note(self, path: str, *, limit: int | None = None) -> Note:
        """A note as it stands on disk now."""
        full = self.absolute(path)
        raw, stamp = files.read_stamped(full, limit=limit)
        modified = datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
        clipped = limit is not None and stamp.size > limit
        return Note(path, frontmatter.parse(raw), files.digest(raw), modified, clipped)


def _tried(write: Callable[[], None]) -> bool:
    try:
        write()
    except Unwritable:
        return False
    return True


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def is_text(name: str) -> bool:
    """Names that are no UTF-8 reach Python as half characters that nothing can write down."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
