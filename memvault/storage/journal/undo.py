"""What was done to the vault, and taking it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memvault.core.ids import id_matches
from memvault.core.memory import NO_FIELDS
from memvault.core.plan import (
    CLAUDE_MD,
    ChangeSubject,
    CreateFile,
    LedgerNote,
    MoveFile,
    Operation,
    OperationStep,
    Plan,
    PlanChange,
    RemoveFile,
    RewriteNote,
    WriteOutside,
)
from memvault.errors import Ambiguous, MemvaultError, NoOperation, NotFound, UndoRefused
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_own_operation, is_own_operation
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.vault import Vault
from memvault.system import files
from memvault.text.dates.dates import read_moment

# Which of the operations are asked for: whose, since when, and about which memory, under all the paths it has had.


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationFilter:
    """What is asked of the log: operations of which all that is given holds."""

    memory: str = ""
    agent: str = ""
    session: str = ""
    device: str = ""
    verb: str = ""
    since: datetime | None = None


ALL_OPERATIONS = OperationFilter()


def filter_operations(
    operations: Sequence[Operation], wanted: OperationFilter, context: VaultContext
) -> list[Operation]:
    """Those of the operations, the newest first, that are asked for."""
    found = [op for op in operations if _matches_filter(op, wanted)]
    if not wanted.memory:
        return found
    # Its paths are followed through all operations: somebody else may have moved it.
    about = {op.op for op in _operations_about(operations, wanted.memory, context)}
    return [op for op in found if op.op in about]


def _matches_filter(op: Operation, wanted: OperationFilter) -> bool:
    """Whether it is by whom and of when that was asked; agents, sessions and devices by how their names begin."""
    told = ((op.agent, wanted.agent), (op.session, wanted.session), (op.device, wanted.device), (op.verb, wanted.verb))
    if not all(name.casefold().startswith(wanted.casefold()) for name, wanted in told):
        return False
    if wanted.since is None:
        return True
    at = read_moment(op.at)
    return at is not None and at >= wanted.since


def _operations_about(operations: Sequence[Operation], ref: str, context: VaultContext) -> list[Operation]:
    try:
        memory = context.find_memory(ref)
    except NotFound:
        found = _operations_on_deleted(operations, ref)
        if not found:
            raise
        return found
    return list(_operations_on(operations, memory.path, memory.id))


def _operations_on(operations: Sequence[Operation], path: str, id_: str) -> Iterator[Operation]:
    """The operations on what lies at a path now, the newest first, back through its moves to where it was made."""
    paths = {path}
    for op in operations:
        touched = [step for step in reversed(op.steps) if _touches_memory(step, paths, id_)]
        if touched:
            yield op
        for step in touched:
            _trace_back(step, paths, is_return=bool(op.undoes))


def _touches_memory(step: OperationStep, paths: set[str], id_: str) -> bool:
    decided = step.entry.get("id") if step.entry else None
    return id_ in (step.id, decided) or step.path in paths or step.to in paths


def _trace_back(step: OperationStep, paths: set[str], *, is_return: bool) -> None:
    """The paths that were its own before a step: what lay at one of them before it was made is another."""
    if step.do == "move":
        paths.discard(step.to)
    if step.do == "create" and not is_return:
        paths.discard(step.path)
    elif step.path:
        paths.add(step.path)


def _operations_on_deleted(operations: Sequence[Operation], ref: str) -> list[Operation]:
    """The operations on a note that is not there any more, by its id, its path or the name of its file."""
    for at, op in enumerate(operations):
        for step in op.steps:
            if _names_note(step, ref):
                path = _follow_moves(step.to or step.path, operations[:at])
                return list(_operations_on(operations, path, step.id or ref))
    return []


def _follow_moves(path: str, later: Sequence[Operation]) -> str:
    """Where the moves of later operations, the newest of which is the first, took what lay at a path."""
    for op in reversed(later):
        for step in op.steps:
            if step.do == "move" and step.path == path:
                path = step.to
    return path


def _names_note(step: OperationStep, ref: str) -> bool:
    wanted = ref.removesuffix(".md").casefold()
    paths = (path.removesuffix(".md").casefold() for path in (step.path, step.to) if path)
    return bool(step.id and id_matches(step.id, ref)) or any(
        path == wanted or path.endswith(f"/{wanted}") for path in paths
    )


def list_operations(
    context: VaultContext, wanted: OperationFilter = ALL_OPERATIONS, *, limit: int = 0
) -> list[Operation]:
    """The operations on this vault, the newest first; with `asked`, those alone."""
    found = filter_operations(context.vault.log.operations(), wanted, context)
    return found[:limit] if limit else found


def find_operation(context: VaultContext, ref: str = "") -> Operation:
    """One operation by its name or the beginning of it; without one, the last of this device that can be undone."""
    found = context.vault.log.operations(whole=True)  # or another than the last would be taken for it
    if not ref:
        # What was done on another machine is nobody's last thing here: it takes its name to take that back.
        own = (op for op in found if op.device == context.vault.device and _can_be_undone(op))
        return next(own, None) or _raise_no_operation("of this machine that could be undone")
    matching = [op for op in found if op.op.casefold().startswith(ref.casefold())]
    if len(matching) > 1:
        raise Ambiguous(ref=ref, count=len(matching), names=", ".join(op.op for op in matching[:5]))
    return matching[0] if matching else _raise_no_operation(repr(ref))


def _last_own_operation(context: VaultContext) -> Operation:
    """The last operation of the agent at work: nobody else's is to be taken back by guess."""
    own = (
        op
        for op in context.vault.log.operations(whole=True)
        if is_own_operation(context.actor, op) and _can_be_undone(op)
    )
    return next(own, None) or _raise_no_operation("of yours in this session that could be taken back")


