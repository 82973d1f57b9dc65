"""Finding: recall, and dig for what recall does not reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from memvault.agents.mcp import results
from memvault.agents.mcp.caller import Call
from memvault.agents.mcp.results import QUOTED, Depths, Found, Hit, Line, Talk, Topic
from memvault.agents.mcp.schema import Texts, said
from memvault.agents.mcp.tools import Tool
from memvault.cli import options
from memvault.core.ids import short
from memvault.core.kinds import KINDS
from memvault.core.query import Filters
from memvault.errors import Misused
from memvault.recall.ranking.weights import pack

if TYPE_CHECKING:
    from memvault.recall.recall import Hit as Match
    from memvault.transcripts import dig as depths

_HEADER_TOKENS = 24  # what goes with every passage
_EVERYTHING = 1_000_000
_LONGEST_QUERY = 4_000
_DEEPEST = 500
_LINE_TOKENS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Search the user's long-term memory: what was decided, preferred, learnt, planned and done in earlier sessions.

    Call it before you answer or begin whenever earlier work, people, preferences or decisions may matter. The best
    come first, each with the passage that answers; `show` gives a whole text. What is marked superseded holds no more.
    """

    query: Annotated[
        str,
        said(
            'The words that matter; "a phrase" in quotes as it stands. May be empty where there is a condition.',
            max_length=_LONGEST_QUERY,
        ),
    ] = ""
    limit: Annotated[int, said("At most so many memories; 0 for the usual number.", ge=0, le=50)] = 0
    detail: Annotated[Literal["passages", "titles"], said("`titles` gives a line each, for a first look at many.")] = (
        "passages"
    )
    budget: Annotated[int, said("At most so many tokens of text; 0 for the usual.", ge=0, le=20_000)] = 0
    kinds: Annotated[Texts, said(f"Only of these kinds: {', '.join(KINDS)}.")] = ()
    tags: Annotated[Texts, said("Only with all of these tags.")] = ()
    people: Annotated[Texts, said("Only about all of these people.")] = ()
    since: Annotated[str, said("Only made or used since: 2026-01-31, 12h, 7d, 3m, yesterday.")] = ""
    cursor: Annotated[str, said("Where an earlier answer with the same words left off.")] = ""


def recall(call: Call, asked: Recall) -> Found:
    """Find memories, a page at a time."""
    filters = _filters(call, asked)
    if not asked.query.strip() and filters.empty:
        raise Misused(reason="There is nothing to look for: give `query` some words, or a condition.", command="")
    start = results.place(asked.cursor)
    if start > _DEEPEST:
        raise Misused(reason="So far down nothing answers any more: ask with other words instead.", command="")
    settings = call.vault.settings
    limit = asked.limit or settings.whole("recall.limit")
    found = call.vault.recall(asked.query, limit=start + limit + 1, budget=_EVERYTHING, filters=filters)
    titles_only = asked.detail == "titles"
    page = [(hit, "" if titles_only else hit.text) for hit in found.hits[start : start + limit]]
    overhead = _LINE_TOKENS if titles_only else _HEADER_TOKENS
    packed = pack(page, budget=max(asked.budget or settings.whole("recall.budget"), 100), overhead=overhead)
    next_ = start + len(packed.kept)
    return Found(
        note=QUOTED,
        hits=tuple(_hit(hit, text) for hit, text in packed.kept),
        searched=found.searched,
        tokens=packed.used,
        cursor=results.cursor(next_) if next_ < len(found.hits) else "",
        advice=_advice(found.searched, len(packed.kept), start=start, more=next_ < len(found.hits)),
    )


def _filters(call: Call, asked: Recall) -> Filters:
    return Filters(
        kinds=options.chosen(list(asked.kinds), "the kind", call.vault.settings.kinds),
        tags=frozenset(tag.lstrip("#") for tag in asked.tags),
        people=frozenset(asked.people),
        since=options.moment(asked.since, call.now, call.zone) if asked.since.strip() else None,
    )


def _advice(searched: int, shown: int, *, start: int, more: bool) -> str:
    if more:
        return "There is more: call recall again with this cursor."
    if shown or start:
        return ""
    if not searched:
        return "There are no memories in this vault yet."
    return "Nothing is known of that. Try once more with other words, or `dig` in past conversations; then say so."


def _hit(hit: Match, text: str) -> Hit:
    memory = hit.memory
    return Hit(
        id=short(memory.id),
        title=results.name(memory.title),
        day=results.day(memory),
        kind=results.name(memory.kind),
        similarity=round(hit.similarity, 2),
        text=results.quoted_text(text),
        source=results.source(memory),
        marks=results.state(memory, weak=hit.weak),
        contradicts=tuple(map(short, hit.contradicts)),
        via=results.name(hit.via),
    )


# -- dig

WALL = "This may be a wall of text: have a subagent call dig, and report in 200 words what matters, with ids and days."


@dataclass(frozen=True, slots=True, kw_only=True)
class Dig:
    """Go deep: faded memories, long files, and whole past conversations on a topic. CALL IT FROM A SUBAGENT.

    It returns a wall of text. Have a subagent call it, read it and report what matters; never fill the user's own
    conversation with it. Use it when recall gives too little, or the user asks to dig deeper. `map_only` first lists
    what there is; `open` then reads one conversation.
    """

    topic: Annotated[str, said("What is dug for, in plain words.", max_length=_LONGEST_QUERY)] = ""
    open: Annotated[str, said("Instead of a topic: the `ref` of a topic or turn, to read its conversation.")] = ""
    map_only: Annotated[bool, said("Only list the topics there are.")] = False
    budget: Annotated[int, said("At most so many tokens; 0 for the usual.", ge=0, le=60_000)] = 0


def dig(call: Call, asked: Dig) -> Depths:
    """Dig for a topic, or open one conversation."""
    if bool(asked.topic.strip()) == bool(asked.open.strip()):
        raise Misused(reason="Give `topic` or `open`, one of the two.", command="")
    if asked.open.strip():
        found = call.vault.open_talk(asked.open.strip(), budget=asked.budget)
    else:
        found = call.vault.dig(asked.topic, budget=asked.budget, map_only=asked.map_only)
    return Depths(
        note=QUOTED,
        advice=WALL if found.memories or found.topics or found.conversations else "Nothing speaks of that: say so.",
        memories=tuple(_hit(hit, hit.text) for hit in found.memories),
        topics=tuple(map(_topic, found.topics)),
        conversations=tuple(map(_talk, found.conversations)),
        tokens=found.tokens,
        left_out=found.left_out,
        searched=found.searched,
    )


def _topic(topic: depths.Topic) -> Topic:
    return Topic(
        ref=topic.ref,
        summary=results.quoted_text(topic.summary),
        day=results.minute(topic.day)[:10],
        conversation=results.name(topic.title),
        keywords=results.names(topic.keywords),
        turns=topic.turns,
        tokens=topic.tokens,
    )


def _talk(talk: depths.Conversation) -> Talk:
    lines = tuple(
        Line(
            ref=line.ref,
            speaker=results.name(line.speaker),
            text=results.quoted_text(line.text),
            time=results.minute(line.time),
            did=results.names(line.deeds),
            found=line.found,
        )
        for line in talk.lines
    )
    return Talk(ref=talk.ref, title=results.name(talk.title or talk.id), lines=lines, clipped=talk.clipped)


RECALL = Tool(name="recall", title="Recall memories", asked=Recall, answer=Found, act=recall, reads=True)
DIG = Tool(
    name="dig",
    title="Dig deep (from a subagent)",
    asked=Dig,
    answer=Depths,
    act=dig,
    reads=True,
    room=400_000,
)
