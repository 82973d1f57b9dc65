"""Bulk scoring: upper bounds are summed for all passages at once, and only the best are scored."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from heapq import merge
from importlib import import_module
from itertools import islice
from math import ceil, log
from types import ModuleType
from typing import Any

from memvault.core.query import Match, Word
from memvault.storage.index.postings import IndexSnapshot, SegmentView
from memvault.storage.index.postings.store import ByteCache
from memvault.storage.index.search import Keep
from memvault.storage.index.search.bm25 import BODY, FIELDS, K1
from memvault.storage.index.search.bounds import (
    HEAD,
    HEADS,
    HIGHEST,
    MOST,
    SHARES,
    ShareTable,
    Steps,
    UpperBound,
    UpperBounds,
    WordShares,
    length_steps,
    sum_shares,
)
from memvault.storage.index.search.score import PassageScorer, SegmentWalk, match_order, rank_known, ranked_matches

_FIXED = 300  # bytes of any cached value
_MOST_WORDS = 64  # with more words, a byte has too little room for each
_ROOM = 40  # units for each word: more separate scores better, and take longer
_STEP = 1.01
FEW = 2_000  # for fewer postings it is faster to score all

Worth = Mapping[Word, float]
Words = Sequence[tuple[Word, float]]
Weighed = Sequence[tuple[float, UpperBound]]


class SnapshotScores:
    """What the documents of one snapshot earn by the terms they hold."""

    def __init__(self, reading: IndexSnapshot, cache: ByteCache) -> None:
        self.reading = reading
        self._cache = cache
        memories = reading.holder_count(HEAD, *HEADS)
        texts = {name: max(reading.count if name == BODY else memories, 1) for name in FIELDS}
        self._averages = {name: reading.total_length(name) / texts[name] for name in FIELDS}
        self._longest = {name: reading.longest(name) for name in FIELDS}
        self._norms = {name: self._length_norms(name) for name in FIELDS}
        self._exactly = tuple(self._averages.values())
        self._earning = ShareTable(self._norms)
        self._steps = length_steps(self._averages, self._longest)
        self._held: dict[str, int] = {}
        self._ceilings = self._make_bounds(self._steps)

    def best_matches(self, worth: Worth, *, keep: Keep | None, limit: int) -> Iterator[Match]:
        """Return the memories that hold any of the terms, best first; of many, scored as they are drawn."""
        words = [(word, value) for word, value in worth.items() if value > 0]
        drawn: list[Iterator[Match]] = []
        walks: list[SegmentWalk] = []
        for section in self.reading.sections if limit > 0 else ():
            count = section.file.posting_count
            held = sum([count(word.term) + sum([count(other) for other, _ in word.others]) for word, _ in words])
            if 0 < held < FEW:
                earned = [self._word_shares(section, word, value) for word, value in words]
                bodies = sum_shares([each.bodies for each in earned])
                contexts = sum_shares([each.contexts for each in earned])
                drawn.append(rank_known(section, bodies, contexts, keep))
            elif held:
                walks.append(self._segment_walk(section, words))
        if walks:
            drawn.append(ranked_matches(walks, keep))
        return islice(drawn[0] if len(drawn) == 1 else merge(*drawn, key=match_order), limit)

    def _segment_walk(self, section: SegmentView, words: Words) -> SegmentWalk:
        scorer, weighed = PassageScorer(section, self._norms), []
        for word, value in words:
            key = (section.id, word.term, word.others, self._steps)
            ceiling: UpperBound | None = self._cache.get(key)
            if ceiling is None:
                ceiling = self._ceilings.bound_of(section, word)
                self._cache.put(key, ceiling, size=ceiling.byte_size() + _FIXED)
            if ceiling.highest:
                scorer.add_word(word, value, ceiling.levels if ceiling.documents is None else None)
                weighed.append((value, ceiling))
        if len(weighed) > _MOST_WORDS:
            return SegmentWalk(scorer, _single_bounds(weighed))
        return SegmentWalk(scorer, self._bulk_bounds(section.size, weighed))

    def holder_count(self, term: str) -> int:
        """Return how many documents hold a term in the field where it is most common."""
        known = self._held.get(term)
        if known is None:
            holders = self.reading.holder_counts(term)
            known = self._held[term] = max([holders[name] for name in FIELDS if name in holders], default=0)
        return known

    def terms_beginning(self, prefix: str) -> list[str]:
        """Return the terms of all fields with a prefix, in order."""
        key = (self.reading.state, "*", prefix)
        known: list[str] | None = self._cache.get(key)
        if known is None:
            known = sorted({term for name in FIELDS for term in self.reading.terms(name, prefix)})
            self._cache.put(key, known, size=100 * len(known) + _FIXED)
        return known

    def _bulk_bounds(self, size: int, weighed: Weighed) -> Iterator[tuple[float, int]]:
        room = min(HIGHEST, _ROOM * (len(weighed) + 1)) / _STEP - len(weighed)
        unit = sum(value * SHARES[ceiling.highest] for value, ceiling in weighed) / room
        parts = [(_level_table(ceil(log(value / unit, _STEP))), ceiling) for value, ceiling in weighed]
        sums = self.sum_levels(size, [(table, each.levels) for table, each in parts if each.documents is None])
        for table, each in parts:
            if each.documents is not None:
                for document, level in each.document_levels():
                    sums[document] += table[level]
        return _iter_descending(sums, self.highest_sum(sums, sum(table[each.highest] for table, each in parts)), unit)

    def sum_levels(self, size: int, parts: Sequence[tuple[bytes, bytes]]) -> bytearray:
        """Return the summed levels: bytes are added as one large number, as fast as they are read."""
        total = 0
        for table, levels in parts:
            total += int.from_bytes(levels.translate(table), "little")
        return bytearray(total.to_bytes(size, "little"))

    def highest_sum(self, sums: bytearray, most: int) -> int:
        """Return a limit of the sums; finding the highest one would take Python longer."""
        return most if sums else 0

    def _word_shares(self, section: SegmentView, word: Word, value: float) -> WordShares:
        key = (section.id, word.term, word.others, value, self._exactly)
        known: WordShares | None = self._cache.get(key)
        if known is None:
            known = self._earning.shares_of(section, word, value)
            self._cache.put(key, known, size=known.byte_size() + _FIXED)
        return known

    def _make_bounds(self, at: Steps) -> UpperBounds:
        return UpperBounds(at)

    def _length_norms(self, name: str) -> list[float]:
        """Return the length norms of a field."""
        average, b = self._averages[name], FIELDS[name].b
        lengths = range(self._longest[name] + 1)
        return [K1 * (1 - b + b * length / average) if average else K1 for length in lengths]


def _single_bounds(weighed: Weighed) -> Iterator[tuple[float, int]]:
    sums: dict[int, float] = {}
    for value, ceiling in weighed:
        earned = [value * share for share in SHARES[: ceiling.highest + 1]]
        for document, level in ceiling.document_levels():
            sums[document] = sums.get(document, 0.0) + earned[level]
    return iter(sorted(((most, document) for document, most in sums.items()), reverse=True))


@cache
def _level_table(step: int) -> bytes:
    """Return what each level comes to in units, for a word worth this many steps."""
    return bytes([min(ceil(_STEP**step * share), HIGHEST) for share in SHARES])


def _iter_descending(sums: bytearray, highest: int, unit: float) -> Iterator[tuple[float, int]]:
    for level in range(highest, 0, -1):
        at = sums.find(level)
        while at >= 0:
            yield level * unit, at
            at = sums.find(level, at + 1)


# Bulk scoring with numpy, where installed: the same scores, several times as fast on long lists.

# Loading numpy takes as long as some hundred queries: it pays only for many queries over many documents.
ENOUGH_QUESTIONS, _ENOUGH_DOCUMENTS = 32, 100_000

_FEW = 64  # for fewer postings numpy is slower than Python


def numpy_if_worth_it(*, questions: int, documents: int) -> ModuleType | None:
    """Return numpy if it is installed and loaded, or if loading it will pay."""
    if "numpy" in sys.modules or (questions >= ENOUGH_QUESTIONS and documents >= _ENOUGH_DOCUMENTS):
        with suppress(ImportError):
            return import_module("numpy")
    return None


class NumpyScores(SnapshotScores):
    """Scores of one snapshot, many at a time."""

    def __init__(self, reading: IndexSnapshot, cache: ByteCache, *, numpy: ModuleType) -> None:
        self._numpy = numpy
        super().__init__(reading, cache)

    def sum_levels(self, size: int, parts: Sequence[tuple[bytes, bytes]]) -> bytearray:
        """Return the summed levels."""
        sums = bytearray(size)
        total = self._numpy.frombuffer(sums, dtype="B")
        for table, levels in parts:
            total += self._numpy.frombuffer(levels.translate(table), dtype="B")
        return sums

    def highest_sum(self, sums: bytearray, most: int) -> int:
        """Return the highest sum, above which no level need be looked for."""
        return min(most, int(self._numpy.frombuffer(sums, dtype="B").max(initial=0)))

    def _make_bounds(self, at: Steps) -> UpperBounds:
        return NumpyBounds(at, numpy=self._numpy)


class NumpyBounds(UpperBounds):
    """The same bounds, computed for long lists at once."""

    def __init__(self, at: Steps, *, numpy: ModuleType) -> None:
        super().__init__(at)
        self._numpy = numpy

    def passage_levels(
        self, section: SegmentView, documents: Sequence[int], counts: Sequence[int], *, part: float
    ) -> bytes:
        """Return the level of each passage, given how often it holds a word and what each occurrence counts."""
        if len(documents) < _FEW:
            return super().passage_levels(section, documents, counts, part=part)
        often = self._numpy_view(counts) * part
        lengths = self._numpy_view(self.clipped_lengths(section))[self._numpy_view(documents)]
        shares = FIELDS[BODY].boost * (K1 + 1) * often / (often + self._numpy.array(self.norms[BODY])[lengths])
        levels: bytes = self._numpy.ceil(HIGHEST * self._numpy.sqrt(shares / MOST)).astype("B").tobytes()
        return levels

    def spread_levels(self, size: int, documents: Sequence[int], found: bytes) -> bytearray:
        """Return the levels in the places of their passages among all."""
        levels = bytearray(size)
        if documents:
            self._numpy.frombuffer(levels, dtype="B")[self._numpy_view(documents)] = self._numpy.frombuffer(
                found, dtype="B"
            )
        return levels

    def _numpy_view(self, numbers: Sequence[int]) -> Any:
        """Return an array as numpy sees it, not copied."""
        assert isinstance(numbers, array), "as the postings are"
        return self._numpy.frombuffer(numbers, dtype=numbers.typecode)
