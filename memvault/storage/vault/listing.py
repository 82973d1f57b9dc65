"""Lists the folders of a vault: every note with its stat key, hardly slower than the system itself."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, starmap
from operator import attrgetter
from pathlib import Path
from struct import Struct
from struct import error as StructError

from memvault.core.value import Record, field
from memvault.storage.vault import layout as ignore
from memvault.storage.vault.layout import STATE, Layout, is_named_like_copy
from memvault.system import files
from memvault.system.files import StatKey

# The notes of one folder: their names and packed stat keys.

UNSURE = -1  # in place of the ctime of a note that was read within that tick: it is read again

_ENTRIES_KEY = Struct("<4q")
pack = _ENTRIES_KEY.pack
_ENTRIES_TOGETHER = 4_096


def unsure_key(key: StatKey) -> StatKey:
    """Return the key of a note that may have been saved again, unnoticed, since it was read."""
    return key[0], key[1], UNSURE, key[3]


class FolderEntries(Record):
    """The notes of a folder in the system's order, which stays the same until one comes or goes."""

    names: list[str] = field(default_factory=list)
    keys: bytearray = field(default_factory=bytearray)  # packed: a tuple for each of 100,000 notes takes 30 MB

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, StatKey]]:
        """Yield each name with its key, sorted by name."""
        return iter(sorted(zip(self.names, _ENTRIES_KEY.iter_unpack(self.keys), strict=True)))

    def digest_parts(self) -> Iterator[bytes | bytearray]:
        """Yield all of it as bytes, in pieces, which differ whenever anything in the folder does."""
        yield str(len(self)).encode()
        for start in range(0, len(self), _ENTRIES_TOGETHER):
            yield "\0".join(("", *self.names[start : start + _ENTRIES_TOGETHER])).encode("utf-8", "surrogatepass")
        yield self.keys


Listing = Iterator[tuple[str, FolderEntries]]
HidesPath = Callable[[str], bool]

# With an open folder, the system need not resolve its path for each file. Not on Windows.
_HOLDS_FOLDERS = os.scandir in os.supports_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_KEY = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
_LINKS = attrgetter("st_nlink")
_TOGETHER = 64  # entries checked together: few enough for the processor's cache


