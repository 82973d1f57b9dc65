"""The most that each passage of a segment can earn by a word, as one byte: so all are gone through in bulk."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import ceil, hypot, log, sqrt
from typing import NamedTuple

from memvault.core.query import Word
from memvault.storage.index.postings import Section
from memvault.storage.index.postings.contents import Postings
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS, K1

HEAD = "head"  # the field that holds one term on every first passage
HEADS = ("1",)

HIGHEST = 255
MOST = sum(weight.boost for weight in FIELDS.values()) * (K1 + 1)
# Squares: fine steps where scores are low and common. What two levels come to together is the root of their squares.
SHARES = tuple(MOST * (level / HIGHEST) ** 2 for level in range(HIGHEST + 1))

DENSE = 48  # where one of so many passages holds a word, a byte for each of all is smaller and quicker
_TENTHS, _MOST_TENTHS = 10, 400
_ENDLESS = 1e9  # what is counted no further
_LONGEST = 1_023  # longer texts are taken for this long: what they can earn is only the less
_STEP = 1.05  # of average lengths: ceilings hold for all within a step, and so through many commits

Steps = tuple[tuple[int, int], ...]


class Ceiling(NamedTuple):
    """The levels of some passages of a segment, or of all of them, and the highest."""

    highest: int
    documents: Sequence[int] | None
    levels: bytes

    def pairs(self) -> Iterable[tuple[int, int]]:
        """The passages that can earn anything, with their levels."""
        if self.documents is not None:
            return zip(self.documents, self.levels, strict=True)
        return ((document, level) for document, level in enumerate(self.levels) if level)

    def size(self) -> int:
        """Its bytes."""
        return len(self.levels) + 4 * len(self.documents or ())


NOTHING = Ceiling(0, (), b"")


def steps(averages: Mapping[str, float], longest: Mapping[str, int]) -> Steps:
    """The steps in which average lengths lie, and lengths no text exceeds: with these, ceilings stay as they are."""
    return tuple((_step(averages[name]), min((1 << longest[name].bit_length()) - 1, _LONGEST)) for name in FIELDS)


def _step(average: float) -> int:
    return ceil(log(average, _STEP)) if average else 0


class Ceilings:
    """The ceilings of words while average lengths stay within their steps."""

    def __init__(self, at: Steps) -> None:
        self.norms = {
            name: _norms(_STEP**step, longest, FIELDS[name].b) for name, (step, longest) in zip(FIELDS, at, strict=True)
        }
        self._rows: dict[int, bytes] = {}

    def of(self, section: Section, word: Word) -> Ceiling:
        """The levels of one word, or of what stands for it, in one segment."""
        documents, levels = self._said(section, word)
        heads = self._heads(section, word)
        if not documents and not heads:
            return NOTHING
        if (len(documents) + len(heads)) * DENSE < section.size:
            return _sparse(dict(zip(documents, levels, strict=True)), _runs(section, heads))
        return _dense(self.spread(section.size, documents, levels), max(levels, default=0), _runs(section, heads))

    def _said(self, section: Section, word: Word) -> tuple[Sequence[int], bytes]:
        """The passages that say it, in any order, and the level of each."""
        documents, counts = section.postings(BODY, word.term)
        others = [(section.postings(BODY, term), ceil(_TENTHS * share)) for term, share in word.others]
        if not any(held[0] for held, _ in others):
            return documents, self.levels(section, documents, counts, part=1)
        found = dict(zip(documents, [_TENTHS * count for count in counts], strict=True))
        for (held, often), each in others:
            for document, count in zip(held, often, strict=True):
                found[document] = found.get(document, 0) + each * count
        documents, counts = array("I", found), array("I", found.values())
        return documents, self.levels(section, documents, counts, part=1 / _TENTHS)

    def levels(self, section: Section, documents: Sequence[int], counts: Sequence[int], *, part: float) -> bytes:
        """The level of each passage that holds a word so many times, which count for a part each."""
        tenths = round(_TENTHS * part)
        rows = {count: self._row(min(count * tenths, _MOST_TENTHS)) for count in set(counts)}
        lengths = map(self.lengths_in(section).__getitem__, documents)
        return bytes([rows[count][length] for count, length in zip(counts, lengths, strict=True)])

    def lengths_in(self, section: Section) -> array[int]:
        """The lengths of all passages of a segment, as far as they are told apart."""
        return section.clipped(BODY, _LONGEST)

    def _row(self, tenths: int) -> bytes:
        """The levels of texts of each length that hold a word so often."""
        known = self._rows.get(tenths)
        if known is None:
            often = tenths / _TENTHS if tenths < _MOST_TENTHS else _ENDLESS
            most = FIELDS[BODY].boost * (K1 + 1) * often
            known = self._rows[tenths] = bytes([level_of(most / (often + norm)) for norm in self.norms[BODY]])
        return known

    def spread(self, size: int, documents: Sequence[int], found: bytes) -> bytearray:
        """bytes in the places of their passages among all."""
        levels = bytearray(size)
        for document, level in zip(documents, found, strict=True):
            levels[document] = level
        return levels

    def _heads(self, section: Section, word: Word) -> dict[int, float]:
        """What first passages earn at most by the context that stands on them."""
        heads: dict[int, float] = {}
        for name in CONTEXT:
            norms, most = self.norms[name], FIELDS[name].boost * (K1 + 1)
            for term, share in ((word.term, 1.0), *word.others):
                documents, counts = section.postings(name, term)
                lengths = section.clipped(name, _LONGEST) if documents else ()
                for document, count in zip(documents, counts, strict=True):
                    often = share * count
                    earned = most * often / (often + norms[lengths[document]])
                    heads[document] = heads.get(document, 0.0) + earned
        return heads


def level_of(share: float) -> int:
    """The lowest level that stands for so much or more."""
    return min(ceil(HIGHEST * sqrt(share / MOST)), HIGHEST)


def _norms(average: float, longest: int, b: float) -> list[float]:
    return [K1 * (1 - b + b * length / average) for length in range(longest + 1)]


def _runs(section: Section, heads: Mapping[int, float]) -> Iterator[tuple[int, int, bytes]]:
    """The passages of the memories on whose first passage something stands, and what it makes of their levels."""
    firsts = section.postings(HEAD, *HEADS)[0]
    for head, earned in heads.items():
        at = bisect_right(firsts, head)
        yield head, firsts[at] if at < len(firsts) else section.size, _with(level_of(earned))


@cache
def _with(level: int) -> bytes:
    """What every level comes to together with another."""
    return bytes([min(ceil(hypot(level, other)), HIGHEST) for other in range(HIGHEST + 1)])


def _dense(levels: bytearray, highest: int, runs: Iterator[tuple[int, int, bytes]]) -> Ceiling:
    for start, end, added in runs:
        levels[start:end] = together = levels[start:end].translate(added)
        highest = max(highest, *together)
    return Ceiling(highest, None, bytes(levels))


def _sparse(levels: dict[int, int], runs: Iterator[tuple[int, int, bytes]]) -> Ceiling:
    for start, end, added in runs:
        for document in range(start, end):
            levels[document] = added[levels.get(document, 0)]
    return Ceiling(max(levels.values()), array("I", levels), bytes(levels.values()))


# What words earn the passages that hold them: worked out once where these are few, and kept.

EACH = 110  # bytes of a passage and what it earns

Norms = Mapping[str, Sequence[float]]
Earned = Mapping[int, float]
Stands = Sequence[tuple[Postings, float]]  # what stands for a word, and for how much of it each counts


class Shares(NamedTuple):
    """What passages earn by a word of their own, and memories, known by their first passage, by their context."""

    bodies: Earned
    contexts: Earned

    def size(self) -> int:
        """Its bytes."""
        return EACH * (len(self.bodies) + len(self.contexts))


class Earning:
    """What finds earn in fields of each length."""

    def __init__(self, norms: Norms) -> None:
        self._norms = norms
        self._once: dict[str, list[float]] = {}

    def of(self, section: Section, word: Word, value: float) -> Shares:
        """What a word that is worth so much, or what stands for it, earns everything that holds it in one segment."""
        found: dict[str, list[tuple[Postings, float]]] = {}
        for term, share in ((word.term, 1.0), *word.others):
            for field, postings in section.stands(term).items():
                found.setdefault(field, []).append((postings, share))
        bodies = self._earned(section, BODY, found.pop(BODY), value) if BODY in found else {}
        if len(found) < 2:
            alone = [self._earned(section, field, stands, value) for field, stands in found.items() if field in FIELDS]
            return Shares(bodies, alone[0] if alone else {})
        contexts = together([self._earned(section, field, found[field], 1.0) for field in FIELDS if field in found])
        return Shares(bodies, {head: value * share for head, share in contexts.items()})

    def _earned(self, section: Section, field: str, stands: Stands, value: float) -> Earned:
        """What it earns in one field, so many times."""
        lengths = section.lengths(field)
        documents: Collection[int]
        counts: Collection[float]
        (documents, counts), share = stands[0]
        is_plain = len(stands) == 1 and share == 1.0
        if not is_plain:
            often = _often(stands)
            documents, counts = often.keys(), often.values()
        long = map(lengths.__getitem__, documents)
        if is_plain and max(counts) == 1:  # as of most: looked up all at once
            earned = [value * share for share in map(self._once_in(field).__getitem__, long)]
        else:
            most, held_back = FIELDS[field].boost * (K1 + 1), self._norms[field]
            pairs = zip(counts, long, strict=True)
            earned = [value * (most * times / (times + held_back[length])) for times, length in pairs]
        return dict(zip(documents, earned, strict=True))

    def _once_in(self, field: str) -> list[float]:
        """What a single find earns, by the length of the field."""
        known = self._once.get(field)
        if known is None:
            most = FIELDS[field].boost * (K1 + 1)
            known = self._once[field] = [most / (1 + held_back) for held_back in self._norms[field]]
        return known


def together(parts: Iterable[Earned]) -> dict[int, float]:
    """What all of these come to."""
    totals: dict[int, float] = {}
    for part in parts:
        both = totals.keys() & part.keys() if totals else ()  # of rare words hardly any
        sums = [(document, totals[document] + part[document]) for document in both]
        totals.update(part)
        totals.update(sums)
    return totals


def _often(stands: Stands) -> dict[int, float]:
    """How often a word stands in each passage, what stands for it counting for its part."""
    return together(
        {document: share * times for document, times in zip(*postings, strict=True)} for postings, share in stands
    )
