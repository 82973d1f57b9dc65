"""Whoosh: the index on disk, with a memory's context on the first of its passages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memvault.core.query import Document, Match, Word
from memvault.storage.index.postings import GONE, Postings, Reading
from memvault.storage.index.search import Keep
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS, SHORTEST, near, rarity
from memvault.storage.index.search.bm25 import HEAD as BEGINNING
from memvault.storage.index.search.bounds import HEAD, HEADS
from memvault.storage.index.search.explain import Telling
from memvault.storage.index.search.score import PARTS, worth
from memvault.storage.index.search.score_bulk import ENOUGH_QUESTIONS, Scores, WideScores, numpy_if_worth_it
from memvault.system import files
from memvault.text.terms import measure
from memvault.text.terms import terms as terms_of


class WhooshBackend:
    """Finds memories in a Whoosh index."""

    def __init__(self, folder: Path) -> None:
        files.make_folder(folder)
        self._postings = Postings(folder, (HEAD, *FIELDS))
        self._cache = self._postings.cache
        self._scores: Scores | None = None
        self._questions = 0
        self._opened()

    def replace(self, documents: Iterable[Document], gone: Collection[int]) -> None:
        """Take documents in and let others go, in one commit."""
        rows = (row for document in documents for row in _rows(document))
        self._postings.replace(rows, _ranges(gone))

    def search(self, words: Sequence[Word], *, keep: Keep | None, limit: int) -> list[Match]:
        """Score term by term over the postings, then put passages together to memories."""
        return list(self.drawn(words, keep=keep, limit=limit))

    def drawn(self, words: Sequence[Word], *, keep: Keep | None, limit: int) -> Iterator[Match]:
        """As `search`, scored as they are drawn."""
        self._questions += 1
        if self._questions == ENOUGH_QUESTIONS:
            self._scores = None
        scores = self._opened()  # one and the same to the end: another process may commit meanwhile
        total = scores.reading.count
        values = {word: worth(word, scores.holding, total) for word in dict.fromkeys(words)}
        return scores.best(values, keep=keep, limit=limit)

    def telling(self, terms: Collection[str]) -> Telling | None:
        """What tells which of some terms a memory holds; None for scripts without spaces, whose terms passages cut."""
        if any(measure(term)[1] for term in terms):
            return None
        return Telling(self._opened().reading, terms)

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """How much each term says, by the field in which it is commonest."""
        scores = self._opened()
        return {term: rarity(scores.holding(term), scores.reading.count) for term in dict.fromkeys(terms)}

    def near(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """For each term that stands nowhere, those that are spelled nearly alike."""
        scores = self._opened()
        nowhere = [term for term in terms if len(term) >= SHORTEST and not scores.holding(term)]
        known = ((term, near(term, scores.beginning(term[:BEGINNING]))) for term in nowhere)
        found = {term: [other for other in others if scores.holding(other)] for term, others in known}
        return {term: others for term, others in found.items() if others}

    def numbers(self) -> set[int]:
        """The numbers of all memories held."""
        return {key // PARTS for key in self._opened().reading.keys()} - {GONE}  # noqa: SIM118  # no mapping

    def state(self) -> str:
        """The number of the last commit, and the checksum of what it left."""
        return self._postings.state()

    def optimise(self) -> None:
        """Merge all segments into one."""
        self._postings.optimise()

    def tidy(self) -> bool:
        """Merge small segments, and those that have lost much."""
        return self._postings.merge_if_idle()

    def close(self) -> None:
        """Let go of files."""
        self._scores = None
        self._postings.close()

    def _opened(self) -> Scores:
        reading = self._postings.reading()
        known = self._scores
        if known is None or known.reading is not reading:
            known = self._scores = self._made(reading)
        return known

    def _made(self, reading: Reading) -> Scores:
        numpy = numpy_if_worth_it(questions=self._questions, documents=reading.size)
        return Scores(reading, self._cache) if numpy is None else WideScores(reading, self._cache, numpy=numpy)


def _rows(document: Document) -> Iterator[tuple[int, Mapping[str, Sequence[str]]]]:
    for part, passage in enumerate((document.passages or ("",))[:PARTS]):
        texts: dict[str, Sequence[str]] = {BODY: terms_of(passage)}
        if part == 0:
            texts |= {name: terms_of(getattr(document, name)) for name in CONTEXT}
            texts[HEAD] = HEADS
        yield document.number * PARTS + part, texts


def _ranges(numbers: Collection[int]) -> list[range]:
    if isinstance(numbers, range):
        return [range(numbers.start * PARTS, numbers.stop * PARTS)]
    return [range(number * PARTS, (number + 1) * PARTS) for number in numbers]
