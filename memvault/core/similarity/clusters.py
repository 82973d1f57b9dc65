"""Which duplicates become one memory together: all alike to one of them, and none against another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

Conflict = Callable[[str, str], bool]


def clusters(pairs: Iterable[tuple[str, str]], *, conflict: Conflict | None = None) -> list[list[str]]:
    """The groups that pairs of duplicates fall into, each sorted but for its base, which comes first.

    Every member is paired with the base. Two members that are not paired with each other stay together only if
    `conflict` says that they do not exclude each other; without it they do not stay together.
    """
    near: defaultdict[str, set[str]] = defaultdict(set)
    for left, right in pairs:
        if left != right:
            near[left].add(right)
            near[right].add(left)
    found: list[list[str]] = []
    free = set(near)
    for base in sorted(near, key=lambda id_: (-len(near[id_]), id_)):
        if base not in free:
            continue
        members = [base]
        for other in sorted(near[base] & free):
            strangers = (member for member in members[1:] if other not in near[member])
            if all(conflict and not conflict(*sorted((member, other))) for member in strangers):
                members.append(other)
        if len(members) > 1:
            free -= set(members)
            found.append(members)
    return sorted(found)
