"""From turns that were found to whole conversations around them: topics, a little before and after, stitched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memvault.transcripts.model.talk import Trajectory

AROUND = 2  # so many turns of the topic before and of the one after are given too


@dataclass(frozen=True, slots=True)
class Found:
    """A turn that a search found: the number of its conversation, its place there, how well it answers."""

    talk: int
    place: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A part of a conversation to be read as a whole, from one place to another, both included."""

    talk: int
    first: int
    last: int
    score: float
    best: int  # the place of the turn that answers best
    found: tuple[int, ...]  # the places of all turns that were found
    topics: tuple[Trajectory, ...]


def stretches(
    found: Iterable[Found],
    topics: Mapping[int, Sequence[Trajectory]],
    lengths: Mapping[int, int],
    *,
    around: int = AROUND,
) -> tuple[Stretch, ...]:
    """The topics in which turns were found, each with what borders on it; what overlaps is one; best first."""
    single = [_stretch(each, topics.get(each.talk, ()), lengths[each.talk], around) for each in found]
    joined: list[Stretch] = []
    for each in sorted(single, key=lambda one: (one.talk, one.first, one.last)):
        if joined and joined[-1].talk == each.talk and each.first <= joined[-1].last + 1:
            joined[-1] = _joined(joined[-1], each)
        else:
            joined.append(each)
    return tuple(sorted(joined, key=lambda one: (-one.score, one.talk, one.first)))


def topic_at(topics: Sequence[Trajectory], place: int) -> Trajectory:
    """The topic that a turn belongs to; where none is known, the turn is one of its own."""
    return next((each for each in topics if each.first <= place <= each.last), Trajectory(first=place, last=place))


def _stretch(found: Found, topics: Sequence[Trajectory], length: int, around: int) -> Stretch:
    topic = topic_at(topics, found.place)
    return Stretch(
        talk=found.talk,
        first=max(0, topic.first - around),
        last=min(length - 1, topic.last + around),
        score=found.score,
        best=found.place,
        found=(found.place,),
        topics=(topic,),
    )


def _joined(one: Stretch, other: Stretch) -> Stretch:
    return replace(
        one,
        last=max(one.last, other.last),
        score=max(one.score, other.score),
        best=other.best if other.score > one.score else one.best,
        found=tuple(sorted({*one.found, *other.found})),
        topics=tuple(sorted({*one.topics, *other.topics}, key=lambda topic: topic.first)),
    )


def fitting(stretch: Stretch, costs: Sequence[int], room: int) -> Stretch:
    """The stretch, or as much of it as the room allows; the costs are those of its turns.

    It grows from the turn that answers best outwards, so that what is given is one piece without a gap.
    """
    if sum(costs) <= room:
        return stretch
    first = last = stretch.best - stretch.first
    left = room - costs[first]
    while (at := _next(costs, first, last, left)) is not None:
        left -= costs[at]
        first, last = min(first, at), max(last, at)
    first, last = stretch.first + first, stretch.first + last
    kept = tuple(place for place in stretch.found if first <= place <= last)
    return replace(stretch, first=first, last=last, found=kept)


def _next(costs: Sequence[int], first: int, last: int, left: int) -> int | None:
    """The turn to take next on either side, the one that follows sooner; None where none fits."""
    sides = (last + 1, first - 1)
    return next((at for at in sides if 0 <= at < len(costs) and costs[at] <= left), None)
