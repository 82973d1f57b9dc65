"""Go deep: memories that faded and long files too, and whole conversations around what was said of a topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from memvault.core.memory import Memory
from memvault.core.query import ANY
from memvault.errors import BadInput, MemvaultError, NoConversation
from memvault.memories.forget import restore
from memvault.recall.ranking.weights import pack
from memvault.recall.recall import Ask, Hit, recall_fresh
from memvault.storage.vault.context import Bench
from memvault.text.terms import clip, estimate
from memvault.transcripts.index.rows import Held
from memvault.transcripts.model.turn import Found, Stretch, Trajectory, Turn, fitting, stretches, topic_at
from memvault.transcripts.search import Spoken, reference, refreshed, spoken

_SEARCHED = 60  # turns that are looked at for topics
_TOPICS = 12  # lines of the map
_MEMORIES = 8
_LINE_TOKENS = 16  # speaker, time and reference before every turn
_HEAD_TOKENS = 40  # the lines above every conversation: its title, its days
_TOPIC_TOKENS = 24  # reference, day, title and figures on the map
_HIT_TOKENS = 40  # title and what is known of a memory
_SHARE = 3  # memories, and the map, take at most one part in so many of the budget each
_DIGITS = 9
AROUND = 5  # turns before and after one that is looked at


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dig:
    """What is dug for, and how much of it is wanted; zero means as the settings say."""

    topic: str
    budget: int = 0
    limit: int = 0
    map_only: bool = False
    restore: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A line of the map: a stretch of talk on one topic, and the reference that opens it."""

    ref: str
    day: datetime | None
    title: str  # of its conversation
    summary: str
    keywords: tuple[str, ...]
    turns: int
    tokens: int
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One turn as it is read: its reference, who said it and when."""

    ref: str
    id: str
    speaker: str
    time: datetime | None
    text: str
    deeds: tuple[str, ...] = ()
    found: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A part of a conversation, whole and in order."""

    ref: str
    id: str  # of the conversation
    source: str
    title: str
    topics: tuple[Topic, ...]
    lines: tuple[Line, ...]
    tokens: int
    clipped: bool = False  # the budget cut it


