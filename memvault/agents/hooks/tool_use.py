"""A tool was used: what it did is noted in a few words, tasks are followed, reading the web is kept in mind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from memvault.agents.hooks.event import HookCall
from memvault.core.value import Record
from memvault.errors import MemvaultError
from memvault.open_vault import OpenVault
from memvault.system import files
from memvault.transcripts.model.tool_calls import ToolAction, tool_actions


class ToolUse(Record, kw_only=True):
    """One call of a tool, as an agent's hook reports it."""

    tool: str
    arguments: Mapping[str, object]
    answer: object
    folder: str = ""
    project: str = ""


def serve_success(scene: HookCall) -> dict[str, object] | None:
    """Note the call; there is nothing to answer."""
    call = parse_tool_use(scene)
    # In a pause, too: what is remembered when it is over must bear the mark, and that says nothing of what was read.
    watch_for_web(scene.vault, call)
    if not scene.vault.find_pause(project=scene.project, session=scene.event.session):
        log_tool_use(scene.vault, call)
    return None


def parse_tool_use(scene: HookCall) -> ToolUse:
    """Return the call that an event tells of."""
    event = scene.event
    given = event.payload.get("tool_input")
    return ToolUse(
        tool=event.get_text("tool_name"),
        arguments=given if isinstance(given, Mapping) else {},
        answer=event.payload.get("tool_response"),
        folder=event.get_text("cwd"),
        project=scene.project,
    )


# A tool failed: nothing was done, but the web may have been read.


def serve_failure(scene: HookCall) -> dict[str, object] | None:
    """Keep in mind that the web was read; there is nothing to answer."""
    watch_for_web(scene.vault, parse_tool_use(scene))
    return None


def watch_for_web(vault: OpenVault, call: ToolUse) -> None:
    """Mark a session as tainted where a call of a tool read the web."""
    from memvault.transcripts.model.web import reads_web

    if vault.actor.is_nameless:
        return  # it is taken for one that did
    if reads_web(call.tool, call.arguments, more=vault.settings.texts("screen.web_tools")):
        from memvault.storage.web_taint import mark_tainted  # deferred: few calls do

        mark_tainted(vault.state_folder, session=vault.actor.session, project=call.project, now=vault.now())
        from memvault.memories.quarantine import taint_recent  # deferred, as above

        vault.run(taint_recent)


def log_tool_use(vault: OpenVault, call: ToolUse) -> None:
    """Log what a call of a tool did in a few words, and follow the agent's list of tasks."""
    from memvault.agents.hooks.todo_list import follow_todos, parse_todo_steps

    session = vault.actor.session
    if done := tool_actions(call.tool, call.arguments, call.answer, folder=call.folder):
        now = vault.now()
        from memvault.core.secrets.scan import redact_secrets  # deferred: most calls of a tool leave no note

        told = [
            {"t": now.isoformat(), "session": session, "did": deed.action, "file": redact_secrets(deed.file)}
            for deed in done
        ]
        lines = b"".join(json.dumps(row).encode() + b"\n" for row in told)
        with suppress(MemvaultError, OSError):
            files.append_line(vault.state_folder / _FILE, lines, full=_MAX_BYTES)
    if session and (steps := parse_todo_steps(call.tool, call.arguments, call.answer)):
        vault.run(follow_todos, steps)


# The log of what an agent does, in a few words.

_FILE, _OLD_FILE = "observed.jsonl", "observed.old.jsonl"
_MAX_BYTES = 200_000  # bytes: then the log is put aside, and the one put aside before goes


@dataclass(frozen=True, slots=True)
class LoggedToolCall:
    """A deed, when it was done, and in which session."""

    at: datetime
    session: str
    tool_call: ToolAction


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
