"""Scoring in bulk with numpy, where it is installed: the same scores, several times as fast on long lists."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from memvault.core.query import Word
from memvault.core.ranking.bm25f import BODY, FIELDS, K1
from memvault.index.backends import Keep
from memvault.index.backends.bulk import Listed, Scores, least_of
from memvault.index.postings import Reading

# Loading numpy takes as long as some hundred questions: only who is asked again and again, and of much, is better off.
ENOUGH_QUESTIONS, _ENOUGH_DOCUMENTS = 32, 100_000

_FEW = 64  # postings, for which numpy takes longer than Python
_SAMPLE = 4  # passages for each hit that is wanted


def numpy_if_worth_it(*, questions: int, documents: int) -> ModuleType | None:
    """numpy, if it is installed and loaded already, or if loading it will pay."""
    if "numpy" in sys.modules or (questions >= ENOUGH_QUESTIONS and documents >= _ENOUGH_DOCUMENTS):
        with suppress(ImportError):
            return import_module("numpy")
    return None


class WideScores(Scores):
    """What the documents of one reading earn, many at a time."""

    def __init__(self, reading: Reading, *, memories: int, numpy: ModuleType) -> None:
        super().__init__(reading, memories=memories)
        self._numpy = numpy

    def _bodies(self, worth: Mapping[Word, float]) -> tuple[Sequence[float], list[Listed]]:
        bodies = self._numpy.zeros(self.reading.size)
        for word, value in worth.items():
            documents, shares = self._shares(BODY, word)
            if documents:
                bodies[self._view(documents)] += value * self._view(shares)
        return bodies, []

    def _put_back(self, bodies: Any, lists: list[Listed]) -> None:
        """Nothing: zeros cost numpy next to nothing."""

    def _chosen(
        self, _lists: list[Listed], bodies: Sequence[float], keep: Keep | None, limit: int
    ) -> tuple[float, set[int]]:
        found = self._numpy.flatnonzero(bodies)
        scores = self._numpy.take(bodies, found)
        sample = _SAMPLE * limit
        best = found if len(found) <= sample else found[self._numpy.argpartition(scores, -sample)[-sample:]]
        least = least_of([Listed(0.0, best.tolist())], bodies, self.reading.keys(), keep, limit)
        return least, set(found[scores >= least].tolist())

    def _earned(self, name: str, documents: Sequence[int], frequencies: Sequence[float]) -> array[float]:
        if len(documents) < _FEW:
            return super()._earned(name, documents, frequencies)
        often = self._view(frequencies).astype("d")
        norms = self._numpy.array(self.norms(name))[self._view(self.reading.lengths(name))[self._view(documents)]]
        return array("d", (FIELDS[name].boost * (K1 + 1) * often / (often + norms)).tobytes())

    def _view(self, numbers: Sequence[float]) -> Any:
        """An array as numpy sees it, not copied."""
        assert isinstance(numbers, array), "as the postings and their shares are"
        return self._numpy.frombuffer(numbers, dtype=numbers.typecode)
