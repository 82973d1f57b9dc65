"""Two versions of a file that only grows, such as a journal, made one: every line, and what was made void stays so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_LONGEST = 20_000  # lines, of which the places are compared; beyond, what is voided is told by the base alone

Lines = Sequence[bytes]


def united(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """The lines of both sides, without those that either took out; what either made void is void, in its place."""
    before, one, two = (data.splitlines(keepends=True) for data in (base or b"", _ended(ours), _ended(theirs)))
    voids = dict(_voided(before, one, two))
    have, other = set(one), set(two)
    gone = {line for line in before if line not in have or line not in other}
    used = {*voids.values(), *voids}
    mine = [voids.get(line, line) for line in one if line in voids or line not in gone]
    return b"".join((*mine, *(line for line in two if line not in have and line not in gone and line not in used)))


def _ended(data: bytes) -> bytes:
    return data if not data or data.endswith(b"\n") else data + b"\n"


def _voided(before: Lines, one: Lines, two: Lines) -> Iterator[tuple[bytes, bytes]]:
    """The lines that stand on one side as they were, and on the other made void; each with what it became."""
    start = 0
    for mine, other in zip(one, two, strict=False):
        if mine != other and not _void_of(mine, other):
            break
        yield from _void_of(mine, other)
        start += 1
    rest, there = one[start:], two[start:]
    if not rest or not there or max(len(rest), len(there)) > _LONGEST:
        return
    known = frozenset(before)
    for what, a, b, c, d in SequenceMatcher(None, rest, there, autojunk=False).get_opcodes():
        # Rather one line too many is void than that what was forgotten comes back.
        found = (pair for mine in rest[a:b] for other in there[c:d] for pair in _void_of(mine, other))
        yield from (pair for pair in found if what == "replace" and (not known or pair[0] in known))


def _void_of(mine: bytes, other: bytes) -> list[tuple[bytes, bytes]]:
    """What is made void keeps its length, so its end is blank."""
    if mine == other or len(mine) != len(other):
        return []
    said, left = sorted((mine, other), key=lambda line: len(line.rstrip()), reverse=True)
    return [(said, left)] if len(left.rstrip()) < min(len(said.rstrip()), len(left) - 1) else []
