"""Set everything up part by part, and take it all back: each part says what it did and how it is undone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memvault.agents.setup.backup import detect_agents
from memvault.agents.setup.clients import HOOK_AGENTS, SERVER_AGENTS, AgentFolders, CommandWords, HookAgent, ServerAgent
from memvault.errors import MemvaultError
from memvault.system import files

StepState = Literal["done", "already", "would", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupOptions:
    """Which parts are wanted, and for which agents."""

    hooks: tuple[str, ...] = ("claude-code",)
    servers: tuple[str, ...] = ("claude-code",)
    claude_md: bool = True
    schedule: bool = True
    profile: str = "production"
    check: bool = True
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoice:
    """The agents that are to be set up: those that were named, or those that this person has."""

    hooks: tuple[str, ...]
    servers: tuple[str, ...]
    has_plugin: bool = False  # Claude Code has hooks and server from it already


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupStep:
    """What became of one part: where, how it is undone, and what else there is to say."""

    part: str
    state: StepState
    did: str
    where: str = ""
    undo: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupResult:
    """The vault, what became of each part, and what the check at the end showed."""

    vault: str
    steps: tuple[SetupStep, ...]
    checked: bool | None = None  # None where nothing was to be checked
    complaint: str = ""
    dry_run: bool = False

    @property
    def ok(self) -> bool:
        """Whether every part was done, and the check held."""
        return self.checked is not False and all(step.state != "failed" for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRemoval:
    """What became of each part that was taken back, and what stays: the vault, and a plugin, which is Claude Code's."""

    steps: tuple[SetupStep, ...]
    vault: str = ""
    plugins: tuple[str, ...] = ()  # the settings that have the plugin enabled
    dry_run: bool = False


SetupPart = tuple[str, Callable[[], SetupStep]]


def choose_agents(ground: AgentFolders, plugins: Sequence[str], named: AbstractSet[str] = frozenset()) -> AgentChoice:
    """Those that were named; or Claude Code, unless the plugin serves it, and what else this person has."""
    usual = set() if plugins else {"claude-code"}

    def choose_from(
        known: Mapping[str, HookAgent] | Mapping[str, ServerAgent], there: Sequence[str]
    ) -> tuple[str, ...]:
        wanted = named or usual | (set(there) - {"claude-code"})
        return tuple(name for name in known if name in wanted)

    return AgentChoice(
        hooks=choose_from(HOOK_AGENTS, detect_agents(HOOK_AGENTS, ground)),
        servers=choose_from(SERVER_AGENTS, detect_agents(SERVER_AGENTS, ground)),
        has_plugin=bool(plugins),
    )


def run_parts(parts: Iterable[SetupPart]) -> tuple[SetupStep, ...]:
    """Do each part; one that fails says why, and the others are done all the same."""
    return tuple(_try_part(name, act) for name, act in parts)


def step_state(*, changed: bool, dry_run: bool) -> StepState:
    """Return how a part stands that was asked to change something."""
    if not changed:
        return "already"
    return "would" if dry_run else "done"


def _try_part(name: str, act: Callable[[], SetupStep]) -> SetupStep:
    try:
        with files.system_errors(Path(name)):
            return act()
    except MemvaultError as error:
        return SetupStep(part=name, state="failed", did=str(error), notes=tuple(filter(None, (error.advice,))))


# One call of a hook, as an agent would make it.


@dataclass(frozen=True, slots=True)
class HookReply:
    """What a hook answered: the text for the model, and where there is none, why."""

    context: str
    complaint: str = ""
    failed: bool = False  # whether the program itself failed, which an agent shows or stops at


def call_hook(
    words: CommandWords, payload: Mapping[str, object], *, environment: Mapping[str, str], folder: Path, seconds: float
) -> HookReply:
    """Give a hook an event and read its answer."""
    try:
        done = subprocess.run(
            list(words),
            input=json.dumps(payload).encode(),
            env=dict(environment),
            cwd=folder,
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return HookReply("", f"it did not answer within {seconds:g} seconds", failed=True)
    except OSError as error:
        return HookReply("", f"{words[0]} cannot be started ({error.strerror or error})", failed=True)
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        return HookReply("", f"it ended with {done.returncode}{f': {said}' if said else ''}", failed=True)
    return _parse_reply(done.stdout.decode("utf-8", "replace"))


def _parse_reply(answer: str) -> HookReply:
    if not answer.strip():
        return HookReply("", "it had nothing to say")
    try:
        told = json.loads(answer)
        context = told["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        return HookReply("", "its answer holds nothing for the model")
    return HookReply(str(context))


# Prove that it works: write a memory as a person would, ask for it as an agent would, take it away again.

_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupCheck:
    """Whether a memory that was written by hand reached the model by way of the hook; if not, why."""

    ok: bool
    complaint: str = ""
    is_harmful: bool = False  # a hook that fails gets in the agent's way: it must not stay


def check_hook(folder: Path, words: CommandWords, environment: Mapping[str, str], *, home: Path) -> SetupCheck:
    """Have the hook find a note that was not there a moment ago; the note is gone again afterwards."""
    trigger, answer = f"memvault setup check {os.urandom(4).hex()}", f"lantern-{os.urandom(4).hex()}"
    note = folder / f"{trigger.replace(' ', '-')}.md"
    is_new = not folder.exists()
    files.make_folder(folder)
    files.create_file(note, _build_note(trigger, answer).encode())
    try:
        payload = {
            "session_id": trigger.replace(" ", "-"),
            "transcript_path": "",
            "cwd": str(home),
            "hook_event_name": "UserPromptSubmit",
            "prompt": f"What is the password of the {trigger}?",
        }
        heard = call_hook(words, payload, environment=environment, folder=home, seconds=_SECONDS)
    finally:
        files.remove_file(note)
        if is_new:
            with suppress(OSError):  # the hook may have put something there meanwhile
                folder.rmdir()
    if answer in heard.context:
        return SetupCheck(ok=True)
    if heard.failed:
        complaint = f"{heard.complaint.rstrip('.')}; so the hooks were taken out again, as they would disturb the agent"
        return SetupCheck(ok=False, complaint=complaint, is_harmful=True)
    return SetupCheck(ok=False, complaint=heard.complaint or "it spoke of other memories, and not of this one")


def _build_note(trigger: str, answer: str) -> str:
    return (
        "---\n"
        f"title: The password of the {trigger}\n"
        "kind: semantic\n"
        "scope: global\n"
        f"triggers: [{trigger}]\n"
        "---\n"
        f"The password of the {trigger} is {answer}.\n"
    )
