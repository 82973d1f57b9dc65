"""Which memories can speak against each other, and which somebody has linked as doing so."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from memvault.core.ids import is_prefix, matches, target_name, wikilinks
from memvault.core.kinds.working import WORKING
from memvault.core.memory import Memory, Place

_PASSED_OVER = (Place.ARCHIVED, Place.QUARANTINE)
_AGAINST = ("contested", "contradicts")
_SETTLED = ("supersedes",)


def is_live(memory: Memory) -> bool:
    """Whether a memory still counts, so that another can speak against it."""
    if memory.place in _PASSED_OVER or memory.status == "archived" or memory.kind == WORKING.name:
        return False
    return not (memory.more.get("superseded_by") or memory.more.get("merged_into"))


def may_contradict(a: Memory, b: Memory) -> bool:
    """Whether a difference between two memories matters: not between projects, nor where it has been settled."""
    mine, other = a.more.get("project"), b.more.get("project")
    return not (mine and other and mine != other) and not are_linked(a, b, _SETTLED)


def are_against(a: Memory, b: Memory) -> bool:
    """Whether somebody has linked two memories as saying otherwise, or one as taking the other's place."""
    return are_linked(a, b, (*_AGAINST, *_SETTLED))


def are_linked(a: Memory, b: Memory, fields: Sequence[str]) -> bool:
    """Whether one of two memories names the other in one of some fields."""
    return any(_is(b, name) for name in _targets(a, fields)) or any(_is(a, name) for name in _targets(b, fields))


def _is(memory: Memory, name: str) -> bool:
    return matches(memory.id, name) or target_name(name) in (memory.name, memory.title)


def _targets(memory: Memory, fields: Sequence[str]) -> Iterator[str]:
    """What a memory names in some fields, as written and without the brackets of links."""
    for field in fields:
        value = memory.more.get(field)
        for link in (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ():
            yield from wikilinks(link) or (link,)


def contested_pairs(memories: Mapping[str, Memory]) -> set[tuple[str, str]]:
    """The pairs of ids, sorted within, of memories of which one says that it speaks against the other."""
    found: set[tuple[str, str]] = set()
    speaking = [memory for memory in memories.values() if any(memory.more.get(field) for field in _AGAINST)]
    directory = _Directory(memories) if speaking else None
    for memory in speaking:
        for name in _targets(memory, _AGAINST):
            for id_ in directory.find(name) if directory else ():
                if id_ != memory.id and not are_linked(memory, memories[id_], _SETTLED):
                    found.add((min(id_, memory.id), max(id_, memory.id)))
    return found


class _Directory:
    """Memories by their ids, file names and titles."""

    def __init__(self, memories: Mapping[str, Memory]) -> None:
        self._ids = sorted(memories)
        self._named: defaultdict[str, set[str]] = defaultdict(set)
        for memory in memories.values():
            self._named[memory.name].add(memory.id)
            self._named[memory.title].add(memory.id)

    def find(self, name: str) -> set[str]:
        """The ids of the memories that a link can mean."""
        found = set(self._named.get(target_name(name), ()))
        start = name.casefold()
        place = bisect_left(self._ids, start) if is_prefix(name) else len(self._ids)
        while place < len(self._ids) and self._ids[place].startswith(start):
            found.add(self._ids[place])
            place += 1
        return found
