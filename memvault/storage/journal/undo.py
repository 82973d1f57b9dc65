"""The list of operations on the vault, what each changed, and undoing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import unified_diff
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
from memvault.storage.permissions import check_own_operation, is_own_operation, refusal_reason
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import find_with_waiting
from memvault.storage.vault.vault import Vault
from memvault.system import files
from memvault.text.dates.dates import read_moment

# Filtering operations: by whom, since when, and about which memory under all its paths.


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationFilter:
    """Conditions on the operations of the log; all given ones must hold."""

    memory: str = ""
    agent: str = ""
    session: str = ""
    device: str = ""
    verb: str = ""
    since: datetime | None = None


ALL_OPERATIONS = OperationFilter()


def _matches_filter(op: Operation, wanted: OperationFilter) -> bool:
    """Return whether an operation meets the filter; agents, sessions and devices match by prefix."""
    pairs = ((op.agent, wanted.agent), (op.session, wanted.session), (op.device, wanted.device), (op.verb, wanted.verb))
    if not all(name.casefold().startswith(wanted.casefold()) for name, wanted in pairs):
        return False
    if wanted.since is None:
        return True
    at = read_moment(op.at)
    return at is not None and at >= wanted.since


def _operations_about(operations: Sequence[Operation], ref: str, context: VaultContext) -> list[Operation]:
    """Return the operations about one memory, newest first, each with the steps that touched it alone."""
    try:
        memory = find_with_waiting(context, ref)
    except NotFound:
        deleted = _operations_on_deleted(operations, ref)
        if not deleted:
            raise
        return deleted
    return list(_operations_on(operations, memory.path, memory.id))


def _operations_on(operations: Sequence[Operation], path: str, id_: str) -> Iterator[Operation]:
    """Yield the operations on what lies at a path now, back through its moves to its creation, with their steps."""
    paths = {path}
    for op in operations:
        touched = [step for step in reversed(op.steps) if _touches_memory(step, paths, id_)]
        if touched:
            yield replace(op, steps=tuple(reversed(touched)))
        for step in touched:
            # What lay there before its creation is another note.
            if step.do == "move":
                paths.discard(step.to)
            if step.do == "create" and not op.undoes:
                paths.discard(step.path)
            elif step.path:
                paths.add(step.path)


def _touches_memory(step: OperationStep, paths: set[str], id_: str) -> bool:
    decided = step.entry.get("id") if step.entry else None
    return (id_ != "" and id_ in (step.id, decided)) or step.path in paths or step.to in paths


def _operations_on_deleted(operations: Sequence[Operation], ref: str) -> list[Operation]:
    """Return the operations on a deleted note, by its id, its path or its file name."""
    for at, op in enumerate(operations):
        for step in op.steps:
            if _names_note(step, ref):
                path = step.to or step.path
                for later in (each for after in reversed(operations[:at]) for each in after.steps):
                    if later.do == "move" and later.path == path:
                        path = later.to
                return list(_operations_on(operations, path, step.id or ref))
    return []


def _names_note(step: OperationStep, ref: str) -> bool:
    wanted = ref.removesuffix(".md").casefold()
    paths = (path.removesuffix(".md").casefold() for path in (step.path, step.to) if path)
    return bool(step.id and id_matches(step.id, ref)) or any(
        path == wanted or path.endswith(f"/{wanted}") for path in paths
    )


def list_operations(
    context: VaultContext, wanted: OperationFilter = ALL_OPERATIONS, *, limit: int = 0
) -> list[Operation]:
    """Return the operations on this vault, newest first, or those that meet the filter."""
    operations = context.vault.log.operations()
    found = [op for op in operations if _matches_filter(op, wanted)]
    if wanted.memory:  # its paths are followed through all operations: another actor may have moved it
        ids = {op.op for op in _operations_about(operations, wanted.memory, context)}
        found = [op for op in found if op.op in ids]
    return found[:limit] if limit else found


def list_memory_history(context: VaultContext, ref: str) -> list[Operation]:
    """Return what was done to one memory, newest first, under all names it had; also to one that is gone."""
    return _operations_about(context.vault.log.operations(), ref, context)


def find_operation(context: VaultContext, ref: str) -> Operation:
    """Return an operation by its name or a prefix."""
    found = context.vault.log.operations(whole=True)
    matching = [op for op in found if op.op.casefold().startswith(ref.casefold())]
    if len(matching) > 1:
        raise Ambiguous(ref=ref, count=len(matching), names=", ".join(op.op for op in matching[:5]))
    if not matching:
        raise NoOperation(which=repr(ref))
    return matching[0]


def _find_last(context: VaultContext) -> tuple[Operation, list[PlanChange]]:
    """Return the last own operation, and what undoes it; one that nothing can undo any more is passed over and told."""
    passed: list[UndoRefused] = []
    lost: set[str] = set()
    # Nobody else's is undone by guess. Another machine's is never "the last one": undoing it takes its name.
    actor, device = context.actor, context.vault.device
    for op in context.vault.log.operations(whole=True):  # otherwise the wrong one might count as the last
        is_own = is_own_operation(actor, op) if actor.agent else op.device == device
        if not is_own or op.state != "done" or op.verb == "undo" or not op.steps:
            continue
        try:
            changes = _inverse_changes(op, context.vault)
        except UndoRefused as error:
            touched = {path for step in op.steps for path in (step.path, step.to) if path}
            if not error.data.get("for_good") and touched.isdisjoint(lost):
                raise
            lost |= touched  # nor can what was done to these files before
            passed.append(error)
            continue
        return replace(op, passed_over=tuple(map(str, passed)) or None), changes
    if passed:
        raise passed[0]
    raise NoOperation(which="of yours in this session that could be taken back" if actor.agent else _NONE_HERE)


_NONE_HERE = "of this machine that could be undone"


def _inverse_changes(op: Operation, vault: Vault) -> list[PlanChange]:
    return [change for step in reversed(op.steps) for change in _undo_changes(op, step, vault)]


def undo_operation(context: VaultContext, ref: str = "", *, dry_run: bool = False) -> Operation:
    """Undo an operation, by default the last one, byte for byte; nothing is changed where a person has edited since."""
    op, changes = _find_named(context, ref) if ref else _find_last(context)
    # So that a run does not repeat what a person undid before the memory is used or edited.
    rules = [(step.id, rule) for step in op.steps for rule in step.rules if step.id] if op.verb in REPEATED else []
    for id_, rule in dict.fromkeys(rules):
        entry = {"e": "veto", "id": id_, "change": rule}
        inverse = {"e": "lift", "of": "veto", "id": id_, "change": rule}
        changes.append(LedgerNote(entry, "not to be done again by itself", inverse))
    if not dry_run:
        apply_one(Plan("undo", changes, undoes=op.op), context)
    return op


def _find_named(context: VaultContext, ref: str) -> tuple[Operation, list[PlanChange]]:
    """Return the operation of that name, and what undoes it."""
    op = find_operation(context, ref)
    check_own_operation(context.actor, op, "takes back what somebody else did")
    if op.state == "undone":
        raise UndoRefused(ref=op.op, path="it", reason="was undone already")
    if op.verb == "purge":
        raise UndoRefused(ref=op.op, path="it", reason="was for good")
    return op, _inverse_changes(op, context.vault)


REPEATED = ("maintain",)  # these would repeat themselves


def _undo_changes(op: Operation, step: OperationStep, vault: Vault) -> list[PlanChange]:
    why = f"undo {op.verb}"
    if step.rules == (CLAUDE_MD,) and _has_changed(step, vault):
        return []  # the file is generated from the notes
    match step.do:
        case "create":
            _check_unchanged(op, step.path, step.after, vault)
            notes = [LedgerNote(inverse, why, entry) for entry, inverse in step.notes if inverse]
            return [RemoveFile(step.path, step.after, why), *notes]
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
            raise UndoRefused(ref=op.op, path="a part of it", reason="was forgotten for good", for_good=True)
        case _:
            return [LedgerNote(step.inverse, why, step.entry)] if step.inverse else []


def _has_changed(step: OperationStep, vault: Vault) -> bool:
    try:
        return vault.read_note(step.path).version != step.after
    except MemvaultError:
        return True


def _inverse_notes(step: OperationStep) -> ChangeSubject:
    """Return the step's notes, inverted."""
    return ChangeSubject(id=step.id, notes=tuple((inverse, entry) for entry, inverse in step.notes if inverse))


