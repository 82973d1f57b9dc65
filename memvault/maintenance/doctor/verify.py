"""Compare every file with what is recorded of it: digests of this machine, the index, and the operations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from memvault.core.plan import Operation, OperationStep
from memvault.core.query import NO_FILTERS
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.scan import VaultScan
from memvault.storage.file_digests import (
    AGE,
    FileDigest,
    FileDigests,
    digest_file,
    digested_paths,
    find_damage,
    is_append_only,
    read_file_digests,
    write_file_digests,
)
from memvault.storage.finding import DoctorFinding, shell_command
from memvault.storage.journal.journal import JsonRecord, read_readable
from memvault.storage.vault.layout import STATE, TRASH
from memvault.system import files

VERIFY_CHECKS = ("damaged", "missing", "gone", "records-whole", "undo-bytes", "sealed")
_ACCEPTABLE_CHECKS = ("damaged", "sealed", "records-whole", "missing")
_GONE = "gone"  # the ledger event by which a person says that a missing note is meant to be gone
_LOST = "lost"  # the same for what a record lacks
_ACCEPT_HINT = "If it is meant to be so, or lost for good, `memvault vault doctor accept` takes it as it is."
_SENTENCES = {
    "damaged": "This note looks damaged: {}.",
    "sealed": "This sealed file is damaged: {}.",
    "records-whole": "Such a file only grows, and this one lost something: {}.",
}
_UNDO_NAME = 32  # characters: kept bytes are named by their digest
_EMPTY = files.digest(b"")

OpenSealed = Callable[[str, bytes], str]
"""Why a sealed file cannot be opened with the keys that are at hand; empty where it can, or where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """What opens sealed files, whom to tell how far it is, and whether what is found is meant to be."""

    opens: OpenSealed
    progress: Callable[[int, int], None]
    accept: bool = False


