"""Working memory that follows an agent's own list of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.core.secrets.contacts import redact_contacts
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.scan import redact_secrets
from memvault.errors import MemvaultError, NothingToDo
from memvault.memories import tasks
from memvault.memories.open_items import list_open_tasks
from memvault.storage.vault.context import VaultContext
from memvault.system import files

# How an agent's list of tasks moves on: which it takes in hand, which are over, which it lets go.

_STEP_STATES: Mapping[str, str] = {
    "in_progress": "begun",
    "completed": "done",
    "deleted": "dropped",
    "cancelled": "dropped",
}
_MAX_CHARACTERS = 300
_MAX_TODOS = 50


@dataclass(frozen=True, slots=True)
class TodoStep:
    """One task, and what became of it: listed, begun, done or dropped; `number` is the agent's own for it."""

    state: str
    task: str = ""
    number: str = ""


def parse_todo_steps(tool: str, given: Mapping[str, object], answer: object) -> tuple[TodoStep, ...]:
    """Return what a call of a task tool says, in order; nothing where it is none."""
    told = answer if isinstance(answer, Mapping) else {}
    match tool:
        case "TodoWrite":
            return tuple(_list_changes(given, told))
        case "TaskCreate":
            made = told.get("task")
            number = _get_text(made, "id") if isinstance(made, Mapping) else ""
            return (TodoStep("listed", subject, number),) if (subject := _get_text(given, "subject")) and number else ()
        case "TaskUpdate":
            return tuple(_task_update(given, told))
        case _:
            return ()


def _list_changes(given: Mapping[str, object], told: Mapping[str, object]) -> Iterator[TodoStep]:
    """Yield what changed between two lists, which come whole and without numbers; a task that is gone was dropped."""
    now = _task_states(given.get("todos"))
    for task in _task_states(told.get("oldTodos")):
        if task not in now:
            yield TodoStep("dropped", task)
    for task, state in now.items():
        if state in _STEP_STATES:
            yield TodoStep(_STEP_STATES[state], task)


def _task_update(given: Mapping[str, object], told: Mapping[str, object]) -> Iterator[TodoStep]:
    number, state = _get_text(given, "taskId"), _get_text(given, "status")
    if number and state in _STEP_STATES and told.get("success", True) is True:
        yield TodoStep(_STEP_STATES[state], _get_text(given, "subject"), number)


def _task_states(todos: object) -> dict[str, str]:
    found: dict[str, str] = {}
    for todo in todos[:_MAX_TODOS] if isinstance(todos, list) else ():
        if isinstance(todo, Mapping) and (task := _get_text(todo, "content")):
            found[task] = _get_text(todo, "status")
    return found


def _get_text(holder: Mapping[str, object], name: str) -> str:
    value = holder.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return " ".join(value.split())[:_MAX_CHARACTERS] if isinstance(value, str) else ""


_FILE, _LOCK = "tasks.json", "tasks.lock"
_MOST_SESSIONS = 20  # whose numbers for tasks are kept
_WAIT_SECONDS = 2.0

TaskNumbers = dict[str, dict[str, str]]  # session -> the agent's own number for a task -> the task


def follow_todos(context: VaultContext, steps: Sequence[TodoStep]) -> None:
    """Take in hand what the agent begins, and end what it is done with; of what it only lists, note the number."""
    assert context.state is not None
    files.make_folder(context.state)
    with files.lock(
        context.state / _LOCK, wait=_WAIT_SECONDS
    ):  # two calls at once must not take one task in hand twice
        known = _load_numbers(context.state)
        mine = known.pop(context.actor.session, {})
        before = dict(mine)
        redact = redact_contacts if context.settings.flag("screen.personal") else str
        for step in steps:
            task = redact(redact_secrets(strip_private(step.task))).strip() or mine.get(step.number, "")
            if step.number and task:
                mine[step.number] = task
            if task:
                match step.state:
                    case "begun":
                        with suppress(NothingToDo):  # it is in hand already
                            tasks.start_task(context, task, secrets="redact")
                            context.refresh()
                    case "done" | "dropped":
                        if found := _find_open_task(context, task):
                            (tasks.finish_task if step.state == "done" else tasks.clear_tasks)(context, task=found)
        if mine != before:
            known[context.actor.session] = mine  # the latest last
            with suppress(MemvaultError, OSError):
                files.overwrite_file(
                    context.state / _FILE, json.dumps(dict(list(known.items())[-_MOST_SESSIONS:])).encode()
                )


def _find_open_task(context: VaultContext, task: str) -> str:
    """Return the path of the task of this session that says so; empty where none does."""
    for memory in list_open_tasks(context):
        is_own = str(memory.more.get("session", "")) == context.actor.session
        if is_own and str(memory.more.get("task", memory.title)).casefold() == task.casefold():
            return memory.path
    return ""


def _load_numbers(state: Path) -> TaskNumbers:
    path = state / _FILE
    with suppress(MemvaultError, ValueError, TypeError, AttributeError):
        told = json.loads(files.read_file(path)) if path.exists() else {}
        return {str(session): {str(number): str(task) for number, task in of.items()} for session, of in told.items()}
    return {}
