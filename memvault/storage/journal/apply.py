"""The one hand that writes: carries out a plan, logs it, and keeps what it replaced."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memvault.core.memory import FieldValue
from memvault.core.plan import (
    Append,
    Change,
    Create,
    Move,
    Note,
    Operation,
    Outside,
    Plan,
    Remove,
    Rewrite,
    SetFields,
    Step,
    about,
    path_of,
)
from memvault.errors import AlreadyThere, ChangedMeanwhile, MemvaultError
from memvault.storage.journal.recover import recover
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.storage.vault.vault import Vault
from memvault.system import files

# One change of a plan: the bytes before and after it, and how it is made.


@dataclass(frozen=True, slots=True)
class Deed:
    """A change with the bytes before and after, just about to be made."""

    change: Change
    step: Step
    before: bytes | None = None
    after: bytes | None = None


def prepare(change: Change, vault: Vault) -> Deed:
    """The change as it would be made of what is there now; what stands in its way is raised."""
    match change:
        case Note(entry, why, inverse):
            more = about(change)
            step = Step("note", "", why=why, entry=entry, inverse=inverse, id=more.id, rules=more.rules)
            return Deed(change, step)
        case Create(path, data, why):
            if vault.exists(path):
                raise AlreadyThere(path=path)
            return _deed(change, "create", path, None, data, why)
        case Remove(path, version, why):
            return _deed(change, "remove", path, _current(vault, path, version), None, why)
        case Outside(path, data, version, why):
            before = _outside(Path(path), version)
            return _deed(change, "outside", path, before, data, why)
        case Move(path, to, why):
            if vault.exists(to):
                raise AlreadyThere(path=to)
            before = _current(vault, path, change.version)
            return _deed(change, "move", path, before, _changed(before, change, vault), why, to=to)
        case _:
            before = _current(vault, change.path, change.version)
            return _deed(change, "rewrite", change.path, before, _changed(before, change, vault), change.why)


def _changed(before: bytes, change: SetFields | Append | Rewrite | Move, vault: Vault) -> bytes:
    """The bytes that a change makes of those that are there."""
    match change:
        case Rewrite(_, data):
            return data
        case Move(data=bytes(data)):
            return data
        case Append(path, text, _, fields):
            return _listed(_with(codec.appended(before, text, path=path), fields, path), change, vault)
        case SetFields():
            return _listed(_with(before, change.fields, change.path), change, vault)
        case _:
            return _with(before, change.fields, change.path)


def _listed(before: bytes, change: SetFields | Append, vault: Vault) -> bytes:
    if not change.lists:
        return before
    return codec.with_items(before, change.lists, path=change.path, kinds=vault.settings.kinds)


def _deed(
    change: Change, do: str, path: str, before: bytes | None, after: bytes | None, why: str, *, to: str = ""
) -> Deed:
    more = about(change)
    step = Step(do, path, to, _sha(before), _sha(after), why, id=more.id, rules=more.rules, notes=more.notes)
    return Deed(change, step, before, after)


def _sha(data: bytes | None) -> str:
    return "" if data is None else files.digest(data)


def _with(before: bytes, fields: Mapping[str, FieldValue | None], path: str) -> bytes:
    return codec.with_fields(before, fields, path=path) if fields else before


def _current(vault: Vault, path: str, version: str) -> bytes:
    data = files.read(vault.absolute(path))
    if version and files.digest(data) != version:
        raise ChangedMeanwhile(path=path)
    return data


def _outside(path: Path, version: str) -> bytes | None:
    """The bytes of a file outside the vault, which must be the ones that were read; None where there must be none."""
    if not version:
        if os.path.lexists(path):
            raise AlreadyThere(path=path)
        return None
    data = files.read(path)
    if files.digest(data) != version:
        raise ChangedMeanwhile(path=path)
    return data


def execute(deed: Deed, vault: Vault, bench: Bench) -> None:
    """Make the change, unless its file was changed since the deed was prepared."""
    before, after, step = deed.before, deed.after, deed.step
    if step.do == "note" and step.entry is not None:
        vault.ledger.append([step.entry], bench.now)
        return
    if step.do == "outside":
        _write_outside(Path(step.path), before, after, vault)
        return
    path = vault.absolute(step.path)
    if step.do == "create" and after is not None:
        files.make_folder(path.parent, mode=vault.folder_mode)
        files.create(path, after, mode=vault.file_mode)
    if step.do == "rewrite" and before is not None and after is not None and before != after:
        files.replace(path, after, expected=before, hold=vault.held)
    if step.do == "move" and before is not None and after is not None:
        _move(deed, vault)
    if step.do == "remove" and before is not None:
        files.discard(path, expected=before, hold=vault.held)


def _write_outside(path: Path, before: bytes | None, after: bytes | None, vault: Vault) -> None:
    if before is None:
        files.create(path, after or b"", mode=0o644)
        return
    # What is displaced can only be exchanged within one file system; an editor's late write is then seen to as ever.
    files.make_folder(vault.held)
    is_near = vault.held.stat().st_dev == path.parent.stat().st_dev
    hold = vault.held if is_near else path.parent / f".memvault-{files.digest(before)[:8]}"
    if after is None:
        files.discard(path, expected=before, hold=hold)
    else:
        files.replace(path, after, expected=before, hold=hold)
    if not is_near:
        shutil.rmtree(hold, ignore_errors=True)


def _move(deed: Deed, vault: Vault) -> None:
    """Change the text where it lies, then move it: killed in between, it is whole in the old place."""
    assert deed.before is not None
    assert deed.after is not None
    source, target = vault.absolute(deed.step.path), vault.absolute(deed.step.to)
    files.make_folder(target.parent, mode=vault.folder_mode)
    if deed.before != deed.after:
        files.replace(source, deed.after, expected=deed.before, hold=vault.held)
    try:
        files.move(source, target)
    except MemvaultError:
        if deed.before != deed.after:  # what is not moved is not changed either
            files.replace(source, deed.before, expected=deed.after, hold=vault.held)
        raise


def insists_on_version(change: Change) -> bool:
    """Whether a change may only be made of the very text it was planned for."""
    return isinstance(change, Rewrite | Remove | Outside) or bool(getattr(change, "version", ""))


BATCH = 500
_BATCH_BYTES = 32 * 1024 * 1024  # of new texts that are held at once
_TRIES = 50  # an editor that saves without pause is not waited for longer than this


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a plan: the logged operation, and the changes that could not be made, with why."""

    operation: Operation
    refused: tuple[tuple[Change, MemvaultError], ...] = ()


