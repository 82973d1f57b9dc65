"""Merge two versions of a record that only grows: every line is kept, and redacted lines stay redacted."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from memvault.storage.merging.lines import longest_rising

_STAMP = b'{"t":"'
_STAMPED = len(_STAMP) + len("2026-01-29T03:00:00Z")
_SAYS_SO = b"forgotten"  # in what was put in the place of words, and is sometimes as long as they were

Lines = Sequence[bytes]


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


def _complete_lines(data: bytes, other: bytes) -> Lines:
    """Return the lines of a side, without a torn last one that the other side has whole."""
    lines = _end_with_newline(data).splitlines(keepends=True)
    if lines and not data.endswith(b"\n"):
        torn = lines[-1][:-1]
        if any(line.startswith(torn) and line[:-1] != torn for line in other.splitlines(keepends=True)):
            return lines[:-1]
    return lines


def _find_voided(before: Lines, one: Lines, two: Lines) -> dict[bytes, bytes]:
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
    one: Lines, two: Lines, known: frozenset[bytes], gaps: tuple[list[int], list[int]] | None
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


def _group_by_looks(lines: Lines, gaps: Sequence[int], chosen: Sequence[bool]) -> dict[VoidKey, list[bytes]]:
    found: dict[VoidKey, list[bytes]] = defaultdict(list)
    for line, gap, is_chosen in zip(lines, gaps, chosen, strict=True):
        if is_chosen:
            found[gap, len(line), _line_stamp(line)].append(line)
    return found


def _pair_voids(
    lines: Lines, gaps: Sequence[int], voids: dict[VoidKey, list[bytes]], other: set[bytes], known: frozenset[bytes]
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


def _count_shared_before(one: Lines, two: Lines) -> tuple[list[int], list[int]]:
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
