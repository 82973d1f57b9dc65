"""Tools that change something: remember, update, save progress, pin, forget, link, resolve, undo and maintain.

Each imports its capability when it is called: the first answer of a server needs none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from memvault.agents.mcp import results
from memvault.agents.mcp.caller import McpCall
from memvault.agents.mcp.read_tools import REF
from memvault.agents.mcp.results import McpChange, McpChangeResult, McpMaintainResult, McpUndoResult
from memvault.agents.mcp.schema import Texts, describe_argument
from memvault.core.ids import short_id
from memvault.core.kinds import KINDS
from memvault.core.memory import FieldValue, Memory
from memvault.core.plan import ListEdit, Operation
from memvault.errors import Misused
from memvault.memories.open_items import due_remarks, parse_due_fields

if TYPE_CHECKING:
    from memvault.memories.draft import MemoryFields
    from memvault.memories.remember import RememberResult
    from memvault.memories.screen import Redactions
    from memvault.storage.journal.runs import MaintenanceChange as Changed

_LONGEST_TEXT = 200_000
_SECRETS = "What becomes of a text with a password or key in it; `redact` leaves that out."

_OUTCOME_WORDS = {
    "kept": "Remembered",
    "quarantined": "Put into quarantine, until the user accepts it",
    "confirmed": "Known already; that it came up again is noted",
    "added": "Added to",
    "held": "Nothing done",
    "rejected": "Not kept",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberArguments:
    """Keep something for later sessions: a decision, preference, fact, lesson, plan or way of doing something.

    Call it when the user asks to remember, or settles what later work depends on. One matter in each, two to five
    sentences that can be read alone in a year: names in place of "he" and "it", dates in place of "tomorrow", the
    reason beside the decision. Never secrets. If something similar may be known, `recall` first, and `update` that.
    """

    text: Annotated[
        str, describe_argument("What is to be remembered, in markdown.", min_length=1, max_length=_LONGEST_TEXT)
    ]
    title: Annotated[str, describe_argument("What to call it; guessed otherwise.")] = ""
    type: Annotated[
        Literal["", "memory", "learning", "milestone", "reference"],
        describe_argument("What sort of note it is; `memory` otherwise."),
    ] = ""
    kind: Annotated[str, describe_argument(f"How it behaves: {', '.join(KINDS)}; guessed otherwise.")] = ""
    tags: Annotated[
        Texts, describe_argument("Tags, such as `preference`, `decision`, `gotcha`, or a project's name.")
    ] = ()
    people: Annotated[Texts, describe_argument("Whom it is about.")] = ()
    triggers: Annotated[Texts, describe_argument("Phrases of the user that are to load it.")] = ()
    significant: Annotated[
        bool, describe_argument("The user called it significant: it fades slowly, and gets a file for detail.")
    ] = False
    due: Annotated[str, describe_argument("For a reminder, when: `2026-01-31`, `tomorrow at 9`, `every Thursday`.")] = (
        ""
    )
    priority: Annotated[int, describe_argument("For a reminder, how urgent, 1 to 5; 0 for none.", ge=0, le=5)] = 0
    until: Annotated[str, describe_argument("The last day on which it holds; afterwards it is given no longer.")] = ""
    source: Annotated[
        Literal["", "tool", "web"],
        describe_argument(
            "Say `web` or `tool` where the text is from a page or a tool's output: it waits until the user accepts it."
        ),
    ] = ""
    secrets: Annotated[Literal["refuse", "redact"], describe_argument(_SECRETS)] = "refuse"


def remember(call: McpCall, asked: RememberArguments) -> McpChangeResult:
    """Make a memory, through the screens."""
    more = parse_due_fields(asked.due or None, asked.priority or None, "", now=call.now, zone=call.zone)
    given: MemoryFields = {"title": asked.title, "type": asked.type, "kind": asked.kind, "tags": asked.tags}
    given |= {"people": asked.people, "triggers": asked.triggers, "significant": asked.significant}
    given |= {"source": asked.source, "secrets": asked.secrets}
    given |= {"more": more | ({"until": asked.until} if asked.until else {})}
    from memvault.memories.draft import MemoryDraft
    from memvault.memories.remember import remember as remember_memory

    made = call.vault.run(remember_memory, MemoryDraft(text=asked.text, **given))
    remarks = (*_list_remarks(made), *due_remarks(made.memory.more, now=call.now, zone=call.zone))
    return build_result(_OUTCOME_WORDS.get(made.outcome, made.outcome), made.memory, made.op, *remarks)


def _list_remarks(made: RememberResult) -> tuple[str, ...]:
    like = made.like if made.like and made.outcome == "kept" else None
    nearly = "says the same, or nearly; to have it in that one: undo this, and call update" if like else ""
    return (
        *describe_redactions(made.left_out),
        f"{results.name_memory(like)} {nearly}." if like else "",
        f"In detail: {made.deep_context}." if made.deep_context else "",
        f"The reviewers said no: {results.quote_line(made.why)}" if made.why else "",
    )


def describe_redactions(found: Redactions) -> tuple[str, ...]:
    """Return what is said of what was left out of a text."""
    return (
        f"Left out, as it looks like a secret: {', '.join(found.sorts)}." if found.sorts else "",
        f"Dropped, as a secret stood in it: {', '.join(found.dropped)}." if found.dropped else "",
        "A <private> in it is never closed, so all that follows it was left out." if found.unclosed else "",
    )


def build_result(did: str, memory: Memory, op: str, *remarks: str) -> McpChangeResult:
    """Return what was done to a memory, and how it is taken back."""
    return McpChangeResult(
        did=did,
        id=short_id(memory.id),
        title=results.quote_line(memory.title),
        path=results.quote_line(memory.path),
        operation=op,
        remarks=tuple(filter(None, remarks)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateArguments:
    """Correct or complete a memory that is there. Mostly use `append`: it adds below and keeps what was known.

    `text` replaces the whole text, and wants the `version` that `show` gave: a change in between is an error.
    """

    memory: Annotated[str, describe_argument(REF, min_length=1)]
    append: Annotated[str, describe_argument("Text to add at the end.", max_length=_LONGEST_TEXT)] = ""
    text: Annotated[str, describe_argument("A whole new text; needs `version`.", max_length=_LONGEST_TEXT)] = ""
    version: Annotated[str, describe_argument("The version that you read with `show`.")] = ""
    title: Annotated[str, describe_argument("A new title.")] = ""
    add_tags: Annotated[Texts, describe_argument("Tags to add.")] = ()
    add_people: Annotated[Texts, describe_argument("People to add.")] = ()
    add_triggers: Annotated[Texts, describe_argument("Triggers to add.")] = ()
    due: Annotated[str, describe_argument("For a reminder, a new day.")] = ""
    state: Annotated[
        Literal["", "pending", "active", "completed", "cancelled"], describe_argument("For a reminder, how it stands.")
    ] = ""
    secrets: Annotated[Literal["refuse", "redact"], describe_argument(_SECRETS)] = "refuse"


def update(call: McpCall, asked: UpdateArguments) -> McpChangeResult:
    """Change a memory's text or fields."""
    if asked.text and asked.append:
        raise Misused(reason="Give `text` or `append`, not both.", command="")
    if asked.text and not asked.version:
        raise Misused(reason="To replace a text, give the `version` that show gave with it.", command="")
    fields, lists = _changed_fields(call, asked), _added_items(asked)
    if not (asked.text or asked.append or fields or lists):
        raise Misused(reason="There is nothing to change: give `append`, `text` or a field.", command="")
    from memvault.memories.edit import MemoryEdit, edit_memory

    edit = MemoryEdit(
        body=asked.text or None,
        append=asked.append or None,
        fields=fields,
        lists=lists,
        version=asked.version,
        secrets=asked.secrets,
    )
    changed = call.vault.run(edit_memory, asked.memory, edit)
    return build_result(
        "Updated",
        changed.memory,
        changed.op,
        *describe_redactions(changed.left_out),
        results.quote_line(changed.remark),
    )


