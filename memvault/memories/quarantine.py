"""What came from the web or from tools and waits: looked through, taken in, or refused for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import ChangeSubject, MoveFile, Plan, PlanChange, SetFields
from memvault.errors import NothingToDo
from memvault.memories.remember import find_details, free_path, memory_texts
from memvault.storage.journal import tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import require_person
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import TRASH
from memvault.storage.vault.quarantine import UNTRUSTED_SOURCE, choose_waiting, list_waiting


@dataclass(frozen=True, slots=True)
class QuarantineResult:
    """Memories that were taken in or refused, each as it lies now, with the paths they waited at."""

    memories: tuple[Memory, ...]
    came_from: tuple[str, ...]
    op: str = ""


def accept_waiting(context: VaultContext, refs: Sequence[str], *, dry_run: bool = False) -> QuarantineResult:
    """Move waiting memories into Tier 2; they keep their source, and so stay out of Tier 0 and 1 by themselves."""
    require_person(context, "takes in what waits in quarantine")
    context.refresh()
    chosen, details = _with_details(context, _choose_waiting(context, refs))
    taken: set[str] = set()
    moves = [_accept_move(context, memory, taken) for memory in chosen]
    folder = context.vault.layout.deep
    along = [
        _move_detail(context, detail, folder, taken)
        for detail in details
        if context.vault.place_of(detail.path) is not Place.DEEP
    ]
    went = {detail.path: detail.to for detail in along}
    for number, (memory, move) in enumerate(zip(chosen, moves, strict=True)):
        now_named = tuple(went.get(path, path) for path in memory.refs.get("deep_context", ()))
        if now_named != memory.refs.get("deep_context", ()):
            moves[number] = replace(move, fields={**move.fields, "refs.deep_context": now_named})
    return _carry_out(context, "accept", chosen, moves, [*moves, *along], dry_run=dry_run)


def refuse_waiting(context: VaultContext, refs: Sequence[str], *, dry_run: bool = False) -> QuarantineResult:
    """Move waiting memories and the detail files behind them to the trash, and do not learn them again."""
    context.refresh()
    chosen, details = _with_details(context, _choose_waiting(context, refs))
    taken: set[str] = set()
    moves = [
        MoveFile(memory.path, choose_path(context, f"{TRASH}/", memory, taken), "refused", version=memory.version)
        for memory in chosen
    ]
    along = [_move_detail(context, detail, f"{TRASH}/", taken) for detail in details]
    texts = [text for memory in (*chosen, *details) for text in memory_texts(memory)]
    marks = [] if dry_run else tombstones.tombstone_changes(context, texts, why="refuse")
    return _carry_out(context, "refuse", chosen, moves, [*moves, *along, *marks], dry_run=dry_run)


def _with_details(context: VaultContext, chosen: list[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Return what was chosen, and the long files behind it, which are not decided on for themselves."""
    details = {detail.path: detail for memory in chosen for detail in find_details(context, memory)}
    return [memory for memory in chosen if memory.path not in details], list(details.values())


def _move_detail(context: VaultContext, detail: Memory, folder: str, taken: set[str]) -> MoveFile:
    # It keeps its source: what is accepted is no more trusted in detail than as a whole.
    fields: dict[str, FieldValue | None] = {} if "source" in detail.stated else {"source": UNTRUSTED_SOURCE}
    is_refused = folder.startswith(TRASH)
    target = choose_path(context, folder, detail, taken)
    return MoveFile(
        detail.path, target, "the detail behind it", fields={} if is_refused else fields, version=detail.version
    )


def _carry_out(
    context: VaultContext,
    verb: str,
    chosen: list[Memory],
    moves: list[MoveFile],
    changes: Sequence[PlanChange],
    *,
    dry_run: bool,
) -> QuarantineResult:
    places = [context.vault.place_of(move.to) or memory.place for memory, move in zip(chosen, moves, strict=True)]
    now_at = tuple(
        memory.with_changes(path=move.to, place=place)
        for memory, move, place in zip(chosen, moves, places, strict=True)
    )
    op = "" if dry_run else apply_one(Plan(verb, tuple(changes)), context).op
    return QuarantineResult(now_at, tuple(memory.path for memory in chosen), op)


def _accept_move(context: VaultContext, memory: Memory, taken: set[str]) -> MoveFile:
    # In Tier 2 a note that says nothing of its source counts as the user's own.
    fields: dict[str, FieldValue | None] = {} if "source" in memory.stated else {"source": UNTRUSTED_SOURCE}
    target = choose_path(context, context.vault.layout.memories, memory, taken)
    return MoveFile(
        memory.path, target, "accepted", fields=fields, version=memory.version, about=ChangeSubject(id=memory.id)
    )


def choose_path(context: VaultContext, folder: str, memory: Memory, taken: set[str]) -> str:
    """Return the path for a note that keeps its name, unless another note has it; the path counts as taken then."""
    name = memory.path.rpartition("/")[2]
    path = free_path(context, folder, name, taken=taken, is_unique=not folder.startswith(TRASH))
    taken.add(path)
    return path


def _choose_waiting(context: VaultContext, refs: Sequence[str]) -> list[Memory]:
    """Return the waiting memories that are meant, each once."""
    if not refs:
        raise NothingToDo(reason="Name at least one waiting memory.")
    found = list_waiting(context)
    chosen = {memory.path: memory for ref in refs for memory in [choose_waiting(ref, found)]}
    return list(chosen.values())


# What was stored just before it became known that its session had read the web.

_LATE = timedelta(minutes=2)  # so late may a hook tell of a call that was over when the memory was stored
_MOST = 20
_WHY = "its session had read the web by then"


def taint_recent(context: VaultContext) -> tuple[Memory, ...]:
    """Mark the memories that an agent stored in this session a moment ago; what a person said stays theirs."""
    session, since = context.actor.session, context.now - _LATE
    if not session:
        return ()
    context.refresh()
    found = tuple(
        memory
        for memory in context.index.newest_memories(_MOST)
        if memory.created >= since.replace(microsecond=0)
        and memory.more.get("session") == session
        and memory.source != "user"
        and not memory.more.get("tainted")
    )
    if found:
        changes = (SetFields(one.path, {"tainted": True}, _WHY, about=ChangeSubject(id=one.id)) for one in found)
        apply_one(Plan("taint", tuple(changes)), context)
    return found
