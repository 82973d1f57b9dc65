"""What an event tells, and what is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
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


# Who writes what an event asks for, where the warm process and its caller may both be at it.

_ONCE = frozenset({"PostToolUse"})  # what is done for a prompt is looked up instead, for the person is told of it


class Elsewhere(BaseException):
    """The caller had better do it itself; no handler of ordinary trouble may take it for some."""


class Written(BaseException):
    """Another process has written it; what, it says in a few words where anybody is to be told."""

    def __init__(self, did: str) -> None:
        super().__init__()
        self.did = did


class Hand:
    """One process's right to write for an event; the vault asks for it under its lock, before anything is written."""

    def __init__(self, vault: Memvault, event: Event, raw: bytes, is_awaited: Callable[[], bool] | None) -> None:
        self._vault = vault
        self._event = event
        self._raw = raw
        self._is_awaited = is_awaited  # whether somebody else still waits for us, who would do it otherwise
        self.has_begun = False

    def check(self) -> None:
        """Raise Elsewhere where nobody waits any more for what we have not begun."""
        if self.has_begun or self._is_awaited is None or self._is_awaited():
            return
        from memvault.agents.hooks.claim import give_back

        give_back(self._vault.state_folder, self._raw)
        raise Elsewhere

    def begin(self) -> None:
        """Take the right to write; raise Elsewhere or Written where another process has it."""
        if self.has_begun:
            return
        self.check()
        from memvault.agents.hooks.claim import begins

        if not begins(self._vault.state_folder, self._raw, self._vault.now()):
            self._leave_to_the_other()
        self.has_begun = True

    def _leave_to_the_other(self) -> None:
        """Raise what is to be raised; come back where the other has died before it wrote anything."""
        if self._is_awaited is not None:
            raise Elsewhere
        if self._event.name in _ONCE:
            raise Written("")
        if self._event.name == "UserPromptSubmit" and (did := self._vault.obeyed_before()):
            raise Written(did)


# What is still to be done for an event when its answer is known, in the order in which it was asked for.

Act = Callable[[], object]
Opened = TypeVar("Opened")


class Rest:
    """Some acts, and what is to be let go of when they are done."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._acts: list[tuple[Act, bool]] = []

    def hold(self, context: AbstractContextManager[Opened]) -> Opened:
        """Have something open until the end."""
        return self._open.enter_context(context)

    def later(self, act: Act) -> None:
        """Have something done in any case."""
        self._acts.append((act, False))

    def if_given(self, act: Act) -> None:
        """Have something done only if the agent gets the answer."""
        self._acts.append((act, True))

    def forget_given(self) -> None:
        """What was going to be given is not."""
        self._acts = [(act, is_booking) for act, is_booking in self._acts if not is_booking]

    def drop(self) -> None:
        """Do nothing of it, for another process will, and let go."""
        self._acts = []
        self._open.close()

    def close(self, *, given: bool) -> None:
        """Do it all, and let go; whatever goes wrong stops nothing but itself, and the first of it is raised."""
        acts, self._acts = [act for act, is_booking in self._acts if given or not is_booking], []
        failed: list[Exception] = []
        with self._open:
            for act in acts:
                try:
                    act()
                except Exception as error:
                    failed.append(error)
        if failed:
            raise failed[0]
