"""Looking: what happened around a memory, a memory whole, the vault at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from memvault.agents.mcp import results
from memvault.agents.mcp.caller import Call
from memvault.agents.mcp.results import QUOTED, Course, Due, Glance, Moment, Whole
from memvault.agents.mcp.schema import Texts, said
from memvault.agents.mcp.tools import Tool
from memvault.core.fields import number_text
from memvault.core.ids import short
from memvault.core.memory import FieldValue, Memory
from memvault.core.secrets.private_spans import without_private
from memvault.errors import BadInput

if TYPE_CHECKING:
    from memvault.recall.timeline import Moment as Passed

REF = "An id (4 characters or more), a file name or a title."
_SHOWN_APART = frozenset({"source", "superseded_by", "deep_context"})
_USUAL_PAGE = 4_000
_MOST_DUE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """See what was remembered just before and after some memories, in a line or two each, between recall and show."""

    memories: Annotated[Texts, said(f"Which memories. Each: {REF}", min_length=1, max_length=20)]
    around: Annotated[int, said("So many before and after each; 0 for the usual number.", ge=0, le=50)] = 0
    budget: Annotated[int, said("At most so many tokens; 0 for the usual.", ge=0, le=20_000)] = 0


def timeline(call: Call, asked: Timeline) -> Course:
    """Memories in the course of time."""
    found = call.vault.timeline(asked.memories, around=asked.around, budget=asked.budget)
    return Course(note=QUOTED, moments=tuple(map(_moment, found.moments)), left_out=found.left_out)


def _moment(moment: Passed) -> Moment:
    memory = moment.memory
    return Moment(
        id=short(memory.id),
        when=results.minute(memory.created),
        title=results.name(memory.title),
        kind=results.name(memory.kind),
        begins=results.quoted_text(moment.gist),
        chosen=moment.chosen,
        marks=results.state(memory),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Read one memory whole: its text, where it is from, what it links to. A long one comes in pages: see `next`.

    The `version` that it gives is what `update` wants before it replaces a text.
    """

    memory: Annotated[str, said(REF, min_length=1)]
    start: Annotated[int, said("The character to go on from: the `next` of the page before.", ge=0)] = 0
    budget: Annotated[int, said("At most so many tokens of text at once; 0 for the usual.", ge=0, le=50_000)] = 0


def show(call: Call, asked: Show) -> Whole:
    """One memory, or a page of it."""
    from memvault.recall.show import page  # deferred: what it needs, the first call needs not

    found = call.vault.show(asked.memory)
    memory = found.memory
    # Cut into pages only when private spans are out of it: one that a page begins in could not be told.
    body = without_private(memory.body or "")
    if asked.start and asked.start >= len(body):
        raise BadInput(what="`start`", value=asked.start, reason=f"the text has {len(body):,} characters")
    text, next_ = page(body, asked.start, asked.budget or _USUAL_PAGE)
    return Whole(
        note=QUOTED,
        id=memory.id,
        title=results.name(memory.title),
        kind=results.name(memory.kind),
        type=memory.type,
        day=results.day(memory),
        path=results.name(memory.path),
        version=memory.version,
        text=results.quoted_text(text),
        weight=round(found.weight, 2),
        source=results.source(memory),
        status=memory.status,
        pinned=memory.pinned,
        tags=results.names(memory.tags),
        people=results.names(memory.people),
        triggers=results.names(memory.triggers),
        fields=_fields(memory),
        links=results.names(found.links),
        linked_from=results.names(found.linked_from),
        deep_context=results.names(memory.refs.get("deep_context", ())),
        superseded_by=tuple(map(results.called, found.superseded_by)),
        contradicts=tuple(map(results.called, found.contradicts)),
        start=asked.start,
        next=next_,
    )


def _fields(memory: Memory) -> Mapping[str, str]:
    """What else its file says of it: the fields of its kind, and where it comes from."""
    return {name: results.name(_told(value)) for name, value in sorted(memory.more.items()) if name not in _SHOWN_APART}


def _told(value: FieldValue) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case datetime():
            return results.minute(value)
        case float():
            return number_text(value)
        case tuple():
            return ", ".join(value)
        case Mapping():
            return ", ".join(f"{name} {part}" for name, part in value.items())
        case _:
            return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """See the vault at a glance: what it holds, which reminders are due, whether it is paused, whether all is well."""


def status(call: Call, _asked: Status) -> Glance:
    """The vault at a glance."""
    found = call.vault.status()
    quiet = call.vault.paused(project=call.project, session=call.caller.session)
    due = tuple(
        Due(id=short(memory.id), title=results.name(memory.title), due=_due(memory)) for memory in found.due[:_MOST_DUE]
    )
    return Glance(
        vault=results.name(found.vault),
        memories=found.memories,
        tiers=found.tiers,
        kinds={results.name(kind): count for kind, count in found.kinds.items()},
        statuses=found.statuses,
        pinned=found.pinned,
        conversations=found.conversations,
        problems=found.problems,
        due=due,
        upkeep=results.minute(found.upkeep),
        paused=quiet.scope.words if quiet else "",
    )


def _due(memory: Memory) -> str:
    due = memory.more.get("due")
    return results.minute(due) if isinstance(due, datetime) else ""


TIMELINE = Tool(name="timeline", title="Around a memory", asked=Timeline, answer=Course, act=timeline, reads=True)
SHOW = Tool(name="show", title="Read a memory", asked=Show, answer=Whole, act=show, reads=True, room=250_000)
STATUS = Tool(name="status", title="The vault at a glance", asked=Status, answer=Glance, act=status, reads=True)
