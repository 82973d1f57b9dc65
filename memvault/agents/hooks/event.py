"""What an event tells, what is answered, and which process serves it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memvault.errors import MemvaultError
from memvault.system import files

if TYPE_CHECKING:
    from memvault.open_vault import OpenVault


_MACHINE_SOURCES = frozenset({"system", "schedule_wakeup", "loop_wakeup", "poll_event"})


class TimedOut(BaseException):
    """The time is up; no ordinary handler on the way may take it for a failure of its own."""


class HookEvent:
    """One event, as far as it can be read: what is missing is empty, what is of another type is missing."""

    __slots__ = ("agent", "folder", "is_machine", "name", "payload", "session")

    def __init__(self, payload: Mapping[str, object]) -> None:
        self.payload = payload
        self.name = self.get_text("hook_event_name")
        self.session = self.get_text("session_id")
        # Codex counts its turns, and calls its transcripts rollouts.
        is_codex = bool(self.get_text("turn_id")) or Path(self.get_text("transcript_path")).name.startswith("rollout-")
        self.agent = "codex" if is_codex else "claude-code"
        self.folder = Path(self.get_text("cwd")) if self.get_text("cwd") else None  # in which the agent works
        # Whether a program wrote the prompt in the person's place.
        is_notice = self.get_text("prompt").lstrip().startswith("<task-notification>")
        self.is_machine = is_notice or self.get_text("source") in _MACHINE_SOURCES

    def get_text(self, name: str) -> str:
        """Return a member that is text."""
        value = self.payload.get(name)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class HookCall:
    """An event with the open vault, the project that the agent works on, what is left for later, and who writes."""

    event: HookEvent
    vault: OpenVault
    project: str
    after_reply: AfterReply
    write_claim: WriteClaim


def build_reply(event: HookEvent, *, context: str = "", message: str = "") -> dict[str, object] | None:
    """Return what Claude Code is told: context for the model, a line for the user; None where there is neither."""
    told: dict[str, object] = {}
    if context:
        told["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": context}
    if message:
        from memvault.text.display import neutralize_text  # deferred: most events are answered with nothing

        told["systemMessage"] = neutralize_text(message)
    return told or None


# Who writes what an event asks for, where the daemon and its caller may both be at it.

_UNREPORTED_EVENTS = frozenset(
    {"PostToolUse"}
)  # what is done for a prompt is looked up instead, as the person is told about it


class LeaveToCaller(BaseException):
    """The caller had better do it itself; no handler of ordinary trouble may take it for some."""


class AlreadyDone(BaseException):
    """Another process has written it; what, it says in a few words where anybody is to be told."""

    def __init__(self, description: str) -> None:
        super().__init__()
        self.description = description


class WriteClaim:
    """One process's right to write for an event; the vault asks for it under its lock, before anything is written."""

    def __init__(self, vault: OpenVault, event: HookEvent, raw: bytes, is_awaited: Callable[[], bool] | None) -> None:
        self._vault = vault
        self._event = event
        self._raw = raw
        self._is_awaited = is_awaited  # whether somebody else still waits for us, who would do it otherwise
        self.has_begun = False

    def check_awaited(self) -> None:
        """Raise LeaveToCaller where nobody waits any more for what we have not begun."""
        if self.has_begun or self._is_awaited is None or self._is_awaited():
            return
        release_claim(self._vault.state_folder, self._raw)
        raise LeaveToCaller

    def begin_writing(self) -> None:
        """Take the right to write; raise LeaveToCaller or AlreadyDone where another process has it."""
        if self.has_begun:
            return
        self.check_awaited()
        if not claim_write(self._vault.state_folder, self._raw, self._vault.now()):
            if self._is_awaited is not None:
                raise LeaveToCaller
            if self._event.name in _UNREPORTED_EVENTS:
                raise AlreadyDone("")
            if self._event.name == "UserPromptSubmit" and (did := self._describe_command()):
                raise AlreadyDone(did)
        self.has_begun = True

    def _describe_command(self) -> str:
        from memvault.agents.spoken.execute import describe_last_command  # deferred: seldom are there two

        return self._vault.run(describe_last_command)


# What is still to be done for an event when its answer is known, in the order in which it was asked for.

Action = Callable[[], object]
Resource = TypeVar("Resource")


