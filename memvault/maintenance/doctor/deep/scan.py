"""What the deep look knows: the records, the census, what the index saw; and where lost bytes are still kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from memvault.core.plan import Operation, OperationStep
from memvault.core.query import NO_FILTERS
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.finding import DeepTally, shell_command
from memvault.maintenance.doctor.scan import VaultScan
from memvault.storage.file_digests import FileDigest, FileDigests, read_file_digests
from memvault.storage.journal.jsonl import JsonRecord, read_readable
from memvault.storage.journal.merge_bases import SeenVersions
from memvault.storage.vault.layout import TRASH
from memvault.system import files

# Which bytes the records say a note had, and where it was left.

LET_GO = "gone"  # the event by which a person said that a note which nobody finds is meant to be nowhere
LOST = "lost"  # the event by which a person said that what a record lacks is gone for good


class LeftVersion(NamedTuple):
    """How memvault left a note: the version, whose it is, and when that was."""

    version: str
    id: str
    at: str


@dataclass(slots=True)
class JournaledVersions:
    """The fold of all operations and ledgers over paths."""

    last_left: dict[str, LeftVersion] = field(default_factory=dict)  # by path
    places: dict[str, str] = field(default_factory=dict)  # id -> the path where it was left last
    known_versions: dict[str, set[str]] = field(
        default_factory=dict
    )  # id or path -> versions that memvault read or wrote
    accepted_gone: dict[str, str] = field(default_factory=dict)  # path -> when
    accepted_lost: set[str] = field(default_factory=set)  # operations and decisions of which lines are lost for good
    known_zeros: dict[str, int] = field(default_factory=dict)  # path -> how many zero bytes in it are known

    @classmethod
    def from_records(cls, operations: Iterable[Operation], ledger: Iterable[JsonRecord]) -> JournaledVersions:
        """Fold operations, the oldest first, and the ledger entries."""
        folded = cls()
        for operation in operations:
            for step in operation.steps if operation.state != "begun" else ():
                folded._add_step(step, operation.at)
        for entry in ledger:
            folded._add_entry(entry)
        return folded

    def versions_of(self, path: str, id_: str) -> set[str]:
        """Return every version of a note that an operation found or left."""
        return self.known_versions.get(path, set()) | (self.known_versions.get(id_, set()) if id_ else set())

    def last_version(self, path: str, id_: str) -> str:
        """Return the version in which memvault left a note last, wherever that was; empty where it never wrote it."""
        there = self.last_left.get(path) or self.last_left.get(self.places.get(id_, ""))
        return there.version if there else ""

    def is_accepted_gone(self, path: str) -> bool:
        """Return whether somebody said that a note is meant to be nowhere, since it was left last."""
        return self.accepted_gone.get(path, "") >= self.last_left[path].at if path in self.accepted_gone else False

    def _add_step(self, step: OperationStep, at: str) -> None:
        match step.do:
            case "create" | "rewrite":
                self._add_version(step.path, step, at, "")
            case "move":
                before = self.last_left.pop(step.path, None)
                self._add_version(step.to, step, at, before.id if before else "")
            case "remove" | "forgotten":
                self.last_left.pop(step.path, None)

    def _add_version(self, path: str, step: OperationStep, at: str, id_: str) -> None:
        there = self.last_left.get(path)
        id_ = step.id or id_ or (there.id if there else "")
        self.last_left[path] = LeftVersion(step.after, id_, at)
        if id_:
            self.places[id_] = path
        for key in filter(None, (path, id_)):
            self.known_versions.setdefault(key, set()).update(filter(None, (step.before, step.after)))

    def _add_entry(self, entry: JsonRecord) -> None:
        match entry:
            case {"e": "gone", "path": str(path), "t": str(at)}:
                self.accepted_gone[path] = max(at, self.accepted_gone.get(path, ""))
            case {"e": "lost", "what": str(what)}:
                self.accepted_lost.add(what)
            case {"e": "lost", "path": str(path), "zeros": int(zeros)}:
                self.known_zeros[path] = max(zeros, self.known_zeros.get(path, 0))


ACCEPT_HINT = "If you changed it so yourself, `memvault doctor --deep --accept` takes it as meant."

OpenSealed = Callable[[str, bytes], str]
"""Why a sealed file cannot be opened with the keys that are at hand; empty where it can, or where there is none."""


class DeepScan:
    """One deep look at a vault; nothing in it writes into the vault."""

    def __init__(self, vault_scan: VaultScan, opens: OpenSealed, progress: Callable[[int, int], None]) -> None:
        self.vault_scan = vault_scan
        self.vault = vault_scan.vault
        self.open_sealed = opens
        self.tally = DeepTally()
        self.before: FileDigests = read_file_digests(vault_scan.context)
        self.sound: FileDigests = {}  # what is sound now
        self.doubtful: FileDigests = {}  # what looks damaged, as it is
        self.lacking: dict[str, list[JsonRecord]] = {}  # records, and what the ledger is to say of what they lost
        # As it was left: whoever brings it up to date takes damage for an edit.
        self._stamps = vault_scan.context.index.note_stamps()
        self._versions = {memory.path: memory.version for memory in vault_scan.context.index.memories(NO_FILTERS)}
        self._progress, self._done = progress, 0
        self.whole = len(vault_scan.notes)

    def count_file(self) -> None:
        """Count one more file as checked."""
        self._done += 1
        self._progress(self._done, max(self.whole, self._done))

    @cached_property
    def journaled(self) -> JournaledVersions:
        """Return what the records say of every note."""
        return JournaledVersions.from_records(self.vault_scan.operations, self._ledger_entries())

    def _ledger_entries(self) -> Iterator[JsonRecord]:
        for _, path in self.vault.ledger.ledger_files():
            yield from read_readable(path)

    def witnesses(self, path: str) -> Iterator[FileDigest]:
        """Yield what this machine saw of a file before: at the last census, and when the index took it in."""
        if line := self.before.get(path):
            yield line
        if path in self._stamps:
            size, mtime = self._stamps[path]
            yield FileDigest(self._versions.get(path, ""), size, mtime)

    # -- where it may come back from

    @cached_property
    def undo_versions(self) -> dict[str, str]:
        """Return every version that is kept for undo, and its path."""
        undo = self.vault.undo
        found = (path for path in files.list_files(self.vault.root, undo) if path.parent.name[:1].isdigit())
        return {path.name: self.vault.relative_path(path) or "" for path in found if path.parent.parent == undo}

    def find_copies(self, id_: str, versions: set[str]) -> Iterator[tuple[str, bytes]]:
        """Yield where some versions of a note are still kept, and their bytes."""
        for version in sorted(versions & self.undo_versions.keys()):
            try:
                yield self.undo_versions[version], files.read_file(self.vault.root / self.undo_versions[version])
            except MemvaultError:
                continue
        folder = self.vault.undo / "seen"
        for seen in SeenVersions(self.vault.root, folder, self.vault.device).versions_of(id_) if id_ else ():
            yield self.vault.relative_path(folder) or "", seen.data

    def restore_advice(self, path: str, id_: str, versions: set[str]) -> str:
        """Return whatever may bring a file back, the nearest first."""
        where = next((at for at, data in self.find_copies(id_, versions) if files.digest(data) in versions), "")
        trashed = next((at for at in self.vault.trash_paths() if at.rpartition("/")[2] == path.rpartition("/")[2]), "")
        ways = [
            f"{where} keeps it as it was" if where else "",
            f"{shell_command('restore', path.rpartition('/')[2])} brings {trashed} back" if trashed else "",
            f"`git log -- '{path}'` tells which commits have it" if (self.vault.root / ".git").exists() else "",
            "a backup or another machine may have it",
        ]
        advice = "; ".join(filter(None, ways))
        return f"{advice[:1].upper()}{advice[1:]}."


def is_in_trash(path: str) -> bool:
    """Return whether a path lies in the trash."""
    return path.startswith(f"{TRASH}/")
