"""Maintenance runs on this machine: when the last one was, what it did, and when the next is due."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memvault import __version__
from memvault.errors import Busy, MaintenanceUnderWay, MemvaultError, TierFolderGone
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.text.dates.dates import read_moment, write_moment

_FILE, _LOCK, LOG = "upkeep.json", "upkeep.lock", "upkeep.log"
_LONGEST_LOG = 1_000_000


@dataclass(frozen=True, slots=True)
class MaintenanceRun:
    """The last run: when it was, the vault's state after it, and when the next thing is due."""

    at: datetime | None = None
    standing: str = ""  # empty if more may be left to do
    next: datetime | None = None
    folders: tuple[str, ...] = ()  # the tier folders that existed
    unfit: Mapping[str, str] = field(default_factory=dict)  # path -> version of notes that could not be changed

    def is_current(self, standing: str, now: datetime) -> bool:
        """Return whether nothing has changed or come due since."""
        is_past = self.at is not None and self.at <= now
        return bool(self.standing) and self.standing == standing and is_past and not (self.next and self.next <= now)


@dataclass(frozen=True, slots=True)
class MaintenanceChange:
    """One change of a run: which memory, by which rules, where it went, and why."""

    id: str
    title: str
    path: str
    to: str
    rules: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryResult:
    """The files that were deleted as their time was over, and those that could not be, with why."""

    files: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainResult:
    """What a run did, or would do."""

    done: tuple[MaintenanceChange, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()  # path, why it could not be done
    conflicts: int = 0  # contradictions that wait for a person
    proposals: int = 0  # pairs that may say the same, and wait for a person
    prunable: tuple[MaintenanceChange, ...] = ()  # may go to the trash if a person agrees
    expired: tuple[str, ...] = ()  # files kept for as long as the person wants
    memories: int = 0
    skipped: str = ""  # why nothing was checked
    next: datetime | None = None
    op: str = ""


def read_last_run(context: VaultContext) -> MaintenanceRun:
    """Return the last run on this machine; an empty one where none is known."""
    try:
        data = json.loads(files.read_file(_state_folder(context) / _FILE))
        folders = tuple(map(str, data.get("folders", ())))
        unfit = {str(path): str(version) for path, version in dict(data.get("unfit", {})).items()}
        return MaintenanceRun(
            _read_optional_moment(data.get("at")),
            str(data.get("standing", "")),
            _read_optional_moment(data.get("next")),
            folders,
            unfit,
        )
    except (MemvaultError, FileNotFoundError, ValueError, AttributeError, TypeError):
        return MaintenanceRun()


def _read_optional_moment(said: object) -> datetime | None:
    return read_moment(str(said)) if said else None


def write_run(context: VaultContext, run: MaintenanceRun) -> None:
    """Record a run."""
    data = {
        "at": run.at and write_moment(run.at),
        "standing": run.standing,
        "next": run.next and write_moment(run.next),
        "unfit": dict(run.unfit),
        "folders": [folder for folder in _tier_folders(context) if context.vault.exists(folder.rstrip("/"))],
    }
    files.make_folder(_state_folder(context))
    files.overwrite_file(_state_folder(context) / _FILE, json.dumps(data).encode())


def check_tier_folders(context: VaultContext, last: MaintenanceRun) -> None:
    """Refuse to run while a tier folder is missing: it was probably renamed."""
    for folder in last.folders:
        if folder in _tier_folders(context) and not context.vault.exists(folder.rstrip("/")):
            raise TierFolderGone(folder=folder)


def _tier_folders(context: VaultContext) -> tuple[str, ...]:
    layout = context.vault.layout
    return layout.identity, layout.hot, layout.memories, layout.raw


def state_digest(context: VaultContext) -> str:
    """Return a word for all that maintenance depends on: the memories, their uses, the settings, this program."""
    settings = repr(sorted(context.settings.non_default()))
    return files.digest(f"{context.index.state_digest()} {settings} {__version__} {_claude_md_stamp(context)}".encode())


def _claude_md_stamp(context: VaultContext) -> str:
    """Return the size and time of the vault's own CLAUDE.md."""
    try:
        stat = (context.vault.root / "CLAUDE.md").stat()
    except OSError:
        return ""
    return f"{stat.st_size} {stat.st_mtime_ns}"


@contextmanager
def lock_run(context: VaultContext) -> Iterator[None]:
    """Hold the lock that keeps a second run on this machine from starting."""
    files.make_folder(_state_folder(context))
    try:
        with files.lock(_state_folder(context) / _LOCK, wait=0):
            yield
    except Busy:
        raise MaintenanceUnderWay(vault=context.vault.root) from None


def log_run(context: VaultContext, line: str) -> None:
    """Add a line to this machine's log of runs, which never exceeds some megabytes."""
    path = _state_folder(context) / LOG
    files.make_folder(path.parent)
    if path.exists() and path.stat().st_size > _LONGEST_LOG:
        files.overwrite_file(path.with_suffix(".log.1"), files.read_file(path))
        files.remove_file(path)
    files.append_line(path, f"{write_moment(context.now)} {line}\n".encode())


def _state_folder(context: VaultContext) -> Path:
    return context.state or context.index.folder
