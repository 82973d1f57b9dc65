"""One look at the whole vault: every file by its name, every note read once and its text let go again."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memvault.agents.setup.hooks import Standing
from memvault.core.ids import wikilinks, without_code
from memvault.core.memory import Memory, Place
from memvault.core.plan import Operation
from memvault.core.secrets.private_spans import without_private
from memvault.errors import MemvaultError
from memvault.privacy.private.recipients import Ready
from memvault.storage.frontmatter import Block, Problem, Value
from memvault.storage.vault import codec
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import STATE, TRASH
from memvault.storage.vault.vault import Note, Vault, merge_line
from memvault.system import files

KILO = 1024
_OWN_HIDDEN = (f"{STATE}/", f"{TRASH}/")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, folder or link as its folder lists it; a folder's path ends in a slash."""

    path: str
    mode: int
    size: int
    names: int  # hard links

    @property
    def name(self) -> str:
        """Its name without the folders above it."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The folder it lies in, ending in a slash; empty at the vault's top."""
        return self.path[: len(self.path.rstrip("/")) - len(self.name)]

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, not a link to one."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.mode)

    @property
    def is_file(self) -> bool:
        """Whether it is an ordinary file."""
        return stat.S_ISREG(self.mode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A note as it was found, without its text."""

    entry: Entry
    memory: Memory  # its id is empty where the note claims none
    fields: Mapping[str, Value]
    problem: Problem | None
    editable: bool
    encoding: str  # utf-8, utf-16, unknown or binary
    merge_line: int  # where a merge left its markers; 0 where none did
    blank: bool
    clipped: bool
    links: tuple[str, ...]

    @property
    def path(self) -> str:
        """Where it lies in the vault."""
        return self.entry.path

    @property
    def foreign(self) -> bool:
        """Whether it is somebody's own note, outside the tier folders."""
        return self.memory.place is Place.FOREIGN


class Trash:
    """Hands out free names in the vault's trash."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._given: set[str] = set()

    def name_for(self, path: str) -> str:
        """Where a file goes when it is moved to the trash."""
        stem, dot, ending = path.rpartition("/")[2].rpartition(".")
        target, turn = f"{TRASH}/{stem}{dot}{ending}", 2
        while target in self._given or self._vault.exists(target):
            target, turn = f"{TRASH}/{stem}-{turn}{dot}{ending}", turn + 1
        self._given.add(target)
        return target


class Survey:
    """What one look at the vault has shown; the checks ask it, and nothing in it writes."""

    def __init__(
        self,
        bench: Bench,
        hooks: Callable[[], Standing],
        syncing: Callable[[], Sequence[str]],
        keys: Callable[[], Ready],
    ) -> None:
        self.bench = bench
        self.hooks = hooks  # asked by the one check that looks outside the vault
        self.syncing = syncing  # what is amiss with git's merging here: asked where the vault travels
        self.keys = keys  # how it stands with the keys of private memories: asked where there are any
        self.vault = bench.vault
        self.shut: dict[str, str] = {}  # folders that cannot be listed, with why
        self.unread: dict[str, str] = {}  # notes that cannot be read, with why
        self.trash = Trash(bench.vault)
        self.entries: tuple[Entry, ...] = tuple(self._walk())
        self.looks: tuple[Look, ...] = tuple(self._look_at_notes())

    @cached_property
    def tiers(self) -> tuple[str, ...]:
        """The folders in which memvault keeps things; all other notes are their owner's alone."""
        layout = self.vault.layout
        return layout.identity, layout.hot, layout.memories, layout.raw, layout.quarantine, layout.private

    @cached_property
    def operations(self) -> list[Operation]:
        """What was done to the vault, the oldest first."""
        return self.vault.log.operations()[::-1]

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every path there is; folders end in a slash."""
        return frozenset(entry.path for entry in self.entries)

    # -- the walk

    def _walk(self) -> Iterator[Entry]:
        todo = [""]
        while todo:
            inner = self._listed(todo.pop())
            yield from inner
            todo += [entry.path for entry in reversed(inner) if entry.is_folder and self._enters(entry)]

    def _listed(self, folder: str) -> list[Entry]:
        try:
            with os.scandir(self.vault.root / folder) as found:
                entries = [entry for item in found if (entry := self._entry(folder, item))]
        except OSError as error:
            self.shut[folder] = error.strerror or str(error)
            return []
        return sorted(entries, key=lambda entry: entry.path)

    def _entry(self, folder: str, item: os.DirEntry[str]) -> Entry | None:
        try:
            found = item.stat(follow_symlinks=False)
        except OSError:
            return None  # removed since the folder was listed
        slash = "/" if stat.S_ISDIR(found.st_mode) else ""
        entry = Entry(f"{folder}{item.name}{slash}", found.st_mode, found.st_size, found.st_nlink)
        return None if self.vault.hides(entry.path) else entry

    def _enters(self, entry: Entry) -> bool:
        return not entry.name.startswith(".") or entry.path.startswith(_OWN_HIDDEN)

    # -- the notes

    def _look_at_notes(self) -> Iterator[Look]:
        for entry in self.entries:
            place = None if entry.is_folder else self.vault.place(entry.path)
            if place is None or place is Place.QUARANTINE or self.leads_to_a_folder(entry):
                continue
            try:
                yield self._look(entry, place)
            except MemvaultError as error:
                self.unread[entry.path] = str(error.data.get("reason", "it leads outside the vault"))
            except Exception as error:  # a note that nobody foresaw must not keep the doctor from the others
                self.unread[entry.path] = f"{type(error).__name__}: {error}"

    def leads_to_a_folder(self, entry: Entry) -> bool:
        """Whether a link leads to a folder; the walk does not go through it."""
        return entry.is_link and os.path.isdir(self.vault.root / entry.path)  # noqa: PTH112 - pathlib raises where the way is barred

    def _look(self, entry: Entry, place: Place) -> Look:
        note = self.vault.note(entry.path, limit=self.vault.settings.whole("index.max_kilobytes") * KILO)
        origin = codec.Origin(
            entry.path, place, "", self.bench.now, note.modified, self.bench.zone, self.bench.settings.kinds
        )
        memory = codec.read(note.block, origin, version=note.version)
        prose = without_code(without_private(memory.body or ""))
        return Look(
            entry=entry,
            memory=memory.changed(body=None),
            fields=note.block.fields,
            problem=note.block.problem,
            editable=note.block.editable,
            encoding=_encoding(note),
            merge_line=merge_line(note.raw),
            blank=_is_blank(note.block, memory),
            clipped=note.clipped,
            links=wikilinks(prose),
        )


def _encoding(note: Note) -> str:
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


def _is_blank(block: Block, memory: Memory) -> bool:
    return not (memory.body or "").strip() and not block.fields


def inner_vaults(survey: Survey) -> list[str]:
    """The folders in the vault that are vaults themselves."""
    states = (entry for entry in survey.entries if entry.is_folder and entry.name == STATE and entry.folder)
    return [entry.folder for entry in states if os.path.isfile(survey.vault.root / entry.path / charter.NAME)]  # noqa: PTH113 - likewise


def digest_of(survey: Survey, path: str) -> str:
    """The fingerprint of a file; empty where it cannot be read."""
    try:
        return files.digest(files.read(survey.vault.absolute(path)))
    except MemvaultError:
        return ""
