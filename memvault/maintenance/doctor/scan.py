"""One look at the whole vault: every file by its name, every note read once and its text let go again."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from memvault.core.links import find_wikilinks, strip_code
from memvault.core.memory import Memory, Place
from memvault.core.plan import Operation
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import MemvaultError
from memvault.storage.frontmatter import FrontmatterProblem, Value
from memvault.storage.vault import codec
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE, TRASH
from memvault.storage.vault.vault import Vault, VaultNote, conflict_marker_line
from memvault.system import files

KILO = 1024
_HIDDEN_FOLDERS = (f"{STATE}/", f"{TRASH}/")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class ScannedEntry:
    """A file, folder or link as its folder lists it; a folder's path ends in a slash."""

    path: str
    mode: int
    size: int
    link_count: int  # hard links

    @property
    def name(self) -> str:
        """Return its name without the folders above it."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def folder(self) -> str:
        """Return the folder it lies in, ending in a slash; empty at the vault's top."""
        return self.path[: len(self.path.rstrip("/")) - len(self.name)]

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder, not a link to one."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        """Return whether it is a symbolic link."""
        return stat.S_ISLNK(self.mode)

    @property
    def is_file(self) -> bool:
        """Return whether it is an ordinary file."""
        return stat.S_ISREG(self.mode)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedNote:
    """A note as it was found, without its text."""

    entry: ScannedEntry
    memory: Memory  # its id is empty where the note claims none
    fields: Mapping[str, Value]
    problem: FrontmatterProblem | None
    is_editable: bool
    encoding: str  # utf-8, utf-16, unknown or binary
    marker_line: int  # where a merge left its markers; 0 where none did
    is_blank: bool
    is_clipped: bool
    links: tuple[str, ...]

    @property
    def path(self) -> str:
        """Return where it lies in the vault."""
        return self.entry.path

    @property
    def is_foreign(self) -> bool:
        """Return whether it is somebody's own note, outside the tier folders."""
        return self.memory.place is Place.FOREIGN


class TrashNames:
    """Hands out free names in the vault's trash."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._given: set[str] = set()

    def free_name(self, path: str) -> str:
        """Return where a file goes when it is moved to the trash."""
        stem, dot, ending = path.rpartition("/")[2].rpartition(".")
        target, turn = f"{TRASH}/{stem}{dot}{ending}", 2
        while target in self._given or self._vault.exists(target):
            target, turn = f"{TRASH}/{stem}-{turn}{dot}{ending}", turn + 1
        self._given.add(target)
        return target


class VaultScan:
    """What one look at the vault has shown; the checks ask it, and nothing in it writes."""

    def __init__(self, context: VaultContext) -> None:
        self.context = context
        self.vault = context.vault
        self.unlisted_folders: dict[str, str] = {}  # folders that cannot be listed, with why
        self.unread_notes: dict[str, str] = {}  # notes that cannot be read, with why
        self.trash = TrashNames(context.vault)
        self.entries: tuple[ScannedEntry, ...] = tuple(self._walk_folders())
        self.notes: tuple[ScannedNote, ...] = tuple(self._scan_notes())

    @cached_property
    def tiers(self) -> tuple[str, ...]:
        """Return the folders in which memvault keeps things; all other notes are their owner's alone."""
        layout = self.vault.layout
        return layout.identity, layout.hot, layout.memories, layout.raw, layout.quarantine, layout.private

    @cached_property
    def operations(self) -> list[Operation]:
        """Return what was done to the vault, the oldest first."""
        return self.vault.log.operations()[::-1]

    @cached_property
    def paths(self) -> frozenset[str]:
        """Return every path there is; folders end in a slash."""
        return frozenset(entry.path for entry in self.entries)

    # -- the walk

    def _walk_folders(self) -> Iterator[ScannedEntry]:
        todo = [""]
        while todo:
            inner = self._list_folder(todo.pop())
            yield from inner
            folders = (entry for entry in reversed(inner) if entry.is_folder)
            todo += [one.path for one in folders if one.name[0] != "." or one.path.startswith(_HIDDEN_FOLDERS)]

    def _list_folder(self, folder: str) -> list[ScannedEntry]:
        try:
            with os.scandir(self.vault.root / folder) as found:
                entries = [entry for item in found if (entry := self._read_entry(folder, item))]
        except OSError as error:
            self.unlisted_folders[folder] = error.strerror or str(error)
            return []
        return sorted(entries, key=lambda entry: entry.path)

    def _read_entry(self, folder: str, item: os.DirEntry[str]) -> ScannedEntry | None:
        try:
            found = item.stat(follow_symlinks=False)
        except OSError:
            return None  # removed since the folder was listed
        slash = "/" if stat.S_ISDIR(found.st_mode) else ""
        entry = ScannedEntry(f"{folder}{item.name}{slash}", found.st_mode, found.st_size, found.st_nlink)
        return None if self.vault.hides(entry.path) else entry

    # -- the notes

    def _scan_notes(self) -> Iterator[ScannedNote]:
        for entry in self.entries:
            place = None if entry.is_folder else self.vault.place_of(entry.path)
            if place is None or place is Place.QUARANTINE or self.is_folder_link(entry):
                continue
            try:
                yield self._scan_note(entry, place)
            except MemvaultError as error:
                self.unread_notes[entry.path] = str(error.data.get("reason", "it leads outside the vault"))
            except Exception as error:  # a note that nobody foresaw must not keep the doctor from the others
                self.unread_notes[entry.path] = f"{type(error).__name__}: {error}"

    def is_folder_link(self, entry: ScannedEntry) -> bool:
        """Return whether a link leads to a folder; the walk does not go through it."""
        return entry.is_link and os.path.isdir(self.vault.root / entry.path)  # noqa: PTH112 - pathlib raises where the way is barred

    def _scan_note(self, entry: ScannedEntry, place: Place) -> ScannedNote:
        note = self.vault.read_note(entry.path, limit=self.vault.settings.integer("index.max_kilobytes") * KILO)
        origin = codec.NoteOrigin(
            entry.path, place, "", self.context.now, note.modified, self.context.zone, self.context.settings.kinds
        )
        memory = codec.read_memory(note.block, origin, version=note.version)
        prose = strip_code(strip_private(memory.body or ""))
        return ScannedNote(
            entry=entry,
            memory=memory.with_changes(body=None),
            fields=note.block.fields,
            problem=note.block.problem,
            is_editable=note.block.editable,
            encoding=_detect_encoding(note),
            marker_line=conflict_marker_line(note.raw),
            is_blank=not (memory.body or "").strip() and (not note.block.fields),
            is_clipped=note.clipped,
            links=find_wikilinks(prose),
        )


def _detect_encoding(note: VaultNote) -> str:
    raw = note.raw
    if raw.startswith(_UTF16):
        return "utf-16"
    if b"\0" in raw:
        return "binary"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw, final=not note.clipped)
    except UnicodeDecodeError:
        return "unknown"
    return "utf-8"


def inner_vaults(scan: VaultScan) -> list[str]:
    """Return the folders in the vault that are vaults themselves."""
    states = (entry for entry in scan.entries if entry.is_folder and entry.name == STATE and entry.folder)
    return [entry.folder for entry in states if os.path.isfile(scan.vault.root / entry.path / charter.NAME)]  # noqa: PTH113 - likewise


def digest_of(scan: VaultScan, path: str) -> str:
    """Return the fingerprint of a file; empty where it cannot be read."""
    try:
        return files.digest(files.read_file(scan.vault.absolute_path(path)))
    except MemvaultError:
        return ""
