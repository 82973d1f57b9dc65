"""The most that each passage of a segment can earn by a word, as one byte, so that all are checked in bulk."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import ceil, hypot, log, sqrt
from typing import NamedTuple

from memvault.core.query import Word
from memvault.storage.index.postings import SegmentView
from memvault.storage.index.postings.contents import PostingLists
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS, K1

HEAD = "head"  # the field that holds one term on every first passage
HEADS = ("1",)

HIGHEST = 255
MOST = sum(weight.boost for weight in FIELDS.values()) * (K1 + 1)
# Squares give fine steps where scores are low and common. Levels add up as the root of their squares.
SHARES = tuple(MOST * (level / HIGHEST) ** 2 for level in range(HIGHEST + 1))

DENSE = 48  # if more than one passage in 48 holds a word, a byte for each passage is smaller and faster
_TENTHS, _MOST_TENTHS = 10, 400
_ENDLESS = 1e9  # beyond this, counts are taken as infinite
_LONGEST = 1_023  # longer texts count as this long: they can only earn less
_STEP = 1.05  # of average lengths: bounds hold within a step, and so over many commits

Steps = tuple[tuple[int, int], ...]


class UpperBound(NamedTuple):
    """The levels of some passages of a segment, or of all, and the highest level."""

    highest: int
    documents: Sequence[int] | None
    levels: bytes

    def document_levels(self) -> Iterable[tuple[int, int]]:
        """Return the passages that can earn anything, with their levels."""
        if self.documents is not None:
            return zip(self.documents, self.levels, strict=True)
        return ((document, level) for document, level in enumerate(self.levels) if level)

    def byte_size(self) -> int:
        """Return the size in bytes."""
        return len(self.levels) + 4 * len(self.documents or ())


NOTHING = UpperBound(0, (), b"")


def length_steps(averages: Mapping[str, float], longest: Mapping[str, int]) -> Steps:
    """Return the steps of the average lengths and the longest lengths; within them, the bounds stay valid."""
    numbers = {name: ceil(log(average, _STEP)) if average else 0 for name, average in averages.items()}
    return tuple((numbers[name], min((1 << longest[name].bit_length()) - 1, _LONGEST)) for name in FIELDS)


class UpperBounds:
    """The bounds of words while the average lengths stay within their steps."""

    def __init__(self, at: Steps) -> None:
        self.norms = {
            name: _length_norms(_STEP**step, longest, FIELDS[name].b)
            for name, (step, longest) in zip(FIELDS, at, strict=True)
        }
        self._rows: dict[int, bytes] = {}

    def bound_of(self, section: SegmentView, word: Word) -> UpperBound:
        """Return the levels of one word, or of its synonyms, in one segment."""
        documents, levels = self._word_levels(section, word)
        heads = self._context_shares(section, word)
        if not documents and not heads:
            return NOTHING
        if (len(documents) + len(heads)) * DENSE < section.size:
            return _sparse_bound(dict(zip(documents, levels, strict=True)), _memory_runs(section, heads))
        return _dense_bound(
            self.spread_levels(section.size, documents, levels), max(levels, default=0), _memory_runs(section, heads)
        )

    def _word_levels(self, section: SegmentView, word: Word) -> tuple[Sequence[int], bytes]:
        """Return the passages that hold the word, in any order, and the level of each."""
        documents, counts = section.postings(BODY, word.term)
        others = [(section.postings(BODY, term), ceil(_TENTHS * share)) for term, share in word.others]
        if not any(held[0] for held, _ in others):
            return documents, self.passage_levels(section, documents, counts, part=1)
        found = dict(zip(documents, [_TENTHS * count for count in counts], strict=True))
        for (held, often), each in others:
            for document, count in zip(held, often, strict=True):
                found[document] = found.get(document, 0) + each * count
        documents, counts = array("I", found), array("I", found.values())
        return documents, self.passage_levels(section, documents, counts, part=1 / _TENTHS)

    def passage_levels(
        self, section: SegmentView, documents: Sequence[int], counts: Sequence[int], *, part: float
    ) -> bytes:
        """Return the level of each passage, given how often it holds a word and what each occurrence counts."""
        tenths = round(_TENTHS * part)
        rows = {count: self._level_row(min(count * tenths, _MOST_TENTHS)) for count in set(counts)}
        lengths = map(self.clipped_lengths(section).__getitem__, documents)
        return bytes([rows[count][length] for count, length in zip(counts, lengths, strict=True)])

    def clipped_lengths(self, section: SegmentView) -> array[int]:
        """Return the lengths of all passages, clipped where they no longer matter."""
        return section.clipped_lengths(BODY, _LONGEST)

    def _level_row(self, tenths: int) -> bytes:
        """Return the levels by text length for this many occurrences."""
        known = self._rows.get(tenths)
        if known is None:
            often = tenths / _TENTHS if tenths < _MOST_TENTHS else _ENDLESS
            most = FIELDS[BODY].boost * (K1 + 1) * often
            known = self._rows[tenths] = bytes([level_of(most / (often + norm)) for norm in self.norms[BODY]])
        return known

    def spread_levels(self, size: int, documents: Sequence[int], found: bytes) -> bytearray:
        """Return the levels in the places of their passages among all."""
        levels = bytearray(size)
        for document, level in zip(documents, found, strict=True):
            levels[document] = level
        return levels

    def _context_shares(self, section: SegmentView, word: Word) -> dict[int, float]:
        """Return what first passages earn at most by their memory's context."""
        heads: dict[int, float] = {}
        for name in CONTEXT:
            norms, most = self.norms[name], FIELDS[name].boost * (K1 + 1)
            for term, share in ((word.term, 1.0), *word.others):
                documents, counts = section.postings(name, term)
                lengths = section.clipped_lengths(name, _LONGEST) if documents else ()
                for document, count in zip(documents, counts, strict=True):
                    often = share * count
                    earned = most * often / (often + norms[lengths[document]])
                    heads[document] = heads.get(document, 0.0) + earned
        return heads