def is_text(name: str) -> bool:
    """Return whether a name is valid UTF-8, and so can be written down."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class VaultWalk:
    """One walk through a vault; `unreadable` fills with what was skipped, and why."""

    def __init__(self, root: Path, layout: Layout, hides: HidesPath) -> None:
        self.unreadable: dict[str, str] = {}
        self.linked_notes: set[str] = set()  # notes with another name, through which they can change unnoticed
        self._root = root
        self._layout = layout
        self._hides = hides

    def walk_folders(self, folder: str = "") -> Listing:
        """Yield every folder with its notes and their stat keys, in order; inner vaults are left out."""
        found = self._scan_folder(folder)
        if found is None:
            return
        notes, below = found
        yield folder, notes
        for name in sorted(below):
            inner = f"{folder}{name}/"
            if self._layout.walks_into(inner) and not self._hides(inner):
                yield from self.walk_folders(inner)

    def _scan_folder(self, folder: str) -> tuple[FolderEntries, list[str]] | None:
        """Return the notes and the folders in a folder; None for an inner vault or an unreadable folder."""
        notes, below, descriptor = FolderEntries(), [], None
        path = os.path.join(self._root, folder)  # noqa: PTH118 - a Path is slow to make
        try:
            if _HOLDS_FOLDERS:
                descriptor = os.open(path, _FOLDER)
            with os.scandir(path if descriptor is None else descriptor) as found:
                for entry in self._collect_notes(folder, found, notes):
                    if entry.name == STATE or _is_folder(entry) or self._is_allowed_link(folder, entry):
                        below.append(entry.name)
        except OSError as error:
            self.unreadable[folder or "."] = error.strerror or str(error)
            return None
        finally:
            if descriptor is not None:
                os.close(descriptor)
        return None if folder and STATE in below else (notes, below)

    def _collect_notes(
        self, folder: str, found: Iterator[os.DirEntry[str]], notes: FolderEntries
    ) -> Iterator[os.DirEntry[str]]:
        """Add the notes of a folder, and yield its other entries."""
        is_note = self._note_test(folder)
        may_hold = is_note is not ignore.hide_nothing
        while some := list(islice(found, _TOGETHER)):
            rest = [entry for entry in some if not entry.name.endswith(".md")]
            plain = [entry for entry in some if entry.name.endswith(".md")] if rest else some
            for entry in rest if may_hold and self._add_many(folder, plain, notes) else some:
                if not is_text(entry.name):
                    shown = os.fsencode(entry.name).decode("utf-8", "backslashreplace")
                    self.unreadable[folder + shown] = "its name is not UTF-8 text"
                elif not is_note(entry.name):
                    yield entry
                else:
                    if not entry.is_file(follow_symlinks=False):
                        yield entry
                    if key := self._stat_key(folder, entry):
                        notes.names.append(entry.name)
                        notes.keys.extend(pack(*key))

    def _add_many(self, folder: str, entries: Sequence[os.DirEntry[str]], notes: FolderEntries) -> bool:
        """Add plain notes together; return False and add none where any needs a closer look."""
        names = [entry.name for entry in entries]
        if not (is_text("".join(names)) and self._layout.are_notes(folder, names)):
            return False
        if self._hides is not ignore.hide_nothing and any(self._hides(folder + name) for name in names):
            return False
        try:
            if any(map(os.DirEntry.is_symlink, entries)) or not all(map(os.DirEntry.is_file, entries)):
                return False
            stats = list(map(os.DirEntry.stat, entries))
            if max(map(_LINKS, stats), default=0) > 1:
                return False
            keys = b"".join(starmap(pack, map(_KEY, stats)))
        except (OSError, StructError):  # some file systems have inodes and times beyond 64 bits
            return False
        notes.names.extend(names)
        notes.keys.extend(keys)
        return True

    def _note_test(self, folder: str) -> Callable[[str], bool]:
        """Return a test of whether a file name in that folder is a note."""
        layout, hides = self._layout, self._hides
        if layout.place_of_folder(folder) is None:
            return ignore.hide_nothing
        return lambda name: (
            (layout.is_note(folder, name) or is_named_like_copy(self._root, folder + name)) and not hides(folder + name)
        )

    def _stat_key(self, folder: str, entry: os.DirEntry[str] | Path) -> StatKey | None:
        path = folder + entry.name
        try:
            if entry.is_symlink():
                self.linked_notes.add(path)  # its target may change, even if that is missing or outside now
                full = self._root / path
                found = files.find_link_out(full)
                if not (found.allowed if found else files.is_inside(self._root, full)):
                    self.unreadable[path] = "it is a link that leads outside the vault"
                    return None
            stat = entry.stat()
            if not entry.is_file():
                return None
            if stat.st_nlink > 1:
                self.linked_notes.add(path)
        except OSError as error:
            self.unreadable[path] = error.strerror or str(error)
            return None
        return files.stat_key(stat)

    def _is_allowed_link(self, folder: str, entry: os.DirEntry[str]) -> bool:
        """Return whether an entry is a link to a folder that the person allowed by name."""
        return entry.is_symlink() and files.is_allowed_link(self._root / folder / entry.name) and entry.is_dir()


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        if sys.platform == "win32" and entry.is_dir(follow_symlinks=False):
            return not entry.stat(follow_symlinks=False).st_reparse_tag  # a junction is a link in all but name
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


# Parts of a vault: single notes and folders, looked up without a walk through the whole vault.


class VaultPart(Record):
    """A part of a vault: notes and folders by vault path; folders end in a slash."""

    notes: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def outermost_folders(self) -> tuple[str, ...]:
        """Return the folders that lie in no other of them."""
        kept: list[str] = []
        for folder in sorted(self.folders):
            if not kept or not folder.startswith(kept[-1]):
                kept.append(folder)
        return tuple(kept)

    def notes_outside(self) -> tuple[str, ...]:
        """Return the notes that lie in none of the folders."""
        within = self.outermost_folders()
        return tuple(sorted(note for note in self.notes if not note.startswith(within)))


class PartWalk(VaultWalk):
    """Goes straight to some place, and finds there what a walk through the whole vault would."""

    def __init__(self, root: Path, layout: Layout, hides: HidesPath) -> None:
        super().__init__(root, layout, hides)
        self._come_by: dict[str, bool] = {"": True}

    def list_folders(self, folders: Iterable[str]) -> Listing:
        """Yield these folders and all below them with their notes; those that no walk enters are left out."""
        for folder in folders:
            if self.is_walked(folder):
                yield from self.walk_folders(folder)

    def note_key(self, path: str) -> StatKey | None:
        """Return the stat key of one note; None where a walk would find none."""
        above, slash, name = path.rpartition("/")
        folder = above + slash
        if not (is_text(name) and self.is_walked(folder) and self._note_test(folder)(name)):
            return None
        return self._stat_key(folder, self._root / path)

    def is_walked(self, folder: str) -> bool:
        """Return whether a walk through the vault enters a folder and finds no inner vault there."""
        if folder not in self._come_by:
            self._come_by[folder] = self._leads_to(folder) and not os.path.lexists(self._root / folder / STATE)
        return self._come_by[folder]

    def walked_folders(self, folder: str = "") -> Iterator[str]:
        """Yield every folder below that a walk enters, each before it is read."""
        if folder and not self._leads_to(folder):
            return
        yield folder
        try:
            with os.scandir(self._root / folder) as found:
                names = [entry.name for entry in found if self._is_folder(folder, entry)]
        except OSError:
            return
        if not folder or STATE not in names:
            for name in names:
                yield from self.walked_folders(f"{folder}{name}/")

    def _is_folder(self, folder: str, entry: os.DirEntry[str]) -> bool:
        return entry.is_dir(follow_symlinks=False) or self._is_allowed_link(folder, entry)

    def _leads_to(self, folder: str) -> bool:
        above, slash, _ = folder[:-1].rpartition("/")
        if not (self.is_walked(above + slash) and is_text(folder) and self._layout.walks_into(folder)):
            return False
        full = self._root / folder
        try:
            is_folder = stat.S_ISDIR(full.lstat().st_mode) or (files.is_allowed_link(full) and full.is_dir())
        except OSError:
            return False
        return is_folder and not self._hides(folder) and os.access(full, os.R_OK | os.X_OK)