@dataclass(frozen=True, slots=True, kw_only=True)
class Dug:
    """What was found: a map of all of it, memories, and the conversations as far as the budget goes."""

    topic: str
    topics: tuple[Topic, ...] = ()
    memories: tuple[Hit, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    restored: tuple[Memory, ...] = ()
    unrestored: tuple[tuple[str, str], ...] = ()  # path and why
    tokens: int = 0
    budget: int = 0
    left_out: int = 0  # memories and topics that did not fit
    searched: int = 0  # turns


def dig(bench: Bench, asked: Dig) -> Dug:
    """Search everything there is for a topic: memories of every tier, long files, and what was said."""
    bench.freshen()
    talks = refreshed(bench)
    budget = asked.budget or bench.settings.whole("dig.budget")
    memories = _memories(bench, asked)
    heard = list(spoken(bench, asked.topic, limit=_SEARCHED))
    found = _stretches(bench, heard, asked.limit or _TOPICS)
    mapped = [topic for stretch in found for topic in _topics(bench, stretch, heard)][: asked.limit or _TOPICS]
    packed = pack(((hit, hit.text) for hit in memories), budget=budget // _SHARE, overhead=_HIT_TOKENS)
    memories = tuple(replace(hit, text=text) for hit, text in packed.kept)
    topics, more = _within(mapped, budget if asked.map_only else budget // _SHARE, _cost_of_topic)
    told = Dug(
        topic=asked.topic,
        topics=topics,
        memories=memories,
        tokens=packed.used + more,
        budget=budget,
        left_out=packed.left_out + (len(mapped) - len(topics) if asked.map_only else 0),
        searched=talks.count()[1],
    )
    if not asked.map_only:
        told = _opened(bench, told, found)
    bench.touch([hit.memory for hit in memories], why="dig")
    return _restored(bench, told, dry_run=asked.dry_run) if asked.restore else told


def open_topic(bench: Bench, ref: str, *, budget: int = 0) -> Dug:
    """The conversation on the topic that a turn belongs to, with what borders on it."""
    held, place = located(bench, ref)
    topics = bench.talks().trajectories(held.number)
    found = stretches([Found(held.number, place, 1.0)], {held.number: topics}, {held.number: held.turns})
    return _given(bench, ref, found, budget)


def around(bench: Bench, ref: str, *, turns: int = AROUND, budget: int = 0) -> Dug:
    """Some turns before and after one."""
    held, place = located(bench, ref)
    topic = topic_at(bench.talks().trajectories(held.number), place)
    stretch = Stretch(
        talk=held.number,
        first=max(0, place - turns),
        last=min(held.turns - 1, place + turns),
        score=1.0,
        best=place,
        found=(place,),
        topics=(topic,),
    )
    return _given(bench, ref, (stretch,), budget)


def _given(bench: Bench, ref: str, found: tuple[Stretch, ...], budget: int) -> Dug:
    budget = budget or bench.settings.whole("dig.budget")
    told = Dug(topic=ref, budget=budget, searched=bench.talks().count()[1])
    return _opened(bench, told, found)


def located(bench: Bench, ref: str) -> tuple[Held, int]:
    """The conversation and the turn that a reference means: `5f0c1234:12`, or a conversation alone for its first."""
    talks = refreshed(bench)
    name, colon, number = ref.rpartition(":")
    if not colon or not number.isdecimal():
        name, number = ref, "1"
    held = talks.find(name) if name.strip() else []
    if not held:
        raise NoConversation(ref=ref)
    if len(held) > 1:
        raise BadInput(what="the reference", value=ref, reason=f"{len(held)} conversations begin so; give more of it")
    if len(number) > _DIGITS or not 1 <= int(number) <= held[0].turns:
        raise BadInput(what="the reference", value=ref, reason=f"that conversation has {held[0].turns} turns")
    return held[0], int(number) - 1


# -- memories


def _memories(bench: Bench, asked: Dig) -> tuple[Hit, ...]:
    least = bench.settings.number("recall.weak_below")
    ask = Ask(query=asked.topic, filters=ANY, limit=_MEMORIES, min_similarity=least, follow=False)
    return recall_fresh(bench, ask).hits


def _restored(bench: Bench, told: Dug, *, dry_run: bool) -> Dug:
    """What faded of the memories that were found, brought back; one that cannot be does not stop the others."""
    back, failed = [], []
    for hit in told.memories:
        if hit.memory.status != "archived":
            continue
        try:
            back.append(restore(bench, hit.memory.path, dry_run=dry_run).memory)
        except MemvaultError as error:
            failed.append((hit.memory.path, str(error)))
    return replace(told, restored=tuple(back), unrestored=tuple(failed))


# -- conversations


def _stretches(bench: Bench, heard: Sequence[Spoken], most: int) -> tuple[Stretch, ...]:
    least = bench.settings.number("recall.weak_below")
    strong = [each for each in heard if each.similarity >= least] or list(heard[:3])
    talks = {each.held.number: each.held for each in strong}
    topics = {number: bench.talks().trajectories(number) for number in talks}
    places = [Found(each.held.number, each.place, each.score) for each in strong]
    lengths = {number: held.turns for number, held in talks.items()}
    return stretches(places, topics, lengths)[:most]


def _topics(bench: Bench, stretch: Stretch, heard: Iterable[Spoken]) -> list[Topic]:
    held = bench.talks().talk(stretch.talk)
    assert held is not None
    alike = {each.place: each.similarity for each in heard if each.held.number == stretch.talk}
    return [
        _topic(bench, held, topic, max((alike.get(place, 0.0) for place in _places(topic)), default=0.0))
        for topic in stretch.topics
    ]


def _places(topic: Trajectory) -> range:
    return range(topic.first, topic.last + 1)


def _topic(bench: Bench, held: Held, topic: Trajectory, similarity: float) -> Topic:
    turns = bench.talks().turns(held.number, topic.first, topic.last)
    return Topic(
        ref=reference(held, topic.first),
        day=next((turn.time for turn in turns if turn.time), held.first),
        title=held.talk.title,
        summary=topic.summary or clip(turns[0].text, 20),
        keywords=topic.keywords,
        turns=len(turns),
        tokens=sum(map(_cost, turns)),
        similarity=round(similarity, 4),
    )


def _within(items: Iterable[Item], room: int, cost: Callable[[Item], int]) -> tuple[tuple[Item, ...], int]:
    """The first of some items that fit, and what they cost."""
    kept: list[Item] = []
    spent = 0
    for item in items:
        price = cost(item)
        if spent + price > room:
            break
        kept.append(item)
        spent += price
    return tuple(kept), spent


def _opened(bench: Bench, told: Dug, found: tuple[Stretch, ...]) -> Dug:
    """The conversations as far as the budget goes, the best ones; then in the order in which they were held."""
    kept: list[Conversation] = []
    left, out = told.budget - told.tokens, 0
    for stretch in found:
        room = left - _HEAD_TOKENS
        whole = _conversation(bench, stretch, room) if room > _HEAD_TOKENS else None
        if whole is None:
            out += len(stretch.topics)
            continue
        kept.append(whole)
        left -= whole.tokens
    kept.sort(key=lambda each: (each.lines[0].time is None, each.lines[0].time, each.ref))
    return replace(told, conversations=tuple(kept), tokens=told.budget - left, left_out=told.left_out + out)


def _conversation(bench: Bench, stretch: Stretch, room: int) -> Conversation:
    talks = bench.talks()
    held = talks.talk(stretch.talk)
    assert held is not None
    turns = talks.turns(held.number, stretch.first, stretch.last)
    fitted = fitting(stretch, [_cost(turn) for turn in turns], room)
    kept = turns[fitted.first - stretch.first : fitted.last - stretch.first + 1]
    lines = tuple(_line(held, place, turn, fitted, room) for place, turn in enumerate(kept, fitted.first))
    return Conversation(
        ref=reference(held, fitted.first),
        id=held.talk.id,
        source=held.talk.source,
        title=held.talk.title,
        topics=tuple(_topic(bench, held, topic, 0.0) for topic in fitted.topics),
        lines=lines,
        tokens=_HEAD_TOKENS + sum(estimate(line.text) + _said_besides(line.deeds) for line in lines),
        clipped=(fitted.first, fitted.last) != (stretch.first, stretch.last),
    )


def _line(held: Held, place: int, turn: Turn, stretch: Stretch, room: int) -> Line:
    return Line(
        ref=reference(held, place),
        id=turn.id,
        speaker=turn.speaker,
        time=turn.time,
        text=clip(turn.text, room - _said_besides(turn.deeds)),
        deeds=turn.deeds,
        found=place in stretch.found,
    )


def _cost(turn: Turn) -> int:
    return estimate(turn.text) + _said_besides(turn.deeds)


def _said_besides(deeds: tuple[str, ...]) -> int:
    return _LINE_TOKENS + (estimate("; ".join(deeds)) + 2 if deeds else 0)


def _cost_of_topic(topic: Topic) -> int:
    return estimate(f"{topic.summary} {topic.title} {', '.join(topic.keywords)}") + _TOPIC_TOKENS
