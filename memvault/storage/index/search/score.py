"""Memories in their order, no more of their passages being scored than those that are drawn need."""

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

# The scores of single passages of a segment, worked out from the postings.


class _TermPlaces(NamedTuple):
    """Where a term stands, and for how much of the word it counts."""

    documents: Sequence[int]
    counts: Sequence[int]
    share: float


class _WordField(NamedTuple):
    """A word in a field: what it is worth, where it surely stands not, what it earns at most, and where it stands."""

    value: float
    levels: bytes | None
    most: float
    lengths: Sequence[int]
    norms: Sequence[float]
    stands: Sequence[_TermPlaces]


class PassageScorer:
    """Scores the passages of one segment for one question."""

    def __init__(self, section: SegmentView, norms: Mapping[str, Sequence[float]]) -> None:
        self.keys, self.away = section.keys(), section.deleted()
        self._section = section
        self._norms = norms
        self._body: list[_WordField] = []
        self._context: list[_WordField] = []
        self._heads: dict[int, float] = {}

    def add_word(self, word: Word, value: float, levels: bytes | None = None) -> None:
        """One word more; where its level is nothing, it need not be looked for."""
        stands: dict[str, list[_TermPlaces]] = {}
        for term, share in ((word.term, 1.0), *word.others):
            for name, (documents, counts) in self._section.postings_by_field(term).items():
                stands.setdefault(name, []).append(_TermPlaces(documents, counts, share))
        for name, weight in FIELDS.items():
            if name in stands:
                fields = self._body if name == BODY else self._context
                lengths, norms = self._section.lengths(name), self._norms[name]
                fields.append(_WordField(value, levels, weight.boost * (K1 + 1), lengths, norms, stands[name]))

    def body_score(self, document: int) -> float:
        """What a passage earns by its own words."""
        return _score_fields(self._body, document)

    def context_score(self, head: int) -> float:
        """What a memory earns by the context that stands on its first passage."""
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


PARTS = 1 << 16  # more passages than this of one memory are not indexed

_DIGITS = 9  # of a score: what is alike so far goes by its number
_ROUNDING = 1e-6
_UNSAID = (0.0, 0)


class SegmentWalk(NamedTuple):
    """The passages of a segment by the most that they can earn, the best first, and what tells how much they do."""

    scorer: PassageScorer
    highest: Iterator[tuple[float, int]]


def match_order(match: Match) -> tuple[float, int]:
    """What memories are sorted by."""
    return -round(match.score, _DIGITS), match.number


def ranked_matches(segments: Sequence[SegmentWalk], keep: Keep | None) -> Iterator[Match]:
    """The memories of some segments, best first; who draws few has few of their passages scored."""
    scored = _PendingMatches()
    for most, at, document in _merge_walks([highest for _, highest in segments]):
        if scored.is_ahead(-most):
            yield from scored.take_ahead(-most)
        scorer = segments[at].scorer
        memory, part = divmod(scorer.keys[document], PARTS)
        if document not in scorer.away and (keep is None or keep(memory)):
            scored.add_passage(memory, part, scorer.context_score(document - part), scorer.body_score(document))
    yield from scored.take_ahead(-_ROUNDING)


def _merge_walks(walks: Sequence[Iterator[tuple[float, int]]]) -> Iterator[tuple[float, int, int]]:
    """All passages, by what they can earn with its sign turned; each with the place of its segment."""
    numbered = [_number_walk(at, walk) for at, walk in enumerate(walks)]
    return numbered[0] if len(numbered) == 1 else merge(*numbered)


def _number_walk(at: int, walk: Iterator[tuple[float, int]]) -> Iterator[tuple[float, int, int]]:
    for most, document in walk:
        yield -most, at, document


class _PendingMatches:
    """Memories that were scored and not given yet, each by the best of its passages so far."""

    def __init__(self) -> None:
        self._best: dict[int, tuple[float, int]] = {}  # of each memory, what its best passage earns, and which it is
        self._waiting: list[tuple[float, int, float]] = []

    def add_passage(self, memory: int, part: int, context: float, body: float) -> None:
        """One passage more, with what its memory earns by its context."""
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
        """Whether any of them scores more than what is still to come."""
        return bool(self._waiting) and -self._waiting[0][0] > most + _ROUNDING

    def take_ahead(self, most: float) -> Iterator[Match]:
        """Those that do, best first; they are given once."""
        while self.is_ahead(most):
            _, memory, score = heappop(self._waiting)
            own, part = self._best[memory]
            if part >= 0:
                self._best[memory] = own, -1
                yield Match(memory, part, score)


# The memories of one segment in their order, where it is known what every passage earns that says any of the words.


def rank_known(section: SegmentView, bodies: Earned, contexts: Earned, keep: Keep | None) -> Iterator[Match]:
    """The memories best first, given what passages earn, and by their first ones what memories do by their context."""
    keys, away = section.keys(), section.deleted()
    totals = _add_context(keys, bodies, contexts) if contexts else bodies
    given: set[int] = set()
    alike: dict[int, Match] = {}
    level = 0.0
    for document in sorted(totals, key=totals.__getitem__, reverse=True):
        memory, part = divmod(keys[document], PARTS)
        if memory in given:
            if memory in alike and _is_better(totals[document], part, alike[memory]):
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


def _is_better(score: float, part: int, than: Match) -> bool:
    """Whether a passage goes before another of its memory: scores that are told apart no more are of the first."""
    return score == than.score and part < than.part


def _add_context(keys: Sequence[int], bodies: Earned, contexts: Earned) -> Mapping[int, float]:
    """What passages earn with the context of their memory; first passages count that say nothing but by that."""
    totals, size = {**contexts, **bodies}, len(keys)
    for head, context in contexts.items():  # of what says a word only some says it in its title, too
        at, end = head, keys[head] + PARTS
        while at < size and keys[at] < end:
            if at in bodies:
                totals[at] += context
            at += 1
    return totals


# Putting a memory's score together: what its context says of the terms, and what its best passage says.

Part = tuple[int, int]  # a memory's number, and one of its passages

_NONE = (0.0, 0)


def word_value(word: Word, holding: Callable[[str], int], total: int) -> float:
    """How much a word says: by its own term, or where that stands nowhere by the commonest that stands for it."""
    held = holding(word.term) or max((holding(other) for other, _ in word.others), default=0)
    return word.weight * term_rarity(held, total)


def join_matches(
    context: dict[int, float], passages: Iterable[tuple[Part, float]], *, keep: Keep | None, limit: int
) -> list[Match]:
    """One match per memory, best first; the lower number goes first where two score alike."""
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
