"""The log can be asked: who did what, since when, and all that ever happened to one memory."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import NotFound
from memvault.storage.journal.undo import OperationFilter


def verbs(vault: Memvault, **asked: object) -> list[str]:
    """What was done, the oldest first."""
    return [op.verb for op in reversed(vault.log(OperationFilter(**asked)))]  # type: ignore[arg-type]


def test_it_tells_one_agent_and_one_session_from_another(vault: Memvault, open_vault: Callable[..., Memvault]) -> None:
    vault.remember("The person's own.")
    for agent, session in (("claude-code", "s-1"), ("claude-code", "s-2"), ("codex", "s-3")):
        with open_vault(vault.root, agent=agent, session=session) as theirs:
            theirs.remember(f"Something of {agent} in {session}.")
    assert len(vault.log()) == 4
    assert [op.session for op in vault.log(OperationFilter(agent="claude"))] == ["s-2", "s-1"]
    assert [op.agent for op in vault.log(OperationFilter(session="s-3"))] == ["codex"]
    assert len(vault.log(OperationFilter(device=vault.device))) == 4
    assert not vault.log(OperationFilter(device="another-machine"))


def test_it_follows_a_memory_through_its_moves_into_the_trash_and_back(vault: Memvault) -> None:
    made = vault.remember("The staging database runs on port 5433.").memory
    vault.remember("Sara prefers tea to coffee.")
    vault.move(made.id, "archived")
    vault.edit(made.id, body="It runs on port 5434.")
    vault.forget(made.id)
    vault.undo()
    vault.pin(made.id)
    expected = ["remember", "move", "edit", "forget", "undo", "pin"]
    assert verbs(vault, memory=made.id) == expected
    assert verbs(vault, memory=made.id[:8]) == expected
    assert verbs(vault, memory=made.id, verb="edit") == ["edit"]


def test_one_that_is_gone_is_found_by_its_file_too(vault: Memvault) -> None:
    made = vault.remember("The staging database runs on port 5433.").memory
    vault.move(made.id, "archived")
    vault.forget(made.id)
    expected = ["remember", "move", "forget"]
    assert verbs(vault, memory=made.path) == expected
    assert verbs(vault, memory=Path(made.path).stem) == expected
    with pytest.raises(NotFound):
        vault.log(OperationFilter(memory="never-there"))


def test_what_lay_at_its_path_before_is_another(vault: Memvault) -> None:
    first = vault.remember("Port five.", title="Staging").memory
    vault.forget(first.id)
    second = vault.remember("Something else entirely.", title="Staging").memory
    assert second.path == first.path
    assert verbs(vault, memory=second.id) == ["remember"]


def test_only_what_was_done_since(vault: Memvault, clock) -> None:  # type: ignore[no-untyped-def]
    vault.remember("Earlier.")
    clock.now += timedelta(days=2)
    vault.remember("Later.")
    assert len(vault.log(OperationFilter(since=clock.now - timedelta(days=1)))) == 1
