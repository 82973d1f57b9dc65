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
from memvault.transcripts.model.tool_calls import ToolAction

_FILE, _OLD_FILE = "observed.jsonl", "observed.old.jsonl"
_MAX_BYTES = 200_000  # bytes: then the log is put aside, and the one put aside before goes


@dataclass(frozen=True, slots=True)
class LoggedToolCall:
    """A deed, when it was done, and in which session."""

    at: datetime
    session: str
    tool_call: ToolAction


def log_tool_calls(state: Path, tool_calls: Sequence[ToolAction], *, session: str, now: datetime) -> None:
    """Put what was done into the log; a log that cannot be written is no reason to stop anybody."""
    from memvault.core.secrets.scan import redact_secrets  # deferred: most calls of a tool leave no note

    told = [
        {"t": now.isoformat(), "session": session, "did": deed.action, "file": redact_secrets(deed.file)}
        for deed in tool_calls
    ]
    path = state / _FILE
    with suppress(MemvaultError, OSError):
        files.make_folder(state)
        files.append_line(path, b"".join(json.dumps(row).encode() + b"\n" for row in told))
        if path.stat().st_size > _MAX_BYTES:
            path.replace(state / _OLD_FILE)


def read_tool_log(state: Path, *, session: str, since: datetime | None = None) -> tuple[LoggedToolCall, ...]:
    """Return what was done in a session, after a moment or from its beginning, in order."""
    rows = (row for name in (_OLD_FILE, _FILE) for row in _read_rows(state / name, session))
    return tuple(row for row in rows if row.session == session and (since is None or row.at > since))


def _read_rows(path: Path, session: str) -> Iterator[LoggedToolCall]:
    """Yield the rows of a log that may be of a session."""
    named = json.dumps(session).encode()
    with suppress(MemvaultError, OSError):
        for line in files.read_file(path).splitlines() if path.exists() else ():
            if named not in line:  # most rows are of other sessions, and need not be understood
                continue
            with suppress(ValueError, KeyError, TypeError):
                yield _parse_row(line)


@lru_cache(maxsize=2_048)  # who stays reads the same rows at every event
def _parse_row(line: bytes) -> LoggedToolCall:
    told = json.loads(line)
    deed = ToolAction(str(told["did"]), str(told["file"]))
    return LoggedToolCall(datetime.fromisoformat(str(told["t"])), str(told["session"]), deed)
