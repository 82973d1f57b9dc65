"""`memvault hook`: reads an event from stdin and answers it; whatever happens, the agent is not stopped."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import pairwise
from types import FrameType

from memvault.surfaces.hooks import EVENTS
from memvault.surfaces.hooks.event import Event, Scene

INSIDE = "MEMVAULT_INSIDE"  # set for every program that memvault itself starts: such an agent is not listened to
_LONGEST = 10_000_000
_SECONDS: Mapping[str, float] = {"SessionStart": 8.0, "UserPromptSubmit": 4.0, "SessionEnd": 1.2}
_USUAL_SECONDS = 4.0


class _Late(BaseException):
    """The time is up; no ordinary handler on the way may take it for a failure of its own."""


def main(words: list[str]) -> None:
    """Answer the event on stdin; always ends well, and prints nothing but the answer."""
    with suppress(BaseException):
        told = _answered(words, sys.stdin.buffer.read(_LONGEST))
        if told:
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()


def _answered(words: list[str], raw: bytes) -> dict[str, object] | None:
    event = _event(raw)
    module = EVENTS.get(event.name) if event else None
    if event is None or module is None or os.environ.get(INSIDE):
        return None
    with _time_limit(_SECONDS.get(event.name, _USUAL_SECONDS)):
        return _served(event, module, words, raw)


def _event(raw: bytes) -> Event | None:
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return Event(told) if isinstance(told, dict) else None


def _served(event: Event, module: str, words: list[str], raw: bytes) -> dict[str, object] | None:
    from memvault.api import Memvault  # deferred: an event that nobody answers loads none of it
    from memvault.host.project import of
    from memvault.verbs.claim import serves

    folder = event.folder
    with Memvault(_named(words), agent="claude-code", session=event.session, folder=folder) as vault:
        project = of(folder) if folder else ""
        if vault.paused(project=project, session=event.session) and event.name != "UserPromptSubmit":
            return None
        if not serves(vault.state_folder, raw, vault.now()):
            return None
        try:
            found: dict[str, object] | None = import_module(f"memvault.surfaces.hooks.{module}").serve(
                Scene(event, vault, project)
            )
        except _Late:
            vault.note_trouble(f"{event.name} {event.session}: the time was up")
            return None
        except Exception as error:  # told by its name alone: its words may hold what was said
            vault.note_trouble(f"{event.name} {event.session}: {type(error).__name__}")
            return None
        return found


def _named(words: list[str]) -> str | None:
    """The vault that the command line names."""
    return next((value for word, value in pairwise(words) if word == "--vault"), None)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _Late when the time is up, where the system has an alarm; elsewhere the agent's own limit must do."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def late(_number: int, _frame: FrameType | None) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
