"""A note with a text in it, and a place for what is displaced."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.system.files.ground import OLD


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


@pytest.fixture
def hold(tmp_path: Path) -> Path:
    return tmp_path / ".memvault" / "undo" / "held"


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
