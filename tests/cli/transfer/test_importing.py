"""`memvault import` at a terminal: it shows what would come, and asks; elsewhere it does as it is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import Line, Ran

Typed = Callable[..., Ran]


@pytest.fixture
def typed(line: Line) -> Typed:
    """Runs a command line for a person who then types an answer."""

    return lambda *words, answer: line(*words, typed=answer)


@pytest.fixture
def path(line: Line, tmp_path: Path) -> Path:
    """A vault, and an export of another program."""
    line("init", ".")
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps({"results": [{"id": "a", "memory": "Noor is a vegetarian"}, {"id": "b"}]}))
    return path


def count(line: Line) -> int:
    return int(line("vault", "list", "--json").json["result"]["total"])


@pytest.mark.parametrize(("answer", "brought"), [("y\n", 1), ("n\n", 0), ("", 0)])
def test_a_person_is_shown_what_would_come_and_asked(
    line: Line, typed: Typed, path: Path, answer: str, brought: int
) -> None:
    before = count(line)
    ran = typed("import", "mem0", str(path), answer=answer)
    assert "Noor is a vegetarian" in ran.err
    assert "Bring them in? [y/N]" in ran.err
    assert ("memvault undo" in ran.err) == bool(brought)
    assert ("Nothing was brought in." in ran.err) != bool(brought)
    assert count(line) == before + brought


def test_with_yes_nobody_is_asked(typed: Typed, path: Path) -> None:
    ran = typed("import", "mem0", str(path), "--yes", answer="")
    assert "[y/N]" not in ran.err
    assert "1 new" in ran.err


def test_where_nobody_is_there_nobody_is_asked(line: Line, path: Path) -> None:
    assert "1 new" in line("import", "mem0", str(path), stdin=b"").err


def test_where_there_is_nothing_new_nobody_is_asked(typed: Typed, path: Path) -> None:
    typed("import", "mem0", str(path), answer="y\n")
    ran = typed("import", "mem0", str(path), answer="y\n")
    assert "[y/N]" not in ran.err
    assert "1 unchanged" in ran.err


def test_what_could_not_be_read_is_told_with_where(line: Line, path: Path) -> None:
    ran = line("import", "mem0", str(path), "--json")
    assert ran.json["result"]["unread"][0]["where"].startswith("byte ")
    assert ran.json["warnings"][0].startswith(f"{path}, byte ")


def test_a_source_without_a_path_is_told_so(line: Line, path: Path) -> None:
    ran = line("import", "mem0")
    assert ran.code == 2
    assert "mem0" in ran.err


def test_where_nothing_came_in_the_exit_code_says_so(line: Line, path: Path) -> None:
    line("forget", line("remember", "Noor is a vegetarian", "--json").json["result"]["memory"]["id"])
    ran = line("import", "mem0", str(path))
    assert (ran.code, "1 refused" in ran.err, "memvault undo" in ran.err) == (1, True, False)
    path.write_text("[]")
    assert line("import", "mem0", str(path)).code == 0