@dataclass(slots=True)
class VerifyTally:
    """What became of every note: one of these words for each."""

    as_written: int = 0  # by memvault, byte for byte
    edited: list[str] = field(default_factory=list)  # by hand since, which is as it should be
    own: list[str] = field(default_factory=list)  # memvault never wrote them: made or brought by hand
    damaged: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class VaultVerifier:
    """One comparison of a vault with what is recorded of it; nothing in it changes a note."""

    def __init__(self, scan: VaultScan, options: VerifyOptions) -> None:
        self.tally = VerifyTally()
        self._scan, self._vault, self._options = scan, scan.vault, options
        self._before = read_file_digests(scan.context)
        # As it was left: whoever brings it up to date takes damage for an edit.
        index = scan.context.index
        versions = {memory.path: memory.version for memory in index.memories(NO_FILTERS)}
        self._indexed = {
            path: FileDigest(versions.get(path, ""), *stamp) for path, stamp in index.note_stamps().items()
        }
        self._journaled = _JournaledNotes.from_records(scan.operations, _read_ledger(scan))
        self._paths = tuple(dict.fromkeys(digested_paths(scan.vault)))
        # Every version that is kept for undo, and its path.
        undo = scan.vault.undo
        found = (path for path in files.list_files(scan.vault.root, undo) if path.parent.parent == undo)
        kept = (path for path in found if path.parent.name[:1].isdigit() and len(path.name) == _UNDO_NAME)
        self._undo = {path.name: scan.vault.relative_path(path) or "" for path in kept}
        self._now: FileDigests = {}
        self._damaged: set[str] = set()
        self._done = 0

    def find_problems(self) -> Iterator[DoctorFinding]:
        """Yield whatever is not as it is recorded."""
        ids = {note.path: note.memory.id for note in self._scan.notes if note.memory.id}
        for path in self._paths:
            self._count_file()
            if why := self._find_damage(path):
                self._damaged.add(path)
                yield self._damage_finding(path, why)
            elif not is_append_only(path) and not path.endswith(AGE):
                if self._now[path].sha in {left.version for left in self._journaled.left.values()}:
                    self.tally.as_written += 1
                elif {path, ids.get(path, "")} & self._journaled.notes:
                    self.tally.edited.append(path)
                else:
                    self.tally.own.append(path)
        yield from self._find_missing(set(ids.values()))
        yield from self._find_undo_damage()

    def _count_file(self) -> None:
        self._done += 1
        self._options.progress(self._done, len(self._paths) + len(self._undo))

    # -- what is there

    def _find_damage(self, path: str) -> str:
        full, before = self._vault.root / path, self._before.get(path)
        try:
            now = self._now[path] = digest_file(full)
            if is_append_only(path):
                return find_damage(full, before, now)
            if (before and before.sha == now.sha) or now.sha in self._journaled.versions - {_EMPTY}:
                return ""
            witnesses = filter(None, (before, self._indexed.get(path), self._journaled.digest_of(path)))
            why = next(filter(None, (find_damage(full, one, now) for one in witnesses)), "")
            return why or (self._options.opens(path, files.read_file(full)) if path.endswith(AGE) else "")
        except (MemvaultError, OSError) as error:
            return f"it cannot be read through: {error}"

    def _damage_finding(self, path: str, why: str) -> DoctorFinding:
        check = "records-whole" if is_append_only(path) else "sealed" if path.endswith(AGE) else "damaged"
        if check == "damaged":
            self.tally.damaged.append(path)
        return DoctorFinding(
            check=check,
            severity="error",
            path=path,
            sentence=_SENTENCES[check].format(why),
            advice=f"{self._restore_advice(path)} {_ACCEPT_HINT}",
        )

    # -- what is not

    def _find_missing(self, ids: set[str]) -> Iterator[DoctorFinding]:
        """Yield what is recorded and nowhere: under no other name, in no other folder, not in the trash."""
        from memvault.storage.vault.quarantine import read_unindexed  # deferred: only where the vault is verified

        trashed = self._vault.trash_paths()
        names = {path.rpartition("/")[2] for path in (*self._paths, *trashed)}
        versions = {digest.sha for digest in self._now.values()}
        found = (read_unindexed(self._scan.context, path) for path in trashed)
        ids |= {memory.id for memory in found if memory and memory.id}
        for path in sorted(self._before.keys() | self._journaled.left.keys()):
            left, before = self._journaled.left.get(path), self._before.get(path)
            version = before.sha if before else left.version if left else ""
            is_there = os.path.lexists(self._vault.root / path) or version in versions
            if is_there or not self._is_recorded(path) or self._journaled.is_accepted(path):
                continue
            if left.id not in ids if left else path.rpartition("/")[2] not in names:
                yield self._missing_finding(path, is_journaled=left is not None)

    def _is_recorded(self, path: str) -> bool:
        """Return whether a file of that path would be compared, were it there."""
        is_shut = path.startswith((*self._scan.unlisted_folders, f"{TRASH}/"))
        return not is_shut and (self._vault.place_of(path) is not None or path in self._before)

    def _missing_finding(self, path: str, *, is_journaled: bool) -> DoctorFinding:
        if is_append_only(path):
            self._damaged.add(path)
            return self._damage_finding(path, "it was here when it was last looked at, and is nowhere")
        if is_journaled:
            self.tally.missing.append(path)
            return DoctorFinding(
                check="missing",
                severity="warning",
                path=path,
                sentence="The records know this note, and it is nowhere: it was deleted, or lost.",
                advice=f"{self._restore_advice(path)} {_ACCEPT_HINT}",
            )
        return DoctorFinding(
            check="gone",
            severity="note",
            path=path,
            sentence="This file lay here when it was last looked at, and does not any more.",
            advice=f"{self._restore_advice(path)} This is told once.",
        )

    def _find_undo_damage(self) -> Iterator[DoctorFinding]:
        """Yield kept bytes that are not what their name says: undo would bring damage back."""
        for name, path in self._undo.items():
            self._count_file()
            try:
                is_whole = digest_file(self._vault.root / path).sha == name
            except (MemvaultError, OSError):
                is_whole = False
            if not is_whole:
                yield DoctorFinding(
                    check="undo-bytes",
                    severity="error",
                    path=path,
                    sentence="What is kept here for undo is not what was put there.",
                    advice="Undoing that operation would bring damage back: do not. A backup may have the bytes.",
                )

    def _restore_advice(self, path: str) -> str:
        """Return whatever may bring a file back, the nearest first."""
        witnesses = filter(None, (self._before.get(path), self._indexed.get(path), self._journaled.digest_of(path)))
        kept = next((self._undo[one.sha] for one in witnesses if one.sha in self._undo), "")
        name = path.rpartition("/")[2]
        trashed = next((at for at in self._vault.trash_paths() if at.rpartition("/")[2] == name), "")
        ways = [
            f"{kept} keeps it as it was" if kept else "",
            f"{shell_command('vault', 'restore', name)} brings {trashed} back" if trashed else "",
            f"`git log -- '{path}'` tells which commits have it" if (self._vault.root / ".git").exists() else "",
            "a backup or another machine may have it",
        ]
        advice = "; ".join(filter(None, ways))
        return f"{advice[:1].upper()}{advice[1:]}."

    # -- what is recorded from now on

    def save_digests(self) -> None:
        """Record the digests of sound files; keep the old ones of damaged files until they are sound or accepted."""
        kept = {path: digest for path, digest in self._before.items() if path in self._damaged}
        sound = {path: digest for path, digest in self._now.items() if path not in self._damaged}
        write_file_digests(self._scan.context, {**kept, **sound})

    def accept_problems(self, findings: Iterable[DoctorFinding]) -> tuple[DoctorFinding, ...]:
        """Record everything as it is, and return the findings that are left then."""
        entries: list[JsonRecord] = [{"e": _GONE, "path": path} for path in self.tally.missing]
        # A conversation's name tells of it, so it goes into no ledger.
        entries += [{"e": _LOST, "path": path} for path in sorted(self._damaged) if path.startswith(f"{STATE}/")]
        self._vault.ledger.append(entries, self._scan.context.now)
        write_file_digests(self._scan.context, self._now)
        return tuple(finding for finding in findings if finding.check not in _ACCEPTABLE_CHECKS)


