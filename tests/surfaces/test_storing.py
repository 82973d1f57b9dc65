"""A person at a terminal is asked where it is not plain what they want; nothing they typed is ever lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from memvault.surfaces import cli
from tests.conftest import Clock
from tests.surfaces.conftest import Line, Ran, Stream

FACT = "The gauge at Hollin falls dry at every spring tide."
NEARLY = "The gauge at Hollin falls dry at each spring tide."

Asked = Callable[..., Ran]


@pytest.fixture
def asked(in_vault: Line, environment: dict[str, str], clock: Clock) -> Asked:
    """Runs a command where a person sees stderr and answers."""
    in_vault("remember", FACT, "--title", "gauge")

    def run(*words: str, answer: str = "", **variables: str) -> Ran:
        out, err = Stream(terminal=True), Stream(terminal=True)
        stdin = Stream(answer.encode(), terminal=True)
        there = {**environment, **variables}
        code = cli.run(words, environment=there, stdin=stdin, stdout=out, stderr=err, clock=clock, zone=UTC)
        return Ran(code, out.text, err.text)

    return run


def count() -> int:
    return len(list(Path("2-memories").glob("*.md")))


@pytest.mark.parametrize(("answer", "made"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_a_near_duplicate_is_added_or_kept_as_the_person_says(asked: Asked, answer: str, made: int) -> None:
    before = count()
    ran = asked("remember", NEARLY, answer=answer)
    assert ran.code == 0
    assert "gauge" in ran.err
    assert "[y/N]" in ran.err
    assert count() - before == made
    assert NEARLY in "".join(path.read_text() for path in Path("2-memories").glob("*.md"))


@pytest.mark.parametrize("more", [("--anyway",), ("--update", "gauge"), ("--json",), ("--dry-run",)])
def test_nobody_is_asked_who_has_said_what_they_want(asked: Asked, more: tuple[str, ...]) -> None:
    ran = asked("remember", NEARLY, *more)
    assert ran.code == 0
    assert "[y/N]" not in ran.err


def test_a_script_is_never_asked_and_always_stores(in_vault: Line) -> None:
    in_vault("remember", FACT)
    before = count()
    ran = in_vault("remember", "-", stdin=NEARLY.encode())
    assert (ran.code, count() - before) == (0, 1)
    assert "says the same, or nearly" in ran.err


def test_an_assistant_is_never_asked(asked: Asked) -> None:
    before = count()
    ran = asked("remember", NEARLY, answer="y\n", MEMVAULT_AGENT="claude-code")
    assert (ran.code, count() - before, "[y/N]" in ran.err) == (0, 0, False)


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 5), ("", 5)])
def test_what_was_forgotten_comes_back_only_if_the_person_says_so(asked: Asked, answer: str, code: int) -> None:
    asked("forget", "gauge")
    assert asked("remember", FACT, answer=answer).code == code


def test_an_assistant_at_a_terminal_gets_nothing_back_by_saying_yes(asked: Asked) -> None:
    asked("forget", "gauge")
    assert asked("remember", FACT, answer="y\ny\ny\n", MEMVAULT_AGENT="claude-code").code == 5


def test_what_was_typed_in_an_editor_is_kept_where_a_secret_stops_it(asked: Asked, environment: dict[str, str]) -> None:
    ran = asked("remember", EDITOR='sh -c \'echo "My password is Blue-Kettle-9." > "$0"\'')
    assert ran.code == 5
    assert "Blue-Kettle-9" not in ran.out + ran.err
    (kept,) = (Path(environment["XDG_STATE_HOME"]) / "memvault" / "unsaved").iterdir()
    assert "Blue-Kettle-9" in kept.read_text()
