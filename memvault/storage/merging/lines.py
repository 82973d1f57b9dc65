"""Merge two versions of a text, line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple, TypeVar

# The longest row of matches that keeps the order of both sides.


def longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest choice of pairs that rises on both sides."""
    ends: list[int] = []  # the least end of a choice of each length
    chosen: list[int] = []
    before: list[int] = []
    for number, (_, b) in enumerate(pairs):
        length = bisect_left(ends, b)
        before.append(chosen[length - 1] if length else -1)
        ends[length : length + 1] = [b]
        chosen[length : length + 1] = [number]
    found: list[tuple[int, int]] = []
    number = chosen[-1] if chosen else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


_LONGEST = 200_000  # lines; what is longer and was changed on both sides is for a person to look at
_MOST_SHARED = 500  # lines of the end of one addition that are looked for at the beginning of another
_MOST, _WIDEST = 250_000, 2_000  # pairs of equal lines, and lines, that are compared one by one between two anchors

Match = tuple[int, int, int]

Lines = Sequence[str]
Side = TypeVar("Side")


class _SharedRun(NamedTuple):
    """A run of lines that all three have: where it begins in each, and its length."""

    base: int
    ours: int
    theirs: int
    length: int


def merge_text(base: str, ours: str, theirs: str, *, takes_both: bool = True) -> str | None:
    """Merge both sides' changes to a text; None where they changed the same place differently.

    With `takes_both`, what both only added at one place is kept, one after the other.
    """
    settled = _take_changed(base, ours, theirs)
    if settled is not None:
        return settled
    # The line break at the very end is a matter of its own: whoever adds one has not changed the last line.
    sides = [text.removesuffix("\n").split("\n") for text in (base, ours, theirs)]
    if max(map(len, sides)) > _LONGEST:
        return None
    settle = _merge_part if takes_both else _take_changed
    parts = [settle(*part) for part in _split_parts(*sides)]
    ends_in_break = _take_changed(*(text.endswith("\n") for text in (base, ours, theirs)))
    lines = [line for part in parts if part is not None for line in part]
    return None if None in parts else "\n".join(lines) + ("\n" if ends_in_break else "")


