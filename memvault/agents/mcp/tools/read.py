"""Looking: what happened around a memory, a memory whole, the vault at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from memvault.agents.mcp import results
from memvault.agents.mcp.caller import McpCall
from memvault.agents.mcp.results import QUOTED, McpMemory, McpMoment, McpReminder, McpStatusResult, McpTimelineResult
from memvault.agents.mcp.schema import Texts, describe_argument
from memvault.agents.mcp.tools import McpTool
from memvault.core.fields import format_number
from memvault.core.ids import short_id
from memvault.core.memory import FieldValue, Memory
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import BadInput
from memvault.recall.show import build_timeline

if TYPE_CHECKING:
    from memvault.recall.show import TimelineEntry as Passed

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
    from memvault.recall.show import cut_page, show_memory  # deferred: what it needs, the first call needs not

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
        fields=_list_fields(memory),
        links=results.quote_lines(found.links),
        linked_from=results.quote_lines(found.linked_from),
        deep_context=results.quote_lines(memory.refs.get("deep_context", ())),
        superseded_by=tuple(map(results.name_memory, found.superseded_by)),
        contradicts=tuple(map(results.name_memory, found.contradicts)),
        start=asked.start,
        next=next_,
    )


def _list_fields(memory: Memory) -> Mapping[str, str]:
    """Return what else its file says of it: the fields of its kind, and where it comes from."""
    return {
        name: results.quote_line(_format_value(value))
        for name, value in sorted(memory.more.items())
        if name not in _SHOWN_APART
    }


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


TIMELINE = McpTool(
    name="timeline",
    title="Around a memory",
    arguments=TimelineArguments,
    result=McpTimelineResult,
    handler=timeline,
    is_read_only=True,
)
SHOW = McpTool(
    name="show",
    title="Read a memory",
    arguments=ShowArguments,
    result=McpMemory,
    handler=show,
    is_read_only=True,
    max_characters=250_000,
)
STATUS = McpTool(
    name="status",
    title="The vault at a glance",
    arguments=StatusArguments,
    result=McpStatusResult,
    handler=status,
    is_read_only=True,
)
