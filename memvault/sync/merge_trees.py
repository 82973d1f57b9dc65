"""Merge the files of two commits: pair the versions of each memory by its id, and lose nothing."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from memvault.core.fields import read_identity
from memvault.errors import MarksUnknown
from memvault.privacy.private.store import ENDING
from memvault.storage import frontmatter
from memvault.storage.merging.merge_lines import merge_text_bytes
from memvault.storage.vault.layout import STATE
from memvault.sync.merge_driver import MergeContext, is_record, merge_file, merge_record, path_beside
from memvault.sync.merge_records import NO_MARKS, PurgeMarks, marks_folder
from memvault.sync.repository import SyncTree
from memvault.system import files
from memvault.system.git_objects import FILE, Listing, TreeEntry, read_blobs, store_blob

# Which files of three commits are versions of one memory: told by its id, wherever it lies.


class FileVersion(NamedTuple):
    """One side's version of a file, and its path."""

    path: str
    entry: TreeEntry


class FileVersions(NamedTuple):
    """A file's versions before and on both sides; None where there is none."""

    base: FileVersion | None
    ours: FileVersion | None
    theirs: FileVersion | None


IdOf = Callable[[str, TreeEntry], str]  # the id that a note gives itself; empty where it gives none, or is no note


def changed_paths(base: Listing, ours: Listing, theirs: Listing) -> list[str]:
    """Return the paths at which the three are not all the same, in order."""
    paths = {*base, *ours, *theirs}
    return sorted(path for path in paths if not base.get(path) == ours.get(path) == theirs.get(path))


def pair_versions(base: Listing, ours: Listing, theirs: Listing, id_of: IdOf) -> Iterator[FileVersions]:
    """Yield everything that differs, as versions of one file each."""
    sides = (base, ours, theirs)
    keys: tuple[dict[str, list[str]], ...] = ({}, {}, {})
    for path in changed_paths(*sides):
        for side, key in enumerate(_version_keys(path, tuple(each.get(path) for each in sides), id_of)):
            if key:
                keys[side].setdefault(key, []).append(path)
    for side in (1, 2):
        _follow_renames(sides[0], sides[side], keys[0], keys[side])
    for key in dict.fromkeys(key for each in keys for key in each):
        yield from _make_versions([each.get(key, []) for each in keys], sides)


def _version_keys(path: str, entries: tuple[TreeEntry | None, ...], id_of: IdOf) -> tuple[str, ...]:
    """Return what a path stands for on each side: the id of the memory there, or else the path itself."""
    own = f"/{path}"
    ids = [id_of(path, entry) if entry else "" for entry in entries]
    told = {id_ for id_ in ids if id_}
    if len(told) <= 1 or (entries[0] and not ids[0]):  # a note that was given an id is the same note
        key = told.pop() if len(told) == 1 else own
        return tuple(key if entry else "" for entry in entries)
    return tuple((id_ or ids[0] or own) if entry else "" for id_, entry in zip(ids, entries, strict=True))


def _follow_renames(base: Listing, side: Listing, before: dict[str, list[str]], after: dict[str, list[str]]) -> None:
    """Pair a file without an id with its former path, where it was moved unchanged."""
    blobs = Counter(entry.blob for entry in base.values())
    gone = {base[path].blob: key for key, (path, *_) in before.items() if key == f"/{path}" and path not in side}
    for key in [key for key in after if key.startswith("/") and key[1:] not in base]:
        blob = side[key[1:]].blob
        if blobs[blob] == 1 and blob in gone:
            after.setdefault(gone.pop(blob), []).extend(after.pop(key))


def _make_versions(places: list[list[str]], sides: tuple[Listing, ...]) -> Iterator[FileVersions]:
    if max(map(len, places)) > 1:  # copies of one note: each goes its own way
        for path in sorted({path for paths in places for path in paths}):
            yield from _make_versions([[path] if path in paths else [] for paths in places], sides)
        return
    pairs = zip(places, sides, strict=True)
    yield FileVersions(*(FileVersion(paths[0], side[paths[0]]) if paths else None for paths, side in pairs))


@dataclass(slots=True)
class SyncAccount:
    """The results of a merge, collected as it goes on."""

    pulled: int = 0  # commits of others
    parked: list[tuple[str, str]] = field(default_factory=list)  # a contested memory, and where theirs lies
    kept_ours: list[str] = field(default_factory=list)  # files that are no memories, changed on both sides
    aside: list[tuple[str, str]] = field(default_factory=list)  # a name that was taken, and the one given instead
    put_back: list[str] = field(default_factory=list)  # records that had lost lines here


