"""Whoosh: the index on disk, with a memory's context on the first of its passages."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memvault.core.query import IndexDocument, Match, Word
from memvault.storage.index.postings import GONE, IndexSnapshot, PostingStore, SegmentView
from memvault.storage.index.search import Keep, TermHits
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS, SHORTEST, similar_terms, term_rarity
from memvault.storage.index.search.bm25 import HEAD as BEGINNING
from memvault.storage.index.search.bounds import HEAD, HEADS
from memvault.storage.index.search.score import PARTS, word_value
from memvault.storage.index.search.score_bulk import ENOUGH_QUESTIONS, NumpyScores, SnapshotScores, numpy_if_worth_it
from memvault.system import files
from memvault.text.terms import count_words
from memvault.text.terms import extract_terms as terms_of


class WhooshBackend:
    """Finds memories in a Whoosh index."""

    def __init__(self, folder: Path) -> None:
        files.make_folder(folder)
        self._postings = PostingStore(folder, (HEAD, *FIELDS))
        self._scores: SnapshotScores | None = None
        self._questions = 0
        self._current_scores()

    def replace(self, documents: Iterable[IndexDocument], gone: Collection[int]) -> None:
        """Add and remove documents in one commit."""
        rows = (row for document in documents for row in _document_rows(document))
        spans = [gone] if isinstance(gone, range) else [range(number, number + 1) for number in gone]
        self._postings.replace(rows, [range(span.start * PARTS, span.stop * PARTS) for span in spans])

    def search(self, words: Sequence[Word], *, keep: Keep | None, limit: int) -> list[Match]:
        """Score term by term over the postings, then join passages to memories."""
        return list(self.iter_matches(words, keep=keep, limit=limit))

    def iter_matches(self, words: Sequence[Word], *, keep: Keep | None, limit: int) -> Iterator[Match]:
        """Search lazily: memories are scored as they are drawn."""
        self._questions += 1
        if self._questions == ENOUGH_QUESTIONS:
            self._scores = None
        scores = self._current_scores()  # one snapshot to the end: another process may commit meanwhile
        total = scores.reading.count
        values = {word: word_value(word, scores.holder_count, total) for word in dict.fromkeys(words)}
        return scores.best_matches(values, keep=keep, limit=limit)

    def term_teller(self, terms: Collection[str]) -> SnapshotTeller | None:
        """Return what knows the terms of memories; None for scripts without spaces, whose terms passages cut."""
        if any(count_words(term)[1] for term in terms):
            return None
        return SnapshotTeller(self._current_scores().reading, terms)

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is, by the field where it is most common."""
        scores = self._current_scores()
        return {term: term_rarity(scores.holder_count(term), scores.reading.count) for term in dict.fromkeys(terms)}

    def near(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """Return similarly spelled terms for each term that stands nowhere."""
        scores = self._current_scores()
        nowhere = [term for term in terms if len(term) >= SHORTEST and not scores.holder_count(term)]
        known = ((term, similar_terms(term, scores.terms_beginning(term[:BEGINNING]))) for term in nowhere)
        found = {term: [other for other in others if scores.holder_count(other)] for term, others in known}
        return {term: others for term, others in found.items() if others}

    def numbers(self) -> set[int]:
        """Return the numbers of all memories."""
        return {key // PARTS for key in self._current_scores().reading.keys()} - {GONE}  # noqa: SIM118  # no mapping

    def state(self) -> str:
        """Return the number of the last commit and its checksum."""
        return self._postings.state()

    def optimise(self) -> None:
        """Merge all segments into one."""
        self._postings.optimise()

    def tidy(self) -> bool:
        """Merge small segments and those with many deletions."""
        return self._postings.merge_if_idle()

    def close(self) -> None:
        """Close all files."""
        self._scores = None
        self._postings.close()

    def _current_scores(self) -> SnapshotScores:
        reading = self._postings.snapshot()
        known = self._scores
        if known is None or known.reading is not reading:
            numpy, cache = numpy_if_worth_it(questions=self._questions, documents=reading.size), self._postings.cache
            known = SnapshotScores(reading, cache) if numpy is None else NumpyScores(reading, cache, numpy=numpy)
            self._scores = known
        return known


def _document_rows(document: IndexDocument) -> Iterator[tuple[int, Mapping[str, Sequence[str]]]]:
    for part, passage in enumerate((document.passages or ("",))[:PARTS]):
        texts: dict[str, Sequence[str]] = {BODY: terms_of(passage)}
        if part == 0:
            texts |= {name: terms_of(getattr(document, name)) for name in CONTEXT}
            texts[HEAD] = HEADS
        yield document.number * PARTS + part, texts


# Which of some terms a memory holds, and where, from the postings: no text is read.

_NONE: frozenset[str] = frozenset()


class SnapshotTeller:
    """Looks up the memories of one snapshot; None for those that are not in it."""

    def __init__(self, reading: IndexSnapshot, terms: Collection[str]) -> None:
        self._sections = [_SegmentTerms(section, terms) for section in reading.sections]
        self._met: dict[int, _MemoryTerms] = {}  # more is asked soon of a memory that may match

    def all_terms(self, number: int) -> frozenset[str] | None:
        """Return the terms that a memory holds anywhere."""
        holding = self._find_terms(number)
        return None if holding is None else frozenset([held.term for held in holding.held])

    def term_hits(self, number: int, part: int) -> TermHits | None:
        """Return the terms that a memory holds and where, seen from one passage."""
        holding = self._met.get(number) or self._find_terms(number)
        return None if holding is None else holding.term_hits(part)

    def _find_terms(self, number: int) -> _MemoryTerms | None:
        for section in self._sections:
            if place := section.passages_of(number):
                found = self._met[number] = section.terms_in(place)
                return found
        return None


class _HeldTerm(NamedTuple):
    """A term in one field of a memory: all passages that hold it, and where among them the memory's own begin."""

    field: str
    term: str
    documents: array[int]
    at: int


class _MemoryTerms(NamedTuple):
    """The first passage of a memory, and all terms it holds."""

    first: int
    held: list[_HeldTerm]

    def term_hits(self, part: int) -> TermHits:
        """Return the hits, seen from one passage."""
        context: dict[str, frozenset[str]] = dict.fromkeys(CONTEXT, _NONE)
        own, whole, passage = [], [], self.first + part
        for field, term, documents, at in self.held:
            if field != BODY:
                context[field] |= {term}
                continue
            whole.append(term)
            if documents[at] == passage or _contains_passage(documents, at, passage):
                own.append(term)
        return TermHits(context, frozenset(own), frozenset(whole))


class _SegmentTerms:
    """The memories of one segment."""

    def __init__(self, section: SegmentView, terms: Collection[str]) -> None:
        self._keys = section.keys()
        self._away = section.deleted()
        self._stands = [
            (name, term, documents)
            for term in terms
            for name, (documents, _) in section.postings_by_field(term).items()
            if name in FIELDS
        ]

    def passages_of(self, number: int) -> range | None:
        """Return the passages of a memory."""
        first = bisect_left(self._keys, number * PARTS)
        if first == len(self._keys) or self._keys[first] != number * PARTS or first in self._away:
            return None
        return range(first, bisect_left(self._keys, (number + 1) * PARTS, first))

    def terms_in(self, place: range) -> _MemoryTerms:
        """Return the terms in these passages; those of the memory's context stand in the first."""
        start, stop = place.start, place.stop
        held = []
        for field, term, documents in self._stands:
            at = bisect_left(documents, start)
            if at < len(documents) and documents[at] < stop:
                held.append(_HeldTerm(field, term, documents, at))
        return _MemoryTerms(start, held)


def _contains_passage(documents: array[int], at: int, document: int) -> bool:
    """Return whether a passage is among those from a position on."""
    at = bisect_left(documents, document, at)
    return at < len(documents) and documents[at] == document
