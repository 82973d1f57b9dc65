"""Memories that git mixed where it merged by itself: two much alike, of which it took one for the other's new name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from memvault.storage import frontmatter
from memvault.sync.commits import OURS, Listing, base, contents, listing
from memvault.sync.merge_notes import note_id
from memvault.sync.pairing import changed
from memvault.sync.repository import Tree
from memvault.system import files

_MERGES = 30  # that are looked at, the last ones
_TELLING = 12  # letters of a line that two memories hardly say alike by chance


class Mixed(NamedTuple):
    """A note that says what another memory said, and the merge since which it does."""

    path: str
    other: str
    commit: str


def mixed(tree: Tree) -> Iterator[Mixed]:
    """The notes that are mixed still; merges of memvault's own are not looked at, as they go by ids."""
    if not tree.is_born():
        return
    told = tree.git.do("log", "--merges", f"--max-count={_MERGES}", "--format=%H%x09%P%x09%s", "HEAD")
    for row in told.splitlines():
        commit, parents, subject = row.split("\t", 2)
        if subject != OURS and len(parents.split()) == 2:
            yield from _in_merge(tree, commit, *parents.split())


def _in_merge(tree: Tree, commit: str, one: str, two: str) -> Iterator[Mixed]:
    made, sides = listing(tree.git, commit), (listing(tree.git, one), listing(tree.git, two))
    fresh = [path for path, entry in made.items() if _is_note(tree, path) and _is_made(path, made, sides)]
    if not fresh:
        return
    every = (base(tree.git, one, two), *sides)
    known = _lines_by_id(tree, every, [path for path in changed(*every) if _is_note(tree, path)])
    data = contents(tree.git, (made[path].blob for path in fresh))
    for path in fresh:
        note = data[made[path].blob]
        own = known.get(note_id(note), {})
        strange = {line for line in _lines(note) if line not in own} if own else set()
        for id_, lines in known.items():
            if (shared := strange & lines.keys()) and _still_says(tree, path, shared):
                yield Mixed(tree.own(path) or path, next(tree.own(lines[line]) or id_ for line in shared), commit)
                break


def _is_made(path: str, made: Listing, sides: tuple[Listing, Listing]) -> bool:
    """Whether a merge made a version that neither side had."""
    return made[path].is_plain and all(side.get(path) != made[path] for side in sides)


def _lines_by_id(tree: Tree, every: Collection[Listing], paths: Collection[str]) -> dict[str, dict[str, str]]:
    """What each memory said on any side, line by line, and where."""
    entries = [(path, side[path]) for side in every for path in paths if path in side and side[path].is_plain]
    data: Mapping[str, bytes] = contents(tree.git, (entry.blob for _, entry in entries))
    found: dict[str, dict[str, str]] = {}
    for path, entry in entries:
        note = data.get(entry.blob, b"")
        if id_ := note_id(note):
            found.setdefault(id_, {}).update(dict.fromkeys(_lines(note), path))
    return found


def _lines(note: bytes) -> set[str]:
    lines = (line.strip() for line in frontmatter.parse(note).text.split("\n"))
    return {line for line in lines if len(line) >= _TELLING}


def _still_says(tree: Tree, path: str, lines: set[str]) -> bool:
    full = tree.top / path
    return files.is_there(full) and bool(lines & _lines(full.read_bytes()))


def _is_note(tree: Tree, path: str) -> bool:
    own = tree.own(path)
    return own is not None and tree.is_note(own)
