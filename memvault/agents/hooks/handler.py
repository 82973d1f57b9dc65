"""`memvault hook`: reads an event from stdin and answers it; whatever happens, the agent is not stopped."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from itertools import pairwise
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING

from memvault.agents.hooks.event import (
    AfterReply,
    AlreadyDone,
    HookCall,
    HookEvent,
    TimedOut,
    WriteClaim,
    build_reply,
    claim_event,
)
from memvault.errors import MemvaultError
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.agents.spoken.intent import Intent
    from memvault.open_vault import OpenVault


# The doors of Claude Code's hooks: one file for each event that something is done at.

# Event -> its file, and the function in it. An event that is not here is answered with nothing.
EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "SessionStart": "session.serve_start",
        "UserPromptSubmit": "prompt.serve",
        "PreToolUse": "action.serve",
        "PostToolUse": "tool_use.serve_success",
        "PostToolUseFailure": "tool_use.serve_failure",
        "Stop": "session.serve_stop",
        "PreCompact": "session.serve_end",
        "SessionEnd": "session.serve_end",
    }
)


INSIDE = "MEMVAULT_INSIDE"  # set for every program that memvault itself starts: such an agent is not listened to
MAX_EVENT_BYTES = 10_000_000
"""Bytes of an event; a longer one is left alone."""

_SECONDS: Mapping[str, float] = {"SessionStart": 8.0, "UserPromptSubmit": 4.0, "PreToolUse": 2.0, "SessionEnd": 1.2}
_USUAL_SECONDS = 4.0
_LEAST_SECONDS = 0.7  # of an agent's five, however long another process was waited for
# A person may end a pause by word; and what a session is, and that it read the web, is kept in mind all the same.
_HANDLED_IN_PAUSE = frozenset({"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SessionEnd"})
_SESSION_CHARACTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
_MAX_SESSION = 64
_SURROGATE = rb"\ud"

OpenForEvent = Callable[[str | None, HookEvent], "AbstractContextManager[OpenVault]"]
"""Gives the vault that the command line names, or that is found where the event happened."""


IsAwaited = Callable[[HookEvent], bool]
"""Says whether the caller still waits for the answer to an event, and will for as long as it may take."""


def main(words: list[str], raw: bytes, *, is_retry: bool = False, seconds_spent: float = 0.0) -> None:
    """Print the answer to an event; always ends well, and prints nothing else.

    `is_retry` says that another process had begun to serve it, and was heard of no more; `seconds_spent`, for how long
    it was waited for.
    """
    with suppress(BaseException):
        if reply := _answer_in_time(raw, words, os.environ, is_retry=is_retry, seconds_spent=seconds_spent):
            sys.stdout.buffer.write(reply)
            sys.stdout.buffer.flush()


def answer_event(
    raw: bytes, words: Sequence[str], environment: Mapping[str, str], *, open_vault: OpenForEvent | None = None
) -> bytes:
    """Return the answer to one event, as a line of JSON; nothing where there is nothing to say, whatever went wrong."""
    event = parse_event(raw)
    if event is None:
        return b""
    return _EventTask(event, raw, words, environment, open_vault).answer_and_finish()


def answer_early(
    raw: bytes,
    words: Sequence[str],
    environment: Mapping[str, str],
    after_reply: AfterReply,
    *,
    open_vault: OpenForEvent,
    is_awaited: IsAwaited,
) -> bytes:
    """Return the answer to one event; what need not be waited for is left to whoever closes `after_reply`.

    Raises LeaveToCaller where the caller had better do it, and nothing of it was written.
    """
    event = parse_event(raw)
    if event is None:
        return b""
    return _EventTask(event, raw, words, environment, open_vault, is_awaited=is_awaited).answer(after_reply)


def _answer_in_time(
    raw: bytes, words: Sequence[str], environment: Mapping[str, str], *, is_retry: bool, seconds_spent: float
) -> bytes:
    event = parse_event(raw)
    if event is None:
        return b""
    task = _EventTask(event, raw, words, environment, is_retry=is_retry)
    seconds = _SECONDS.get(event.name, _USUAL_SECONDS) - seconds_spent  # less than the agent waits for it
    try:
        with _limit_time(max(_LEAST_SECONDS, seconds)):
            return task.answer_and_finish()
    except TimedOut:
        return task.report_failure("the time was up")


@dataclass(frozen=True, slots=True)
class _EventTask:
    """One event that is to be answered, with all that is needed for it."""

    event: HookEvent
    raw: bytes
    words: Sequence[str]
    environment: Mapping[str, str]
    open_vault: OpenForEvent | None = None  # where an open one is at hand
    is_retry: bool = False
    is_awaited: IsAwaited | None = None

    def answer_and_finish(self) -> bytes:
        """Return the answer, when all that goes with it is done."""
        after_reply, is_known = AfterReply(), False
        try:
            reply = self.answer(after_reply)
            is_known = True
            return reply
        finally:
            try:
                after_reply.close(is_delivered=is_known)
            except (Exception, TimedOut) as error:  # the answer is known, and stays what it is
                _log_failure(self.environment, self.event, type(error).__name__)

    def answer(self, after_reply: AfterReply) -> bytes:
        """Return the answer; what went wrong is logged, and told to a person whose command came to nothing."""
        if self.environment.get(INSIDE):
            return b""
        try:
            return _encode_reply(self._serve(after_reply))
        except AlreadyDone:
            return b""
        except Exception as error:  # noted by its name alone: its words may hold what was said
            after_reply.cancel_if_delivered()
            return self.report_failure(type(error).__name__, str(error) if isinstance(error, MemvaultError) else "")

    def report_failure(self, what: str, reason: str = "") -> bytes:
        """Log what went wrong, and return what a person is told whose command came to nothing."""
        _log_failure(self.environment, self.event, what)
        with suppress(Exception):
            return _encode_reply(report_failed_command(self.event, reason or what, self.environment))
        return b""

    def _serve(self, after_reply: AfterReply) -> dict[str, object] | None:
        from memvault.system.project import project_of  # deferred: an event that nobody answers loads none of it

        event = self.event
        named = next((value for word, value in pairwise(self.words) if word == "--vault"), None)
        if self.open_vault is None:
            from memvault.open_vault import OpenVault  # deferred, as above

            opened: AbstractContextManager[OpenVault] = OpenVault(
                named,
                agent=event.agent,
                session=event.session,
                folder=event.folder,
                environment=self.environment,
                hurried=True,
                unattended=True,
            )
        else:
            opened = self.open_vault(named, event)
        vault = after_reply.keep_open(opened)
        project = project_of(event.folder) if event.folder else ""
        mark_incognito(vault, event.session)
        if event.name not in _HANDLED_IN_PAUSE and vault.find_pause(project=project, session=event.session):
            return None
        # Better served twice than never: whoever claimed it before may be dead.
        if not claim_event(vault.state_folder, self.raw, vault.now()) and not self.is_retry:
            return None
        name, _, function = EVENTS[event.name].partition(".")
        serve = getattr(import_module(f"memvault.agents.hooks.{name}"), function)
        claim = WriteClaim(vault, event, self.raw, self.is_awaited and partial(self.is_awaited, event))
        claim.check_awaited()
        vault.ask_before_writing(claim.begin_writing)
        try:
            reply: dict[str, object] | None = serve(HookCall(event, vault, project, after_reply, claim))
        except Exception:
            claim.check_awaited()
            raise
        finally:
            vault.ask_before_writing(None)
        return reply


def _encode_reply(reply: dict[str, object] | None) -> bytes:
    return json.dumps(reply).encode() + b"\n" if reply else b""


def parse_event(raw: bytes) -> HookEvent | None:
    """Return the event in some bytes; None where it is none, or one at which nothing is done."""
    if len(raw) > MAX_EVENT_BYTES:
        return None
    try:
        told = json.loads(raw)
        if _SURROGATE in raw.lower():  # halves of letters are in no text that could be kept or searched for
            told = json.loads(json.dumps(told, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    event = HookEvent(told) if isinstance(told, dict) else None
    return event if event and event.name in EVENTS else None


def mark_incognito(vault: OpenVault, session: str) -> None:
    """Remember, by a hash, that a session is incognito, so that it stays so when it is over."""
    from memvault.storage.pauses import is_incognito

    if is_incognito(vault.environment):
        from memvault.storage.pauses import hide_session  # deferred: few sessions are

        hide_session(vault.state_folder, session)


def _log_failure(environment: Mapping[str, str], event: HookEvent, what: str) -> None:
    """A line in the log of hooks: the event, the session where it looks like one, and what went wrong."""

    is_plain = len(event.session) <= _MAX_SESSION and _SESSION_CHARACTERS.issuperset(event.session)
    session = event.session if is_plain else "in a session without a proper id"
    with suppress(Exception):
        append_log(environment, f"{event.name} {session}: {what}", datetime.now(UTC))


@contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    """Raise TimedOut when the time is up, where the system has an alarm; elsewhere the agent's own limit must do."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def raise_timeout(_number: int, _frame: FrameType | None) -> None:
        raise TimedOut

    before = signal.signal(signal.SIGALRM, raise_timeout)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# The log of hooks on this machine: what went wrong in one, without a word of what was said.

