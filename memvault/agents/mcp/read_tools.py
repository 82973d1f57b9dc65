"""Tools that only look: recall, dig, what happened around a memory, a memory whole, the vault at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from memvault.agents.mcp import results
from memvault.agents.mcp.caller import McpCall
from memvault.agents.mcp.results import (
    QUOTED,
    McpConversation,
    McpDigResult,
    McpHit,
    McpLine,
    McpMemory,
    McpMoment,
    McpRecallResult,
    McpReminder,
    McpStatusResult,
    McpTimelineResult,
    McpTopic,
)
from memvault.agents.mcp.schema import Texts, describe_argument
from memvault.core.fields import format_number
from memvault.core.ids import short_id
from memvault.core.kinds import KINDS
from memvault.core.memory import FieldValue, Memory
from memvault.core.query import Filters
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import BadInput, Misused
from memvault.recall.ranking.weights import pack_items
from memvault.recall.show import TimelineEntry as Passed
from memvault.recall.show import build_timeline, cut_page, show_memory
from memvault.text.dates.dates import parse_since

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
    scopes: Annotated[Texts, describe_argument("Only what holds everywhere (`global`), or in these projects.")] = ()
    since: Annotated[str, describe_argument("Only made or used since: 2026-01-31, 12h, 7d, 3m, yesterday.")] = ""
    cursor: Annotated[str, describe_argument("Where an earlier answer with the same words left off.")] = ""


def recall(call: McpCall, asked: RecallArguments) -> McpRecallResult:
    """Find memories, a page at a time."""
    known = list(call.vault.settings.kinds)
    kinds = {part.strip().casefold() for kind in asked.kinds for part in kind.split(",")} - {""}
    for kind in sorted(kinds - set(known)):
        raise BadInput(what="the kind", value=kind, reason=f"it must be one of {', '.join(known)}")
    filters = Filters(
        kinds=frozenset(kinds),
        tags=frozenset(tag.lstrip("#") for tag in asked.tags),
        people=frozenset(asked.people),
        scopes=frozenset(asked.scopes),
        since=parse_since(asked.since, call.now, call.zone) if asked.since.strip() else None,
    )
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
        note=f"{QUOTED} {found.bounded}" if found.bounded else QUOTED,
        hits=tuple(_describe_hit(hit, text) for hit, text in packed.kept),
        searched=found.searched,
        tokens=packed.used,
        cursor=results.make_cursor(next_) if next_ < len(found.hits) else "",
        advice=_advise_next(found.searched, len(packed.kept), start=start, more=next_ < len(found.hits)),
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


# -- timeline, show and status

REF = "An id (4 characters or more), a file name or a title."
_SHOWN_APART = frozenset({"source", "superseded_by", "deep_context"})
_USUAL_PAGE = 4_000
_MAX_REMINDERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineArguments:
    """See what was remembered just before and after some memories, in a line or two each, between recall and show."""

    memories: Annotated[Texts, describe_argument(f"Which memories. Each: {REF}", min_length=1, max_length=20)]
    around: Annotated[int, describe_argument("So many before and after each; 0 for the usual number.", ge=0, le=50)] = 0
    budget: Annotated[int, describe_argument("At most so many tokens; 0 for the usual.", ge=0, le=20_000)] = 0


def timeline(call: McpCall, asked: TimelineArguments) -> McpTimelineResult:
    """Return memories in the course of time."""
    found = call.vault.run(build_timeline, asked.memories, around=asked.around, budget=asked.budget)
    return McpTimelineResult(note=QUOTED, moments=tuple(map(_describe_moment, found.moments)), left_out=found.left_out)


def _describe_moment(moment: Passed) -> McpMoment:
    memory = moment.memory
    return McpMoment(
        id=short_id(memory.id),
        when=results.format_minute(memory.created),
        title=results.quote_line(memory.title),
        kind=results.quote_line(memory.kind),
        begins=results.quote_block(moment.gist),
        chosen=moment.chosen,
        marks=results.describe_state(memory),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowArguments:
    """Read one memory whole: its text, where it is from, what it links to. A long one comes in pages: see `next`.

    The `version` that it gives is what `update` wants before it replaces a text.
    """

    memory: Annotated[str, describe_argument(REF, min_length=1)]
    start: Annotated[int, describe_argument("The character to go on from: the `next` of the page before.", ge=0)] = 0
    budget: Annotated[
        int, describe_argument("At most so many tokens of text at once; 0 for the usual.", ge=0, le=50_000)
    ] = 0


def show(call: McpCall, asked: ShowArguments) -> McpMemory:
    """Return one memory, or a page of it."""
    found = call.vault.run(show_memory, asked.memory)
    memory = found.memory
    # Cut into pages only when private spans are out of it: one that a page begins in could not be told.
    body = strip_private(memory.body or "")
    if asked.start and asked.start >= len(body):
        raise BadInput(what="`start`", value=asked.start, reason=f"the text has {len(body):,} characters")
    text, next_ = cut_page(body, asked.start, asked.budget or _USUAL_PAGE)
    return McpMemory(
        note=QUOTED,
        id=memory.id,
        title=results.quote_line(memory.title),
        kind=results.quote_line(memory.kind),
        type=memory.type,
        day=results.format_day(memory),
        path=results.quote_line(memory.path),
        version=memory.version,
        text=results.quote_block(text),
        weight=round(found.weight, 2),
        source=results.format_origin(memory),
        status=memory.status,
        pinned=memory.pinned,
        tags=results.quote_lines(memory.tags),
        people=results.quote_lines(memory.people),
        triggers=results.quote_lines(memory.triggers),
        fields={
            name: results.quote_line(_format_value(value))
            for name, value in sorted(memory.more.items())
            if name not in _SHOWN_APART
        },
        links=results.quote_lines(found.links),
        linked_from=results.quote_lines(found.linked_from),
        deep_context=results.quote_lines(memory.refs.get("deep_context", ())),
        superseded_by=tuple(map(results.name_memory, found.superseded_by)),
        contradicts=tuple(map(results.name_memory, found.contradicts)),
        start=asked.start,
        next=next_,
    )


def _format_value(value: FieldValue) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case datetime():
            return results.format_minute(value)
        case float():
            return format_number(value)
        case tuple():
            return ", ".join(value)
        case Mapping():
            return ", ".join(f"{name} {part}" for name, part in value.items())
        case _:
            return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusArguments:
    """See the vault at a glance: what it holds, which reminders are due, whether it is paused, whether all is well."""


def status(call: McpCall, _asked: StatusArguments) -> McpStatusResult:
    """Return the vault at a glance."""
    from memvault.maintenance.vault_status import vault_status  # deferred: few ask for it

    found = call.vault.run(vault_status)
    quiet = call.vault.find_pause(project=call.project, session=call.caller.session)
    due = tuple(
        McpReminder(id=short_id(memory.id), title=results.quote_line(memory.title), due=_describe_reminder(memory))
        for memory in found.due[:_MAX_REMINDERS]
    )
    return McpStatusResult(
        vault=results.quote_line(found.vault),
        memories=found.memories,
        tiers=found.tiers,
        kinds={results.quote_line(kind): count for kind, count in found.kinds.items()},
        statuses=found.statuses,
        pinned=found.pinned,
        conversations=found.conversations,
        problems=found.problems,
        due=due,
        upkeep=results.format_minute(found.upkeep),
        paused=quiet.scope.description if quiet else "",
    )


def _describe_reminder(memory: Memory) -> str:
    due = memory.more.get("due")
    return results.format_minute(due) if isinstance(due, datetime) else ""