class TreeMerge:
    """A merge of two commits with their base: the files of the commit that follows them."""

    def __init__(
        self, tree: SyncTree, known: MergeContext, account: SyncAccount, sides: tuple[Listing, Listing, Listing]
    ) -> None:
        self._tree, self._git, self._layout = tree, tree.git, tree.context.vault.layout
        self._known = known
        self._account = account
        self._sides = sides
        self.outside: list[str] = []  # contradictions outside the vault, which are not ours to settle
        differing = changed_paths(*sides)
        by_content = [path for path in differing if self._is_note(path) or self._is_record(path)]
        notes = {side[path].blob for path in by_content for side in sides if path in side}
        self._bytes = read_blobs(self._git, notes)
        gone = set(differing)
        self._places = TreeNames({path: entry for path, entry in sides[1].items() if path not in gone}, sides[1])
        self._marks = NO_MARKS

    def merge_trees(self) -> Mapping[str, TreeEntry | None]:
        """Return everything in which the result differs from ours; None for what is removed."""
        with marks_folder(self._tree) as folder:
            try:
                self._marks = PurgeMarks.read(folder, self._merged_ledgers())
            except MarksUnknown as error:
                own = self._tree.context.vault.ledger.folder / Path(str(error.data["path"])).name
                raise MarksUnknown(path=own, reason=error.data["reason"]) from error
            for versions in sorted(pair_versions(*self._sides, self._entry_id), key=_merge_order):
                self._merge_versions(versions)
        ours, result = self._sides[1], self._places.taken
        gone = {path: None for path in ours if path not in result}
        return {**gone, **{path: entry for path, entry in result.items() if ours.get(path) != entry}}

    def _merge_versions(self, versions: FileVersions) -> None:
        base, ours, theirs = versions
        if ours and theirs:
            # Where it was moved to, and where we moved it if both did.
            path = theirs.path if base and ours.path == base.path else ours.path
            self._put_entry(path, self._merge_both(ours, theirs, base))
        elif only := ours or theirs:
            is_purged = self._is_note(only.path) and self._marks.is_forgotten(self._entry_bytes(only.entry))
            if base and not self._is_record(only.path) and (only == base or is_purged):
                return
            self._put_entry(only.path, only.entry)  # an edit, or a move, beats a deletion

    def _merge_both(self, ours: FileVersion, theirs: FileVersion, base: FileVersion | None) -> TreeEntry:
        one, two, before = ours.entry, theirs.entry, base.entry if base else None
        if two == one:
            return one
        if self._is_record(ours.path) and one.is_plain and two.is_plain:
            # What one side lacks there it has lost, whoever changed it last: nobody takes a line out.
            return self._merge_contents(ours, theirs, self._entry_bytes(before) if before and before.blob else None)
        if two == before:
            return one
        if one == before or (before and one.blob == two.blob and one.mode == before.mode):
            return two
        if one.blob == two.blob:
            return one
        if one.is_plain and two.is_plain:
            return self._merge_contents(ours, theirs, self._entry_bytes(before) if before and before.blob else None)
        if two.is_plain and self._is_note(theirs.path):
            self._park_version(theirs.path, self._entry_bytes(two), two.blob)
        else:  # a link, say: there is nothing to merge
            self._account.kept_ours.append(self._vault_path(ours.path))
        return one

    def _merge_contents(self, ours: FileVersion, theirs: FileVersion, base: bytes | None) -> TreeEntry:
        path, own = ours.path, self._tree.vault_path(ours.path)
        one, two = self._entry_bytes(ours.entry), self._entry_bytes(theirs.entry)
        if own is not None and (found := merge_file(base, one, two, own, self._known)):
            if found.parked is not None:
                self._park_version(path, found.parked, found.parked_id)
            return self._store_bytes(found.raw, mode=ours.entry.mode)
        if own is not None and own.startswith(self._layout.private) and own.endswith(ENDING):
            # Nobody can look into what is sealed: theirs becomes a memory of its own, its name as opaque.
            self._park_version(path, two, "", at=f"{path.rpartition('/')[0]}/{files.digest(two)[:16]}{ENDING}")
            return ours.entry
        text = None if base is None else merge_text_bytes(base, one, two)
        if text is not None:
            return self._store_bytes(text, mode=ours.entry.mode)
        (self.outside if own is None else self._account.kept_ours).append(self._vault_path(path))
        return ours.entry

    def _park_version(self, path: str, data: bytes, name: str, *, at: str = "") -> None:
        if there := self._put_entry(at or path_beside(path, name), self._store_bytes(data)):
            self._account.parked.append((self._vault_path(path), self._vault_path(there)))

    def _put_entry(self, path: str, entry: TreeEntry) -> str:
        """Give something its place in the outcome, without what was forgotten for good; where that is."""
        name = entry.blob
        if self._is_note(path) and entry.is_plain:
            data = self._entry_bytes(entry)
            cleaned = self._marks.without_purged(data, path)
            if cleaned is None:
                return ""
            entry = entry if cleaned == data else self._store_bytes(cleaned, mode=entry.mode)
            name = note_id(data) or name
        there = self._places.place_file(path, entry, name)
        if there != path:
            self._account.aside.append((self._vault_path(path), self._vault_path(there)))
        return there

    def _merged_ledgers(self) -> Iterator[tuple[str, bytes]]:
        """Yield the names and merged bytes of the ledgers and keys: what either side knows as forgotten."""
        folder = f"{self._tree.prefix}{STATE}/ledger/"
        for path in sorted({path for side in self._sides[1:] for path in side if path.startswith(folder)}):
            base, ours, theirs = (self._entry_bytes(side[path]) if path in side else None for side in self._sides)
            own = self._vault_path(path)
            yield (
                path.removeprefix(folder),
                merge_record(base, ours, theirs, own) if ours and theirs else (ours or theirs or b""),
            )

    # -- what is read and kept

    def _entry_bytes(self, entry: TreeEntry) -> bytes:
        if entry.blob not in self._bytes:
            self._bytes |= read_blobs(self._git, (entry.blob,))
        return self._bytes.get(entry.blob, b"")

    def _store_bytes(self, data: bytes, *, mode: str = FILE) -> TreeEntry:
        blob = store_blob(self._git, data)
        self._bytes[blob] = data
        return TreeEntry(mode, blob)

    def _is_note(self, path: str) -> bool:
        own = self._tree.vault_path(path)
        return own is not None and self._known.place(own) is not None

    def _is_record(self, path: str) -> bool:
        own = self._tree.vault_path(path)
        return own is not None and is_record(own)

    def _vault_path(self, path: str) -> str:
        return self._tree.vault_path(path) or path

    def _entry_id(self, path: str, entry: TreeEntry) -> str:
        return note_id(self._entry_bytes(entry)) if entry.is_plain and entry.blob and self._is_note(path) else ""


