"""Run memvault once a day by the scheduler of the system: what is to run when, and what a scheduler has of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memvault.core.ids import short_id
from memvault.errors import MemvaultError
from memvault.system import files


def job_name(vault_id: str) -> str:
    """Return the name under which a vault's entry is known to a scheduler; a moved vault keeps it."""
    return f"memvault-maintain-{short_id(vault_id)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledJob:
    """The words of one command, and the time of day at which they are to run."""

    vault_id: str
    vault: str
    command: tuple[str, ...]
    at: str  # HH:MM, local time


@dataclass(frozen=True, slots=True)
class SchedulePiece:
    """One text that is put somewhere: a file, or a part of one."""

    where: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleEntry:
    """What a scheduler has for one vault, as it stands there; empty where it cannot be read."""

    scheduler: str
    where: tuple[str, ...]
    at: str = ""
    command: tuple[str, ...] = ()
    active: bool | None = None  # None where the scheduler does not say
    next_run: str = ""  # in the scheduler's own words
    trouble: str = ""  # why the scheduler cannot run it, where it cannot


# A scheduler's files: laid down, and taken back where the scheduler will not have them.


@contextmanager
def pieces_written(pieces: Sequence[SchedulePiece]) -> Iterator[None]:
    """Write what differs from what is there; should what follows fail, put back what was there."""
    before = {Path(piece.where): _read_bytes(Path(piece.where)) for piece in pieces}
    try:
        for piece in pieces:
            _write_bytes(Path(piece.where), piece.text.encode())
        yield
    except MemvaultError:
        for path, data in before.items():
            _write_bytes(path, data)
        raise


def read_text(path: Path) -> str:
    """Return what a file says; nothing where it is not there."""
    return (_read_bytes(path) or b"").decode("utf-8", "replace")


def _read_bytes(path: Path) -> bytes | None:
    return files.read_file(path) if path.is_file() else None


def _write_bytes(path: Path, data: bytes | None) -> None:
    if _read_bytes(path) == data:
        return
    if data is None:
        files.remove_file(path)
        return
    files.make_folder(path.parent)
    files.clear_orphans(path.parent)
    files.overwrite_file(path, data)