def merge_text_bytes(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge the texts of files; None where they conflict or one of them is no text."""
    try:
        # What else is in a file, such as settings, may not stand in it twice.
        text = merge_text(base.decode(), ours.decode(), theirs.decode(), takes_both=False)
    except UnicodeDecodeError:
        return None
    return None if text is None else text.encode()


def _take_changed(base: Side, ours: Side, theirs: Side) -> Side | None:
    if theirs in (ours, base):
        return ours
    return theirs if ours == base else None


# -- what both sides added at one place


def _merge_part(base: Lines, ours: Lines, theirs: Lines) -> Lines | None:
    settled = _take_changed(base, ours, theirs)
    if settled is not None:
        return settled
    if not base:
        return _join_additions(*_order_additions(ours, theirs))
    one, two = list(ours), list(theirs)
    # The same change, and more behind it on one side.
    return next((more for less, more in ((one, two), (two, one)) if _extends_other(base, less, more)), None)


def _order_additions(ours: Lines, theirs: Lines) -> list[list[str]]:
    """Sort two additions into the order that every machine comes to."""
    return sorted((list(ours), list(theirs)), key=_addition_order)


def _addition_order(lines: Lines) -> tuple[bool, bool, Lines]:
    """Sort what continues the lines before it first, and what leads to those behind it last."""
    return _is_blank(lines[0]), not _is_blank(lines[-1]), lines


def _join_additions(one: list[str], two: list[str]) -> list[str]:
    """Keep every line that either added, in whole runs, and what both begin with once."""
    for less, more in ((one, two), (two, one)):
        if _is_within(less, more):
            return more
    same = _count_equal(zip(one, two, strict=False))
    while same and _is_blank(one[same - 1]):
        same -= 1  # each keeps the blank line before its own paragraph
    if same:
        return [*one[:same], *_join_additions(*_order_additions(one[same:], two[same:]))]
    for before, behind in ((one, two), (two, one)):
        if shared := _count_overlap(before, behind):
            return [*before, *behind[shared:]]
    return [*one, *two]


def _count_overlap(before: Lines, behind: Lines) -> int:
    """Count the lines that one ends with and the other begins with, if not all blank."""
    most = min(len(before), len(behind), _MOST_SHARED)
    fits = (size for size in range(most, 0, -1) if before[-size:] == behind[:size])
    return next((size for size in fits if not all(map(_is_blank, behind[:size]))), 0)


def _extends_other(base: Lines, less: Lines, more: Lines) -> bool:
    """Return whether one side has all lines of the other, and otherwise only new ones."""
    if all(map(_is_blank, less)) or not _is_within(less, more):
        return False
    extra = Counter(more) - Counter(less)
    return not any(line in extra for line in base if not _is_blank(line))


def _is_within(less: Lines, more: Lines) -> bool:
    """Return whether all lines of one stand in the other, in the same order."""
    rest = iter(more)
    return all(line in rest for line in less)


def _is_blank(line: str) -> bool:
    return not line.strip()


# -- where they agree


def _split_parts(base: Lines, ours: Lines, theirs: Lines) -> Iterator[tuple[Lines, Lines, Lines]]:
    """Cut the three texts where they agree: by turns what differs, and what all of them have."""
    at = _SharedRun(0, 0, 0, 0)
    for kept in (*_shared_runs(base, ours, theirs), _SharedRun(len(base), len(ours), len(theirs), 0)):
        of_base, of_ours, of_theirs = (begin + at.length for begin in at[:3])
        yield base[of_base : kept.base], ours[of_ours : kept.ours], theirs[of_theirs : kept.theirs]
        same = base[kept.base : kept.base + kept.length]
        yield same, same, same
        at = kept


def _shared_runs(base: Lines, ours: Lines, theirs: Lines) -> Iterator[_SharedRun]:
    """Yield the runs of the base that both sides kept, in order."""
    one, two = _match_lines(base, ours), _match_lines(base, theirs)
    i = j = 0
    while i < len(one) and j < len(two):
        (a, mine, length), (b, other, size) = one[i], two[j]
        begin, end = max(a, b), min(a + length, b + size)
        if begin < end:
            yield _SharedRun(begin, mine + begin - a, other + begin - b, end - begin)
        if a + length < b + size:
            i += 1
        else:
            j += 1


def _match_lines(base: Lines, side: Lines) -> list[Match]:
    """Return the runs of lines that a side kept of the base: where in the base, where in the side, how many."""
    head = _count_equal(zip(base, side, strict=False))
    rest = min(len(base), len(side)) - head
    tail = min(rest, _count_equal(zip(reversed(base), reversed(side), strict=False)))
    found: list[Match] = [(0, 0, head)]
    at = (head, head)
    # Lines that either has only once show what belongs together; all else is looked for between two of them.
    for anchor in (*_find_anchors(base, side, head, tail), (len(base) - tail, len(side) - tail)):
        found += _match_between(base[at[0] : anchor[0]], side[at[1] : anchor[1]], *at)
        found.append((*anchor, 1))
        at = anchor[0] + 1, anchor[1] + 1
    found[-1] = (len(base) - tail, len(side) - tail, tail)
    return [match for match in found if match[2]]


def _count_equal(pairs: Iterable[tuple[str, str]]) -> int:
    """Count the pairs that are equal before the first that is not."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _find_anchors(base: Lines, side: Lines, head: int, tail: int) -> list[tuple[int, int]]:
    """Return the places of lines that both have exactly once, as many as are in the same order."""
    there = _unique_lines(side, head, tail)
    pairs = [(a, there[line]) for line, a in _unique_lines(base, head, tail).items() if line in there]
    return longest_rising(sorted(pairs))


def _unique_lines(lines: Lines, head: int, tail: int) -> dict[str, int]:
    places: dict[str, int] = {}
    doubled: set[str] = set()
    for place in range(head, len(lines) - tail):
        if lines[place] in places:
            doubled.add(lines[place])
        places[lines[place]] = place
    return {line: place for line, place in places.items() if line not in doubled}


def _match_between(base: Lines, side: Lines, a: int, b: int) -> list[Match]:
    counts = Counter(base)
    if sum(counts[line] for line in side) > _MOST or len(base) + len(side) > _WIDEST:
        return []  # beyond what is worth the time, all counts as changed: at worst both versions stay
    # No line counts as too common to match by: in a list of short lines, most of them would.
    found = SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return [(a + match.a, b + match.b, match.size) for match in found if match.size]
