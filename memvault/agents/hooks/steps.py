"""How an agent's list of tasks moves on: which it takes in hand, which are over, which it lets go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
