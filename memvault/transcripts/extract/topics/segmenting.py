"""Where one topic ends and the next begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from memvault.transcripts.extract.topics.cues import costs
from memvault.transcripts.extract.topics.segments import Cohesion
from memvault.transcripts.extract.topics.terms import Contents, Terms
from memvault.transcripts.model.sittings import is_other_sitting
from memvault.transcripts.model.talk import Fact, Trajectory, Turn

SHORTEST = 2  # turns, where the sitting has as many
_BEFORE = 400  # turns before a part of a conversation from which the rarity of its words is learnt

Span = tuple[int, int]


def segment(turns: Sequence[Turn], facts: Sequence[Fact] = ()) -> tuple[Trajectory, ...]:
    """The turns of a conversation as stretches on one topic, each within one sitting; in doubt it is the same topic."""
    return tuple(_stretches(turns, facts, 0))


def resegment(
    old: Sequence[Trajectory], turns: Sequence[Turn], facts: Sequence[Fact] = (), *, grown_from: int
) -> tuple[Trajectory, ...]:
    """The stretches of a conversation grown behind its first `grown_from` turns; all but the last two stand."""
    kept = tuple(one for one in old if one.last < grown_from)[:-2]
    return (*kept, *_stretches(turns, facts, kept[-1].last + 1 if kept else 0))


def _stretches(turns: Sequence[Turn], facts: Sequence[Fact], start: int) -> Iterator[Trajectory]:
    known_from = max(0, start - _BEFORE)
    contents = Contents(turns[known_from:])
    for first, end in sittings(turns, start):
        terms = contents.turns[first - known_from : end - known_from]
        cuts = _cuts(Cohesion(contents), terms, costs(turns, facts, first, end))
        for begin, after in zip(cuts, [*cuts[1:], end - first], strict=True):
            yield Trajectory(first=first + begin, last=first + after - 1)


def sittings(turns: Sequence[Turn], start: int = 0) -> Iterator[Span]:
    """Where each sitting begins, and what is behind its end."""
    first = start
    for at in range(start + 1, len(turns)):
        if is_other_sitting(turns[at - 1], turns[at]):
            yield first, at
            first = at
    if first < len(turns):
        yield first, len(turns)


def _cuts(cohesion: Cohesion, terms: Sequence[Terms], costs: Sequence[float]) -> list[int]:
    """Where the stretches of one sitting begin, so that the sum of what they score less what they cost is greatest."""
    count = len(terms)
    best = [0.0] + [float("-inf")] * count
    begins = [0] * (count + 1)
    for end in range(1, count + 1):
        scores = cohesion.add(terms[end - 1])
        long_enough = len(scores) - min(SHORTEST, count) + 1
        for begin, score in enumerate(islice(scores, max(0, long_enough)), start=end - len(scores)):
            value = best[begin] + score - costs[begin]
            if value > best[end]:
                best[end], begins[end] = value, begin
    return _traced(begins)


def _traced(begins: Sequence[int]) -> list[int]:
    """The chosen beginnings, followed back from the end."""
    cuts: list[int] = []
    at = len(begins) - 1
    while at > 0:
        at = begins[at]
        cuts.append(at)
    return cuts[::-1]
