"""What words earn the passages that hold them: worked out once where these are few, and kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from memvault.core.query import Word
from memvault.storage.index.postings import Section
from memvault.storage.index.postings.contents import Postings
from memvault.storage.index.search.bm25 import BODY, FIELDS, K1

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
