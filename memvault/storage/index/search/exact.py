"""The scores of single passages of a segment, worked out from the postings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memvault.core.query import Word
from memvault.storage.index.postings import Section
from memvault.storage.index.search.bm25 import BODY, FIELDS, K1


class _Stands(NamedTuple):
    """Where a term stands, and for how much of the word it counts."""

    documents: Sequence[int]
    counts: Sequence[int]
    share: float


class _Field(NamedTuple):
    """A word in a field: what it is worth, where it surely stands not, what it earns at most, and where it stands."""

    value: float
    levels: bytes | None
    most: float
    lengths: Sequence[int]
    norms: Sequence[float]
    stands: Sequence[_Stands]


class Scorer:
    """Scores the passages of one segment for one question."""

    def __init__(self, section: Section, norms: Mapping[str, Sequence[float]]) -> None:
        self.keys, self.away = section.keys(), section.away()
        self._section = section
        self._norms = norms
        self._body: list[_Field] = []
        self._context: list[_Field] = []
        self._heads: dict[int, float] = {}

    def add(self, word: Word, value: float, levels: bytes | None = None) -> None:
        """One word more; where its level is nothing, it need not be looked for."""
        stands: dict[str, list[_Stands]] = {}
        for term, share in ((word.term, 1.0), *word.others):
            for name, (documents, counts) in self._section.stands(term).items():
                stands.setdefault(name, []).append(_Stands(documents, counts, share))
        for name, weight in FIELDS.items():
            if name in stands:
                fields = self._body if name == BODY else self._context
                lengths, norms = self._section.lengths(name), self._norms[name]
                fields.append(_Field(value, levels, weight.boost * (K1 + 1), lengths, norms, stands[name]))

    def body(self, document: int) -> float:
        """What a passage earns by its own words."""
        return _one(self._body, document)

    def context(self, head: int) -> float:
        """What a memory earns by the context that stands on its first passage."""
        known = self._heads.get(head)
        if known is None:
            known = self._heads[head] = _one(self._context, head)
        return known


def _one(fields: Sequence[_Field], document: int) -> float:
    total = 0.0
    for value, levels, most, lengths, norms, stands in fields:
        if levels is not None and not levels[document]:
            continue
        often = 0.0
        for documents, counts, share in stands:
            at = bisect_left(documents, document)
            if at < len(documents) and documents[at] == document:
                often += share * counts[at]
        if often:
            total += value * (most * often / (often + norms[lengths[document]]))
    return total