def _changed_fields(call: McpCall, asked: UpdateArguments) -> dict[str, FieldValue | None]:
    fields: dict[str, FieldValue | None] = {}
    if asked.due:
        fields |= parse_due_fields(asked.due, None, "", now=call.now, zone=call.zone)
    fields |= {"title": asked.title} if asked.title else {}
    return fields | ({"state": asked.state} if asked.state else {})


def _added_items(asked: UpdateArguments) -> dict[str, ListEdit]:
    added = {"tags": asked.add_tags, "people": asked.add_people, "triggers": asked.add_triggers}
    return {name: ListEdit(tuple(word.lstrip("#") for word in more)) for name, more in added.items() if more}


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveProgressArguments:
    """Keep what came of this session as a milestone: what was asked, decided, changed and left open.

    Call it when the user says to save progress, before a long session ends or is compacted, and at a milestone. Called
    again it brings the same milestone up to date.
    """

    text: Annotated[
        str,
        describe_argument("What came of it, in your own words: decisions, results, what is open.", max_length=50_000),
    ]
    session: Annotated[str, describe_argument("The id of the session, where you know it.", max_length=200)] = ""


def save_progress(call: McpCall, asked: SaveProgressArguments) -> McpChangeResult:
    """Save what came of a session."""
    from memvault.transcripts.progress import save_progress as save_session

    session = asked.session.strip() or call.caller.session
    saved = call.vault.run(save_session, asked.text, session=session)
    did = "Saved the progress of this session" if saved.new else "Brought the progress of this session up to date"
    linked = f"It links to {len(saved.used)} memories that the session used." if saved.used else ""
    apart = "The user had written into it, so what is new stands below." if saved.kept_apart else ""
    return build_result(did, saved.memory, saved.op, linked, apart)