def _can_be_undone(op: Operation) -> bool:
    return op.state == "done" and op.verb != "undo" and bool(op.steps)


def _raise_no_operation(which: str) -> Operation:
    raise NoOperation(which=which)


def undo_operation(context: VaultContext, ref: str = "", *, dry_run: bool = False) -> Operation:
    """Take an operation back byte for byte; where a person has edited since, nothing is changed."""
    op = find_operation(context, ref) if ref or not context.actor.agent else _last_own_operation(context)
    check_own_operation(context.actor, op, "takes back what somebody else did")
    if op.state == "undone":
        raise UndoRefused(ref=op.op, path="it", reason="was undone already")
    if op.verb == "purge":
        raise UndoRefused(ref=op.op, path="it", reason="was for good")
    changes = tuple(change for step in reversed(op.steps) for change in _inverse_changes(op, step, context.vault))
    changes += tuple(_vetoes(op)) if op.verb in REPEATED else ()
    if dry_run:
        return op
    apply_one(Plan("undo", changes, undoes=op.op), context)
    return op


REPEATED = ("maintain",)  # what would do the same again by itself tomorrow


def _vetoes(op: Operation) -> Iterator[PlanChange]:
    """What a run did and a person takes back, no run does again before its memory is used or edited."""
    for id_, rule in dict.fromkeys((step.id, rule) for step in op.steps for rule in step.rules if step.id):
        entry = {"e": "veto", "id": id_, "change": rule}
        yield LedgerNote(
            entry, "not to be done again by itself", {"e": "lift", "of": "veto", "id": id_, "change": rule}
        )


def _inverse_changes(op: Operation, step: OperationStep, vault: Vault) -> list[PlanChange]:
    why = f"undo {op.verb}"
    if step.rules == (CLAUDE_MD,) and _has_changed(step, vault):
        return []  # the page is made of the notes, and made again from them
    match step.do:
        case "create":
            _check_unchanged(op, step.path, step.after, vault)
            return [RemoveFile(step.path, step.after, why), *_inverse_note_changes(step, why)]
        case "rewrite":
            _check_unchanged(op, step.path, step.after, vault)
            return [RewriteNote(step.path, _kept_bytes(op, step, vault), step.after, why, _inverse_notes(step))]
        case "move":
            _check_unchanged(op, step.to, step.after, vault)
            _check_free(op, step.path, vault)
            data = _kept_bytes(op, step, vault) if step.before != step.after else None
            return [MoveFile(step.to, step.path, why, NO_FIELDS, data, step.after, _inverse_notes(step))]
        case "remove":
            _check_free(op, step.path, vault)
            return [CreateFile(step.path, _kept_bytes(op, step, vault), why)]
        case "outside":
            return [_restore_outside(op, step, vault, why)]
        case "forgotten":
            raise UndoRefused(ref=op.op, path="a part of it", reason="was forgotten for good")
        case _:
            return [LedgerNote(step.inverse, why, step.entry)] if step.inverse else []


def _has_changed(step: OperationStep, vault: Vault) -> bool:
    try:
        return vault.read_note(step.path).version != step.after
    except MemvaultError:
        return True


def _inverse_notes(step: OperationStep) -> ChangeSubject:
    """What was noted with a step, taken back with it."""
    return ChangeSubject(id=step.id, notes=tuple((inverse, entry) for entry, inverse in step.notes if inverse))


def _inverse_note_changes(step: OperationStep, why: str) -> list[PlanChange]:
    return [LedgerNote(inverse, why, entry) for entry, inverse in step.notes if inverse]


def _restore_outside(op: Operation, step: OperationStep, vault: Vault, why: str) -> PlanChange:
    """A file outside the vault as it was.

    The log may have come with a vault from elsewhere: of one that this machine did not write, no file is touched here.
    """
    from memvault.context.claude_md import refusal_reason  # deferred: to look at the log takes no block

    path = Path(step.path)
    if op.device != vault.device or refusal_reason(path):
        raise UndoRefused(ref=op.op, path=path, reason="lies outside the vault, and was not written by this machine")
    if not step.after:
        if path.exists():
            raise UndoRefused(ref=op.op, path=path, reason="is in the way: another file has that name now")
        return WriteOutside(step.path, _kept_bytes(op, step, vault), "", why)
    try:
        found = files.digest(files.read_file(path))
    except MemvaultError as error:
        raise UndoRefused(ref=op.op, path=path, reason=f"cannot be read ({error})") from None
    if found != step.after:
        raise UndoRefused(ref=op.op, path=path, reason="has been changed since")
    return WriteOutside(step.path, _kept_bytes(op, step, vault) if step.before else None, step.after, why)


def _check_unchanged(op: Operation, path: str, sha: str, vault: Vault) -> None:
    if not vault.exists(path):
        raise UndoRefused(ref=op.op, path=path, reason="is not there any more")
    try:
        found = vault.read_note(path).version
    except MemvaultError as error:
        raise UndoRefused(ref=op.op, path=path, reason=f"cannot be read ({error})") from None
    if found != sha:
        raise UndoRefused(ref=op.op, path=path, reason="has been changed since")


def _check_free(op: Operation, path: str, vault: Vault) -> None:
    if vault.exists(path):
        raise UndoRefused(ref=op.op, path=path, reason="is in the way: another file has that name now")


def _kept_bytes(op: Operation, step: OperationStep, vault: Vault) -> bytes:
    from memvault.sync.repository import old_version  # deferred: to look at the log takes no git

    data = old_version(vault, op.op, step.path, step.before)
    if data is None:
        raise UndoRefused(ref=op.op, path=step.path, reason="is no longer kept as it was (see undo.keep_days)")
    return data
