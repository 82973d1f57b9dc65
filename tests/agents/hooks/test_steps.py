"""An agent's list of tasks, as its tools tell of it."""

from __future__ import annotations

import pytest

from memvault.agents.hooks.todo_list import TodoStep, parse_todo_steps


def todo(content: object, status: object = "pending") -> dict[str, object]:
    return {"content": content, "status": status, "activeForm": "…"}


def test_of_a_whole_list_what_is_begun_and_done_is_told_and_what_is_gone_was_let_go() -> None:
    given = {"todos": [todo("A", "in_progress"), todo("B", "completed"), todo("C")]}
    answer = {"oldTodos": [todo("A"), todo("D")], "newTodos": []}
    assert parse_todo_steps("TodoWrite", given, answer) == (
        TodoStep("dropped", "D"),
        TodoStep("begun", "A"),
        TodoStep("done", "B"),
    )


def test_a_task_is_made_under_a_number_and_moves_on_under_it() -> None:
    assert parse_todo_steps("TaskCreate", {"subject": "Mend it"}, {"task": {"id": 3}}) == (
        TodoStep("listed", "Mend it", "3"),
    )
    assert parse_todo_steps("TaskUpdate", {"taskId": "3", "status": "in_progress"}, {"success": True}) == (
        TodoStep("begun", "", "3"),
    )
    assert parse_todo_steps("TaskUpdate", {"taskId": "3", "status": "completed"}, {}) == (TodoStep("done", "", "3"),)
    assert parse_todo_steps("TaskUpdate", {"taskId": "3", "status": "deleted"}, {}) == (TodoStep("dropped", "", "3"),)


@pytest.mark.parametrize(
    ("tool", "given", "answer"),
    [
        ("TodoWrite", {"todos": "all"}, {}),
        ("TodoWrite", {"todos": [1, None, {"content": 4}, todo("  ")]}, {"oldTodos": 7}),
        ("TaskCreate", {"subject": "A"}, {"task": []}),
        ("TaskCreate", {"subject": ["A"]}, {"task": {"id": "1"}}),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, {"success": False}),
        ("TaskUpdate", {"taskId": None, "status": "completed"}, None),
        ("Bash", {"todos": [todo("A", "completed")]}, {}),
    ],
)
def test_what_cannot_be_read_moves_nothing(tool: str, given: dict[str, object], answer: object) -> None:
    assert parse_todo_steps(tool, given, answer) == ()
