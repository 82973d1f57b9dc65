"""Opening a memory: in Obsidian where the vault is Obsidian's, else with what opens such files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memvault.errors import CannotOpen
from memvault.system import programs
from tests.command_line import Line


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was handed to the desktop."""
    handed: list[str] = []
    monkeypatch.setattr(programs, "open_target", handed.append)
    return handed


def test_a_vault_with_obsidians_folder_is_opened_in_obsidian(in_vault: Line, opened: list[str]) -> None:
    path = in_vault("show", "--path", "tea").out.strip()
    ran = in_vault("vault", "open", "tea")
    assert opened == [programs.obsidian_uri(Path(path))]
    assert (ran.code, ran.out) == (0, "")
    assert "Opened obsidian://" in ran.err


def test_any_other_vault_is_opened_as_a_file(in_vault: Line, opened: list[str]) -> None:
    shutil.rmtree(".obsidian")
    path = in_vault("show", "--path", "tea").out.strip()
    in_vault("vault", "open", "tea")
    assert opened == [path]


def test_printing_opens_nothing(in_vault: Line, opened: list[str]) -> None:
    assert in_vault("vault", "open", "--print", "tea").out.startswith("obsidian://open?path=")
    assert opened == []


def test_where_there_is_no_desktop_it_says_so(in_vault: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(target: str) -> None:
        raise CannotOpen(target=target, reason="there is no desktop here")

    monkeypatch.setattr(programs, "open_target", fails)
    ran = in_vault("vault", "open", "tea")
    assert ran.code == 1
    assert "there is no desktop here" in ran.err
