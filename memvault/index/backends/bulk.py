"""Scoring in bulk: whole lists of postings at a time, and only as much of the rest as the best ones need."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from memvault.core.query import Match, Word
from memvault.core.ranking.bm25f import BODY, CONTEXT, FIELDS, K1
from memvault.index.backends import Keep
from memvault.index.backends.scoring import Part, matches
from memvault.index.postings import Reading
from memvault.index.postings.cache import Cache

PARTS = 1 << 16  # more passages than this of one memory are not indexed

_CACHE_BYTES = 64 << 20
_LOOKED = 16  # passages for each hit that is wanted, to tell how good the last of them is at least
_ROUNDING = 1e-6

Shares = tuple[Sequence[int], "array[float]"]


class Listed(NamedTuple):
    """The passages that a term is in, and the most that any of them earns by it."""

    most: float
    documents: Sequence[int]


class Scores:
    """What the documents of one reading earn by the terms they hold."""

    def __init__(self, reading: Reading, *, memories: int) -> None:
        self.reading = reading
        self._memories = memories
        self._norms: dict[str, list[float]] = {}
        self._cache = Cache(_CACHE_BYTES)
        self._zeros: list[array[float]] = []  # one for each thread that ever asked at the same time

    def best(self, worth: Mapping[Word, float], *, keep: Keep | None, limit: int) -> list[Match]:
        """The memories that hold any of the terms, best first."""
        bodies, lists = self._bodies(worth)
        found = self._joined(bodies, lists, worth, keep, limit)
        self._put_back(bodies, lists)
        return found

    def holding(self, term: str) -> int:
        """How many documents hold a term in the field in which it is commonest."""
        known: int | None = self._cache.get(("", term))
        if known is None:
            known = max(self.reading.holding(name, term) for name in FIELDS)
            self._cache.keep(("", term), known, size=200)
        return known

    def beginning(self, prefix: str) -> list[str]:
        """The terms of all fields that begin like this, in order."""
        known: list[str] | None = self._cache.get(("*", prefix))
        if known is None:
            known = sorted({term for name in FIELDS for term in self.reading.terms(name, prefix)})
            self._cache.keep(("*", prefix), known, size=100 * len(known) + 300)
        return known

    def _joined(
        self, bodies: Sequence[float], lists: list[Listed], worth: Mapping[Word, float], keep: Keep | None, limit: int
    ) -> list[Match]:
        keys = self.reading.keys()
        least, chosen = self._chosen(lists, bodies, keep, limit)
        context: dict[int, float] = {}
        for head, score in self._heads(worth).items():
            beside = _beside(head, bodies, keys)
            if score + max([bodies[document] for document in beside], default=0.0) >= least:
                context[keys[head] // PARTS] = score
                chosen.update(beside)
        passages = ((_part(keys[document]), float(bodies[document])) for document in chosen)
        return matches(context, passages, keep=keep, limit=limit)

    def _chosen(
        self, lists: list[Listed], bodies: Sequence[float], keep: Keep | None, limit: int
    ) -> tuple[float, set[int]]:
        """What the last of the hits scores at least, and the passages that score as much."""
        least = least_of(lists, bodies, self.reading.keys(), keep, limit)
        return least, _at_least(least, lists, bodies)

    def _bodies(self, worth: Mapping[Word, float]) -> tuple[Sequence[float], list[Listed]]:
        """What every passage earns by its own words, and the passages each term is in, the most telling term first."""
        bodies = self._zeros.pop() if self._zeros else array("d", bytes(8 * self.reading.size))
        lists: list[Listed] = []
        for word, value in worth.items():
            documents, shares = self._shares(BODY, word)
            if documents:
                lists.append(Listed(value * max(shares), documents))
                for document, share in zip(documents, shares, strict=True):
                    bodies[document] += value * share
        return bodies, sorted(lists, key=attrgetter("most"), reverse=True)

    def _put_back(self, bodies: Any, lists: list[Listed]) -> None:
        """Keep the zeros: an array as long as the index costs more to make and to drop than most questions."""
        for _, documents in lists:
            for document in documents:
                bodies[document] = 0.0
        self._zeros.append(bodies)

    def _heads(self, worth: Mapping[Word, float]) -> dict[int, float]:
        """What first passages earn by the context that stands on them."""
        heads: dict[int, float] = {}
        for name in CONTEXT:
            for word, value in worth.items():
                for document, share in zip(*self._shares(name, word), strict=True):
                    heads[document] = heads.get(document, 0.0) + value * share
        return heads

    def _shares(self, name: str, word: Word) -> Shares:
        """The documents that hold a word in a field, and what share of its rarity each earns."""
        key = (name, word.term, word.others)
        known: Shares | None = self._cache.get(key)
        if known is None:
            documents, frequencies = self._held(name, word)
            known = documents, self._earned(name, documents, frequencies)
            self._cache.keep(key, known, size=8 * len(documents) + 300)
        return known

    def _held(self, name: str, word: Word) -> tuple[Sequence[int], Sequence[float]]:
        """The documents that hold a word or one that stands for it, and how often, those counting for their part."""
        documents, counts = self.reading.postings(name, word.term)
        held = [(other, share) for other, share in word.others if self.holding(other)]
        if not held:
            return documents, counts
        found: dict[int, float] = dict(zip(documents, counts, strict=True))
        for other, share in held:
            for document, count in zip(*self.reading.postings(name, other), strict=True):
                found[document] = found.get(document, 0.0) + share * count
        return array("I", sorted(found)), array("d", [found[document] for document in sorted(found)])

    def _earned(self, name: str, documents: Sequence[int], frequencies: Sequence[float]) -> array[float]:
        if not documents:
            return array("d")
        lengths, norms, most = self.reading.lengths(name), self.norms(name), FIELDS[name].boost * (K1 + 1)
        return array(
            "d",
            [
                most * frequency / (frequency + norms[lengths[document]])
                for document, frequency in zip(documents, frequencies, strict=True)
            ],
        )

    def norms(self, name: str) -> list[float]:
        """What holds a find back in a field of each length."""
        known = self._norms.get(name)
        if known is None:
            texts = self.reading.count if name == BODY else self._memories
            average, b = self.reading.total_length(name) / max(texts, 1), FIELDS[name].b
            longest = self.reading.longest(name)
            known = [K1 * (1 - b + b * length / average) if average else K1 for length in range(longest + 1)]
            self._norms[name] = known
        return known


def least_of(
    lists: Iterable[Listed], bodies: Sequence[float], keys: array[int], keep: Keep | None, limit: int
) -> float:
    """What the last of the hits scores at least: so many memories do, among those that the telling terms are in."""
    looked: list[int] = []
    for _, documents in lists:
        looked += documents[: _LOOKED * limit - len(looked)]
        if len(looked) >= _LOOKED * limit:
            break
    looked.sort(key=bodies.__getitem__, reverse=True)
    best: dict[int, float] = {}
    for document in looked:  # a memory's best passage comes first
        number = keys[document] // PARTS
        if number not in best and (keep is None or keep(number)):
            best[number] = bodies[document]
            if len(best) == limit:
                return bodies[document] - _ROUNDING
    return 0.0


def _at_least(least: float, lists: Iterable[Listed], bodies: Sequence[float]) -> set[int]:
    """The passages that score as much."""
    chosen: set[int] = set()
    reach = sum(each.most for each in lists)
    for most, documents in lists:
        if reach < least:  # what stands in this list and in no earlier one cannot score as much
            break
        chosen.update([document for document in documents if bodies[document] >= least])
        reach -= most
    return chosen


def _beside(head: int, bodies: Sequence[float], keys: array[int]) -> list[int]:
    """The passages of a memory that say anything of the terms."""
    start = keys[head] - keys[head] % PARTS
    end = head
    while end < len(keys) and start <= keys[end] < start + PARTS:
        end += 1
    return [document for document in range(head, end) if bodies[document]]


def _part(key: int) -> Part:
    return key // PARTS, key % PARTS
