"""Working memory that follows an agent's own list of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.scan import redacted
from memvault.errors import MemvaultError, NothingToDo
from memvault.memories import tasks
from memvault.memories.open_tasks import open_tasks
from memvault.storage.vault.context import Bench
from memvault.system import files

# How an agent's list of tasks moves on: which it takes in hand, which are over, which it lets go.

_STATES: Mapping[str, str] = {"in_progress": "begun", "completed": "done", "deleted": "dropped", "cancelled": "dropped"}
_LONGEST = 300
_MOST = 50


@dataclass(frozen=True, slots=True)
class Step:
    """One task, and what became of it: listed, begun, done or dropped; `number` is the agent's own for it."""

    state: str
    task: str = ""
    number: str = ""


def steps(tool: str, given: Mapping[str, object], answer: object) -> tuple[Step, ...]:
    """What a call of a task tool says, in order; nothing where it is none."""
    told = answer if isinstance(answer, Mapping) else {}
    match tool:
        case "TodoWrite":
            return tuple(_listed(given, told))
        case "TaskCreate":
            made = told.get("task")
            number = _word(made, "id") if isinstance(made, Mapping) else ""
            return (Step("listed", subject, number),) if (subject := _word(given, "subject")) and number else ()
        case "TaskUpdate":
            return tuple(_moved(given, told))
        case _:
            return ()


def _listed(given: Mapping[str, object], told: Mapping[str, object]) -> Iterator[Step]:
    """A list is given whole, without numbers: what stood in the one before and is gone was let go."""
    now = _states(given.get("todos"))
    for task in _states(told.get("oldTodos")):
        if task not in now:
            yield Step("dropped", task)
    for task, state in now.items():
        if state in _STATES:
            yield Step(_STATES[state], task)


def _moved(given: Mapping[str, object], told: Mapping[str, object]) -> Iterator[Step]:
    number, state = _word(given, "taskId"), _word(given, "status")
    if number and state in _STATES and told.get("success", True) is True:
        yield Step(_STATES[state], _word(given, "subject"), number)


def _states(todos: object) -> dict[str, str]:
    found: dict[str, str] = {}
    for todo in todos[:_MOST] if isinstance(todos, list) else ():
        if isinstance(todo, Mapping) and (task := _word(todo, "content")):
            found[task] = _word(todo, "status")
    return found


def _word(holder: Mapping[str, object], name: str) -> str:
    value = holder.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""


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
                tasks.start(bench, task, secrets="redact")
                bench.freshen()
        case "done" | "dropped":
            if found := _in_hand(bench, task):
                (tasks.done if state == "done" else tasks.clear)(bench, task=found)


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