# -- settling what holds

_MAX_CHANGES = 50
_MAX_STEPS = 20
_STEP_VERBS = {"create": "made", "rewrite": "changed", "move": "moved", "remove": "removed", "note": "noted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PinArguments:
    """Keep a memory from ever fading, or let it fade again. Call it when the user says that something must be kept."""

    memory: Annotated[str, describe_argument(REF, min_length=1)]
    pinned: Annotated[bool, describe_argument("False lets it fade again.")] = True


def pin(call: McpCall, asked: PinArguments) -> McpChangeResult:
    """Pin a memory, or unpin it."""
    from memvault.memories.edit import pin_memory

    changed = call.vault.run(pin_memory, asked.memory, pinned=asked.pinned)
    return build_result("Pinned" if asked.pinned else "Unpinned", changed.memory, changed.op)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetArguments:
    """Move a memory to the trash, and do not learn the same again. ONLY when the user asks to forget it.

    What is merely out of date is not forgotten: `update` it, or `resolve` it against what holds now.
    """

    memory: Annotated[str, describe_argument(REF, min_length=1)]


def forget(call: McpCall, asked: ForgetArguments) -> McpChangeResult:
    """Let a memory go."""
    from memvault.memories.forget import forget_memory

    moved = call.vault.run(forget_memory, asked.memory)
    return build_result("Moved to the trash, and not to be learnt again", moved.memory, moved.op)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkArguments:
    """Say how one memory stands to another, so that each leads to the other."""

    memory: Annotated[str, describe_argument(REF, min_length=1)]
    to: Annotated[str, describe_argument(f"The other one. {REF}", min_length=1)]
    relation: Annotated[
        Literal["extends", "refines", "reinforces", "contradicts"],
        describe_argument("What the first does to the other."),
    ] = "extends"


def link(call: McpCall, asked: LinkArguments) -> McpChangeResult:
    """Link two memories."""
    from memvault.memories.edit import link_memories

    changed = call.vault.run(link_memories, asked.memory, asked.to, relation=asked.relation)
    return build_result("Linked", changed.memory, changed.op, f"It {results.quote_line(changed.did)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveArguments:
    """Settle a contradiction between two memories: one takes the place of the other, or both hold.

    The one that gives way stays and is marked as superseded. Where you are not sure which holds, ask the user.
    """

    keep: Annotated[str, describe_argument(f"The memory that holds. {REF}", min_length=1)]
    other: Annotated[str, describe_argument(f"The one that gives way. {REF}", min_length=1)]
    holds: Annotated[
        Literal["keep", "newest", "both"],
        describe_argument("Which holds: `keep`, the newer of the two, or both of them."),
    ] = "keep"


def resolve(call: McpCall, asked: ResolveArguments) -> McpChangeResult:
    """Settle which of two memories holds."""
    from memvault.maintenance.conflicts import resolve_conflict

    both, newest = asked.holds == "both", asked.holds == "newest"
    settled = call.vault.run(resolve_conflict, asked.keep, asked.other, both=both, newest=newest)
    other = f"{results.name_memory(settled.other)} {'holds too' if settled.both else 'is superseded'}."
    return build_result("Holds", settled.kept, settled.op, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoArguments:
    """Take back what you did in this session, byte for byte. Where the user has edited since, nothing is changed."""

    operation: Annotated[
        str,
        describe_argument(
            "The `operation` that the tool gave; without it, the last thing that you did in this session."
        ),
    ] = ""


def undo(call: McpCall, asked: UndoArguments) -> McpUndoResult:
    """Take an operation back."""
    from memvault.storage.journal.undo import undo_operation

    taken = call.vault.run(undo_operation, asked.operation.strip())
    steps = (
        f"it had {_STEP_VERBS.get(step.do, step.do)} {results.quote_line(step.path)}"
        for step in taken.steps
        if step.path
    )
    return McpUndoResult(
        did=f"Took back: {taken.verb}{_passed_over(taken)}",
        operation=taken.op,
        steps=tuple(dict.fromkeys(steps))[:_MAX_STEPS],
    )


def _passed_over(taken: Operation) -> str:
    if not taken.passed_over:
        return ""
    return f"; passed over, as nothing can undo it any more: {results.quote_line(' '.join(taken.passed_over))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainArguments:
    """Keep the vault in order: let weights fade, archive what faded, merge what says the same, refresh what is hot.

    Call it when the user asks for memory maintenance; begin with `dry_run` and tell what it would do. It deletes
    nothing.
    """

    dry_run: Annotated[bool, describe_argument("Only say what would be done.")] = False
    only: Annotated[
        Texts, describe_argument("Only these rules, such as decay, stale, archive; all of them otherwise.")
    ] = ()


def maintain(call: McpCall, asked: MaintainArguments) -> McpMaintainResult:
    """Carry out a run of maintenance, or say what it would do."""
    from memvault.maintenance.maintain import MaintainOptions
    from memvault.maintenance.maintain import maintain as maintain_vault

    found = call.vault.run(maintain_vault, MaintainOptions(only=asked.only, dry_run=asked.dry_run))
    ran = "Would be done:" if asked.dry_run else "Done:"
    did = f"There is nothing to do: {found.skipped}." if found.skipped else ran
    return McpMaintainResult(
        did=did,
        memories=found.memories,
        changes=tuple(map(_describe_change, found.done[:_MAX_CHANGES])),
        left_out=max(0, len(found.done) - _MAX_CHANGES),
        refused=tuple(
            f"{results.quote_line(path)}: {results.quote_line(why)}" for path, why in found.refused[:_MAX_CHANGES]
        ),
        conflicts=found.conflicts,
        duplicates=found.proposals,
        operation=found.op,
    )


def _describe_change(change: Changed) -> McpChange:
    return McpChange(
        id=short_id(change.id),
        title=results.quote_line(change.title or change.path),
        why=results.quote_line(change.why),
        to=results.quote_line(change.to),
    )
