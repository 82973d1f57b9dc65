"""Scoring in bulk: what passages can earn at most is summed for all at once, and only the best are scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from heapq import nlargest
from math import ceil, log

from memvault.core.query import Match, Word
from memvault.core.ranking.bm25f import BODY, FIELDS, K1
from memvault.index.backends import Keep
from memvault.index.backends.ceilings import HEAD, HEADS, HIGHEST, SHARES, Ceiling, Ceilings, Steps, steps
from memvault.index.backends.exact import Scorer
from memvault.index.backends.scoring import matches
from memvault.index.backends.shares import Shares, add, shares
from memvault.index.postings import Reading, Section
from memvault.index.postings.cache import Cache

PARTS = 1 << 16  # more passages than this of one memory are not indexed

_FIXED = 300  # bytes of whatever is kept
_ROUNDING = 1e-6
_TURN = 8  # passages scored before it is asked again how good they must be
_MOST_WORDS = 64  # more than this take a byte's room from one another
_ROOM = 40  # units for each word: more tell scores apart better, and take longer to go through
_STEP = 1.01
FEW = 2_000  # postings, of which it is quicker to score all

Worth = Mapping[Word, float]
Words = Sequence[tuple[Word, float]]
Weighed = Sequence[tuple[float, Ceiling]]


class Scores:
    """What the documents of one reading earn by the terms they hold."""

    def __init__(self, reading: Reading, cache: Cache) -> None:
        self.reading = reading
        self._cache = cache
        memories = reading.holding(HEAD, *HEADS)
        texts = {name: max(reading.count if name == BODY else memories, 1) for name in FIELDS}
        self._averages = {name: reading.total_length(name) / texts[name] for name in FIELDS}
        self._longest = {name: reading.longest(name) for name in FIELDS}
        self._norms = {name: self._held_back(name) for name in FIELDS}
        self._exactly = tuple(self._averages.values())
        self._steps = steps(self._averages, self._longest)
        self._held: dict[str, int] = {}
        self._ceilings = self._made(self._steps)

    def best(self, worth: Worth, *, keep: Keep | None, limit: int) -> list[Match]:
        """The memories that hold any of the terms, best first."""
        found = Found(limit)
        words = [(word, value) for word, value in worth.items() if value > 0]
        for section in self.reading.sections if limit > 0 else ():
            self._look_through(section, words, found, keep)
        return found.matches() if limit > 0 else []

    def _look_through(self, section: Section, words: Words, found: Found, keep: Keep | None) -> None:
        held = _held(section, words)
        if 0 < held < FEW:
            self._look_directly(section, words, found, keep)
        elif held:
            self._look_in_bulk(section, words, found, keep)

    def _look_directly(self, section: Section, words: Words, found: Found, keep: Keep | None) -> None:
        bodies: dict[int, float] = {}
        contexts: dict[int, float] = {}
        for word, value in words:
            earned = self._shares(section, word)
            add(bodies, earned.bodies, value)
            add(contexts, earned.contexts, value)
        _take_known(found, section, bodies, contexts, keep)

    def _look_in_bulk(self, section: Section, words: Words, found: Found, keep: Keep | None) -> None:
        scorer, weighed = Scorer(section, self._norms), []
        for word, value in words:
            ceiling = self._ceiling(section, word)
            if ceiling.highest:
                scorer.add(word, value, ceiling.levels if ceiling.documents is None else None)
                weighed.append((value, ceiling))
        _take_best(found, scorer, self._highest(section.size, weighed), keep)

    def holding(self, term: str) -> int:
        """How many documents hold a term in the field in which it is commonest."""
        known = self._held.get(term)
        if known is None:
            holders = self.reading.holders(term)
            known = self._held[term] = max([holders[name] for name in FIELDS if name in holders], default=0)
        return known

    def beginning(self, prefix: str) -> list[str]:
        """The terms of all fields that begin like this, in order."""
        key = (self.reading.state, "*", prefix)
        known: list[str] | None = self._cache.get(key)
        if known is None:
            known = sorted({term for name in FIELDS for term in self.reading.terms(name, prefix)})
            self._cache.keep(key, known, size=100 * len(known) + _FIXED)
        return known

    def _highest(self, size: int, weighed: Weighed) -> Iterator[tuple[float, int]]:
        """The passages of a segment by the most that they can earn, the best first."""
        return _one_by_one(weighed) if len(weighed) > _MOST_WORDS else self._all_at_once(size, weighed)

    def _all_at_once(self, size: int, weighed: Weighed) -> Iterator[tuple[float, int]]:
        room = min(HIGHEST, _ROOM * (len(weighed) + 1)) / _STEP - len(weighed)
        unit = sum(value * SHARES[ceiling.highest] for value, ceiling in weighed) / room
        parts = [(_table(ceil(log(value / unit, _STEP))), ceiling) for value, ceiling in weighed]
        sums = self.summed(size, [(table, each.levels) for table, each in parts if each.documents is None])
        for table, each in parts:
            if each.documents is not None:
                for document, level in each.pairs():
                    sums[document] += table[level]
        return _descending(sums, sum(table[each.highest] for table, each in parts), unit)

    def summed(self, size: int, parts: Sequence[tuple[bytes, bytes]]) -> bytearray:
        """What all levels come to by their tables: bytes are added as one whole number, as fast as they are read."""
        total = 0
        for table, levels in parts:
            total += int.from_bytes(levels.translate(table), "little")
        return bytearray(total.to_bytes(size, "little"))

    def _ceiling(self, section: Section, word: Word) -> Ceiling:
        key = (section.id, word.term, word.others, self._steps)
        known: Ceiling | None = self._cache.get(key)
        if known is None:
            known = self._ceilings.of(section, word)
            self._cache.keep(key, known, size=known.size() + _FIXED)
        return known

    def _shares(self, section: Section, word: Word) -> Shares:
        key = (section.id, word.term, word.others, self._exactly)
        known: Shares | None = self._cache.get(key)
        if known is None:
            known = shares(section, self._norms, word)
            self._cache.keep(key, known, size=known.size() + _FIXED)
        return known

    def _made(self, at: Steps) -> Ceilings:
        return Ceilings(at)

    def _held_back(self, name: str) -> list[float]:
        """What holds a find back in a field of each length."""
        average, b = self._averages[name], FIELDS[name].b
        lengths = range(self._longest[name] + 1)
        return [K1 * (1 - b + b * length / average) if average else K1 for length in lengths]


class Found:
    """The passages scored so far, and what the last of so many memories scores."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._context: dict[int, float] = {}
        self._passages: list[tuple[float, int, int, float]] = []
        self._best: dict[int, float] = {}
        self._least = 0.0
        self._due = limit

    def add(self, memory: int, part: int, context: float, body: float) -> None:
        """One passage, with what its memory earns by its context."""
        score = context + body
        if score <= 0:
            return
        if context:
            self._context[memory] = context
        self._passages.append((score, memory, part, body))
        if score > self._best.get(memory, 0.0):
            self._best[memory] = score

    def least(self) -> float:
        """What a passage must score to count; not asked of the scores each time."""
        if len(self._passages) >= self._due:
            self._due = len(self._passages) + _TURN
            self._look()
        return self._least

    def matches(self) -> list[Match]:
        """The best memories, each with its best passage."""
        self._look()
        chosen = [each for each in self._passages if each[0] >= self._least]
        context = {memory: self._context[memory] for _, memory, _, _ in chosen if memory in self._context}
        passages = (((memory, part), body) for _, memory, part, body in chosen)
        return matches(context, passages, keep=None, limit=self.limit)

    def _look(self) -> None:
        if len(self._best) >= self.limit:
            self._least = nlargest(self.limit, self._best.values())[-1] - _ROUNDING


