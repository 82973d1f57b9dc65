"""Two versions of a text woven into one, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, TypeVar

_LONGEST = 20_000  # lines; what is longer and was changed on both sides is for a person to look at

Lines = Sequence[str]
Side = TypeVar("Side")


class _Kept(NamedTuple):
    """A run of lines that all three have: where it begins in each, and how long it is."""

    base: int
    ours: int
    theirs: int
    length: int


def woven(base: str, ours: str, theirs: str) -> str | None:
    """The text with both sides' changes; None where they changed the same place, and not alike."""
    settled = _settled(base, ours, theirs)
    if settled is not None:
        return settled
    # The line break at the very end is a matter of its own: whoever adds one has not changed the last line.
    sides = [text.removesuffix("\n").split("\n") for text in (base, ours, theirs)]
    if max(map(len, sides)) > _LONGEST:
        return None
    parts = [_settled(*part) for part in _parts(*sides)]
    ends_in_break = _settled(*(text.endswith("\n") for text in (base, ours, theirs)))
    lines = [line for part in parts if part is not None for line in part]
    return None if None in parts else "\n".join(lines) + ("\n" if ends_in_break else "")


def _settled(base: Side, ours: Side, theirs: Side) -> Side | None:
    if theirs in (ours, base):
        return ours
    return theirs if ours == base else None


def _parts(base: Lines, ours: Lines, theirs: Lines) -> Iterator[tuple[Lines, Lines, Lines]]:
    """The three texts cut where they agree: by turns what differs, and what all of them have."""
    at = _Kept(0, 0, 0, 0)
    for kept in (*_kept(base, ours, theirs), _Kept(len(base), len(ours), len(theirs), 0)):
        of_base, of_ours, of_theirs = (begin + at.length for begin in at[:3])
        yield base[of_base : kept.base], ours[of_ours : kept.ours], theirs[of_theirs : kept.theirs]
        same = base[kept.base : kept.base + kept.length]
        yield same, same, same
        at = kept


def _kept(base: Lines, ours: Lines, theirs: Lines) -> Iterator[_Kept]:
    """The runs of the base that both sides kept, in order."""
    one, two = _matches(base, ours), _matches(base, theirs)
    i = j = 0
    while i < len(one) and j < len(two):
        (a, mine, length), (b, other, size) = one[i], two[j]
        begin, end = max(a, b), min(a + length, b + size)
        if begin < end:
            yield _Kept(begin, mine + begin - a, other + begin - b, end - begin)
        if a + length < b + size:
            i += 1
        else:
            j += 1


def _matches(base: Lines, side: Lines) -> list[tuple[int, int, int]]:
    # No line counts as too common to match by: in a list of short lines, most of them would.
    found = SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return [(match.a, match.b, match.size) for match in found if match.size]
