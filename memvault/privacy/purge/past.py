"""The steps by which a memory came to be what and where it is, told from those of others at the same places."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from memvault.core.plan import Operation, Step

OwnStep = tuple[str, str, str]  # the operation, the path, and where to


@dataclass(frozen=True, slots=True)
class Past:
    """What the log tells of some notes."""

    steps: frozenset[OwnStep]
    kept: frozenset[tuple[str, str]]  # operation and digest of the bytes that were kept of them
    names: frozenset[str]  # every path at which they ever lay
    shared: frozenset[str]  # those at which something else lay at another time


def past(operations: Iterable[Operation], ids: Collection[str], notes: Iterable[str]) -> Past:
    """Follow some notes back, from where they lie, through operations of which the newest comes first."""
    back = _Back(set(ids), set(notes))
    for operation in operations:
        for step in reversed(operation.steps):
            if step.do not in ("outside", "note"):
                back.take(operation.op, step)
    names = back.names | back.here
    return Past(frozenset(back.steps), frozenset(back.kept), frozenset(names), frozenset(names & back.others))


@dataclass(slots=True)
class _Back:
    ids: set[str]
    here: set[str]  # where they lay before the steps that were taken so far
    names: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    steps: set[OwnStep] = field(default_factory=set)
    kept: set[tuple[str, str]] = field(default_factory=set)

    def take(self, op: str, step: Step) -> None:
        if not self._is_own(step):
            self.others |= set(_paths(step))
            self.here -= set(_paths(step))  # what lies there is another's, so ours came later
            return
        self.names |= set(_paths(step))
        self.steps.add((op, step.path, step.to))
        if step.before:
            self.kept.add((op, step.before))
        self.here -= set(_paths(step))
        if step.do != "create":
            self.here.add(step.path)

    def _is_own(self, step: Step) -> bool:
        # A note without an id is told by where it lay at that time.
        return step.id in self.ids if step.id else (step.to or step.path) in self.here


def _paths(step: Step) -> Iterator[str]:
    return (path for path in (step.path, step.to) if path)
