"""Which sessions read the web: what an agent remembers in one of them may be a stranger's words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.storage.pauses import hidden_sessions, is_purged_session
from memvault.system import files

# Every writing of an agent asks this, so nothing is imported here that it does not need anyway.

_FILES = _FILE, _BEFORE = "tainted.jsonl", "tainted.old.jsonl"
_FULL = 100_000  # bytes: then the log is put aside, and the one put aside before goes
_NOTED_AGAIN = timedelta(hours=1)
UNKNOWN_SESSION = timedelta(hours=6)
"""So long after a session of a project read the web, an agent that does not say its session is taken for that one."""
_ENDED_FILE = "ended.jsonl"
_ENDED_FULL = 20_000
_NAMED = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')
_LOOKED_AT = 200_000  # bytes at either end of a transcript
_GOES_ON = ("fork", "resume")


@dataclass(frozen=True, slots=True)
class TaintedSession:
    """A session that read the web, and when."""

    at: datetime
    session: str
    project: str


def mark_tainted(state: Path, *, session: str, project: str, now: datetime) -> None:
    """Note that a session read the web; that it did is noted once an hour."""
    fresh = any(row.session == session and now - row.at < _NOTED_AGAIN for row in _read_rows(state / _FILE))
    if fresh:
        return
    row = {"t": now.isoformat(), "session": session, "project": project}
    line = json.dumps(row, ensure_ascii=False).encode(errors="replace") + b"\n"
    with suppress(MemvaultError, OSError):
        files.append_line(state / _FILE, line, full=_FULL)


def is_tainted(state: Path, *, session: str, project: str, now: datetime) -> bool:
    """Return whether a session read the web; for an unknown one, whether any of its project did in the last hours.

    Where the log cannot be read, it did: what is marked without need can be told apart later, and not the other way.
    Of a session that was forgotten for good nobody can tell any more, either.
    """
    try:
        rows = [row for name in _FILES for row in _read_rows(state / name)]
    except MemvaultError:
        return True
    if session:
        return any(row.session == session for row in rows) or is_purged_session(state, session)
    recent = (row for row in rows if abs(now - row.at) < UNKNOWN_SESSION)
    return any(not project or row.project.casefold() == project.casefold() for row in recent)


# -- sessions that come out of others, and such as are over


def carry_over_taint(state: Path, transcript: str, *, session: str, source: str, project: str, now: datetime) -> bool:
    """Mark a session that goes on from one that read the web; return whether it does.

    Where a fork's transcript does not say yet from which, it may be any of its project in the last hours.
    """
    is_known_of_any = any((state / name).exists() for name in _FILES) or hidden_sessions(state, gone_only=True)
    if source not in _GOES_ON or not session or not is_known_of_any:
        return False
    parents = _parent_sessions(transcript) - {session}
    if parents:
        did = any(is_tainted(state, session=parent, project="", now=now) for parent in parents)
    else:
        did = source == "fork" and is_tainted(state, session="", project=project, now=now)
    if did:
        mark_tainted(state, session=session, project=project, now=now)
    return did


def _parent_sessions(transcript: str) -> set[str]:
    """Return the sessions that a transcript names: those it was copied from have lines of their own in it."""
    try:
        with files.open_stream(Path(transcript)) as stream:
            found = stream.read(_LOOKED_AT)
            stream.seek(max(len(found), stream.seek(0, 2) - _LOOKED_AT))
            found += b"\n" + stream.read()
    except (MemvaultError, OSError, ValueError):
        return set()
    return {name.decode(errors="replace") for name in _NAMED.findall(found)}


def mark_ended(state: Path, session: str, *, now: datetime) -> None:
    """Note that a session is over, for whoever was started in it and lives on; it may be resumed."""
    with suppress(MemvaultError, OSError):
        path = state / _ENDED_FILE
        if path.exists() and path.stat().st_size > _ENDED_FULL:
            files.overwrite_file(path, b"\n".join(files.read_file(path).splitlines()[-100:]) + b"\n")
        files.append_line(path, json.dumps({"t": now.isoformat(), "session": session}).encode() + b"\n")


def mark_resumed(state: Path, session: str) -> None:
    """Note that a session goes on which had ended."""
    if is_ended(state, session):
        with suppress(MemvaultError, OSError):
            lines = files.read_file(state / _ENDED_FILE).splitlines()
            left = (line + b"\n" for line in lines if _read_end(line)[0] != session)
            files.overwrite_file(state / _ENDED_FILE, b"".join(left))


def is_ended(state: Path, session: str) -> bool:
    """Return whether a session has ended; it counts as ended where that cannot be read."""
    try:
        return session in _read_ends(state)
    except MemvaultError:
        return True


def list_ends(state: Path) -> Mapping[str, datetime]:
    """Return when the latest sessions ended that did not go on; nothing where that cannot be read."""
    with suppress(MemvaultError):
        return {session: at for session, at in _read_ends(state).items() if at is not None}
    return {}


def _read_ends(state: Path) -> dict[str, datetime | None]:
    path = state / _ENDED_FILE
    ends = map(_read_end, files.read_file(path).splitlines() if path.exists() else ())
    return {session: at for session, at in ends if session}


def _read_end(line: bytes) -> tuple[str, datetime | None]:
    """Return a session and its end; lines of before say no moment, and one that was cut short says nothing."""
    with suppress(ValueError, KeyError, TypeError):
        row = json.loads(line)
        return (row, None) if isinstance(row, str) else (str(row["session"]), datetime.fromisoformat(str(row["t"])))
    return "", None


def _read_rows(path: Path) -> Iterator[TaintedSession]:
    if not path.exists():
        return
    for line in files.read_file(path).splitlines():
        with suppress(ValueError, KeyError, TypeError):
            row = json.loads(line)
            yield TaintedSession(datetime.fromisoformat(str(row["t"])), str(row["session"]), str(row["project"]))
