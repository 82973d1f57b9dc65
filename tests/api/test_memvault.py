"""The documented Python class: its other names, working notes, figures, and calls of any capability."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.errors import DamagedIndex, NotFound, NothingToDo
from memvault.storage.vault.context import VaultContext

MANUAL = Path(__file__).parents[2] / "docs" / "python.md"
Opener = Callable[..., Memvault]


def test_store_adds_to_a_memory_that_is_named(vault: Memvault) -> None:
    made = vault.store("The harbour has two cranes.")
    vault.store("One of them was sold.", update=made.memory.id)
    assert "One of them was sold." in (vault.show(made.memory.id).memory.body or "")


def test_clear_working_archives_the_open_tasks_and_keeps_nothing(vault: Memvault) -> None:
    vault.work_start("Move the harbour to Postgres")
    vault.work_note("The dump is done.")
    vault.work_start("Paint the crane")
    cleared = vault.clear_working()
    assert {one.memory.title for one in cleared} == {"Move the harbour to Postgres", "Paint the crane"}
    assert vault.work_in_hand() == ()
    assert all(one.kept is None for one in cleared)


def test_clear_working_leaves_tasks_of_other_sessions(vault: Memvault, open_vault: Opener) -> None:
    open_vault(vault.root, agent="codex", session="one").work_start("Paint the crane")
    assert open_vault(vault.root, agent="codex", session="two").clear_working() == ()
    assert len(vault.work_in_hand()) == 1


def test_clear_working_changes_nothing_in_a_dry_run(vault: Memvault) -> None:
    vault.work_start("Paint the crane")
    assert [one.memory.title for one in vault.clear_working(dry_run=True)] == ["Paint the crane"]
    assert len(vault.work_in_hand()) == 1


def test_clear_working_returns_nothing_without_open_tasks(vault: Memvault) -> None:
    assert vault.clear_working() == ()
    with pytest.raises((NothingToDo, NotFound)):
        vault.clear_working(task="no such task")


def test_run_calls_an_action_again_after_the_index_was_damaged(vault: Memvault) -> None:
    vault.store("The heron nests at the gate pond.")
    calls: list[VaultContext] = []

    def act(context: VaultContext, word: str) -> str:
        calls.append(context)
        if len(calls) == 1:
            raise DamagedIndex(path=context.index.folder / "rows", reason="it is torn")
        return f"{word} {context.index.count()}"

    assert vault.run(act, "found") == "found 1"
    assert len(calls) == 2


def test_manual_names_the_documented_methods() -> None:
    text = MANUAL.read_text(encoding="utf-8")
    for name in ("store", "retrieve", "stats", "clear_working", "remember", "recall", "run"):
        assert f"`{name}" in text or f"vault.{name}(" in text