def level_of(share: float) -> int:
    """Return the lowest level that stands for a share or more."""
    return min(ceil(HIGHEST * sqrt(share / MOST)), HIGHEST)


def _length_norms(average: float, longest: int, b: float) -> list[float]:
    return [K1 * (1 - b + b * length / average) for length in range(longest + 1)]


def _memory_runs(section: SegmentView, heads: Mapping[int, float]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the passages of each memory with a hit in its context, and how that raises their levels."""
    firsts = section.postings(HEAD, *HEADS)[0]
    for head, earned in heads.items():
        at = bisect_right(firsts, head)
        yield head, firsts[at] if at < len(firsts) else section.size, _combine_levels(level_of(earned))


@cache
def _combine_levels(level: int) -> bytes:
    """Return what every level comes to together with another."""
    return bytes([min(ceil(hypot(level, other)), HIGHEST) for other in range(HIGHEST + 1)])


def _dense_bound(levels: bytearray, highest: int, runs: Iterator[tuple[int, int, bytes]]) -> UpperBound:
    for start, end, added in runs:
        levels[start:end] = together = levels[start:end].translate(added)
        highest = max(highest, *together)
    return UpperBound(highest, None, bytes(levels))


def _sparse_bound(levels: dict[int, int], runs: Iterator[tuple[int, int, bytes]]) -> UpperBound:
    for start, end, added in runs:
        for document in range(start, end):
            levels[document] = added[levels.get(document, 0)]
    return UpperBound(max(levels.values()), array("I", levels), bytes(levels.values()))


# What words earn the passages that hold them: computed once where these are few, and cached.

EACH = 110  # bytes of a passage and its share

Norms = Mapping[str, Sequence[float]]
Earned = Mapping[int, float]
Stands = Sequence[tuple[PostingLists, float]]  # the postings of a word and its synonyms, with how much each counts


class WordShares(NamedTuple):
    """What passages earn by a word of their own, and memories, known by their first passage, by their context."""

    bodies: Earned
    contexts: Earned

    def byte_size(self) -> int:
        """Return the size in bytes."""
        return EACH * (len(self.bodies) + len(self.contexts))


class ShareTable:
    """What hits earn in fields of each length."""

    def __init__(self, norms: Norms) -> None:
        self._norms = norms
        self._once: dict[str, list[float]] = {}

    def shares_of(self, section: SegmentView, word: Word, value: float) -> WordShares:
        """Return what a word of this value, or its synonyms, earns everything that holds it in one segment."""
        found: dict[str, list[tuple[PostingLists, float]]] = {}
        for term, share in ((word.term, 1.0), *word.others):
            for field, postings in section.postings_by_field(term).items():
                found.setdefault(field, []).append((postings, share))
        bodies = self._field_shares(section, BODY, found.pop(BODY), value) if BODY in found else {}
        if len(found) < 2:
            alone = [
                self._field_shares(section, field, stands, value) for field, stands in found.items() if field in FIELDS
            ]
            return WordShares(bodies, alone[0] if alone else {})
        contexts = sum_shares(
            [self._field_shares(section, field, found[field], 1.0) for field in FIELDS if field in found]
        )
        return WordShares(bodies, {head: value * share for head, share in contexts.items()})

    def _field_shares(self, section: SegmentView, field: str, stands: Stands, value: float) -> Earned:
        """Return what a word earns in one field."""
        lengths = section.lengths(field)
        documents: Collection[int]
        counts: Collection[float]
        (documents, counts), share = stands[0]
        is_plain = len(stands) == 1 and share == 1.0
        if not is_plain:
            often = sum_shares(
                {document: share * times for document, times in zip(*postings, strict=True)}
                for postings, share in stands
            )
            documents, counts = often.keys(), often.values()
        long = map(lengths.__getitem__, documents)
        if is_plain and max(counts) == 1:  # as for most words: all are looked up at once
            earned = [value * share for share in map(self._single_shares(field).__getitem__, long)]
        else:
            most, held_back = FIELDS[field].boost * (K1 + 1), self._norms[field]
            pairs = zip(counts, long, strict=True)
            earned = [value * (most * times / (times + held_back[length])) for times, length in pairs]
        return dict(zip(documents, earned, strict=True))

    def _single_shares(self, field: str) -> list[float]:
        """Return what a single hit earns, by the length of the field."""
        known = self._once.get(field)
        if known is None:
            most = FIELDS[field].boost * (K1 + 1)
            known = self._once[field] = [most / (1 + held_back) for held_back in self._norms[field]]
        return known


def sum_shares(parts: Iterable[Earned]) -> dict[int, float]:
    """Return the sums per document."""
    totals: dict[int, float] = {}
    for part in parts:
        both = totals.keys() & part.keys() if totals else ()  # few for rare words
        sums = [(document, totals[document] + part[document]) for document in both]
        totals.update(part)
        totals.update(sums)
    return totals
