"""What becomes of each memory that two machines changed: by the rules of the format, and nothing of it lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import NamedTuple

from memvault.core.fields import identity
from memvault.errors import MarksUnknown
from memvault.privacy.private.store import ENDING
from memvault.storage import frontmatter
from memvault.storage.vault.layout import STATE
from memvault.sync.merge_driver import Known, beside, grown, grows, joined
from memvault.sync.merge_records import NO_MARKS, Marks, ground_for_marks
from memvault.sync.merging.text import woven_bytes
from memvault.sync.repository import FILE, Entry, Listing, Places, Tree, contents, kept
from memvault.system import files

# Which files of three commits are versions of one memory: told by its id, wherever it lies.


class Version(NamedTuple):
    """What one side has of something, and where."""

    path: str
    entry: Entry


class Versions(NamedTuple):
    """One memory, or other file, as it was before and on both sides; None where there is none."""

    base: Version | None
    ours: Version | None
    theirs: Version | None


IdOf = Callable[[str, Entry], str]  # the id that a note gives itself; empty where it gives none, or is no note


def changed(base: Listing, ours: Listing, theirs: Listing) -> list[str]:
    """The paths at which the three are not all the same, in order."""
    paths = {*base, *ours, *theirs}
    return sorted(path for path in paths if not base.get(path) == ours.get(path) == theirs.get(path))


def paired(base: Listing, ours: Listing, theirs: Listing, id_of: IdOf) -> Iterator[Versions]:
    """All that differs, as versions of one thing each."""
    sides = (base, ours, theirs)
    keys: tuple[dict[str, list[str]], ...] = ({}, {}, {})
    for path in changed(*sides):
        for side, key in enumerate(_keys(path, tuple(each.get(path) for each in sides), id_of)):
            if key:
                keys[side].setdefault(key, []).append(path)
    for side in (1, 2):
        _follow(sides[0], sides[side], keys[0], keys[side])
    for key in dict.fromkeys(key for each in keys for key in each):
        yield from _versions([each.get(key, []) for each in keys], sides)


def _keys(path: str, entries: tuple[Entry | None, ...], id_of: IdOf) -> tuple[str, ...]:
    """What a path stands for on each side: the id of the memory there, or else the path itself."""
    own = f"/{path}"
    ids = [id_of(path, entry) if entry else "" for entry in entries]
    told = {id_ for id_ in ids if id_}
    if len(told) <= 1 or (entries[0] and not ids[0]):  # a note that was given an id is the same note
        key = told.pop() if len(told) == 1 else own
        return tuple(key if entry else "" for entry in entries)
    return tuple((id_ or ids[0] or own) if entry else "" for id_, entry in zip(ids, entries, strict=True))


def _follow(base: Listing, side: Listing, before: dict[str, list[str]], after: dict[str, list[str]]) -> None:
    """What has no id, and was moved as it is, is the same file still."""
    blobs = Counter(entry.blob for entry in base.values())
    gone = {base[path].blob: key for key, (path, *_) in before.items() if key == f"/{path}" and path not in side}
    for key in [key for key in after if key.startswith("/") and key[1:] not in base]:
        blob = side[key[1:]].blob
        if blobs[blob] == 1 and blob in gone:
            after.setdefault(gone.pop(blob), []).extend(after.pop(key))


def _versions(places: list[list[str]], sides: tuple[Listing, ...]) -> Iterator[Versions]:
    if max(map(len, places)) <= 1:
        yield Versions(
            *(_version(paths[0], side) if paths else None for paths, side in zip(places, sides, strict=True))
        )
        return
    for path in sorted({path for paths in places for path in paths}):  # copies of one note: each goes its own way
        yield Versions(
            *(_version(path, side) if path in paths else None for paths, side in zip(places, sides, strict=True))
        )


def _version(path: str, side: Mapping[str, Entry]) -> Version:
    return Version(path, side[path])


@dataclass(slots=True)
class Account:
    """What came of a merge, as it goes on."""

    pulled: int = 0  # commits of others
    parked: list[tuple[str, str]] = field(default_factory=list)  # a contested memory, and where theirs lies
    kept_ours: list[str] = field(default_factory=list)  # files that are no memories, changed on both sides
    aside: list[tuple[str, str]] = field(default_factory=list)  # a name that was taken, and the one given instead
    put_back: list[str] = field(default_factory=list)  # records that had lost lines here


class Settling:
    """Three commits of one vault, and what the one that follows them has."""

    def __init__(self, tree: Tree, known: Known, account: Account, sides: tuple[Listing, Listing, Listing]) -> None:
        self._tree, self._git, self._layout = tree, tree.git, tree.bench.vault.layout
        self._known = known
        self._account = account
        self._sides = sides
        self.elsewhere: list[str] = []  # contradictions outside the vault, which are not ours to settle
        differing = changed(*sides)
        notes = {side[path].blob for path in differing if self._is_read(path) for side in sides if path in side}
        self._bytes = contents(self._git, notes)
        gone = set(differing)
        self._places = Places({path: entry for path, entry in sides[1].items() if path not in gone}, sides[1])
        self._marks = NO_MARKS

    def settled(self) -> Mapping[str, Entry | None]:
        """Everything in which the outcome differs from what we have; None for what is there no more."""
        with ground_for_marks(self._tree) as folder:
            self._marks = self._known_marks(folder)
            for versions in sorted(paired(*self._sides, self._id), key=_order):
                self._settle(versions)
        ours, result = self._sides[1], self._places.taken
        gone = {path: None for path in ours if path not in result}
        return {**gone, **{path: entry for path, entry in result.items() if ours.get(path) != entry}}

    def _settle(self, versions: Versions) -> None:
        base, ours, theirs = versions
        if ours and theirs:
            self._put(_place(versions), self._both(ours, theirs, base))
        elif only := ours or theirs:
            if base and not self._grows(only.path) and (only == base or self._is_forgotten(only)):
                return
            self._put(only.path, only.entry)  # an edit, or a move, beats a deletion

    def _both(self, ours: Version, theirs: Version, base: Version | None) -> Entry:
        one, two, before = ours.entry, theirs.entry, base.entry if base else None
        if two == one:
            return one
        if self._grows(ours.path) and one.is_plain and two.is_plain:
            # What one side lacks there it has lost, whoever changed it last: nobody takes a line out.
            return self._joined(ours, theirs, self._of(before) if before and before.blob else None)
        if two == before:
            return one
        if one == before or (before and one.blob == two.blob and one.mode == before.mode):
            return two
        if one.blob == two.blob:
            return one
        if one.is_plain and two.is_plain:
            return self._joined(ours, theirs, self._of(before) if before and before.blob else None)
        if two.is_plain and self._is_note(theirs.path):
            self._park(theirs.path, self._of(two), two.blob)
        else:  # a link, say: there is nothing to merge
            self._account.kept_ours.append(self._named(ours.path))
        return one

    def _joined(self, ours: Version, theirs: Version, base: bytes | None) -> Entry:
        path, own = ours.path, self._tree.own(ours.path)
        one, two = self._of(ours.entry), self._of(theirs.entry)
        if own is not None and (found := joined(base, one, two, own, self._known)):
            if found.parked is not None:
                self._park(path, found.parked, found.parked_id)
            return self._kept(found.raw, mode=ours.entry.mode)
        if own is not None and own.startswith(self._layout.private) and own.endswith(ENDING):
            # Nobody can look into what is sealed: theirs becomes a memory of its own, its name as opaque.
            self._park(path, two, "", at=f"{path.rpartition('/')[0]}/{files.digest(two)[:16]}{ENDING}")
            return ours.entry
        text = None if base is None else woven_bytes(base, one, two)
        if text is not None:
            return self._kept(text, mode=ours.entry.mode)
        (self.elsewhere if own is None else self._account.kept_ours).append(self._named(path))
        return ours.entry

    def _park(self, path: str, data: bytes, name: str, *, at: str = "") -> None:
        if there := self._put(at or beside(path, name), self._kept(data)):
            self._account.parked.append((self._named(path), self._named(there)))

    def _put(self, path: str, entry: Entry) -> str:
        """Give something its place in the outcome, without what was forgotten for good; where that is."""
        name = entry.blob
        if self._is_note(path) and entry.is_plain:
            data = self._of(entry)
            cleaned = self._marks.without_purged(data, path)
            if cleaned is None:
                return ""
            entry = entry if cleaned == data else self._kept(cleaned, mode=entry.mode)
            name = note_id(data) or name
        there = self._places.put(path, entry, name)
        if there != path:
            self._account.aside.append((self._named(path), self._named(there)))
        return there

    def _is_forgotten(self, version: Version) -> bool:
        return self._is_note(version.path) and self._marks.is_forgotten(self._of(version.entry))

    def _known_marks(self, folder: Path) -> Marks:
        try:
            return Marks.of(folder, self._ledgers())
        except MarksUnknown as error:
            own = self._tree.bench.vault.ledger.folder / Path(str(error.data["path"])).name
            raise MarksUnknown(path=own, reason=error.data["reason"]) from error

    def _ledgers(self) -> Iterator[tuple[str, bytes]]:
        """The ledgers and their keys as they will be, by their names: what either side knows as forgotten."""
        folder = f"{self._tree.prefix}{STATE}/ledger/"
        for path in sorted({path for side in self._sides[1:] for path in side if path.startswith(folder)}):
            base, ours, theirs = (self._of(side[path]) if path in side else None for side in self._sides)
            own = self._named(path)
            yield (
                path.removeprefix(folder),
                grown(base, ours, theirs, own) if ours and theirs else (ours or theirs or b""),
            )

    # -- what is read and kept

    def _of(self, entry: Entry) -> bytes:
        if entry.blob not in self._bytes:
            self._bytes |= contents(self._git, (entry.blob,))
        return self._bytes.get(entry.blob, b"")

    def _kept(self, data: bytes, *, mode: str = FILE) -> Entry:
        blob = kept(self._git, data)
        self._bytes[blob] = data
        return Entry(mode, blob)

    def _is_note(self, path: str) -> bool:
        own = self._tree.own(path)
        return own is not None and self._known.place(own) is not None

    def _grows(self, path: str) -> bool:
        own = self._tree.own(path)
        return own is not None and grows(own)

    def _is_read(self, path: str) -> bool:
        return self._is_note(path) or self._grows(path)

    def _named(self, path: str) -> str:
        return self._tree.own(path) or path

    def _id(self, path: str, entry: Entry) -> str:
        return note_id(self._of(entry)) if entry.is_plain and entry.blob and self._is_note(path) else ""


def note_id(raw: bytes) -> str:
    """The id that a note gives itself; empty where it gives none."""
    found = identity(frontmatter.parse(raw).fields.get("id"), UTC)
    return str(found) if found else ""


def _order(versions: Versions) -> tuple[bool, str]:
    """Ours first, so that it keeps its name."""
    first = versions.ours or versions.theirs or versions.base
    return versions.ours is None, first.path if first else ""


def _place(versions: Versions) -> str:
    """Where something lies that both have: where it was moved to, and where we moved it if both did."""
    base, ours, theirs = versions
    assert ours
    return theirs.path if base and theirs and ours.path == base.path else ours.path