Progress = Callable[[int, int], None]


def unseen(_done: int, _all: int) -> None:
    """Progress that nobody watches."""


def apply(plan: Plan, bench: Bench, *, progress: Progress = unseen, whole: bool = False) -> Outcome:
    """Carry out a plan under the vault's lock; a change that cannot be made does not stop the rest.

    Where the plan only makes sense as a whole, the first refusal stops what is behind it.
    """
    with bench.vault.locked():
        recover(bench.vault, bench.now)
        return _Run(plan, bench, progress, whole=whole).carry_out()


def apply_one(plan: Plan, bench: Bench) -> Operation:
    """Carry out a plan of which no part may fail: the first refusal is raised."""
    outcome = apply(plan, bench, whole=True)
    if outcome.refused:
        raise outcome.refused[0][1]
    return outcome.operation


class _Run:
    """One plan on its way into the vault."""

    def __init__(self, plan: Plan, bench: Bench, progress: Progress, *, whole: bool) -> None:
        self._plan = plan
        self._bench = bench
        self._vault = bench.vault
        self._progress = progress
        self._whole = whole
        self._refused: dict[int, MemvaultError] = {}
        self._op = f"{bench.now:%Y%m%dT%H%M%SZ}-{os.urandom(3).hex()}"

    def carry_out(self) -> Outcome:
        steps: list[Step] = []
        for start, batch in _batches(self._plan.changes):
            ready = [self._prepared(number, change) for number, change in enumerate(batch, start)]
            announced = [one.step for one in ready]
            self._announce(tuple(announced), first=start == 0)
            self._write_notes(start, announced)
            for number, (change, one) in enumerate(zip(batch, ready, strict=True), start):
                self._check_group(number, change)
                steps.append(self._carry(number, change, one))
                self._progress(number + 1, len(self._plan.changes))
            self._take_notes_back(start, announced)
        return self._finish(steps)

    def _announce(self, steps: tuple[Step, ...], *, first: bool) -> None:
        if first:
            self._vault.log.begin(self._operation(steps), self._bench.now)
        else:
            self._vault.log.more(self._op, steps, self._bench.now)

    def _write_notes(self, start: int, steps: list[Step]) -> None:
        """What is decided with a change is known before the change can be seen."""
        made = (step for number, step in enumerate(steps, start) if number not in self._refused)
        self._vault.ledger.append([entry for step in made for entry, _ in step.notes], self._bench.now)

    def _take_notes_back(self, start: int, steps: list[Step]) -> None:
        unmade = (step for number, step in enumerate(steps, start) if number in self._refused)
        back = [inverse for step in unmade for _, inverse in step.notes if inverse]
        self._vault.ledger.append(back, self._bench.now)

    def _finish(self, steps: list[Step]) -> Outcome:
        self._vault.log.end(self._op, sorted(self._refused), self._bench.now)
        made = tuple(step for number, step in enumerate(steps) if number not in self._refused)
        refused = tuple((self._plan.changes[number], error) for number, error in sorted(self._refused.items()))
        sentences = tuple(str(error) for _, error in refused)
        return Outcome(replace(self._operation(made), refused=sentences), refused)

    def _operation(self, steps: tuple[Step, ...]) -> Operation:
        actor = self._bench.actor
        return Operation(
            op=self._op,
            verb=self._plan.verb,
            at=f"{self._bench.now:%Y-%m-%dT%H:%M:%SZ}",
            device=self._vault.device,
            agent=actor.agent,
            session=actor.session,
            undoes=self._plan.undoes,
            steps=steps,
        )

    # -- changes that belong together

    def _check_group(self, number: int, change: Change) -> None:
        """Before the first change of a group is made, all of them must still be possible."""
        group = about(change).group
        before = self._plan.changes[number - 1] if number else None
        if not group or (before is not None and about(before).group == group):
            return
        members = self._members(number, group)
        failed = next((error for member in members if (error := self._trouble_with(member))), None)
        if failed is not None:
            self._refused |= dict.fromkeys(members, failed)

    def _members(self, first: int, group: str) -> range:
        last = first
        while last < len(self._plan.changes) and about(self._plan.changes[last]).group == group:
            last += 1
        return range(first, last)

    def _trouble_with(self, number: int) -> MemvaultError | None:
        try:
            prepare(self._plan.changes[number], self._vault)
        except MemvaultError as error:
            return error
        return self._refused.get(number)

    # -- one change

    def _prepared(self, number: int, change: Change) -> Deed:
        try:
            return prepare(change, self._vault)
        except MemvaultError as error:
            self._refused[number] = error
            return Deed(change, Step("refused", path_of(change), why=change.why, id=about(change).id))

    def _carry(self, number: int, change: Change, ready: Deed) -> Step:
        step = ready.step
        if self._whole and self._refused:
            self._refused.setdefault(number, next(iter(self._refused.values())))
        if number in self._refused:
            return step
        try:
            made = self._make(change, ready)
        except MemvaultError as error:
            self._refused[number] = error
            return step
        if made != step:  # an editor saved in between, and the change was made on its text
            self._vault.log.correct(self._op, number, made, self._bench.now)
        return made

    def _make(self, change: Change, ready: Deed) -> Step:
        """Make a change; where an editor saved in between and the change allows it, on the fresh text."""
        if isinstance(change, Move) and ready.before == ready.after:
            ready = prepare(change, self._vault)  # nothing is compared while it is moved: so look once more
        for _ in range(_TRIES):
            if ready.before is not None:
                self._vault.log.keep(self._op, ready.before)
            try:
                execute(ready, self._vault, self._bench)
            except ChangedMeanwhile:
                if insists_on_version(change):
                    raise
                ready = prepare(change, self._vault)
                continue
            return ready.step
        raise ChangedMeanwhile(path=path_of(change))


def _batches(changes: Iterable[Change]) -> Iterator[tuple[int, list[Change]]]:
    """The changes in batches that are not too large, each with the number of its first; one batch at least."""
    start, size = 0, 0
    batch: list[Change] = []
    for number, change in enumerate(changes):
        data = getattr(change, "data", None) or b""
        if batch and (len(batch) == BATCH or size + len(data) > _BATCH_BYTES):
            yield start, batch
            start, size, batch = number, 0, []
        batch.append(change)
        size += len(data)
    yield start, batch
