"""What an agent does, noted in a few words while it is at work."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.system import files
from memvault.transcripts.model.tool_calls import Deed

_FILE, _BEFORE = "observed.jsonl", "observed.old.jsonl"
_FULL = 200_000  # bytes: then the log is put aside, and the one put aside before goes


@dataclass(frozen=True, slots=True)
class Seen:
    """A deed, when it was done, and in which session."""

    at: datetime
    session: str
    deed: Deed


def note(state: Path, deeds: Sequence[Deed], *, session: str, now: datetime) -> None:
    """Put what was done into the log; a log that cannot be written is no reason to stop anybody."""
    from memvault.core.secrets.scan import redacted  # deferred: most calls of a tool leave no note

    told = [{"t": now.isoformat(), "session": session, "did": deed.did, "file": redacted(deed.file)} for deed in deeds]
    path = state / _FILE
    with suppress(MemvaultError, OSError):
        files.make_folder(state)
        files.append(path, b"".join(json.dumps(row).encode() + b"\n" for row in told))
        if path.stat().st_size > _FULL:
            path.replace(state / _BEFORE)


def seen(state: Path, *, session: str, since: datetime | None = None) -> tuple[Seen, ...]:
    """What was done in a session, after a moment or from its beginning, in order."""
    rows = (row for name in (_BEFORE, _FILE) for row in _rows(state / name, session))
    return tuple(row for row in rows if row.session == session and (since is None or row.at > since))


def _rows(path: Path, session: str) -> Iterator[Seen]:
    """The rows of a log that may be of a session."""
    named = json.dumps(session).encode()
    with suppress(MemvaultError, OSError):
        for line in files.read(path).splitlines() if path.exists() else ():
            if named not in line:  # most rows are of other sessions, and need not be understood
                continue
            with suppress(ValueError, KeyError, TypeError):
                yield _row(line)


@lru_cache(maxsize=2_048)  # who stays reads the same rows at every event
def _row(line: bytes) -> Seen:
    told = json.loads(line)
    deed = Deed(str(told["did"]), str(told["file"]))
    return Seen(datetime.fromisoformat(str(told["t"])), str(told["session"]), deed)
