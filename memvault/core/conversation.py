"""A conversation, its turns, facts and topics; ranges of turns around a match, and parts of turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from memvault.text.markdown import split_passages
from memvault.text.terms import count_words

# A conversation: its turns, facts and topics.


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one speaker said at a time."""

    id: str  # unique in its conversation
    speaker: str  # a person's name, "user" or "assistant"; empty where nobody is named
    text: str  # the text without injected parts
    time: datetime | None = None
    session: str = ""  # the session; turns of another session are another conversation
    role: str = ""  # "user" or "assistant" in a conversation with a program
    deeds: tuple[str, ...] = ()  # short descriptions of tool calls: "Edit src/app.py"

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what identifies it: not its time, which may be read in another zone later."""
        return self.id, self.session, self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement that can be read on its own, and the turns that it was taken from."""

    text: str
    speaker: str
    turns: tuple[str, ...]  # ids
    day: date | None = None  # the day it names, or on which it was said
    about: tuple[str, ...] = ()  # people, places, things by their names


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """A run of turns on one topic, within one session."""

    first: int  # places of its first and last turn in the conversation
    last: int
    summary: str = ""
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation as a whole, without its turns."""

    id: str
    source: str  # "claude-code", "chat", "chatgpt", "claude-ai"
    title: str = ""
    project: str = ""  # the working folder, if any
    speakers: tuple[str, ...] = ()
    opening: str = field(default="", repr=False)  # what the title was cut from; dropped by redaction


AROUND = 2  # turns before and after the topic that are given too


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A matching turn: the number of its conversation, its place, and its score."""

    conversation: int
    place: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRange:
    """A range of turns to read as a whole, from one place to another, both included."""

    conversation: int
    first: int
    last: int
    score: float
    best: int  # the place of the best turn
    found_places: tuple[int, ...]  # the places of all matching turns
    topics: tuple[Trajectory, ...]


def merge_ranges(
    found: Iterable[FoundTurn], topics: Mapping[int, Sequence[Trajectory]], lengths: Mapping[int, int]
) -> tuple[TurnRange, ...]:
    """Return the ranges around matching turns: their topics with bordering turns; overlaps merged; best first."""
    single = [_range_around(each, topics.get(each.conversation, ()), lengths[each.conversation]) for each in found]
    joined: list[TurnRange] = []
    for each in sorted(single, key=lambda one: (one.conversation, one.first, one.last)):
        if joined and joined[-1].conversation == each.conversation and each.first <= joined[-1].last + 1:
            joined[-1] = _join_ranges(joined[-1], each)
        else:
            joined.append(each)
    return tuple(sorted(joined, key=lambda one: (-one.score, one.conversation, one.first)))


def topic_at(topics: Sequence[Trajectory], place: int) -> Trajectory:
    """Return the topic that a turn belongs to; where none is known, the turn is one of its own."""
    return next((each for each in topics if each.first <= place <= each.last), Trajectory(first=place, last=place))


def _range_around(found: FoundTurn, topics: Sequence[Trajectory], length: int) -> TurnRange:
    topic = topic_at(topics, found.place)
    return TurnRange(
        conversation=found.conversation,
        first=max(0, topic.first - AROUND),
        last=min(length - 1, topic.last + AROUND),
        score=found.score,
        best=found.place,
        found_places=(found.place,),
        topics=(topic,),
    )


def _join_ranges(one: TurnRange, other: TurnRange) -> TurnRange:
    return replace(
        one,
        last=max(one.last, other.last),
        score=max(one.score, other.score),
        best=other.best if other.score > one.score else one.best,
        found_places=tuple(sorted({*one.found_places, *other.found_places})),
        topics=tuple(sorted({*one.topics, *other.topics}, key=lambda topic: topic.first)),
    )


def fit_range(stretch: TurnRange, costs: Sequence[int], room: int) -> TurnRange:
    """Return as much of a range as the budget allows, grown from its best turn outwards; costs are by turn."""
    if sum(costs) <= room:
        return stretch
    first = last = stretch.best - stretch.first
    left = room - costs[first]
    while True:  # the next turn on either side, the later side first
        fitting = (at for at in (last + 1, first - 1) if 0 <= at < len(costs) and costs[at] <= left)
        if (at := next(fitting, None)) is None:
            break
        left -= costs[at]
        first, last = min(first, at), max(last, at)
    first, last = stretch.first + first, stretch.first + last
    kept = tuple(place for place in stretch.found_places if first <= place <= last)
    return replace(stretch, first=first, last=last, found_places=kept)


# Parts of turns that are found on their own: a short turn whole, a long one in passages.

MOST_WORDS = 80
_MOST_CHARACTERS = 1_200  # a cheap check first: no turn with so few characters has more words than a passage may
_FEWEST_CHARACTERS = 160


def split_turn(text: str) -> tuple[tuple[int, int], ...]:
    """Return where each part of a turn begins and ends; a turn without text has none."""
    if not text.strip():
        return ()
    words, dense = count_words(text) if _FEWEST_CHARACTERS < len(text) <= _MOST_CHARACTERS else (0, 0)
    if len(text) <= _MOST_CHARACTERS and words + dense / 2 <= MOST_WORDS:
        return ((0, len(text)),)
    return tuple((passage.start, passage.end) for passage in split_passages(text)) or ((0, len(text)),)


# Where one session ends and the next begins.

SITTING = timedelta(hours=4)
"""Who says nothing for so long has got up, though the window stays open."""


def starts_sitting(before: Turn, turn: Turn) -> bool:
    """Return whether a turn starts another session than the one before it."""
    return before.session != turn.session or pause_between(before, turn) >= SITTING


def pause_between(before: Turn, turn: Turn) -> timedelta:
    """Return the time between two turns; none where it is unknown, or goes backwards."""
    if before.time is None or turn.time is None or (before.time.tzinfo is None) != (turn.time.tzinfo is None):
        return timedelta()
    return max(turn.time - before.time, timedelta())
