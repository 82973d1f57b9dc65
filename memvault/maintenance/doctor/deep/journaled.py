"""Which bytes the records say a note had, and where it was left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from memvault.core.plan import Operation, Step
from memvault.storage.journal.jsonl import Record

LET_GO = "gone"  # the event by which a person said that a note which nobody finds is meant to be nowhere
LOST = "lost"  # the event by which a person said that what a record lacks is gone for good


class Left(NamedTuple):
    """How memvault left a note: the version, whose it is, and when that was."""

    version: str
    id: str
    at: str


@dataclass(slots=True)
class Journaled:
    """The fold of all operations and ledgers over paths."""

    last: dict[str, Left] = field(default_factory=dict)  # by path
    places: dict[str, str] = field(default_factory=dict)  # id -> the path where it was left last
    written: dict[str, set[str]] = field(default_factory=dict)  # id or path -> versions that memvault read or wrote
    let_go: dict[str, str] = field(default_factory=dict)  # path -> when
    given_up: set[str] = field(default_factory=set)  # operations and decisions of which lines are lost for good
    zeros: dict[str, int] = field(default_factory=dict)  # path -> how many zero bytes in it are known

    @classmethod
    def of(cls, operations: Iterable[Operation], ledger: Iterable[Record]) -> Journaled:
        """Fold operations, the oldest first, and what ledgers say."""
        folded = cls()
        for operation in operations:
            for step in operation.steps if operation.state != "begun" else ():
                folded._take(step, operation.at)
        for entry in ledger:
            folded._note(entry)
        return folded

    def versions(self, path: str, id_: str) -> set[str]:
        """Every version of a note that an operation found or left."""
        return self.written.get(path, set()) | (self.written.get(id_, set()) if id_ else set())

    def left(self, path: str, id_: str) -> str:
        """The version in which memvault left a note last, wherever that was; empty where it never wrote it."""
        there = self.last.get(path) or self.last.get(self.places.get(id_, ""))
        return there.version if there else ""

    def is_let_go(self, path: str) -> bool:
        """Whether somebody said that a note is meant to be nowhere, since it was left last."""
        return self.let_go.get(path, "") >= self.last[path].at if path in self.let_go else False

    def _take(self, step: Step, at: str) -> None:
        match step.do:
            case "create" | "rewrite":
                self._put(step.path, step, at, "")
            case "move":
                before = self.last.pop(step.path, None)
                self._put(step.to, step, at, before.id if before else "")
            case "remove" | "forgotten":
                self.last.pop(step.path, None)

    def _put(self, path: str, step: Step, at: str, id_: str) -> None:
        there = self.last.get(path)
        id_ = step.id or id_ or (there.id if there else "")
        self.last[path] = Left(step.after, id_, at)
        if id_:
            self.places[id_] = path
        for key in filter(None, (path, id_)):
            self.written.setdefault(key, set()).update(filter(None, (step.before, step.after)))

    def _note(self, entry: Record) -> None:
        match entry:
            case {"e": "gone", "path": str(path), "t": str(at)}:
                self.let_go[path] = max(at, self.let_go.get(path, ""))
            case {"e": "lost", "what": str(what)}:
                self.given_up.add(what)
            case {"e": "lost", "path": str(path), "zeros": int(zeros)}:
                self.zeros[path] = max(zeros, self.zeros.get(path, 0))
