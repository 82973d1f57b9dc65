"""Which files of three commits are versions of one memory: told by its id, wherever it lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from memvault.sync.commits import Entry, Listing


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
