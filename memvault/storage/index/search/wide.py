"""Scoring in bulk with numpy, where it is installed: the same scores, several times as fast on long lists."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from memvault.storage.index.postings import Reading, Section
from memvault.storage.index.postings.read import Cache
from memvault.storage.index.search.bm25 import BODY, FIELDS, K1
from memvault.storage.index.search.bounds import HIGHEST, MOST, Ceilings, Steps
from memvault.storage.index.search.score_bulk import Scores

# Loading numpy takes as long as some hundred questions: only who is asked again and again, and of much, is better off.
ENOUGH_QUESTIONS, _ENOUGH_DOCUMENTS = 32, 100_000

_FEW = 64  # postings, for which numpy takes longer than Python


def numpy_if_worth_it(*, questions: int, documents: int) -> ModuleType | None:
    """numpy, if it is installed and loaded already, or if loading it will pay."""
    if "numpy" in sys.modules or (questions >= ENOUGH_QUESTIONS and documents >= _ENOUGH_DOCUMENTS):
        with suppress(ImportError):
            return import_module("numpy")
    return None


class WideScores(Scores):
    """What the documents of one reading earn, many at a time."""

    def __init__(self, reading: Reading, cache: Cache, *, numpy: ModuleType) -> None:
        self._numpy = numpy
        super().__init__(reading, cache)

    def summed(self, size: int, parts: Sequence[tuple[bytes, bytes]]) -> bytearray:
        """What all levels come to by their tables."""
        sums = bytearray(size)
        total = self._numpy.frombuffer(sums, dtype="B")
        for table, levels in parts:
            total += self._numpy.frombuffer(levels.translate(table), dtype="B")
        return sums

    def top(self, sums: bytearray, most: int) -> int:
        """The highest of them: no level above it need be looked for."""
        return min(most, int(self._numpy.frombuffer(sums, dtype="B").max(initial=0)))

    def _made(self, at: Steps) -> Ceilings:
        return WideCeilings(at, numpy=self._numpy)


class WideCeilings(Ceilings):
    """The same ceilings, long lists of them at once."""

    def __init__(self, at: Steps, *, numpy: ModuleType) -> None:
        super().__init__(at)
        self._numpy = numpy

    def levels(self, section: Section, documents: Sequence[int], counts: Sequence[int], *, part: float) -> bytes:
        """The level of each passage that holds a word so many times, which count for a part each."""
        if len(documents) < _FEW:
            return super().levels(section, documents, counts, part=part)
        often = self._view(counts) * part
        lengths = self._view(self.lengths_in(section))[self._view(documents)]
        shares = FIELDS[BODY].boost * (K1 + 1) * often / (often + self._numpy.array(self.norms[BODY])[lengths])
        levels: bytes = self._numpy.ceil(HIGHEST * self._numpy.sqrt(shares / MOST)).astype("B").tobytes()
        return levels

    def spread(self, size: int, documents: Sequence[int], found: bytes) -> bytearray:
        """bytes in the places of their passages among all."""
        levels = bytearray(size)
        if documents:
            self._numpy.frombuffer(levels, dtype="B")[self._view(documents)] = self._numpy.frombuffer(found, dtype="B")
        return levels

    def _view(self, numbers: Sequence[int]) -> Any:
        """An array as numpy sees it, not copied."""
        assert isinstance(numbers, array), "as the postings are"
        return self._numpy.frombuffer(numbers, dtype=numbers.typecode)