def _restore_outside(op: Operation, step: OperationStep, vault: Vault, why: str) -> PlanChange:
    """Return the change that restores a file outside the vault.

    The log may come from elsewhere: files are restored only for operations of this machine.
    """
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
    data = vault.log.kept_bytes(op.op, step.before)
    if data is None:
        data = _find_in_history(vault, step.path, step.before)
    if data is None:
        reason = "is no longer kept as it was (see undo.keep_days)"
        raise UndoRefused(ref=op.op, path=step.path, reason=reason, for_good=True)
    return data


_MOST_COMMITS = 1_000  # that changed the file
_NO_BLOB = "0"  # git's name for "no file" has only zeros


def _find_in_history(vault: Vault, path: str, digest: str) -> bytes | None:
    """Return a version of a file from git's commits: another machine's, or one older than undo keeps."""
    from memvault.system.git import Git, is_work_tree, own_environment  # deferred: listing the log does not need git
    from memvault.system.git_objects import read_blobs_in_parts

    if not is_work_tree(vault.root) or files.find_link_out(vault.root / ".git"):
        return None
    words = ("--literal-pathspecs", "log", "--all", "--no-renames", "--format=", "--raw", "--no-abbrev", "-m", "-z")
    try:
        git = Git(vault.root, own_environment())
        rows = git.try_run(*words, f"-n{_MOST_COMMITS}", "--", path).names()
        blobs = [blob for row in rows if row.startswith(":") for blob in row.split(" ")[2:4] if blob.strip(_NO_BLOB)]
        for part in read_blobs_in_parts(git, blobs):
            for data in part.values():
                if files.digest(data) == digest:
                    return data
    except MemvaultError:  # no git, or a repository that it cannot read
        return None
    return None


