"""What an event tells, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memvault.agents.hooks.hand import Hand
    from memvault.agents.hooks.rest import Rest
    from memvault.api import Memvault

_MACHINES = frozenset({"system", "schedule_wakeup", "loop_wakeup", "poll_event"})


class Late(BaseException):
    """The time is up; no ordinary handler on the way may take it for a failure of its own."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event, as far as it can be read: what is missing is empty, what is of another type is missing."""

    told: Mapping[str, object]

    def text(self, name: str) -> str:
        """A member that is text."""
        value = self.told.get(name)
        return value if isinstance(value, str) else ""

    @property
    def name(self) -> str:
        """Which event it is."""
        return self.text("hook_event_name")

    @property
    def session(self) -> str:
        """The session's id."""
        return self.text("session_id")

    @property
    def agent(self) -> str:
        """Which agent tells of it: Codex counts its turns, and calls its transcripts rollouts."""
        is_codex = bool(self.text("turn_id")) or Path(self.text("transcript_path")).name.startswith("rollout-")
        return "codex" if is_codex else "claude-code"

    @property
    def folder(self) -> Path | None:
        """The folder in which the agent works."""
        return Path(self.text("cwd")) if self.text("cwd") else None

    @property
    def is_machine(self) -> bool:
        """Whether a program wrote the prompt in the person's place."""
        return self.text("source") in _MACHINES or self.text("prompt").lstrip().startswith("<task-notification>")


@dataclass(frozen=True, slots=True)
class Scene:
    """An event with the open vault, the project that the agent works on, what is left for later, and who writes."""

    event: Event
    vault: Memvault
    project: str
    rest: Rest
    hand: Hand


def answer(event: Event, *, context: str = "", message: str = "") -> dict[str, object] | None:
    """What Claude Code is told: context for the model, a line for the user; None where there is neither."""
    told: dict[str, object] = {}
    if context:
        told["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": context}
    if message:
        told["systemMessage"] = message
    return told or None
