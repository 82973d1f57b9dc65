"""The one hand that writes: carries out a plan, logs it, and keeps what it replaced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from memvault.core.plan import Change, Move, Operation, Plan, Step, about, path_of
from memvault.errors import ChangedMeanwhile, MemvaultError
from memvault.storage.journal.deed import Deed, execute, insists_on_version, prepare
from memvault.storage.journal.recover import recover
from memvault.storage.vault.context import Bench

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
