"""Merge two versions of a text, line by line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
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
    """Sort two additions into the order that every machine comes to.

    What continues the lines before it goes first, and what leads to those behind it last.
    """
    both = (list(ours), list(theirs))
    return sorted(both, key=lambda lines: (_is_blank(lines[0]), not _is_blank(lines[-1]), lines))


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
        most = min(len(before), len(behind), _MOST_SHARED)
        fits = (size for size in range(most, 0, -1) if before[-size:] == behind[:size])
        if shared := next((size for size in fits if not all(map(_is_blank, behind[:size]))), 0):
            return [*before, *behind[shared:]]
    return [*one, *two]


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
    there = _unique_lines(side, head, tail)
    pairs = [(a, there[line]) for line, a in _unique_lines(base, head, tail).items() if line in there]
    for anchor in (*longest_rising(sorted(pairs)), (len(base) - tail, len(side) - tail)):
        found += _match_between(base[at[0] : anchor[0]], side[at[1] : anchor[1]], *at)
        found.append((*anchor, 1))
        at = anchor[0] + 1, anchor[1] + 1
    found[-1] = (len(base) - tail, len(side) - tail, tail)
    return [match for match in found if match[2]]


def _count_equal(pairs: Iterable[tuple[str, str]]) -> int:
    """Count the pairs that are equal before the first that is not."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


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


# Merge two versions of a record that only grows: every line is kept, and redacted lines stay redacted.

_STAMP = b'{"t":"'
_STAMPED = len(_STAMP) + len("2026-01-29T03:00:00Z")
_SAYS_SO = b"forgotten"  # in what was put in the place of words, and is sometimes as long as they were

ByteLines = Sequence[bytes]