def _read_ledger(scan: VaultScan) -> Iterator[JsonRecord]:
    for _, path in scan.vault.ledger.ledger_files():
        yield from read_readable(path)


class _LeftNote(NamedTuple):
    """How memvault left a note: the version, whose it is, and when that was."""

    version: str
    id: str
    at: str


@dataclass(slots=True)
class _JournaledNotes:
    """What the operations of all machines tell of notes, and what people accepted."""

    left: dict[str, _LeftNote] = field(default_factory=dict)  # by path
    notes: set[str] = field(default_factory=set)  # paths and ids of whatever memvault wrote
    versions: set[str] = field(default_factory=set)  # whatever memvault read or wrote
    accepted: dict[str, str] = field(default_factory=dict)  # path -> when

    @classmethod
    def from_records(cls, operations: Iterable[Operation], ledger: Iterable[JsonRecord]) -> _JournaledNotes:
        """Fold operations, the oldest first, and the ledger entries."""
        folded = cls()
        for operation in operations:
            for step in operation.steps if operation.state != "begun" else ():
                folded._add_step(step, operation.at)
        for entry in ledger:
            match entry:
                case {"e": "gone", "path": str(path), "t": str(at)}:
                    folded.accepted[path] = max(at, folded.accepted.get(path, ""))
        return folded

    def digest_of(self, path: str) -> FileDigest | None:
        """Return how memvault left a file; None where it never wrote it."""
        return FileDigest(self.left[path].version, 0, -1) if path in self.left else None

    def is_accepted(self, path: str) -> bool:
        """Return whether somebody said that a note is meant to be nowhere, since it was left last."""
        return path in self.left and self.accepted.get(path, "") >= self.left[path].at

    def _add_step(self, step: OperationStep, at: str) -> None:
        if step.do not in ("create", "rewrite", "move", "remove", "forgotten"):
            return
        before = self.left.pop(step.path, None)
        if step.do in ("remove", "forgotten"):
            return
        id_ = step.id or (before.id if before else "")
        path = step.to if step.do == "move" else step.path
        self.left[path] = _LeftNote(step.after, id_, at)
        self.notes |= {path, id_} - {""}
        self.versions |= {step.before, step.after} - {""}
