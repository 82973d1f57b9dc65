"""Memories in order of score, scoring no more passages than the drawn ones need."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush, merge, nsmallest
from typing import NamedTuple

from memvault.core.query import Match, Word
from memvault.storage.index.postings import SegmentView
from memvault.storage.index.search import Keep
from memvault.storage.index.search.bm25 import BODY, FIELDS, K1, term_rarity
from memvault.storage.index.search.bounds import Earned

# The scores of single passages of a segment, from the postings.


class _TermPlaces(NamedTuple):
    """Where a term stands, and for how much of the word it counts."""

    documents: Sequence[int]
    counts: Sequence[int]
    share: float


class _WordField(NamedTuple):
    """A word in a field: its value, where it surely does not stand, its maximum, and where it stands."""

    value: float
    levels: bytes | None
    most: float
    lengths: Sequence[int]
    norms: Sequence[float]
    stands: Sequence[_TermPlaces]


class PassageScorer:
    """Scores the passages of one segment for one query."""

    def __init__(self, section: SegmentView, norms: Mapping[str, Sequence[float]]) -> None:
        self.keys, self.away = section.keys(), section.deleted()
        self._section = section
        self._norms = norms
        self.body: list[_WordField] = []
        self._context: list[_WordField] = []
        self._heads: dict[int, float] = {}

    def add_word(self, word: Word, value: float, levels: bytes | None = None) -> None:
        """Add a word; it is not looked for where its level is 0."""
        stands: dict[str, list[_TermPlaces]] = {}
        for term, share in ((word.term, 1.0), *word.others):
            for name, (documents, counts) in self._section.postings_by_field(term).items():
                stands.setdefault(name, []).append(_TermPlaces(documents, counts, share))
        for name, weight in FIELDS.items():
            if name in stands:
                fields = self.body if name == BODY else self._context
                lengths, norms = self._section.lengths(name), self._norms[name]
                fields.append(_WordField(value, levels, weight.boost * (K1 + 1), lengths, norms, stands[name]))

    def context_score(self, head: int) -> float:
        """Return what a memory earns by the context on its first passage."""
        known = self._heads.get(head)
        if known is None:
            known = self._heads[head] = _score_fields(self._context, head)
        return known


def _score_fields(fields: Sequence[_WordField], document: int) -> float:
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


PARTS = 1 << 16  # passages of one memory; more are not indexed

_DIGITS = 9  # of a score: equal ones are ordered by number
_ROUNDING = 1e-6
_UNSAID = (0.0, 0)


class SegmentWalk(NamedTuple):
    """The passages of a segment by their upper bounds, best first, and their scorer."""

    scorer: PassageScorer
    highest: Iterator[tuple[float, int]]


def match_order(match: Match) -> tuple[float, int]:
    """Return the sort key of a match."""
    return -round(match.score, _DIGITS), match.number


def ranked_matches(segments: Sequence[SegmentWalk], keep: Keep | None) -> Iterator[Match]:
    """Yield the memories of some segments, best first, scoring few passages where few are drawn."""
    scored = _PendingMatches()
    # All passages by their upper bounds (negated), each with its segment's number.
    walks = [_number_walk(at, highest) for at, (_, highest) in enumerate(segments)]
    for most, at, document in walks[0] if len(walks) == 1 else merge(*walks):
        if scored.is_ahead(-most):
            yield from scored.take_ahead(-most)
        scorer = segments[at].scorer
        memory, part = divmod(scorer.keys[document], PARTS)
        if document not in scorer.away and (keep is None or keep(memory)):
            scored.add_passage(
                memory, part, scorer.context_score(document - part), _score_fields(scorer.body, document)
            )
    yield from scored.take_ahead(-_ROUNDING)


def _number_walk(at: int, walk: Iterator[tuple[float, int]]) -> Iterator[tuple[float, int, int]]:
    for most, document in walk:
        yield -most, at, document


class _PendingMatches:
    """Scored memories not yet given, each by its best passage so far."""

    def __init__(self) -> None:
        self._best: dict[int, tuple[float, int]] = {}  # memory -> score and number of its best passage
        self._waiting: list[tuple[float, int, float]] = []

    def add_passage(self, memory: int, part: int, context: float, body: float) -> None:
        """Add a passage and what its memory earns by its context."""
        if context + body <= 0:
            return
        known = self._best.get(memory)
        own, best = known or _UNSAID
        if body > own or (body == own and part < best):
            own, best = body, part
        elif known is not None:
            return
        self._best[memory] = own, best
        score = context + own
        heappush(self._waiting, (-round(score, _DIGITS), memory, score))

    def is_ahead(self, most: float) -> bool:
        """Return whether any of them scores more than anything still to come."""
        return bool(self._waiting) and -self._waiting[0][0] > most + _ROUNDING

    def take_ahead(self, most: float) -> Iterator[Match]:
        """Yield those that do, best first, each once."""
        while self.is_ahead(most):
            _, memory, score = heappop(self._waiting)
            own, part = self._best[memory]
            if part >= 0:
                self._best[memory] = own, -1
                yield Match(memory, part, score)


# The memories of one segment in order, where the share of every passage is known.


def rank_known(section: SegmentView, bodies: Earned, contexts: Earned, keep: Keep | None) -> Iterator[Match]:
    """Yield the memories best first, given what passages earn and what memories earn by their context."""
    keys, away = section.keys(), section.deleted()
    totals = _add_context(keys, bodies, contexts) if contexts else bodies
    given: set[int] = set()
    alike: dict[int, Match] = {}
    level = 0.0
    for document in sorted(totals, key=totals.__getitem__, reverse=True):
        memory, part = divmod(keys[document], PARTS)
        if memory in given:
            # Of passages with equal scores, the first one.
            same = alike.get(memory)
            if same and totals[document] == same.score and part < same.part:
                alike[memory] = Match(memory, part, totals[document])
        elif document not in away and (keep is None or keep(memory)):
            score = totals[document]
            if alike and round(score, _DIGITS) != level:
                yield from sorted(alike.values(), key=match_order) if len(alike) > 1 else alike.values()
                alike = {}
            level = round(score, _DIGITS)
            given.add(memory)
            alike[memory] = Match(memory, part, score)
    yield from sorted(alike.values(), key=match_order)


def _add_context(keys: Sequence[int], bodies: Earned, contexts: Earned) -> Mapping[int, float]:
    """Return what passages earn with their memory's context; the context alone counts on first passages."""
    totals, size = {**contexts, **bodies}, len(keys)
    for head, context in contexts.items():  # only some that hold a word hold it in the title, too
        at, end = head, keys[head] + PARTS
        while at < size and keys[at] < end:
            if at in bodies:
                totals[at] += context
            at += 1
    return totals


# A memory's score: what its context earns, and what its best passage earns.

Part = tuple[int, int]  # a memory's number, and one of its passages

_NONE = (0.0, 0)


def word_value(word: Word, holding: Callable[[str], int], total: int) -> float:
    """Return the value of a word: by its own term, or where that stands nowhere by its most common synonym."""
    held = holding(word.term) or max((holding(other) for other, _ in word.others), default=0)
    return word.weight * term_rarity(held, total)


def join_matches(
    context: dict[int, float], passages: Iterable[tuple[Part, float]], *, keep: Keep | None, limit: int
) -> list[Match]:
    """Return one match per memory, best first; of equal scores the lower number goes first."""
    best: dict[int, tuple[float, int]] = {}
    for (number, part), score in passages:
        found = best.get(number, _NONE)
        if score > found[0] or (score == found[0] and part < found[1]):
            best[number] = score, part
    joined = []
    for number in context.keys() | best.keys():
        if keep is None or keep(number):
            own, part = best.get(number, _NONE)
            score = context.get(number, 0.0) + own
            joined.append((-round(score, 9), number, part, score))
    return [Match(number, part, score) for _, number, part, score in nsmallest(limit, joined)]