def merge_records(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Keep the lines of both sides; a line that either redacted stays redacted, in its place."""
    # What a power cut left empty is nobody's line; in ours all keeps its place.
    two = _complete_lines(theirs.replace(b"\0", b""), ours)
    one = _complete_lines(ours, theirs)
    voids = _find_voided((base or b"").splitlines(keepends=True), one, two)
    settled = {*one, *voids, *voids.values()}
    return b"".join((*(voids.get(line, line) for line in one), *(line for line in two if line not in settled)))


def count_lost_lines(before: bytes, after: bytes) -> int:
    """Count the lines of an earlier version that a later one has neither as they were nor redacted."""
    one, two = _complete_lines(before, after), _complete_lines(after, before)
    kept = {*two, *_find_voided(one, one, two)}
    return sum(line not in kept for line in one)


def merge_list(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Merge a list of lines: what either added, without what either removed."""
    before, one, two = (_end_with_newline(data).splitlines(keepends=True) for data in (base or b"", ours, theirs))
    have, other = set(one), set(two)
    gone = {line for line in before if line not in have or line not in other}
    return b"".join(line for line in (*one, *(line for line in two if line not in have)) if line not in gone)


def _end_with_newline(data: bytes) -> bytes:
    return data if not data or data.endswith(b"\n") else data + b"\n"


def _complete_lines(data: bytes, other: bytes) -> ByteLines:
    """Return the lines of a side, without a torn last one that the other side has whole."""
    lines = _end_with_newline(data).splitlines(keepends=True)
    if lines and not data.endswith(b"\n"):
        torn = lines[-1][:-1]
        if any(line.startswith(torn) and line[:-1] != torn for line in other.splitlines(keepends=True)):
            return lines[:-1]
    return lines


def _find_voided(before: ByteLines, one: ByteLines, two: ByteLines) -> dict[bytes, bytes]:
    """Return the lines that one side has as they were and the other redacted, each with what it became."""
    found: dict[bytes, bytes] = {}
    start = 0
    for mine, other in zip(one, two, strict=False):
        if mine != other and not _is_void_of(mine, other) and not _is_void_of(other, mine):
            break
        if mine != other:
            said, left = (other, mine) if _is_void_of(mine, other) else (mine, other)
            found[said] = left
        start += 1
    rest, there = one[start:], two[start:]
    known = frozenset(before)
    gaps = ([0] * len(rest), [0] * len(there)) if known else None
    return {**dict(_match_moved(rest, there, known, gaps)), **found}


def _match_moved(
    one: ByteLines, two: ByteLines, known: frozenset[bytes], gaps: tuple[list[int], list[int]] | None
) -> Iterator[tuple[bytes, bytes]]:
    """Yield redacted lines whose places differ: of what both had, whatever one side lacks was redacted there.

    Without a base, only lines between the same neighbors are compared.
    """
    have, other = set(one), set(two)
    here = [line not in known and line not in other and _may_be_void(line) for line in one]
    there = [line not in known and line not in have and _may_be_void(line) for line in two]
    if not any(here) and not any(there):
        return
    first, second = gaps or _count_shared_before(one, two)
    yield from _pair_voids(one, first, _group_by_looks(two, second, there), other, known)
    yield from _pair_voids(two, second, _group_by_looks(one, first, here), have, known)


VoidKey = tuple[int, int, bytes]  # between which neighbours, how long, and from when


def _group_by_looks(lines: ByteLines, gaps: Sequence[int], chosen: Sequence[bool]) -> dict[VoidKey, list[bytes]]:
    found: dict[VoidKey, list[bytes]] = defaultdict(list)
    for line, gap, is_chosen in zip(lines, gaps, chosen, strict=True):
        if is_chosen:
            found[gap, len(line), _line_stamp(line)].append(line)
    return found


def _pair_voids(
    lines: ByteLines, gaps: Sequence[int], voids: dict[VoidKey, list[bytes]], other: set[bytes], known: frozenset[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield each line that the other side may have redacted, with what it became; the same moment comes first."""
    turns: Counter[VoidKey] = Counter()
    for line, gap in zip(lines, gaps, strict=True):
        if line in other or (known and line not in known):
            continue
        for looks in ((gap, len(line), _line_stamp(line)), (gap, len(line), b"")):
            among = voids.get(looks, [])
            # Rather one line too many is void than that what was forgotten comes back.
            if left := next((each for each in _from_turn(among, turns[looks]) if _is_void_of(each, line)), None):
                turns[looks] += 1
                yield line, left
                break


def _from_turn(lines: Sequence[bytes], turn: int) -> Iterator[bytes]:
    """Yield the one whose turn it is, and then all."""
    if lines:
        yield lines[min(turn, len(lines) - 1)]
        yield from lines


def _count_shared_before(one: ByteLines, two: ByteLines) -> tuple[list[int], list[int]]:
    """Count for each line how many of the lines both have, in the same order, stand before it."""
    counts, others = Counter(one), Counter(two)
    places = {line: at for at, line in enumerate(two) if others[line] == 1 == counts[line]}
    pairs = [(at, places[line]) for at, line in enumerate(one) if line in places]
    shared = longest_rising(pairs)
    firsts, seconds = [at for at, _ in shared], [at for _, at in shared]
    return [bisect_right(firsts, at) for at in range(len(one))], [bisect_right(seconds, at) for at in range(len(two))]


def _line_stamp(line: bytes) -> bytes:
    return line[:_STAMPED] if line.startswith(_STAMP) else b""


def _may_be_void(line: bytes) -> bool:
    return line.rstrip(b"\r\n")[-1:] in (b" ", b"") or _SAYS_SO in line


def _is_void_of(left: bytes, said: bytes) -> bool:
    """Return whether a line is what redacting made of another: as long, and blank at its end or saying so."""
    if left == said or len(left) != len(said):
        return False
    rest, whole = len(left.rstrip()), len(said.rstrip())
    if rest == whole:
        return _line_stamp(left) == _line_stamp(said) and left.count(_SAYS_SO) > said.count(_SAYS_SO)
    return rest < min(whole, len(left) - 1)
