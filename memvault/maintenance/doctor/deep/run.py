"""What the deep look knows: the records, the census, what the catalogue saw; and where lost bytes are still kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from memvault.core.plan import Operation, Step
from memvault.core.query import ANY
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.finding import Tally, command
from memvault.maintenance.doctor.scan import Survey
from memvault.storage.census import Census, Line, census
from memvault.storage.journal.jsonl import Record, readable
from memvault.storage.vault.identity import Seen
from memvault.storage.vault.layout import TRASH
from memvault.system import files

# Which bytes the records say a note had, and where it was left.

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


MEANT = "If you changed it so yourself, `memvault doctor --deep --accept` takes it as meant."

Opens = Callable[[str, bytes], str]
"""Why a sealed file cannot be opened with the keys that are at hand; empty where it can, or where there is none."""


class Deep:
    """One deep look at a vault; nothing in it writes into the vault."""

    def __init__(self, survey: Survey, opens: Opens, progress: Callable[[int, int], None]) -> None:
        self.survey = survey
        self.vault = survey.vault
        self.opens = opens
        self.tally = Tally()
        self.before: Census = census(survey.bench)
        self.fresh: Census = {}  # what is sound now
        self.doubtful: Census = {}  # what looks damaged, as it is
        self.lacking: dict[str, list[Record]] = {}  # records, and what the ledger is to say of what they lost
        # As it was left: whoever brings it up to date takes damage for an edit.
        self._stamps = survey.bench.catalogue.stamps()
        self._versions = {memory.path: memory.version for memory in survey.bench.catalogue.memories(ANY)}
        self._progress, self._done = progress, 0
        self.whole = len(survey.looks)

    def step(self) -> None:
        """One more file was looked at."""
        self._done += 1
        self._progress(self._done, max(self.whole, self._done))

    @cached_property
    def journaled(self) -> Journaled:
        """What the records say of every note."""
        return Journaled.of(self.survey.operations, self._told())

    def _told(self) -> Iterator[Record]:
        for _, path in self.vault.ledger.paths():
            yield from readable(path)

    def witnesses(self, path: str) -> Iterator[Line]:
        """What this machine saw of a file before: at the last census, and when the catalogue took it in."""
        if line := self.before.get(path):
            yield line
        if path in self._stamps:
            size, mtime = self._stamps[path]
            yield Line(self._versions.get(path, ""), size, mtime)

    # -- where it may come back from

    @cached_property
    def kept(self) -> dict[str, str]:
        """Every version that is kept for undo, and its path."""
        undo = self.vault.undo
        found = (path for path in files.below(self.vault.root, undo) if path.parent.name[:1].isdigit())
        return {path.name: self.vault.relative(path) or "" for path in found if path.parent.parent == undo}

    def copies(self, id_: str, versions: set[str]) -> Iterator[tuple[str, bytes]]:
        """Where some versions of a note are still kept, and their bytes."""
        for version in sorted(versions & self.kept.keys()):
            try:
                yield self.kept[version], files.read(self.vault.root / self.kept[version])
            except MemvaultError:
                continue
        folder = self.vault.undo / "seen"
        for seen in Seen(self.vault.root, folder, self.vault.device).of(id_) if id_ else ():
            yield self.vault.relative(folder) or "", seen.data

    def way_back(self, path: str, id_: str, versions: set[str]) -> str:
        """Whatever may bring a file back, the nearest first."""
        where = next((at for at, data in self.copies(id_, versions) if files.digest(data) in versions), "")
        thrown = next((at for at in self.vault.trash() if at.rpartition("/")[2] == path.rpartition("/")[2]), "")
        ways = [
            f"{where} keeps it as it was" if where else "",
            f"{command('restore', path.rpartition('/')[2])} brings {thrown} back" if thrown else "",
            f"`git log -- '{path}'` tells which commits have it" if (self.vault.root / ".git").exists() else "",
            "a backup or another machine may have it",
        ]
        told = "; ".join(filter(None, ways))
        return f"{told[:1].upper()}{told[1:]}."


def is_thrown(path: str) -> bool:
    """Whether a path lies in the trash."""
    return path.startswith(f"{TRASH}/")