def note_id(raw: bytes) -> str:
    """Return the id that a note gives itself, empty where it gives none."""
    found = read_identity(frontmatter.parse(raw).fields.get("id"), UTC)
    return str(found) if found else ""


def _merge_order(versions: FileVersions) -> tuple[bool, str]:
    """Put our files first, so that they keep their names."""
    first = versions.ours or versions.theirs or versions.base
    return versions.ours is None, first.path if first else ""


# Which names are taken in a tree that is being made: nothing is ever put over anything else.


class TreeNames:
    """The names of a tree, as any disk would tell them apart."""

    def __init__(self, taken: dict[str, TreeEntry], ours: Container[str]) -> None:
        self.taken = taken
        self._ours = ours  # names that were good so far: whatever disk this is, it can tell them apart
        self._files = {_fold_name(path): path for path in taken}
        self._folders = {_fold_name(folder) for path in taken for folder in _parent_folders(path)}

    def place_file(self, path: str, entry: TreeEntry, name: str) -> str:
        """Give a file its name, or one beside it where that is taken by something else; which of the two."""
        if self.taken.get(path) == entry:
            return path
        for folder in _parent_folders(path):
            if blocking := self._files.get(_fold_name(folder)):
                self._make_way(blocking)
        free, turn = path, 1
        while self._is_taken(free):
            free = path_beside(path, name if turn == 1 else f"{name[:6]}-{turn}")
            turn += 1
            if self.taken.get(free) == entry:
                return free
        self._take(free, entry)
        return free

    def _is_taken(self, path: str) -> bool:
        if path in self.taken or _fold_name(path) in self._folders:
            return True
        return path not in self._ours and _fold_name(path) in self._files

    def _make_way(self, path: str) -> None:
        """Rename a file that stands where a folder is to be."""
        entry = self.taken.pop(path)
        self._files.pop(_fold_name(path), None)
        self._take(path_beside(path, entry.blob), entry)

    def _take(self, path: str, entry: TreeEntry) -> None:
        self.taken[path] = entry
        self._files[_fold_name(path)] = path
        self._folders |= {_fold_name(folder) for folder in _parent_folders(path)}


def _parent_folders(path: str) -> list[str]:
    return [str(folder) for folder in PurePosixPath(path).parents][:-1]


def _fold_name(path: str) -> str:
    """Fold a name as the least discerning of disks does."""
    return unicodedata.normalize("NFC", path).casefold()
