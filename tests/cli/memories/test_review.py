"""`memvault review` and `today`: cards at a terminal, a key for each answer; listed and settled without one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.text.display import cell_width
from tests.command_line import Line, Ran
from tests.conftest import Clock, Opener
from tests.maintenance.test_inbox import MOSS, fill

Sitting = Callable[..., Ran]


@pytest.fixture
def full(line: Line, clock: Clock, open_vault: Opener) -> Line:
    """Runs commands in a vault where one thing of each kind waits."""
    line("init", ".")
    fill(open_vault(Path()), clock, open_vault)
    return line


@pytest.fixture
def sit(full: Line) -> Sitting:
    """Runs `memvault review` at a terminal where somebody presses these keys."""
    return lambda keys, *words, **more: full("review", *words, typed=keys, terminal=True, **more)


def kinds(full: Line) -> list[str]:
    return [card["kind"] for card in full("review", "--json").json["result"]["cards"]]


def shown(ran: Ran) -> list[str]:
    """The kinds of the cards that were shown, in order."""
    return re.findall(r"^(?:\x1b\[2m)?\d+ of \d+  (\w+)", ran.out, re.MULTILINE)


def notes() -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in Path().rglob("*.md")}


def test_an_inbox_is_emptied_by_keys(sit: Sitting, full: Line) -> None:
    ran = sit("aaaaaama")
    assert (ran.code, shown(ran)) == (
        0,
        ["due", "contradiction", "quarantine", "rule", "unsure", "outdated", "duplicate", "fading"],
    )
    assert "7 left." in ran.err
    assert ran.err.rstrip().endswith("8 cards answered. Nothing waits for you any more.")
    assert kinds(full) == []
    assert "Nothing waits for you." in sit("").err


def test_a_card_shows_its_question_its_memories_and_its_keys(sit: Sitting) -> None:
    ran = sit("jq", "--only", "contradiction", "--only", "duplicate", NO_COLOR="1", COLUMNS="80")
    for text in ("Which holds: “6543” or “5432”?", "The newer port", "a the newer holds · r the older holds", "? help"):
        assert text in ran.out
    assert "m merge · b keep both" in ran.out
    assert max(map(cell_width, ran.out.splitlines())) <= 80


def test_a_wide_terminal_shows_two_memories_beside_each_other(sit: Sitting) -> None:
    ran = sit("q", "--only", "contradiction", NO_COLOR="1", COLUMNS="120")
    assert re.search(r"^The port +\|  The newer port$", ran.out, re.MULTILINE)


def test_undo_takes_the_last_answer_back_and_shows_its_card_again(sit: Sitting) -> None:
    before = notes()
    ran = sit("aauuq")
    assert shown(ran) == ["due", "contradiction", "quarantine", "contradiction", "due"]
    assert notes() == before


def test_j_and_k_walk_and_change_nothing(sit: Sitting) -> None:
    before = notes()
    ran = sit("jjk\x1b[A\x1b[Bq")
    assert shown(ran)[:4] == ["due", "contradiction", "quarantine", "contradiction"]
    assert "8 cards wait for another time." in ran.err
    assert "8 cards wait for another time." in sit("j" * 8).err
    assert notes() == before


def test_a_key_that_means_nothing_here_is_passed_over_and_help_explains(sit: Sitting) -> None:
    before = notes()
    ran = sit("zm?uq")
    assert shown(ran) == ["due"]
    assert "u undo your last answer" in ran.out
    assert "There is no answer to undo." in ran.err
    assert notes() == before


def test_a_terminal_that_is_closed_ends_it(sit: Sitting) -> None:
    assert "8 cards wait for another time." in sit("").err


def test_what_was_changed_meanwhile_is_shown_anew_and_not_acted_upon(
    sit: Sitting, full: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memvault.cli.memories.review_session import Keyboard

    keys = iter("aaq")

    def read_key(_: Keyboard) -> str:
        key = next(keys)
        if key == "a":
            path = Path("2-memories/guess.md")
            path.write_bytes(path.read_bytes() + b"Somebody writes on.\n") if b"on." not in path.read_bytes() else None
        return key

    monkeypatch.setattr(Keyboard, "read_key", read_key)
    ran = sit("", "--only", "unsure")
    assert shown(ran) == ["unsure", "unsure"]
    assert "was changed by someone else" in ran.err
    assert "Somebody writes on." in ran.out
    assert "1 card answered" in ran.err


def test_what_two_memories_became_is_compared_again(line: Line, clock: Clock, sit: Sitting) -> None:
    sit("aaaaa")
    line("remember", f"{MOSS[0]} His practice has a lift.", "--title", "The lift", "--kind", "semantic")
    ran = sit("mmmm", "--only", "duplicate")
    assert "Nothing waits for you any more." in ran.err
    found = line("list", "--tier", "2", "--json").json["result"]["memories"]
    assert sum(row["memory"]["title"] in ("Dr. Moss", "Sara's dentist", "The lift") for row in found) == 1


def test_a_memory_is_edited_from_its_card(sit: Sitting, tmp_path: Path) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text("#!/bin/sh\nprintf 'By hand.\\n' >> \"$1\"\n")
    editor.chmod(0o755)
    ran = sit("eq", "--only", "unsure", EDITOR=str(editor))
    assert "By hand." in Path("2-memories/guess.md").read_text()
    assert shown(ran) == ["unsure", "unsure"]
    assert ran.out.count("By hand.") == 1


# -- without a terminal


def test_in_a_pipe_the_cards_are_listed_and_json_has_all_of_them(full: Line) -> None:
    ran = full("review", stdin=b"")
    assert "Which holds: “6543” or “5432”?" in ran.out
    assert "8 cards wait: 1 due, 1 contradiction" in ran.err
    result = full("review", "list", "--json").json["result"]
    assert result["total"] == 8
    [pair] = [card for card in result["cards"] if card["kind"] == "duplicate"]
    assert [act["name"] for act in pair["acts"]] == ["merge", "both", "edit", "snooze"]
    assert pair["memories"][0]["body"].startswith("Sara's dentist")


def test_cards_are_settled_by_name(full: Line) -> None:
    assert full("review", "accept", "guess").code == 0
    assert full("review", "refuse", "No deploys on Fridays").code == 0
    ran = full("review", "accept", "--all", "--only", "quarantine")
    assert ": keep" in ran.out
    assert "Undo: memvault undo " in ran.err
    assert kinds(full) == ["due", "contradiction", "outdated", "duplicate", "fading"]
    full("review", "snooze", "pale", "--days", "3")
    full("review", "hold", "The port")
    assert kinds(full) == ["due", "outdated", "duplicate"]


def test_a_dry_run_settles_nothing(full: Line) -> None:
    before = notes()
    assert "This was a dry run" in full("review", "accept", "--all", "--dry-run").err
    assert full("review", "merge", "Dr. Moss", "Sara's dentist", "--dry-run").code == 0
    assert notes() == before
    assert len(kinds(full)) == 8


def test_any_two_memories_are_settled(full: Line) -> None:
    pair = ("Dr. Moss", "Sara's dentist")
    assert "superseded" in full("review", "hold", *pair).out
    full("undo")
    assert full("review", "hold", *pair, "--newest").code == 0
    full("undo")
    assert full("review", "both", *pair).out.count("holds") == 2
    full("undo")
    assert "merged from 2" in full("review", "merge", *pair).out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("list", "guess"), "A list shows all that waits"),
        (("accept",), "Name what to accept, or say --all."),
        (("accept", "guess", "--all"), "Name what to accept, or say --all."),
        (("accept", "guess", "--text"), "--text goes with list."),
        (("hold", "guess", "--newest"), "--newest and --both go with hold"),
        (("accept", "guess", "--days", "3"), "--days goes with snooze."),
        (("both", "a", "b", "c"), "both takes two memories."),
        (("swallow", "guess"), "'swallow' is none of"),
        (("refuse", "The port", "--only", "duplicate"), "No memory matches"),
        (("merge", "guess"), "There is no such act on this card (unsure)."),
    ],
)
def test_what_does_not_go_together_is_said(full: Line, words: tuple[str, ...], reason: str) -> None:
    ran = full("review", *words)
    assert ran.code != 0
    assert reason in ran.err


# -- today


def test_today_fits_into_fourteen_lines_whatever_there_is(full: Line) -> None:
    for number in range(9):
        full("remember", f"Pay bill number {number} at the town hall", "--kind", "prospective", "--due", "2026-01-30")
        full("remember", f"Box {number * 7919} holds {'very ' * 30}old {number} letters", "--kind", "semantic")
    lines = full("today", terminal=True, COLUMNS="80", NO_COLOR="1").out.splitlines()
    assert 5 < len(lines) < 15
    assert max(map(cell_width, lines)) <= 80
    assert "Due (4 of 10)" in lines


def test_today_says_so_where_nothing_is_on(line: Line) -> None:
    line("init", ".")
    assert line("today").out == "Thursday, 29 January 2026\nNothing is due, and nothing waits for you.\n"
    assert line("today", "--json").json["result"]["due"] == []


def test_today_names_what_waits_besides(full: Line) -> None:
    out = full("today").out
    assert "Renew the parking permit, 1 day over" in out
    assert "1 memory in quarantine, 1 proposed rule" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("conflicts",), "Which holds"),
        (("duplicates",), "say the same?"),
        (("quarantine",), "Keep “Grommets"),
        (("quarantine", "accept", "--all"), "Grommets"),
        (("resolve", "The port", "The newer port"), "superseded"),
        (("resolve", "The port", "The newer port", "--both"), "holds"),
        (("duplicates", "--merge", "Dr. Moss", "Sara's dentist"), "merged from 2"),
        (("duplicates", "--keep", "Dr. Moss", "Sara's dentist"), "holds"),
    ],
)
def test_the_commands_that_review_took_in_are_still_understood(full: Line, words: tuple[str, ...], told: str) -> None:
    ran = full(*words)
    assert (ran.code, told in ran.out) == (0, True)
