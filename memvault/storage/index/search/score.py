"""Memories in their order, no more of their passages being scored than those that are drawn need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush, merge
from typing import NamedTuple

from memvault.core.query import Match
from memvault.storage.index.search import Keep
from memvault.storage.index.search.exact import Scorer

PARTS = 1 << 16  # more passages than this of one memory are not indexed

_DIGITS = 9  # of a score: what is alike so far goes by its number
_ROUNDING = 1e-6
_UNSAID = (0.0, 0)


class Walk(NamedTuple):
    """The passages of a segment by the most that they can earn, the best first, and what tells how much they do."""

    scorer: Scorer
    highest: Iterator[tuple[float, int]]


def order(match: Match) -> tuple[float, int]:
    """What memories are sorted by."""
    return -round(match.score, _DIGITS), match.number


def in_order(segments: Sequence[Walk], keep: Keep | None) -> Iterator[Match]:
    """The memories of some segments, best first; who draws few has few of their passages scored."""
    scored = _Scored()
    for most, at, document in _downwards([highest for _, highest in segments]):
        if scored.is_ahead(-most):
            yield from scored.ahead_of(-most)
        scorer = segments[at].scorer
        memory, part = divmod(scorer.keys[document], PARTS)
        if document not in scorer.away and (keep is None or keep(memory)):
            scored.add(memory, part, scorer.context(document - part), scorer.body(document))
    yield from scored.ahead_of(-_ROUNDING)


def _downwards(walks: Sequence[Iterator[tuple[float, int]]]) -> Iterator[tuple[float, int, int]]:
    """All passages, by what they can earn with its sign turned; each with the place of its segment."""
    numbered = [_numbered(at, walk) for at, walk in enumerate(walks)]
    return numbered[0] if len(numbered) == 1 else merge(*numbered)


def _numbered(at: int, walk: Iterator[tuple[float, int]]) -> Iterator[tuple[float, int, int]]:
    for most, document in walk:
        yield -most, at, document


class _Scored:
    """Memories that were scored and not given yet, each by the best of its passages so far."""

    def __init__(self) -> None:
        self._best: dict[int, tuple[float, int]] = {}  # of each memory, what its best passage earns, and which it is
        self._waiting: list[tuple[float, int, float]] = []

    def add(self, memory: int, part: int, context: float, body: float) -> None:
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

    def ahead_of(self, most: float) -> Iterator[Match]:
        """Those that do, best first; they are given once."""
        while self.is_ahead(most):
            _, memory, score = heappop(self._waiting)
            own, part = self._best[memory]
            if part >= 0:
                self._best[memory] = own, -1
                yield Match(memory, part, score)