# What operations changed, text by text: from the bytes that undo keeps, the files of now, and git.


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange:
    """What one step made of a file: its lines before and after, as a unified diff; or why there is none."""

    step: OperationStep
    diff: tuple[str, ...] = ()
    problem: str = ""


def diff_operations(context: VaultContext, operations: Sequence[Operation]) -> list[tuple[TextChange, ...]]:
    """Return, for each of the operations, what each of its steps changed in a file of the vault."""
    # What one operation left is what the next one replaced, and kept.
    keepers: dict[str, str] = {}
    for op in context.vault.log.operations():
        keepers.update({step.before: op.op for step in op.steps if step.before})
    return [tuple(_diff_step(context, op, step, keepers) for step in op.steps) for op in operations]


_FILE_STEPS = ("create", "rewrite", "move", "remove")
_LINES_AROUND = 2


def _diff_step(context: VaultContext, op: Operation, step: OperationStep, keepers: Mapping[str, str]) -> TextChange:
    if step.do not in _FILE_STEPS or step.before == step.after:  # moved as it was
        return TextChange(step=step)
    try:
        before = _kept_bytes(op, step, context.vault) if step.before and step.do != "create" else b""
        after = _read_after(context.vault, step, keepers) if step.after and step.do != "remove" else b""
        was, now = (data.decode("utf-8").splitlines() for data in (before, after))
    except UndoRefused:
        return TextChange(step=step, problem="its text before is no longer kept (undo.keep_days)")
    except UnicodeDecodeError:
        return TextChange(step=step, problem="it is not text")
    except MemvaultError:
        return TextChange(step=step, problem="its text after is no longer kept (undo.keep_days)")
    lines = unified_diff(was, now, lineterm="", n=_LINES_AROUND)
    return TextChange(step=step, diff=tuple(line for line in lines if not line.startswith(("--- ", "+++ "))))


def _read_after(vault: Vault, step: OperationStep, keepers: Mapping[str, str]) -> bytes:
    """Return what a step wrote: from the file, if it still says that, else where the next operation or git keeps it."""
    path = step.to or step.path
    if vault.exists(path) and (note := vault.read_note(path)).version == step.after:
        return note.raw
    found = vault.log.kept_bytes(keepers[step.after], step.after) if step.after in keepers else None
    found = _find_in_history(vault, path, step.after) if found is None else found
    if found is None:
        raise NotFound(ref=path)
    return found