class AfterReply:
    """Some acts, and what is to be let go of when they are done."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._actions: list[tuple[Action, bool]] = []

    def keep_open(self, context: AbstractContextManager[Resource]) -> Resource:
        """Have something open until the end."""
        return self._open.enter_context(context)

    def defer(self, act: Action) -> None:
        """Have something done in any case."""
        self._actions.append((act, False))

    def defer_if_delivered(self, act: Action) -> None:
        """Have something done only if the agent gets the answer."""
        self._actions.append((act, True))

    def cancel_if_delivered(self) -> None:
        """What was going to be given is not."""
        self._actions = [(act, is_booking) for act, is_booking in self._actions if not is_booking]

    def discard(self) -> None:
        """Do nothing of it, for another process will, and let go."""
        self._actions = []
        self._open.close()

    def close(self, *, is_delivered: bool) -> None:
        """Do it all, and let go; whatever goes wrong stops nothing but itself, and the first of it is raised."""
        acts, self._actions = [act for act, is_booking in self._actions if is_delivered or not is_booking], []
        failed: list[Exception] = []
        with self._open:
            for act in acts:
                try:
                    act()
                except Exception as error:
                    failed.append(error)
        if failed:
            raise failed[0]


# Each event of an agent is served once, however many hooks were installed for it.

# The hooks of one event are started together, but on a busy machine one may come seconds behind the other. The same
# event again has other bytes (a tool's call and a prompt have ids), or comes later than that.
_WINDOW_SECONDS = 5.0
_START_SECONDS = 3_600.0
_FOLDER = "claims"
_WAIT_SECONDS = 0.5
_STARTED = b"begun\n"
_CLEANUP_PREFIX = "00"  # one claim in 256 clears the old ones away


def claim_event(state: Path, payload: bytes, now: datetime) -> bool:
    """Whether this process is the one that serves an event: the first, for some seconds, to be given these bytes.

    `state` is the vault's own state folder, so that hooks for two vaults both serve. Where no claim can be made, it is
    served: better twice than never.
    """
    path = state / _FOLDER / files.digest(payload)
    try:
        if _create_claim(path, now):
            if path.name.startswith(_CLEANUP_PREFIX):
                with suppress(MemvaultError, OSError), files.lock(path.parent / ".lock", wait=0):
                    for claim in path.parent.iterdir():
                        if not claim.name.startswith(".") and _is_expired(claim, now):
                            claim.unlink()
            return True
        return _is_expired(path, now) and _replace_expired(path, now)
    except (MemvaultError, OSError):
        return True


def claim_write(state: Path, payload: bytes, now: datetime) -> bool:
    """Whether nobody has begun to write what an event asks for; asked under the vault's lock, and then somebody has."""
    path = state / _FOLDER / files.digest(payload)
    try:
        with suppress(FileNotFoundError):  # given back meanwhile
            if path.stat().st_size:
                return False
        files.append_line(path, _STARTED)
        os.utime(path, (now.timestamp(), now.timestamp()))
    except (MemvaultError, OSError):
        return True  # better twice than never
    return True


def release_claim(state: Path, payload: bytes) -> None:
    """Let another process serve an event, where nothing of it was written."""
    path = state / _FOLDER / files.digest(payload)
    with suppress(MemvaultError, OSError), files.lock(path.parent / ".lock", wait=_WAIT_SECONDS):
        if not path.stat().st_size:
            path.unlink()


def claim_hourly_start(path: Path, now: datetime) -> bool:
    """Return whether this process is the one that starts what is to be started once in an hour; `path` is its mark.

    Where the mark cannot be set, nobody starts it: what would be started again and again does more harm.
    """
    try:
        if _create_claim(path, now):
            return True
        with files.lock(path.with_name(f"{path.name}.lock"), wait=0):
            if abs(now.timestamp() - path.stat().st_mtime) < _START_SECONDS:
                return False
            os.utime(path, (now.timestamp(), now.timestamp()))
            return True
    except (MemvaultError, OSError):
        return False


def _create_claim(path: Path, now: datetime) -> bool:
    try:
        is_ours = files.create_claim(path)
    except MemvaultError:  # most often the folder is not there yet
        files.make_folder(path.parent)
        is_ours = files.create_claim(path)
    if is_ours:  # by our clock: a network disk may have another
        os.utime(path, (now.timestamp(), now.timestamp()))
    return is_ours


def _is_expired(path: Path, now: datetime) -> bool:
    return abs(now.timestamp() - path.stat().st_mtime) > _WINDOW_SECONDS


def _replace_expired(path: Path, now: datetime) -> bool:
    """Whether an old claim could be replaced by ours: claims are removed under the lock alone, and old ones alone."""
    with files.lock(path.parent / ".lock", wait=_WAIT_SECONDS):
        with suppress(FileNotFoundError):
            if not _is_expired(path, now):
                return False
            path.unlink()
        return _create_claim(path, now)
