"""What the doctor says: findings, each with what would mend it, and the diagnosis that holds them all."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from memvault.core.plan import LedgerNote, PlanChange

Severity = Literal["error", "warning", "note"]

# error: something cannot be read, may be lost, or waits for a person's word. warning: it works, but not as meant.
# note: good to know, and nothing needs to be done.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class RebuildIndex:
    """Build the index again from the files."""

    why: str = "build the index again from the files"


@dataclass(frozen=True, slots=True)
class ClearSetAside:
    """Remove damaged indexes that were set aside."""

    why: str = "remove the damaged index that was set aside"


@dataclass(frozen=True, slots=True)
class RestrictModes:
    """Take from files and folders the permissions they should not give."""

    modes: tuple[tuple[str, int], ...]  # vault path, and the mode it is to have
    why: str = "take the permissions away that others should not have"


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """Make a folder of the vault's layout."""

    path: str
    why: str = "make the folder"


@dataclass(frozen=True, slots=True)
class ClearLeftovers:
    """Remove the temporary files that a killed writer left in a folder."""

    folder: str
    why: str = "remove what the killed writer left"


@dataclass(frozen=True, slots=True)
class FinishInterrupted:
    """Finish interrupted operations, and bring back what an editor wrote into a replaced file."""

    why: str = "settle what was interrupted and bring late writes back"


@dataclass(frozen=True, slots=True)
class ShrinkUndo:
    """Let go of the oldest kept bytes until the undo store fits its setting."""

    why: str = "let go of the oldest bytes kept for undo"


@dataclass(frozen=True, slots=True)
class JoinRecordCopy:
    """Take the lines of a copy into the record that it is a copy of."""

    copy: str
    record: str
    why: str = "take its lines into the file that it is a copy of"


@dataclass(frozen=True, slots=True)
class RemoveGitLock:
    """Remove a lock that a killed git left."""

    path: Path
    why: str = "remove the lock that a killed git left"


Chore = (
    RebuildIndex
    | ClearSetAside
    | RestrictModes
    | MakeFolder
    | ClearLeftovers
    | FinishInterrupted
    | ShrinkUndo
    | JoinRecordCopy
    | RemoveGitLock
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorFinding:
    """One thing that is wrong, or worth knowing: where, what, and how to mend it by hand."""

    severity: Severity
    path: str  # relative to the vault; empty where it is about no single file
    sentence: str
    advice: str = ""
    mends: tuple[
        PlanChange, ...
    ] = ()  # in the vault's files: applied as part of one operation, so undo takes them back
    chore: Chore | None = None  # for what is no note: index, permissions, leftovers
    then: str = ""  # what is left for a person to do once it is mended
    check: str = ""  # the name of the check that found it

    @property
    def is_fixable(self) -> bool:
        """Return whether `--fix` does something about it."""
        return bool(self.mends) or self.chore is not None

    @property
    def fix_reason(self) -> str:
        """Return what `--fix` does about it, in a clause; empty where it does nothing."""
        if self.chore is not None:
            return self.chore.why
        return self.mends[0].why if self.mends else ""

    @property
    def file_fixes(self) -> tuple[tuple[str, str], ...]:
        """Return the same for each file that is changed: its path, and what is done to it."""
        changed = [(change.path, change.why) for change in self.mends if not isinstance(change, LedgerNote)]
        return tuple(dict.fromkeys(changed)) if self.chore is None and changed else ((self.path, self.fix_reason),)


def shell_command(*words: str) -> str:
    """Return a command of memvault's as it can be copied into a shell."""
    return f"`memvault {' '.join(shlex.quote(word) for word in words)}`"


@dataclass(slots=True)
class VerifyTally:
    """What became of every note: one of these words for each."""

    as_written: int = 0  # by memvault, byte for byte
    edited: list[str] = field(default_factory=list)  # by hand since, which is as it should be
    own: list[str] = field(default_factory=list)  # memvault never wrote them: made or brought by hand
    damaged: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorResult:
    """All that was found, what of it was mended (or would be, in a dry run), and what is left."""

    findings: tuple[DoctorFinding, ...]
    fixed: tuple[DoctorFinding, ...] = ()
    left: tuple[DoctorFinding, ...] = ()
    op: str = ""  # the operation that `undo` takes back; empty where no note was changed
    checked: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    verified: VerifyTally | None = None  # what became of every note, where the files were verified

    @property
    def is_sound(self) -> bool:
        """Return whether nothing is left but notes."""
        return all(finding.severity == "note" for finding in self.left)

    def count_left(self, severity: Severity) -> int:
        """Return how many findings of one severity are left."""
        return sum(finding.severity == severity for finding in self.left)
