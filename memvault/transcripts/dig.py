"""Dig into a topic: all memories, archived ones too, and the conversations around matching turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memvault.core.conversation import FoundTurn, Trajectory, Turn, TurnRange, fit_range, merge_ranges, topic_at
from memvault.core.memory import Memory
from memvault.core.query import NO_FILTERS
from memvault.errors import BadInput, MemvaultError, NoConversation
from memvault.memories.forget import restore_memory
from memvault.recall.ranking.weights import pack_items
from memvault.recall.recall import RecallHit, RecallQuery, recall
from memvault.storage.transcript_index.index import TranscriptIndex
from memvault.storage.transcript_index.rows import IndexedConversation
from memvault.storage.vault.context import VaultContext
from memvault.text.terms import clip_to_budget, estimate_tokens
from memvault.transcripts.search import TurnHit, refresh_index, search_turns, turn_reference

_SEARCHED = 60  # turns searched for topics
_TOPICS = 12  # lines of the map
_MEMORIES = 8
_LINE_TOKENS = 16  # speaker, time and reference before each turn
_HEAD_TOKENS = 40  # title and days above each excerpt
_TOPIC_TOKENS = 24  # reference, day, title and figures on the map
_HIT_TOKENS = 40  # title and details of a memory
_SHARE = 3  # memories and the map each take at most this fraction of the budget
_DIGITS = 9
AROUND = 5  # turns before and after the given one


@dataclass(frozen=True, slots=True, kw_only=True)
class DigQuery:
    """What to dig for, and how much to return; zero means the setting decides."""

    topic: str
    budget: int = 0
    limit: int = 0
    map_only: bool = False
    restore: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DigTopic:
    """A line of the map: a run of turns on one topic, and the reference that opens it."""

    ref: str
    day: datetime | None
    title: str  # of its conversation
    summary: str
    keywords: tuple[str, ...]
    turns: int
    tokens: int
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DigTurn:
    """One turn of an excerpt: its reference, speaker, time and text."""

    ref: str
    id: str
    speaker: str
    time: datetime | None
    text: str
    deeds: tuple[str, ...] = ()
    found: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationExcerpt:
    """A part of a conversation, unbroken and in order."""

    ref: str
    id: str  # of the conversation
    source: str
    title: str
    topics: tuple[DigTopic, ...]
    lines: tuple[DigTurn, ...]
    tokens: int
    clipped: bool = False  # cut to the budget


@dataclass(frozen=True, slots=True, kw_only=True)
class DigResult:
    """The result of a dig: a map of topics, memories, and the excerpts that fit the budget."""

    topic: str
    topics: tuple[DigTopic, ...] = ()
    memories: tuple[RecallHit, ...] = ()
    conversations: tuple[ConversationExcerpt, ...] = ()
    restored: tuple[Memory, ...] = ()
    unrestored: tuple[tuple[str, str], ...] = ()  # path and why
    tokens: int = 0
    budget: int = 0
    left_out: int = 0  # memories and topics that did not fit
    searched: int = 0  # turns
    bounded: str = ""  # what of a very long topic was not looked for


def dig(context: VaultContext, query: DigQuery) -> DigResult:
    """Search memories of every tier, long files and conversations for a topic."""
    context.refresh()
    index = refresh_index(context)
    budget = query.budget or context.settings.integer("dig.budget")
    least = context.settings.number("recall.weak_below")
    recalled = RecallQuery(query=query.topic, filters=NO_FILTERS, limit=_MEMORIES, min_similarity=least, follow=False)
    recall_result = recall(context, recalled, is_fresh=True, asks_model=False)
    memories = recall_result.hits
    hits = list(search_turns(context, query.topic, limit=_SEARCHED))
    found = _find_ranges(context, hits, query.limit or _TOPICS)
    mapped = [topic for stretch in found for topic in _map_topics(context, stretch, hits)][: query.limit or _TOPICS]
    packed = pack_items(((hit, hit.text) for hit in memories), budget=budget // _SHARE, overhead=_HIT_TOKENS)
    memories = tuple(replace(hit, text=text) for hit, text in packed.kept)
    # The first topics that fit the budget, and their cost.
    room = budget if query.map_only else budget // _SHARE
    chosen: list[DigTopic] = []
    spent = 0
    for topic in mapped:
        cost = estimate_tokens(f"{topic.summary} {topic.title} {', '.join(topic.keywords)}") + _TOPIC_TOKENS
        if spent + cost > room:
            break
        chosen.append(topic)
        spent += cost
    topics, more = tuple(chosen), spent
    result = DigResult(
        topic=query.topic,
        topics=topics,
        memories=memories,
        tokens=packed.used + more,
        budget=budget,
        left_out=packed.left_out + (len(mapped) - len(topics) if query.map_only else 0),
        searched=index.count_turns()[1],
        bounded=recall_result.bounded or "",
    )
    if not query.map_only:
        result = _open_ranges(context, result, found)
    context.record_uses([hit.memory for hit in memories], why="dig")
    return _restore_archived(context, result, dry_run=query.dry_run) if query.restore else result


def open_topic(context: VaultContext, ref: str, *, budget: int = 0) -> DigResult:
    """Return the excerpt on the topic that a turn belongs to, with bordering turns."""
    conversation, place = find_turn(context, ref)
    topics = TranscriptIndex.of(context).get_trajectories(conversation.number)
    found = merge_ranges(
        [FoundTurn(conversation.number, place, 1.0)],
        {conversation.number: topics},
        {conversation.number: conversation.turns},
    )
    return _open_ranges_at(context, ref, found, budget)


def open_around(context: VaultContext, ref: str, *, turns: int = AROUND, budget: int = 0) -> DigResult:
    """Return some turns before and after one turn."""
    conversation, place = find_turn(context, ref)
    topic = topic_at(TranscriptIndex.of(context).get_trajectories(conversation.number), place)
    stretch = TurnRange(
        conversation=conversation.number,
        first=max(0, place - turns),
        last=min(conversation.turns - 1, place + turns),
        score=1.0,
        best=place,
        found_places=(place,),
        topics=(topic,),
    )
    return _open_ranges_at(context, ref, (stretch,), budget)


def _open_ranges_at(context: VaultContext, ref: str, found: tuple[TurnRange, ...], budget: int) -> DigResult:
    budget = budget or context.settings.integer("dig.budget")
    result = DigResult(topic=ref, budget=budget, searched=TranscriptIndex.of(context).count_turns()[1])
    return _open_ranges(context, result, found)


def list_conversations(context: VaultContext) -> list[IndexedConversation]:
    """Return the conversations of the archive, the latest first."""
    return refresh_index(context).conversations()


def find_turn(context: VaultContext, ref: str) -> tuple[IndexedConversation, int]:
    """Return the conversation and turn of a reference: `5f0c1234:12`, or a conversation alone for its first turn."""
    index = refresh_index(context)
    name, colon, number = ref.rpartition(":")
    if not colon or not number.isdecimal():
        name, number = ref, "1"
    conversation = index.find_conversations(name) if name.strip() else []
    if not conversation:
        raise NoConversation(ref=ref)
    if len(conversation) > 1:
        raise BadInput(
            what="the reference", value=ref, reason=f"{len(conversation)} conversations match; give more characters"
        )
    if len(number) > _DIGITS or not 1 <= int(number) <= conversation[0].turns:
        raise BadInput(what="the reference", value=ref, reason=f"that conversation has {conversation[0].turns} turns")
    return conversation[0], int(number) - 1


# -- memories


def _restore_archived(context: VaultContext, result: DigResult, *, dry_run: bool) -> DigResult:
    """Restore the archived memories among the hits; one that fails does not stop the others."""
    back, failed = [], []
    for hit in result.memories:
        if hit.memory.status != "archived":
            continue
        try:
            back.append(restore_memory(context, hit.memory.path, dry_run=dry_run).memory)
        except MemvaultError as error:
            failed.append((hit.memory.path, str(error)))
    return replace(result, restored=tuple(back), unrestored=tuple(failed))


# -- conversations


def _find_ranges(context: VaultContext, hits: Sequence[TurnHit], most: int) -> tuple[TurnRange, ...]:
    least = context.settings.number("recall.weak_below")
    strong = [each for each in hits if each.similarity >= least] or list(hits[:3])
    index = {each.held.number: each.held for each in strong}
    topics = {number: TranscriptIndex.of(context).get_trajectories(number) for number in index}
    places = [FoundTurn(each.held.number, each.place, each.score) for each in strong]
    lengths = {number: conversation.turns for number, conversation in index.items()}
    return merge_ranges(places, topics, lengths)[:most]


def _map_topics(context: VaultContext, stretch: TurnRange, hits: Iterable[TurnHit]) -> list[DigTopic]:
    conversation = TranscriptIndex.of(context).get_conversation(stretch.conversation)
    assert conversation is not None
    alike = {each.place: each.similarity for each in hits if each.held.number == stretch.conversation}
    return [
        _make_topic(context, conversation, topic, max(alike.get(at, 0.0) for at in range(topic.first, topic.last + 1)))
        for topic in stretch.topics
    ]


def _make_topic(
    context: VaultContext, conversation: IndexedConversation, topic: Trajectory, similarity: float
) -> DigTopic:
    turns = TranscriptIndex.of(context).get_turns(conversation.number, topic.first, topic.last)
    return DigTopic(
        ref=turn_reference(conversation, topic.first),
        day=next((turn.time for turn in turns if turn.time), conversation.first),
        title=conversation.talk.title,
        summary=topic.summary or clip_to_budget(turns[0].text, 20),
        keywords=topic.keywords,
        turns=len(turns),
        tokens=sum(map(_turn_cost, turns)),
        similarity=round(similarity, 4),
    )


def _open_ranges(context: VaultContext, result: DigResult, found: tuple[TurnRange, ...]) -> DigResult:
    """Add the excerpts that fit the budget: the best ones, in the order in which they took place."""
    chosen: list[ConversationExcerpt] = []
    left, out = result.budget - result.tokens, 0
    for stretch in found:
        room = left - _HEAD_TOKENS
        whole = _make_excerpt(context, stretch, room) if room > _HEAD_TOKENS else None
        if whole is None:
            out += len(stretch.topics)
            continue
        chosen.append(whole)
        left -= whole.tokens
    context.mark_after_reading(talks=[each.id for each in chosen])
    chosen.sort(key=lambda each: (each.lines[0].time is None, each.lines[0].time, each.ref))
    return replace(result, conversations=tuple(chosen), tokens=result.budget - left, left_out=result.left_out + out)


def _make_excerpt(context: VaultContext, stretch: TurnRange, room: int) -> ConversationExcerpt:
    index = TranscriptIndex.of(context)
    conversation = index.get_conversation(stretch.conversation)
    assert conversation is not None
    turns = index.get_turns(conversation.number, stretch.first, stretch.last)
    fitted = fit_range(stretch, [_turn_cost(turn) for turn in turns], room)
    chosen = turns[fitted.first - stretch.first : fitted.last - stretch.first + 1]
    lines = tuple(
        _make_turn(conversation, place, turn, fitted, room) for place, turn in enumerate(chosen, fitted.first)
    )
    return ConversationExcerpt(
        ref=turn_reference(conversation, fitted.first),
        id=conversation.talk.id,
        source=conversation.talk.source,
        title=conversation.talk.title,
        topics=tuple(_make_topic(context, conversation, topic, 0.0) for topic in fitted.topics),
        lines=lines,
        tokens=_HEAD_TOKENS + sum(estimate_tokens(line.text) + _header_cost(line.deeds) for line in lines),
        clipped=(fitted.first, fitted.last) != (stretch.first, stretch.last),
    )


def _make_turn(conversation: IndexedConversation, place: int, turn: Turn, stretch: TurnRange, room: int) -> DigTurn:
    return DigTurn(
        ref=turn_reference(conversation, place),
        id=turn.id,
        speaker=turn.speaker,
        time=turn.time,
        text=clip_to_budget(turn.text, room - _header_cost(turn.deeds)),
        deeds=turn.deeds,
        found=place in stretch.found_places,
    )


def _turn_cost(turn: Turn) -> int:
    return estimate_tokens(turn.text) + _header_cost(turn.deeds)


def _header_cost(deeds: tuple[str, ...]) -> int:
    return _LINE_TOKENS + (estimate_tokens("; ".join(deeds)) + 2 if deeds else 0)
