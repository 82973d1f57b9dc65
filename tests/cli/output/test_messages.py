"""What is said on stderr is labelled, wrapped between words, and its commands can be copied."""

from __future__ import annotations

import shlex

import pytest

from memvault.cli.output.messages import format_message, name_vault, repeat_command
from memvault.cli.output.terminal import PLAIN, TextStyles
from tests.command_line import Line


def test_an_error_is_wrapped_between_words_below_its_label() -> None:
    text = "No memory matches the long thing that somebody typed here."
    assert format_message(text, "error", width=40, styles=PLAIN, vault=None) == (
        "error: No memory matches the long thing\n       that somebody typed here."
    )
    assert format_message(text, "error", width=0, styles=PLAIN, vault=None) == f"error: {text}"
    assert format_message("Kept.", "", width=40, styles=PLAIN, vault=None) == "Kept."
    assert format_message("a\x1b[2Jb", "", width=0, styles=PLAIN, vault=None) == r"a\x1b[2Jb"


def test_a_command_is_never_broken() -> None:
    told = "Make one with `memvault init ~/memory --sample`, or name one."
    lines = format_message(told, "hint", width=40, styles=PLAIN, vault=None).splitlines()
    assert lines == ["hint: Make one with", "      `memvault init ~/memory --sample`,", "      or name one."]


def test_labels_have_colors_and_texts_have_none() -> None:
    styles = TextStyles(has_color=True)
    shown = {
        label: format_message("x", label, width=0, styles=styles, vault=None) for label in ("error", "warning", "hint")
    }
    assert shown["error"] == "\x1b[31merror:\x1b[0m x"
    assert len({text.partition("m")[0] for text in shown.values()}) == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("`memvault show x` shows it.", "`memvault --vault 'my notes' show x` shows it."),
        ("Undo: memvault undo 2026", "Undo: memvault --vault 'my notes' undo 2026"),
        ("`memvault task list` and `memvault todo`", None),
        ("`memvault config --user a.b c`", "`memvault config --user a.b c`"),
        ("`memvault init PATH`", "`memvault init PATH`"),
        ("`memvault --vault v show x`", "`memvault --vault v show x`"),
        ("memvault finds it; a memvault show", "memvault finds it; a memvault show"),
    ],
)
def test_commands_name_the_vault_that_the_line_named(text: str, told: str | None) -> None:
    assert name_vault(text, None) == text
    expected = text.replace("memvault ", "memvault --vault 'my notes' ") if told is None else told
    assert name_vault(text, "my notes") == expected


def test_a_line_is_repeated_with_one_option_more() -> None:
    words = ("--vault", "v", "two words", "--limit", "3", "--tag", "x", "--json")
    assert repeat_command("recall", words, "--limit", "9") == "memvault recall 'two words' --tag x --limit 9"
    assert repeat_command("maintain", ("--dry-run", "--vault=v"), "--yes") == "memvault maintain --yes"


def test_hints_can_be_copied_and_work(line: Line) -> None:
    line("init", "my notes", "--sample")
    at = ("--vault", "my notes")
    made = line(*at, "vault", "pin", "gauges-keep-winter-time")
    assert line(*shlex.split(made.err.partition("Undo: memvault ")[2])).code == 0
    more = line(*at, "vault", "list", "--limit", "2", "--tag", "sample", "--json")
    assert more.json["result"]["total"] > 2
    for n in range(3):
        line(*at, "vault", "pin" if n % 2 else "unpin", "short-answers-first", "maja-and-hazelnuts")
    earlier = line(*at, "vault", "log", "--limit", "1").err
    again = shlex.split(earlier.partition(": memvault ")[2])
    assert again[:4] == ["--vault", "my notes", "vault", "log"]
    assert line(*again).code == 0
    line(*at, "remember", "A thing of this session.", MEMVAULT_AGENT="codex")
    refused = line(*at, "forget", "--agent", "codex", stdin=b"")
    assert refused.code == 2
    command = shlex.split(refused.err.partition("hint: `memvault ")[2].partition("`")[0])
    assert line(*command, "--dry-run").code == 0
    assert line(*at, "show", "nobody", "--json").json["error"]["hint"].count("--vault 'my notes'") == 1
