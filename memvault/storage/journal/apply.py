"""Carries out a plan, logs it, and keeps what it replaces: the only code that changes notes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memvault.core.plan import (
    AppendText,
    CreateFile,
    LedgerNote,
    MoveFile,
    Operation,
    OperationStep,
    Plan,
    PlanChange,
    RemoveFile,
    RewriteNote,
    SetFields,
    WriteOutside,
    get_path,
    get_subject,
)
from memvault.errors import AlreadyThere, ChangedMeanwhile, MemvaultError
from memvault.storage.journal.recover import recover_vault
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.vault import Vault
from memvault.system import files

# One change of a plan: the bytes before and after, and how it is made.


@dataclass(frozen=True, slots=True)
class PreparedChange:
    """A change about to be made, with the bytes before and after."""

    change: PlanChange
    step: OperationStep
    before: bytes | None = None
    after: bytes | None = None


def prepare_change(change: PlanChange, vault: Vault) -> PreparedChange:
    """Return the change as it would be made of the current files; raises what prevents it."""
    match change:
        case LedgerNote(entry, why, inverse):
            more = get_subject(change)
            step = OperationStep("note", "", why=why, entry=entry, inverse=inverse, id=more.id, rules=more.rules)
            return PreparedChange(change, step)
        case CreateFile(path, data, why):
            if vault.exists(path):
                raise AlreadyThere(path=path)
            return _prepared_change(change, "create", path, None, data, why)
        case RemoveFile(path, version, why):
            return _prepared_change(change, "remove", path, _read_current(vault, path, version), None, why)
        case WriteOutside(path, data, version, why):
            before = _read_outside(Path(path), version)
            return _prepared_change(change, "outside", path, before, data, why)
        case MoveFile(path, to, why):
            if vault.exists(to):
                raise AlreadyThere(path=to)
            before = _read_current(vault, path, change.version)
            return _prepared_change(change, "move", path, before, _changed_bytes(before, change, vault), why, to=to)
        case _:
            before = _read_current(vault, change.path, change.version)
            return _prepared_change(
                change, "rewrite", change.path, before, _changed_bytes(before, change, vault), change.why
            )


def _changed_bytes(before: bytes, change: SetFields | AppendText | RewriteNote | MoveFile, vault: Vault) -> bytes:
    """Return the bytes that a change makes of the current ones."""
    if isinstance(change, RewriteNote):
        return change.data
    if isinstance(change, MoveFile) and change.data is not None:
        return change.data
    after = codec.append_text(before, change.text, path=change.path) if isinstance(change, AppendText) else before
    after = codec.set_fields(after, change.fields, path=change.path) if change.fields else after
    if isinstance(change, MoveFile) or not change.lists:
        return after
    return codec.change_lists(after, change.lists, path=change.path, kinds=vault.settings.kinds)


def _prepared_change(
    change: PlanChange, do: str, path: str, before: bytes | None, after: bytes | None, why: str, *, to: str = ""
) -> PreparedChange:
    more = get_subject(change)
    old, new = ("" if data is None else files.digest(data) for data in (before, after))
    step = OperationStep(do, path, to, old, new, why, id=more.id, rules=more.rules, notes=more.notes)
    return PreparedChange(change, step, before, after)


def _read_current(vault: Vault, path: str, version: str) -> bytes:
    data = files.read_file(vault.absolute_path(path))
    if version and files.digest(data) != version:
        raise ChangedMeanwhile(path=path)
    return data


def _read_outside(path: Path, version: str) -> bytes | None:
    """Return the bytes of a file outside the vault, checked by version; None for one that must not exist."""
    if not version:
        if os.path.lexists(path):
            raise AlreadyThere(path=path)
        return None
    data = files.read_file(path)
    if files.digest(data) != version:
        raise ChangedMeanwhile(path=path)
    return data


def make_change(prepared: PreparedChange, vault: Vault, context: VaultContext) -> None:
    """Make the change, unless its file was changed since it was prepared."""
    before, after, step = prepared.before, prepared.after, prepared.step
    if step.do == "note" and step.entry is not None:
        vault.ledger.append([step.entry], context.now)
        return
    if step.do == "outside":
        _write_outside(Path(step.path), before, after, vault)
        return
    path = vault.absolute_path(step.path)
    if step.do == "create" and after is not None:
        files.make_folder(path.parent, mode=vault.folder_mode)
        files.create_file(path, after, mode=vault.file_mode)
    if step.do == "rewrite" and before is not None and after is not None and before != after:
        files.replace_note(path, after, expected=before, hold=vault.displaced_folder)
    if step.do == "move" and before is not None and after is not None:
        _move_note(prepared, vault)
    if step.do == "remove" and before is not None:
        files.discard_note(path, expected=before, hold=vault.displaced_folder)


def _write_outside(path: Path, before: bytes | None, after: bytes | None, vault: Vault) -> None:
    if before is None:
        files.create_file(path, after or b"", mode=0o644)
        return
    # Files are displaced within one file system, so that an editor's late write is still noticed.
    files.make_folder(vault.displaced_folder)
    is_near = vault.displaced_folder.stat().st_dev == path.parent.stat().st_dev
    hold = vault.displaced_folder if is_near else path.parent / f".memvault-{files.digest(before)[:8]}"
    if after is None:
        files.discard_note(path, expected=before, hold=hold)
    else:
        files.replace_note(path, after, expected=before, hold=hold)
    if not is_near:
        shutil.rmtree(hold, ignore_errors=True)


def _move_note(prepared: PreparedChange, vault: Vault) -> None:
    """Change the text in place, then move it: killed in between, it is whole in the old place."""
    assert prepared.before is not None
    assert prepared.after is not None
    source, target = vault.absolute_path(prepared.step.path), vault.absolute_path(prepared.step.to)
    files.make_folder(target.parent, mode=vault.folder_mode)
    if prepared.before != prepared.after:
        files.replace_note(source, prepared.after, expected=prepared.before, hold=vault.displaced_folder)
    try:
        files.move_file(source, target)
    except MemvaultError:
        if prepared.before != prepared.after:  # a failed move leaves the note unchanged
            files.replace_note(source, prepared.before, expected=prepared.after, hold=vault.displaced_folder)
        raise


BATCH = 500
_BATCH_BYTES = 32 * 1024 * 1024  # of new texts in one batch
_TRIES = 50  # then give up on an editor that saves without pause


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """The logged operation, and the changes that could not be made, with why."""

    operation: Operation
    refused: tuple[tuple[PlanChange, MemvaultError], ...] = ()


Progress = Callable[[int, int], None]


def no_progress(_done: int, _all: int) -> None:
    """Ignore the progress."""


def apply(
    plan: Plan, context: VaultContext, *, progress: Progress = no_progress, stop_at_refusal: bool = False
) -> ApplyResult:
    """Carry out a plan under the vault's lock; a refused change does not stop the rest.

    With `stop_at_refusal`, the first refusal stops everything behind it.
    """
    with context.vault.lock_vault():
        recover_vault(context.vault, context.now)
        result = _PlanRun(plan, context, progress, whole=stop_at_refusal).run()
    if result.operation.steps and (command := context.settings.text("user.on_write")):
        _start_command(command, result.operation, context)
    return result


def _start_command(command: str, operation: Operation, context: VaultContext) -> None:
    """Start the person's own command, from their own config, and wait for nothing; it is told what was done by ids."""
    import shlex  # deferred, both: few have a command

    from memvault.system.programs import start_detached

    if "MEMVAULT_OP" in context.environment:
        return  # it was the command itself that wrote
    told = {"MEMVAULT_OP": operation.op, "MEMVAULT_VERB": operation.verb, "MEMVAULT_DIR": str(context.vault.root)}
    with suppress(ValueError):  # an unfinished quote: `config` would not have taken it
        start_detached(shlex.split(command, posix=os.name != "nt"), {**context.environment, **told})