def _take_known(
    found: Found, section: Section, bodies: dict[int, float], contexts: dict[int, float], keep: Keep | None
) -> None:
    """Take passages whose scores are known, the best first, as long as they can be among the best."""
    keys, away = section.keys(), section.away()
    totals = _together(keys, bodies, contexts) if contexts else bodies
    numbers: set[int] = set()
    least = found.least()
    for document in sorted(totals, key=totals.__getitem__, reverse=True):
        score = totals[document]
        if score < least:
            return
        memory, part = divmod(keys[document], PARTS)
        if document not in away and (keep is None or keep(memory)):
            found.add(memory, part, contexts.get(document - part, 0.0), bodies.get(document, 0.0))
            numbers.add(memory)
            if len(numbers) == found.limit:  # what comes now scores no more than any of so many memories
                least = max(least, score - _ROUNDING)


def _together(keys: Sequence[int], bodies: dict[int, float], contexts: dict[int, float]) -> dict[int, float]:
    """What passages earn with the context of their memory; first passages count that say nothing but by that."""
    totals, size = dict.fromkeys(contexts, 0.0) | bodies, len(keys)
    for head, context in contexts.items():
        at, end = head, keys[head] + PARTS
        while at < size and keys[at] < end:
            if at in totals:
                totals[at] += context
            at += 1
    return totals


def _take_best(found: Found, scorer: Scorer, highest: Iterator[tuple[float, int]], keep: Keep | None) -> None:
    """Score passages as long as they can be among the best."""
    keys, away = scorer.section.keys(), scorer.section.away()
    for most, document in highest:
        if most < found.least():
            return
        memory, part = divmod(keys[document], PARTS)
        if document not in away and (keep is None or keep(memory)):
            found.add(memory, part, scorer.context(document - part), scorer.body(document))


def _held(section: Section, words: Words) -> int:
    """How many postings there are of some words and of what stands for them, none of them read."""
    standing = section.standing
    return sum([standing(word.term) + sum([standing(other) for other, _ in word.others]) for word, _ in words])


def _one_by_one(weighed: Weighed) -> Iterator[tuple[float, int]]:
    sums: dict[int, float] = {}
    for value, ceiling in weighed:
        earned = [value * share for share in SHARES[: ceiling.highest + 1]]
        for document, level in ceiling.pairs():
            sums[document] = sums.get(document, 0.0) + earned[level]
    return iter(sorted(((most, document) for document, most in sums.items()), reverse=True))


@cache
def _table(step: int) -> bytes:
    """What each level comes to in units, for a word worth so many steps: few enough to be kept."""
    return bytes([min(ceil(_STEP**step * share), HIGHEST) for share in SHARES])


def _descending(sums: bytearray, highest: int, unit: float) -> Iterator[tuple[float, int]]:
    for level in range(highest, 0, -1):
        at = sums.find(level)
        while at >= 0:
            yield level * unit, at
            at = sums.find(level, at + 1)
