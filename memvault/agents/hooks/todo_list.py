"""Working memory that follows an agent's own list of tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memvault.agents.hooks.steps import Step
from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.scan import redacted
from memvault.errors import MemvaultError, NothingToDo
from memvault.memories import tasks as work
from memvault.memories.open_tasks import open_tasks
from memvault.storage.vault.context import Bench
from memvault.system import files

_FILE, _LOCK = "tasks.json", "tasks.lock"
_MOST_SESSIONS = 20  # whose numbers for tasks are kept
_WAIT_SECONDS = 2.0

Numbers = dict[str, dict[str, str]]  # session -> the agent's own number for a task -> the task


def follow(bench: Bench, steps: Sequence[Step]) -> None:
    """Take in hand what the agent begins, and end what it is done with; of what it only lists, note the number."""
    assert bench.state is not None
    files.make_folder(bench.state)
    with files.lock(bench.state / _LOCK, wait=_WAIT_SECONDS):  # two calls at once must not take one task in hand twice
        known = _numbers(bench.state)
        mine = known.pop(bench.actor.session, {})
        before = dict(mine)
        for step in steps:
            task = redacted(without_private(step.task)).strip() or mine.get(step.number, "")
            if step.number and task:
                mine[step.number] = task
            if task:
                _follow(bench, step.state, task)
        if mine != before:
            known[bench.actor.session] = mine  # the latest last
            _keep_numbers(bench.state, dict(list(known.items())[-_MOST_SESSIONS:]))


def _follow(bench: Bench, state: str, task: str) -> None:
    match state:
        case "begun":
            with suppress(NothingToDo):  # it is in hand already
                work.start(bench, task, secrets="redact")
                bench.freshen()
        case "done" | "dropped":
            if found := _in_hand(bench, task):
                (work.done if state == "done" else work.clear)(bench, task=found)


def _in_hand(bench: Bench, task: str) -> str:
    """The path of the task of this session that says so; empty where none does."""
    for memory in open_tasks(bench):
        is_own = str(memory.more.get("session", "")) == bench.actor.session
        if is_own and str(memory.more.get("task", memory.title)).casefold() == task.casefold():
            return memory.path
    return ""


def _numbers(state: Path) -> Numbers:
    path = state / _FILE
    with suppress(MemvaultError, ValueError, TypeError, AttributeError):
        told = json.loads(files.read(path)) if path.exists() else {}
        return {str(session): {str(number): str(task) for number, task in of.items()} for session, of in told.items()}
    return {}


def _keep_numbers(state: Path, known: Mapping[str, Mapping[str, str]]) -> None:
    with suppress(MemvaultError, OSError):
        files.overwrite(state / _FILE, json.dumps(known).encode())
