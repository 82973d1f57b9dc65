"""A session that begins where another began before: what was worked out then is used, as long as it still holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.hooks.session import inject_session
from memvault.context import session_start
from memvault.context.prompt import Injection
from memvault.storage.vault.context import VaultContext

Begin = Callable[..., str]


@pytest.fixture
def begun(vault: Memvault, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Begins sessions on one open vault, as the daemon does; the fence has one token."""
    monkeypatch.setattr(session_start, "new_token", lambda: "0" * 16)
    sessions = iter(range(100))

    def at_start(project: str = "folder:gauges") -> str:
        found: Injection = inject_session(vault, event="SessionStart", session=f"s{next(sessions)}", project=project)
        return found.text

    return at_start


def write(vault: Memvault, path: str, text: str, **fields: str) -> Path:
    lines = "".join(f"{name}: {value}\n" for name, value in fields.items())
    note = vault.root / path
    note.write_text(f"---\ncreated: 2026-01-01T09:00:00Z\n{lines}---\n{text}\n")
    return note


def test_texts_are_read_once_for_each_state_of_the_vault(
    vault: Memvault, begun: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, "0-identity/noor.md", "Noor is a hydrologist.", title="Noor")
    write(vault, "1-hot/style.md", "Short answers first.", title="Style")
    write(vault, "2-memories/crane.md", "The crane lifts nine tonnes.", title="Crane")
    first = begun()
    assert all(part in first for part in ("hydrologist", "Short answers", "Crane"))
    monkeypatch.setattr(session_start, "build_session_index", None)
    monkeypatch.setattr(VaultContext, "read_text", None)
    assert begun() == first


def test_a_text_that_could_not_be_read_is_read_again(
    vault: Memvault, begun: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, "0-identity/noor.md", "Noor is a hydrologist. " * 20, title="Noor")
    vault.refresh()
    with monkeypatch.context() as patch:
        patch.setattr(VaultContext, "read_text", lambda _context, _memory: "")
        assert "hydrologist" not in begun()
    assert "hydrologist" in begun()
