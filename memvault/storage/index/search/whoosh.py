"""Whoosh: the index on disk, with a memory's context on the first of its passages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memvault.core.query import IndexDocument, Match, Word
from memvault.storage.index.postings import GONE, PostingStore
from memvault.storage.index.search import Keep
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS, SHORTEST, similar_terms, term_rarity
from memvault.storage.index.search.bm25 import HEAD as BEGINNING
from memvault.storage.index.search.bounds import HEAD, HEADS
from memvault.storage.index.search.explain import SnapshotTeller
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
        self._postings.replace(rows, _key_ranges(gone))

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
        """Return a TermTeller; None for scripts without spaces, whose terms passages cut."""
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


def _key_ranges(numbers: Collection[int]) -> list[range]:
    if isinstance(numbers, range):
        return [range(numbers.start * PARTS, numbers.stop * PARTS)]
    return [range(number * PARTS, (number + 1) * PARTS) for number in numbers]