def apply_one(plan: Plan, context: VaultContext) -> Operation:
    """Carry out a plan of which no part may fail: the first refusal is raised."""
    outcome = apply(plan, context, stop_at_refusal=True)
    if outcome.refused:
        raise outcome.refused[0][1]
    return outcome.operation


class _PlanRun:
    """One plan being carried out."""

    def __init__(self, plan: Plan, context: VaultContext, progress: Progress, *, whole: bool) -> None:
        self._plan = plan
        self._context = context
        self._vault = context.vault
        self._progress = progress
        self._whole = whole
        self._refused: dict[int, MemvaultError] = {}
        self._op = f"{context.now:%Y%m%dT%H%M%SZ}-{os.urandom(3).hex()}"

    def run(self) -> ApplyResult:
        context, log, ledger = self._context, self._vault.log, self._vault.ledger
        steps: list[OperationStep] = []
        for start, batch in _split_batches(self._plan.changes):
            ready = [self._prepare(number, change) for number, change in enumerate(batch, start)]
            announced = [one.step for one in ready]
            if start == 0:
                log.begin_operation(self._operation(tuple(announced)), context.now)
            else:
                log.add_steps(self._op, announced, context.now)
            # The decisions of the changes are written before the changes can be seen.
            numbered = list(enumerate(announced, start))
            made = [step for number, step in numbered if number not in self._refused]
            ledger.append([entry for step in made for entry, _ in step.notes], context.now)
            for number, (change, one) in enumerate(zip(batch, ready, strict=True), start):
                self._check_group(number, change)
                steps.append(self._carry_out(number, change, one))
                self._progress(number + 1, len(self._plan.changes))
            missed = [step for number, step in numbered if number in self._refused]
            ledger.append([inverse for step in missed for _, inverse in step.notes if inverse], context.now)
        log.end_operation(self._op, sorted(self._refused), context.now)
        steps_made = tuple(step for number, step in enumerate(steps) if number not in self._refused)
        refused = tuple((self._plan.changes[number], error) for number, error in sorted(self._refused.items()))
        sentences = tuple(str(error) for _, error in refused)
        return ApplyResult(replace(self._operation(steps_made), refused=sentences), refused)

    def _operation(self, steps: tuple[OperationStep, ...]) -> Operation:
        actor = self._context.actor
        return Operation(
            op=self._op,
            verb=self._plan.verb,
            at=f"{self._context.now:%Y-%m-%dT%H:%M:%SZ}",
            device=self._vault.device,
            agent=actor.agent,
            session=actor.session,
            undoes=self._plan.undoes,
            steps=steps,
        )

    # -- groups of changes

    def _check_group(self, number: int, change: PlanChange) -> None:
        """Check before the first change of a group that all of it is still possible."""
        group = get_subject(change).group
        before = self._plan.changes[number - 1] if number else None
        if not group or (before is not None and get_subject(before).group == group):
            return
        last = number
        while last < len(self._plan.changes) and get_subject(self._plan.changes[last]).group == group:
            last += 1
        members = range(number, last)
        failed = next((error for member in members if (error := self._change_error(member))), None)
        if failed is not None:
            self._refused |= dict.fromkeys(members, failed)

    def _change_error(self, number: int) -> MemvaultError | None:
        try:
            prepare_change(self._plan.changes[number], self._vault)
        except MemvaultError as error:
            return error
        return self._refused.get(number)

    # -- one change

    def _prepare(self, number: int, change: PlanChange) -> PreparedChange:
        try:
            return prepare_change(change, self._vault)
        except MemvaultError as error:
            self._refused[number] = error
            return PreparedChange(
                change, OperationStep("refused", get_path(change), why=change.why, id=get_subject(change).id)
            )

    def _carry_out(self, number: int, change: PlanChange, ready: PreparedChange) -> OperationStep:
        step = ready.step
        if self._whole and self._refused:
            self._refused.setdefault(number, next(iter(self._refused.values())))
        if number in self._refused:
            return step
        try:
            step_made = self._make_change(change, ready)
        except MemvaultError as error:
            self._refused[number] = error
            return step
        if step_made != step:  # an editor saved in between, and the change was made on its text
            self._vault.log.add_steps(self._op, [step_made], self._context.now, instead_of=number)
        return step_made

    def _make_change(self, change: PlanChange, ready: PreparedChange) -> OperationStep:
        """Make a change; where an editor saved in between and the change allows it, on the new text."""
        if isinstance(change, MoveFile) and ready.before == ready.after:
            ready = prepare_change(change, self._vault)  # a move compares nothing: so read the note once more
        for _ in range(_TRIES):
            if ready.before is not None:
                self._vault.log.keep_bytes(self._op, ready.before)
            try:
                make_change(ready, self._vault, self._context)
            except ChangedMeanwhile:
                # Some may only be made of the exact text that they were planned for.
                if isinstance(change, RewriteNote | RemoveFile | WriteOutside) or bool(getattr(change, "version", "")):
                    raise
                ready = prepare_change(change, self._vault)
                continue
            return ready.step
        raise ChangedMeanwhile(path=get_path(change))


def _split_batches(changes: Iterable[PlanChange]) -> Iterator[tuple[int, list[PlanChange]]]:
    """Yield the changes in batches of limited size, each with the number of its first; at least one batch."""
    start, size = 0, 0
    batch: list[PlanChange] = []
    for number, change in enumerate(changes):
        data = getattr(change, "data", None) or b""
        if batch and (len(batch) == BATCH or size + len(data) > _BATCH_BYTES):
            yield start, batch
            start, size, batch = number, 0, []
        batch.append(change)
        size += len(data)
    yield start, batch
