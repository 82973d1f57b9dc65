"""A linear search without an index: slow, always right, and the oracle for every other backend."""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memvault.core.query import IndexDocument, Match, Word
from memvault.storage.index.search import Keep
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS, HEAD, saturated_share, similar_terms, term_rarity
from memvault.storage.index.search.score import join_matches, word_value
from memvault.system import files
from memvault.text.terms import extract_terms as terms_of

_FILE = "texts"


class ScanBackend:
    """Keeps the texts, and reads all of them for every query."""

    def __init__(self, folder: Path | None) -> None:
        """Keep the texts in a folder, or without one in memory only."""
        self._path = folder / _FILE if folder else None
        self._texts: dict[int, tuple[str, ...]] = {}
        self._counts: dict[int, list[Counter[str]]] | None = None  # of their terms, computed on the first query
        if self._path and self._path.exists():
            self._texts = marshal.loads(files.read_file(self._path))

    def replace(self, documents: Iterable[IndexDocument], gone: Collection[int]) -> None:
        """Add and remove documents; the file is replaced whole."""
        texts = {number: text for number, text in self._texts.items() if number not in gone}
        for document in documents:
            context = (getattr(document, name) for name in CONTEXT)
            texts[document.number] = (*context, *document.passages)
        if self._path:
            files.make_folder(self._path.parent)
            files.overwrite_file(self._path, marshal.dumps(texts))
        self._texts, self._counts = texts, None

    def search(self, words: Sequence[Word], *, keep: Keep | None, limit: int) -> list[Match]:
        """Return every memory that holds any of the words, scored by reading all of them."""
        counted = self._term_counts()
        held, total = _count_holders([term for word in words for term in (word.term, *dict(word.others))], counted)
        values = {word: word_value(word, lambda term: held[term], total) for word in dict.fromkeys(words)}
        averages = _average_lengths(counted)
        context: dict[int, float] = {}
        passages = []
        for number, parts in counted.items():
            for name, counts in zip(CONTEXT, parts, strict=False):
                if score := field_score(counts, counts.total(), name, values, averages):
                    context[number] = context.get(number, 0.0) + score
            for part, counts in enumerate(parts[len(CONTEXT) :]):
                if score := field_score(counts, counts.total(), BODY, values, averages):
                    passages.append(((number, part), score))
        return join_matches(context, passages, keep=keep, limit=limit)

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is."""
        held, total = _count_holders(terms, self._term_counts())
        return {term: term_rarity(count, total) for term, count in held.items()}

    def near(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """Return similarly spelled terms for each term that stands nowhere."""
        known = {each for parts in self._term_counts().values() for counts in parts for each in counts}
        nowhere = [term for term in terms if term not in known]
        found = {
            term: similar_terms(term, sorted(each for each in known if each[:HEAD] == term[:HEAD])) for term in nowhere
        }
        return {term: others for term, others in found.items() if others}

    def numbers(self) -> set[int]:
        """Return the numbers of all memories."""
        return set(self._texts)

    def state(self) -> str:
        """Return when and how large the file was written last."""
        if self._path is None or not self._path.exists():
            return ""
        found = self._path.stat()
        return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"

    def optimise(self) -> None:
        """Do nothing: nothing could be kept better."""

    def tidy(self) -> bool:
        """Return False: small changes leave nothing behind."""
        return False

    def close(self) -> None:
        """Do nothing: no file is open."""

    def _term_counts(self) -> dict[int, list[Counter[str]]]:
        if self._counts is None:
            self._counts = {
                number: [Counter(terms_of(text)) for text in texts] for number, texts in self._texts.items()
            }
        return self._counts


def _iter_passages(counted: dict[int, list[Counter[str]]]) -> Iterator[tuple[list[Counter[str]], Counter[str]]]:
    """Yield every passage, the first of each memory with the memory's context."""
    for parts in counted.values():
        context, bodies = parts[: len(CONTEXT)], parts[len(CONTEXT) :] or [Counter()]
        for number, body in enumerate(bodies):
            yield (context if number == 0 else []), body


def _count_holders(terms: Sequence[str], counted: dict[int, list[Counter[str]]]) -> tuple[dict[str, int], int]:
    """Return how many texts hold each term in the field where it is most common, and how many texts there are."""
    texts = list(_iter_passages(counted))
    holding = {
        term: max(
            sum(1 for _, body in texts if term in body),
            *(sum(1 for context, _ in texts if context and term in context[field]) for field in range(len(CONTEXT))),
        )
        for term in dict.fromkeys(terms)
    }
    return holding, len(texts)


def _average_lengths(counted: dict[int, list[Counter[str]]]) -> dict[str, float]:
    texts = list(_iter_passages(counted))
    sums = dict.fromkeys(FIELDS, 0)
    for context, body in texts:
        sums[BODY] += body.total()
        for name, counts in zip(CONTEXT, context, strict=False):
            sums[name] += counts.total()
    memories = max(len(counted), 1)
    return {name: total / (max(len(texts), 1) if name == BODY else memories) for name, total in sums.items()}


def field_score(
    counts: Mapping[str, int], length: int, name: str, values: Mapping[Word, float], averages: Mapping[str, float]
) -> float:
    """Return what a field of so many terms earns by the words of a query, by how often it has their terms."""
    # Synonyms count in part.
    often = (
        (value, counts.get(word.term, 0) + sum(share * counts.get(other, 0) for other, share in word.others))
        for word, value in values.items()
    )
    return sum(value * saturated_share(times, length, averages[name], FIELDS[name]) for value, times in often if times)
