"""A person at a terminal is asked where it is not plain what they want; nothing they typed is ever lost."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import Line, Ran

FACT = "The gauge at Hollin falls dry at every spring tide."
NEARLY = "The gauge at Hollin falls dry at each spring tide."

Asked = Callable[..., Ran]


@pytest.fixture
def asked(in_vault: Line) -> Asked:
    """Runs a command where a person sees stderr and answers."""
    in_vault("remember", FACT, "--title", "gauge")

    return lambda *words, answer="", **variables: in_vault(*words, typed=answer, terminal=True, **variables)


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
    assert "says almost the same" in ran.err


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


def note() -> str:
    return Path("2-memories/2026-01-29-gauge.md").read_text()


def test_a_secret_in_an_edit_by_hand_loses_no_typing_and_says_how_to_go_on(
    asked: Asked, environment: dict[str, str]
) -> None:
    ran = asked("edit", "gauge", EDITOR='sh -c \'echo "My password is Blue-Kettle-9." >> "$0"\'')
    assert ran.code == 5
    assert "Blue-Kettle-9" not in ran.out + ran.err + note()
    [kept] = (Path(environment["XDG_STATE_HOME"]) / "memvault" / "unsaved").iterdir()
    [told] = [said for said in ran.err.splitlines() if said.startswith("memvault ")]
    assert str(kept) in told
    command = shlex.split(told)[1:]
    assert asked(*command, "--redact").code == 0
    assert "My password is [redacted: password]." in note()
    assert asked(*command, "--allow-secret").code == 0
    assert "My password is Blue-Kettle-9." in note()


def test_what_was_typed_for_a_new_memory_goes_on_by_the_command_that_is_told(asked: Asked) -> None:
    ran = asked("remember", EDITOR='sh -c \'echo "My password is Blue-Kettle-9." > "$0"\'')
    [told] = [said for said in ran.err.splitlines() if said.startswith("memvault ")]
    command = shlex.split(told)[1:]
    assert asked(*command, "--redact").code == 0
    assert asked("recall", "password").out


@pytest.mark.parametrize("words", [("--text",), ("--append",), ("--title",), ("--add-tag",), ("--set", "condition=")])
def test_an_edit_takes_no_secret_unless_it_is_told_to(in_vault: Line, words: tuple[str, ...]) -> None:
    key = "gh" + "p_" + "k7Qz2mXv9Lp4Rt8Wn3Yb6Hd1Fs5Gj0CaEuIo"
    given = (words[0], f"{words[1]}{key}") if len(words) > 1 else (words[0], key)
    ran = in_vault("edit", "tea", *given)
    assert (ran.code, key in ran.out + ran.err) == (5, False)
    assert in_vault("edit", "tea", *given, "--redact", "--allow-secret").code == 2
    redacted = in_vault("edit", "tea", *given, "--redact", "--json").json
    assert redacted["result"]["redacted"] == ["GitHub token"]
    assert key not in "".join(path.read_text() for path in Path("2-memories").glob("*.md"))
    assert in_vault("edit", redacted["result"]["memory"]["id"], *given, "--allow-secret").code == 0


def test_a_tag_that_is_a_secret_is_dropped_and_nothing_is_guessed_of_it(in_vault: Line) -> None:
    key = "gh" + "p_" + "k7Qz2mXv9Lp4Rt8Wn3Yb6Hd1Fs5Gj0CaEuIo"
    ran = in_vault("remember", "The boat leaks at the stern.", "--tag", f"{key},boat", "--redact")
    assert "#[redacted" not in ran.out + ran.err
    assert "Dropped altogether, as a secret stood in it: tag." in ran.err
    assert "#boat" in ran.out


@pytest.mark.parametrize("option", ["--due", "--kind", "--type", "--source", "--ref", "--weight", "--priority"])
def test_what_was_typed_in_the_wrong_place_is_not_repeated(in_vault: Line, option: str) -> None:
    key = "gh" + "p_" + "k7Qz2mXv9Lp4Rt8Wn3Yb6Hd1Fs5Gj0CaEuIo"
    for more in ((), ("--json",)):
        ran = in_vault("remember", "The boat leaks.", option, key, *more)
        assert (ran.code, key in ran.out + ran.err) == (2, False)


def test_bytes_that_are_no_text_are_refused_in_a_sentence(in_vault: Line) -> None:
    for words, stdin in ((("remember", "bad \udcff byte"), None), (("remember", "-"), b"a\0b")):
        ran = in_vault(*words, stdin=stdin)
        assert ran.code == 2
        assert "no note can hold it" in ran.err


def test_a_private_span_that_is_never_closed_is_warned_of(in_vault: Line) -> None:
    ran = in_vault("remember", "The key <private>is under the mat")
    assert "warning: a <private> in it is never closed" in ran.err
    assert in_vault("remember", "--json", "The box <private>is there").json["warnings"]


@pytest.mark.parametrize(("day", "is_over"), [("yesterday", True), ("2020-01-01", True), ("today", False)])
def test_a_day_that_is_over_is_taken_and_said(in_vault: Line, day: str, is_over: bool) -> None:
    day = "2026-01-28" if day == "yesterday" else day
    for words in (
        ("remember", "Renew it.", "--title", "renew", "--due", day),
        ("edit", "renew", "--set", f"due={day}"),
    ):
        ran = in_vault(*words)
        assert (ran.code, "That day has passed" in ran.err) == (0, is_over)


def test_no_day_is_no_day(in_vault: Line) -> None:
    assert in_vault("remember", "Renew it.", "--due", "").code == 2
    ran = in_vault("remember", "Renew it.", "--due", "tomorrow", "--kind", "semantic")
    assert (ran.code, "only prospective memories remind" in ran.err) == (2, True)


def test_a_day_may_be_set_in_words(in_vault: Line) -> None:
    in_vault("remember", "Renew it.", "--title", "renew", "--due", "tomorrow")
    assert in_vault("edit", "renew", "--set", "due=next Friday").code == 0
    assert "2026-01-30" in in_vault("task", "list").out
    assert in_vault("edit", "renew", "--set", "due=some day").code == 2


def test_what_excludes_each_other_is_refused_before_anything_is_written(in_vault: Line) -> None:
    before = count()
    assert in_vault("remember", "Milk first.", "--update", "tea", "--anyway").code == 2
    assert in_vault("edit", "tea", "--text", "a", "--file", "b.md").code == 2
    assert count() == before


def test_a_title_of_mere_dots_is_none(in_vault: Line) -> None:
    assert "Milk first" in in_vault("remember", "Milk first.", "--title", ".").out


def test_what_an_undo_took_back_is_named(in_vault: Line) -> None:
    in_vault("task", "start", "Paint the fence")
    in_vault("task", "done")
    ran = in_vault("undo")
    assert "Took back: work done" in ran.out
    assert "Paint the fence" in ran.out
    assert "Paint the fence" in in_vault("task", "list").out


def test_what_was_done_and_is_cancelled_after_all_says_both(in_vault: Line) -> None:
    in_vault("remember", "Renew it.", "--title", "renew", "--due", "tomorrow")
    in_vault("task", "done", "renew")
    assert "cancelled, and no longer completed" in in_vault("task", "cancel", "renew").out
