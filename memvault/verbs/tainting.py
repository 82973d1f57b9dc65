"""Which sessions read the web: what an agent remembers in one of them may be a stranger's words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memvault import files
from memvault.errors import MemvaultError
from memvault.host import project as projects

if TYPE_CHECKING:
    from memvault.verbs.bench import Bench

# Every writing of an agent asks this, so nothing is imported here that it does not need anyway.

_FILES = _FILE, _BEFORE = "tainted.jsonl", "tainted.old.jsonl"
_FULL = 100_000  # bytes: then the log is put aside, and the one put aside before goes
_AGAIN = timedelta(hours=1)
UNKNOWN_SESSION = timedelta(hours=6)
"""So long after a session of a project read the web, an agent that does not say its session is taken for that one."""


@dataclass(frozen=True, slots=True)
class Tainted:
    """A session that read the web, and when."""

    at: datetime
    session: str
    project: str


def taint(state: Path, *, session: str, project: str, now: datetime) -> None:
    """Note that a session read the web; that it did is noted once an hour."""
    fresh = any(row.session == session and now - row.at < _AGAIN for row in _rows(state / _FILE))
    if fresh:
        return
    told = {"t": now.isoformat(), "session": session, "project": project}
    path = state / _FILE
    with suppress(MemvaultError, OSError):
        files.make_folder(state)
        files.append(path, json.dumps(told, ensure_ascii=False).encode(errors="replace") + b"\n")
        if path.stat().st_size > _FULL:
            path.replace(state / _BEFORE)


def is_tainted(state: Path, *, session: str, project: str, now: datetime) -> bool:
    """Whether a session read the web; of one that is not known, whether any of its project did in the last hours.

    Where the log cannot be read, it did: what is marked without need can be told apart later, and not the other way.
    """
    try:
        rows = [row for name in _FILES for row in _rows(state / name)]
    except MemvaultError:
        return True
    if session:
        return any(row.session == session for row in rows)
    recent = (row for row in rows if abs(now - row.at) < UNKNOWN_SESSION)
    return any(not project or row.project.casefold() == project.casefold() for row in recent)


def in_doubt(bench: Bench) -> bool:
    """Whether what is written now may be a stranger's words: an agent writes it, in a session that read the web."""
    actor = bench.actor
    if bench.state is None or not actor.agent or not any((bench.state / name).exists() for name in _FILES):
        return False
    project = "" if actor.session else projects.of(bench.folder or Path.cwd())
    return is_tainted(bench.state, session=actor.session, project=project, now=bench.now)


def _rows(path: Path) -> Iterator[Tainted]:
    if not path.exists():
        return
    for line in files.read(path).splitlines():
        with suppress(ValueError, KeyError, TypeError):
            yield _row(json.loads(line))


def _row(told: Any) -> Tainted:
    return Tainted(datetime.fromisoformat(str(told["t"])), str(told["session"]), str(told["project"]))
