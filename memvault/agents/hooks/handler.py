"""`memvault hook`: reads an event from stdin and answers it; whatever happens, the agent is not stopped."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from itertools import pairwise
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING

from memvault.agents.hooks.event import Event, Hand, Late, Rest, Scene, Written, answer
from memvault.errors import MemvaultError
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.agents.spoken.intent import Intent
    from memvault.api import Memvault


# The doors of Claude Code's hooks: one file for each event that something is done at.

# Event -> its file, and the function in it. An event that is not here is answered with nothing.
EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "SessionStart": "session.serve_start",
        "UserPromptSubmit": "prompt.serve",
        "PostToolUse": "tool_use.serve_success",
        "PostToolUseFailure": "tool_use.serve_failure",
        "Stop": "session.serve_stop",
        "PreCompact": "session.serve_end",
        "SessionEnd": "session.serve_end",
    }
)


INSIDE = "MEMVAULT_INSIDE"  # set for every program that memvault itself starts: such an agent is not listened to
LONGEST = 10_000_000
"""Bytes of an event; a longer one is left alone."""

_SECONDS: Mapping[str, float] = {"SessionStart": 8.0, "UserPromptSubmit": 4.0, "SessionEnd": 1.2}
_USUAL_SECONDS = 4.0
_LEAST_SECONDS = 0.7  # of an agent's five, however long another process was waited for
# A person may end a pause by word; and what a session is, and that it read the web, is kept in mind all the same.
_IN_SPITE_OF_PAUSES = frozenset({"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SessionEnd"})
_MARKS = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
_LONGEST_NAME = 64
_HALF = rb"\ud"

Opened = Callable[[str | None, Event], "AbstractContextManager[Memvault]"]
"""Gives the vault that the command line names, or that is found where the event happened."""


IsAwaited = Callable[[Event], bool]
"""Says whether the caller still waits for the answer to an event, and will for as long as it may take."""


def main(words: list[str], raw: bytes, *, again: bool = False, spent: float = 0.0) -> None:
    """Print the answer to an event; always ends well, and prints nothing else.

    `again` says that another process had begun to serve it, and was heard of no more; `spent`, for how many seconds it
    was waited for.
    """
    with suppress(BaseException):
        if told := _in_time(raw, words, os.environ, again=again, spent=spent):
            sys.stdout.buffer.write(told)
            sys.stdout.buffer.flush()


def answered(
    raw: bytes, words: Sequence[str], environment: Mapping[str, str], *, opened: Opened | None = None
) -> bytes:
    """The answer to one event, as a line of JSON; nothing where there is nothing to say, whatever went wrong."""
    event = read(raw)
    return b"" if event is None else _whole(event, raw, words, environment, opened or _opener(environment))


def first(
    raw: bytes,
    words: Sequence[str],
    environment: Mapping[str, str],
    rest: Rest,
    *,
    opened: Opened,
    is_awaited: IsAwaited,
) -> bytes:
    """The answer to one event; what need not be waited for is left to whoever closes `rest`, in any case.

    Raises Elsewhere where the caller had better do it, and nothing of it was written.
    """
    event = read(raw)
    return b"" if event is None else _answer(event, raw, words, environment, opened, rest, is_awaited=is_awaited)


def _whole(
    event: Event,
    raw: bytes,
    words: Sequence[str],
    environment: Mapping[str, str],
    opened: Opened,
    *,
    again: bool = False,
) -> bytes:
    """The answer to an event, when all that goes with it is done."""
    rest, is_known = Rest(), False
    try:
        told = _answer(event, raw, words, environment, opened, rest, again=again)
        is_known = True
        return told
    finally:
        try:
            rest.close(given=is_known)
        except (Exception, Late) as error:  # the answer is known, and stays what it is
            _note(environment, event, type(error).__name__)


def _answer(
    event: Event,
    raw: bytes,
    words: Sequence[str],
    environment: Mapping[str, str],
    opened: Opened,
    rest: Rest,
    *,
    again: bool = False,
    is_awaited: IsAwaited | None = None,
) -> bytes:
    if environment.get(INSIDE):
        return b""
    try:
        return _line(_served(event, words, raw, opened, rest, again=again, is_awaited=is_awaited))
    except Written:
        return b""
    except Exception as error:  # noted by its name alone: its words may hold what was said
        rest.forget_given()
        _note(environment, event, type(error).__name__)
        return _lost(event, error, environment)


def _line(told: dict[str, object] | None) -> bytes:
    return json.dumps(told).encode() + b"\n" if told else b""


def _lost(event: Event, error: Exception | Late, environment: Mapping[str, str]) -> bytes:
    """What a person is told whose command came to nothing."""
    with suppress(Exception):
        from memvault.errors import MemvaultError

        reason = "the time was up" if isinstance(error, Late) else type(error).__name__
        return _line(told(event, str(error) if isinstance(error, MemvaultError) else reason, environment))
    return b""


def read(raw: bytes) -> Event | None:
    """The event in some bytes; None where it is none, or one at which nothing is done."""
    if len(raw) > LONGEST:
        return None
    try:
        told = json.loads(raw)
        if _HALF in raw.lower():  # halves of letters are in no text that could be kept or searched for
            told = json.loads(json.dumps(told, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    event = Event(told) if isinstance(told, dict) else None
    return event if event and event.name in EVENTS else None


def seconds_for(event: Event) -> float:
    """How long an event may take: less than the agent waits for it."""
    return _SECONDS.get(event.name, _USUAL_SECONDS)


def _in_time(raw: bytes, words: Sequence[str], environment: Mapping[str, str], *, again: bool, spent: float) -> bytes:
    event = read(raw)
    if event is None:
        return b""
    try:
        with _time_limit(max(_LEAST_SECONDS, seconds_for(event) - spent)):
            return _whole(event, raw, words, environment, _opener(environment), again=again)
    except Late as late:
        _note(environment, event, "the time was up")
        return _lost(event, late, environment)


def _served(
    event: Event,
    words: Sequence[str],
    raw: bytes,
    opened: Opened,
    rest: Rest,
    *,
    again: bool,
    is_awaited: IsAwaited | None,
) -> dict[str, object] | None:
    from memvault.agents.hooks.claim import serves
    from memvault.system.project import of  # deferred: an event that nobody answers loads none of it

    vault = rest.hold(opened(_named(words), event))
    project = of(event.folder) if event.folder else ""
    vault.keep_incognito(event.session)
    if event.name not in _IN_SPITE_OF_PAUSES and vault.paused(project=project, session=event.session):
        return None
    # Better served twice than never: whoever claimed it before may be dead.
    if not serves(vault.state_folder, raw, vault.now()) and not again:
        return None
    name, _, function = EVENTS[event.name].partition(".")
    serve = getattr(import_module(f"memvault.agents.hooks.{name}"), function)
    hand = Hand(vault, event, raw, is_awaited and partial(is_awaited, event))
    hand.check()
    vault.ask_before_writing(hand.begin)
    try:
        found: dict[str, object] | None = serve(Scene(event, vault, project, rest, hand))
    except Exception:
        hand.check()
        raise
    finally:
        vault.ask_before_writing(None)
    return found


def _opener(environment: Mapping[str, str]) -> Opened:
    def opened(named: str | None, event: Event) -> Memvault:
        from memvault.api import Memvault  # deferred: an event that nobody answers loads none of it

        return Memvault(
            named,
            agent=event.agent,
            session=event.session,
            folder=event.folder,
            environment=environment,
            hurried=True,
            unattended=True,
        )

    return opened


def _named(words: Sequence[str]) -> str | None:
    """The vault that the command line names."""
    return next((value for word, value in pairwise(words) if word == "--vault"), None)


def _note(environment: Mapping[str, str], event: Event, what: str) -> None:
    """A line in the log of hooks: the event, the session where it looks like one, and what went wrong."""

    is_plain = len(event.session) <= _LONGEST_NAME and _MARKS.issuperset(event.session)
    session = event.session if is_plain else "in a session without a proper id"
    with suppress(Exception):
        note(environment, f"{event.name} {session}: {what}", datetime.now(UTC))


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise Late when the time is up, where the system has an alarm; elsewhere the agent's own limit must do."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def late(_number: int, _frame: FrameType | None) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# The log of hooks on this machine: what went wrong in one, without a word of what was said.

_FILE, _BEFORE = "hooks.log", "hooks.old.log"
_FULL = 200_000  # bytes: then the log is put aside, and the one put aside before goes
_LONGEST = 400


def note(environment: Mapping[str, str], line: str, now: datetime) -> None:
    """Add a line; one that cannot be written stops nobody."""
    path = paths.state(environment) / _FILE
    told = " ".join(line.split())[:_LONGEST].encode("ascii", "replace")
    with suppress(MemvaultError, OSError):
        files.append(path, f"{now:%Y-%m-%dT%H:%M:%SZ} ".encode() + told + b"\n")
        if path.stat().st_size > _FULL:
            path.replace(path.with_name(_BEFORE))


# What is told where a spoken command could not be carried out: nobody is to believe that something was kept.


def told(event: Event, reason: str, environment: Mapping[str, str]) -> dict[str, object] | None:
    """The answer to a prompt that holds a command; None to any other event."""
    if event.name != "UserPromptSubmit" or event.is_machine:
        return None
    from memvault.api.context import command_of  # deferred: whatever went wrong may have been before it was loaded

    found = command_of(event.text("prompt"), environment)
    return None if found is None else answer(event, message=f"memvault: {_sentence(found, reason)}")


def _sentence(found: Intent, reason: str) -> str:
    from memvault.agents.spoken.intent import Remember, SaveProgress, Significant

    what = "stored" if isinstance(found, Remember | Significant | SaveProgress) else "done"
    return f"not {what}, as far as is known: {reason.rstrip('.')}. Say it again, or use `memvault say` in a terminal."