_FILE = "hooks.log"
_FULL = 200_000  # bytes: then the log is put aside, and the one put aside before goes
_MAX_LINE = 400


def append_log(environment: Mapping[str, str], line: str, now: datetime) -> None:
    """Add a line; one that cannot be written stops nobody."""
    told = f"{now:%Y-%m-%dT%H:%M:%SZ} {' '.join(line.split())[:_MAX_LINE]}\n"
    with suppress(MemvaultError, OSError):
        files.append_line(paths.state_folder(environment) / _FILE, told.encode("ascii", "replace"), full=_FULL)


# What is told where a spoken command could not be carried out: nobody is to believe that something was kept.


def report_failed_command(event: HookEvent, reason: str, environment: Mapping[str, str]) -> dict[str, object] | None:
    """Return the answer to a prompt that holds a command; None to any other event."""
    if event.name != "UserPromptSubmit" or event.is_machine:
        return None
    from memvault.agents.spoken.listening import find_without_vault  # deferred: what went wrong may lie in it

    found = find_without_vault(event.get_text("prompt"), environment)
    return None if found is None else build_reply(event, message=f"memvault: {_failure_sentence(found, reason)}")


def _failure_sentence(found: Intent, reason: str) -> str:
    from memvault.agents.spoken.intent import Remember, SaveProgress, Significant

    what = "stored" if isinstance(found, Remember | Significant | SaveProgress) else "done"
    cause = reason.rstrip(".")
    return f"not {what}, as far as is known: {cause}. Say it again, or use `memvault agent say` in a terminal."
