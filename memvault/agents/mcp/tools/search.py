"""Finding: recall, and dig for what recall does not reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from memvault.agents.mcp import results
from memvault.agents.mcp.caller import McpCall
from memvault.agents.mcp.results import (
    QUOTED,
    McpConversation,
    McpDigResult,
    McpHit,
    McpLine,
    McpRecallResult,
    McpTopic,
)
from memvault.agents.mcp.schema import Texts, describe_argument
from memvault.agents.mcp.tools import McpTool
from memvault.cli import options
from memvault.core.ids import short_id
from memvault.core.kinds import KINDS
from memvault.core.query import Filters
from memvault.errors import Misused
from memvault.recall.ranking.weights import pack_items

if TYPE_CHECKING:
    from memvault.recall.recall import RecallHit as Match
    from memvault.transcripts import dig as depths

_HEADER_TOKENS = 24  # what goes with every passage
_NO_BUDGET = 1_000_000
_LONGEST_QUERY = 4_000
_MAX_START = 500
_LINE_TOKENS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallArguments:
    """Search the user's long-term memory: what was decided, preferred, learnt, planned and done in earlier sessions.

    Call it before you answer or begin whenever earlier work, people, preferences or decisions may matter. The best
    come first, each with the passage that answers; `show` gives a whole text. What is marked superseded holds no more.
    """

    query: Annotated[
        str,
        describe_argument(
            'The words that matter; "a phrase" in quotes as it stands. May be empty where there is a condition.',
            max_length=_LONGEST_QUERY,
        ),
    ] = ""
    limit: Annotated[int, describe_argument("At most so many memories; 0 for the usual number.", ge=0, le=50)] = 0
    detail: Annotated[
        Literal["passages", "titles"], describe_argument("`titles` gives a line each, for a first look at many.")
    ] = "passages"
    budget: Annotated[int, describe_argument("At most so many tokens of text; 0 for the usual.", ge=0, le=20_000)] = 0
    kinds: Annotated[Texts, describe_argument(f"Only of these kinds: {', '.join(KINDS)}.")] = ()
    tags: Annotated[Texts, describe_argument("Only with all of these tags.")] = ()
    people: Annotated[Texts, describe_argument("Only about all of these people.")] = ()
    since: Annotated[str, describe_argument("Only made or used since: 2026-01-31, 12h, 7d, 3m, yesterday.")] = ""
    cursor: Annotated[str, describe_argument("Where an earlier answer with the same words left off.")] = ""


def recall(call: McpCall, asked: RecallArguments) -> McpRecallResult:
    """Find memories, a page at a time."""
    filters = _parse_filters(call, asked)
    if not asked.query.strip() and filters.is_empty:
        raise Misused(reason="There is nothing to look for: give `query` some words, or a condition.", command="")
    start = results.parse_cursor(asked.cursor)
    if start > _MAX_START:
        raise Misused(reason="So far down nothing answers any more: ask with other words instead.", command="")
    settings = call.vault.settings
    limit = asked.limit or settings.integer("recall.limit")
    from memvault.recall.recall import RecallQuery
    from memvault.recall.recall import recall as recall_memories

    found = call.vault.run(
        recall_memories, RecallQuery(query=asked.query, limit=start + limit + 1, budget=_NO_BUDGET, filters=filters)
    )
    titles_only = asked.detail == "titles"
    page = [(hit, "" if titles_only else hit.text) for hit in found.hits[start : start + limit]]
    overhead = _LINE_TOKENS if titles_only else _HEADER_TOKENS
    packed = pack_items(page, budget=max(asked.budget or settings.integer("recall.budget"), 100), overhead=overhead)
    next_ = start + len(packed.kept)
    return McpRecallResult(
        note=QUOTED,
        hits=tuple(_describe_hit(hit, text) for hit, text in packed.kept),
        searched=found.searched,
        tokens=packed.used,
        cursor=results.make_cursor(next_) if next_ < len(found.hits) else "",
        advice=_advise_next(found.searched, len(packed.kept), start=start, more=next_ < len(found.hits)),
    )


def _parse_filters(call: McpCall, asked: RecallArguments) -> Filters:
    return Filters(
        kinds=options.check_choices(list(asked.kinds), "the kind", call.vault.settings.kinds),
        tags=frozenset(tag.lstrip("#") for tag in asked.tags),
        people=frozenset(asked.people),
        since=options.parse_since(asked.since, call.now, call.zone) if asked.since.strip() else None,
    )


def _advise_next(searched: int, shown: int, *, start: int, more: bool) -> str:
    if more:
        return "There is more: call recall again with this cursor."
    if shown or start:
        return ""
    if not searched:
        return "There are no memories in this vault yet."
    return "Nothing is known of that. Try once more with other words, or `dig` in past conversations; then say so."


def _describe_hit(hit: Match, text: str) -> McpHit:
    memory = hit.memory
    return McpHit(
        id=short_id(memory.id),
        title=results.quote_line(memory.title),
        day=results.format_day(memory),
        kind=results.quote_line(memory.kind),
        similarity=round(hit.similarity, 2),
        text=results.quote_block(text),
        source=results.format_origin(memory),
        marks=results.describe_state(memory, weak=hit.weak),
        contradicts=tuple(map(short_id, hit.contradicts)),
        via=results.quote_line(hit.via),
    )


# -- dig

DIG_ADVICE = (
    "This may be a wall of text: have a subagent call dig, and report in 200 words what matters, with ids and days."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigArguments:
    """Go deep: faded memories, long files, and whole past conversations on a topic. CALL IT FROM A SUBAGENT.

    It returns a wall of text. Have a subagent call it, read it and report what matters; never fill the user's own
    conversation with it. Use it when recall gives too little, or the user asks to dig deeper. `map_only` first lists
    what there is; `open` then reads one conversation.
    """

    topic: Annotated[str, describe_argument("What is dug for, in plain words.", max_length=_LONGEST_QUERY)] = ""
    open: Annotated[
        str, describe_argument("Instead of a topic: the `ref` of a topic or turn, to read its conversation.")
    ] = ""
    map_only: Annotated[bool, describe_argument("Only list the topics there are.")] = False
    budget: Annotated[int, describe_argument("At most so many tokens; 0 for the usual.", ge=0, le=60_000)] = 0


def dig(call: McpCall, asked: DigArguments) -> McpDigResult:
    """Dig for a topic, or open one conversation."""
    if bool(asked.topic.strip()) == bool(asked.open.strip()):
        raise Misused(reason="Give `topic` or `open`, one of the two.", command="")
    from memvault.transcripts.dig import DigQuery, open_topic
    from memvault.transcripts.dig import dig as dig_topic

    if asked.open.strip():
        found = call.vault.run(open_topic, asked.open.strip(), budget=asked.budget)
    else:
        found = call.vault.run(dig_topic, DigQuery(topic=asked.topic, budget=asked.budget, map_only=asked.map_only))
    return McpDigResult(
        note=QUOTED,
        advice=DIG_ADVICE
        if found.memories or found.topics or found.conversations
        else "Nothing speaks of that: say so.",
        memories=tuple(_describe_hit(hit, hit.text) for hit in found.memories),
        topics=tuple(map(_describe_topic, found.topics)),
        conversations=tuple(map(_describe_conversation, found.conversations)),
        tokens=found.tokens,
        left_out=found.left_out,
        searched=found.searched,
    )


def _describe_topic(topic: depths.DigTopic) -> McpTopic:
    return McpTopic(
        ref=topic.ref,
        summary=results.quote_block(topic.summary),
        day=results.format_minute(topic.day)[:10],
        conversation=results.quote_line(topic.title),
        keywords=results.quote_lines(topic.keywords),
        turns=topic.turns,
        tokens=topic.tokens,
    )


def _describe_conversation(talk: depths.ConversationExcerpt) -> McpConversation:
    lines = tuple(
        McpLine(
            ref=line.ref,
            speaker=results.quote_line(line.speaker),
            text=results.quote_block(line.text),
            time=results.format_minute(line.time),
            did=results.quote_lines(line.deeds),
            found=line.found,
        )
        for line in talk.lines
    )
    return McpConversation(
        ref=talk.ref, title=results.quote_line(talk.title or talk.id), lines=lines, clipped=talk.clipped
    )


RECALL = McpTool(
    name="recall",
    title="Recall memories",
    arguments=RecallArguments,
    result=McpRecallResult,
    handler=recall,
    is_read_only=True,
)
DIG = McpTool(
    name="dig",
    title="Dig deep (from a subagent)",
    arguments=DigArguments,
    result=McpDigResult,
    handler=dig,
    is_read_only=True,
    max_characters=400_000,
)
