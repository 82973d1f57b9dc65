"""What words earn the passages that hold them, worth left out: worked out once where these are few, and kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memvault.core.query import Word
from memvault.core.ranking.bm25f import BODY, FIELDS, K1
from memvault.index.postings import Section

EACH = 110  # bytes of a passage and what it earns

Norms = Mapping[str, Sequence[float]]


class Shares(NamedTuple):
    """What passages earn by a word of their own, and memories, known by their first passage, by their context."""

    bodies: Mapping[int, float]
    contexts: Mapping[int, float]

    def size(self) -> int:
        """Its bytes."""
        return EACH * (len(self.bodies) + len(self.contexts))


def shares(section: Section, norms: Norms, word: Word) -> Shares:
    """What a word, or what stands for it, earns everything that holds it in one segment."""
    found: dict[str, list[tuple[str, float]]] = {}
    for term, share in ((word.term, 1.0), *word.others):
        for field in section.fields(term):
            found.setdefault(field, []).append((term, share))
    contexts: dict[int, float] = {}
    for field in FIELDS:
        if field != BODY and field in found:
            add(contexts, _earned(section, norms, field, found[field]))
    return Shares(_earned(section, norms, BODY, found[BODY]) if BODY in found else {}, contexts)


def add(totals: dict[int, float], earned: Mapping[int, float], value: float = 1.0) -> None:
    """Add what is earned by a word that is worth so much."""
    if totals:
        known = totals.get
        totals.update([(document, known(document, 0.0) + value * share) for document, share in earned.items()])
    else:
        totals.update([(document, value * share) for document, share in earned.items()])


def _earned(section: Section, norms: Norms, field: str, terms: Sequence[tuple[str, float]]) -> dict[int, float]:
    most, lengths, held_back = FIELDS[field].boost * (K1 + 1), section.lengths(field), norms[field]
    often = _often(section, field, terms)
    return {document: most * times / (times + held_back[lengths[document]]) for document, times in often}


def _often(section: Section, field: str, terms: Sequence[tuple[str, float]]) -> Iterable[tuple[int, float]]:
    """How often a word stands in each passage, what stands for it counting for its part."""
    if len(terms) == 1 and terms[0][1] == 1.0:
        return zip(*section.postings(field, terms[0][0]), strict=True)
    found: dict[int, float] = {}
    for term, share in terms:
        add(found, dict(zip(*section.postings(field, term), strict=True)), share)
    return found.items()
