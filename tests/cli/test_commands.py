"""The table of commands, and how a command line is taken apart."""

from __future__ import annotations

import pytest

from memvault.cli.argv import split_argv
from memvault.cli.commands import COMMANDS, GROUPS
from memvault.cli.parser import CommandCall, command_parser, parse_argv
from tests.command_line import Line

WRITERS = (
    "init remember edit pin unpin link move forget restore undo config doctor maintain claude-md schedule "
    "resolve duplicates quarantine done used work dig ingest save-progress keywords say pause resume setup "
    "hooks mcp uninstall semantic private sync import"
).split()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_function_a_group_and_examples(name: str) -> None:
    row = COMMANDS[name]
    assert row.group in GROUPS
    assert row.load_function().__doc__
    assert row.load_examples()
    assert all(f"memvault {name}" in example or f" {name} " in f"{example} " for example in row.load_examples())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_common_options_and_every_writer_a_dry_run(name: str) -> None:
    options = {option for parameter in command_parser(name).params for option in parameter.opts}
    assert {"--vault", "--json", "--no-color"} <= options
    assert ("--dry-run" in options) == (name in WRITERS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_shows_an_example(name: str, line: Line) -> None:
    ran = line(name, "--help")
    assert ran.code == 0
    assert ran.err == ""
    assert "Examples" in ran.out
    assert COMMANDS[name].load_examples()[0].split("   ")[0][:40] in " ".join(ran.out.split())


def test_memvault_alone_lists_every_command_under_its_group(line: Line) -> None:
    ran = line()
    assert ran.code == 0
    for name, row in COMMANDS.items():
        assert name in ran.out
        assert row.help in ran.out
    assert all(group in ran.out for group in GROUPS)
    assert line("--help").out == ran.out


@pytest.mark.parametrize(
    ("argv", "name", "options"),
    [
        (["recall", "tea"], "recall", ("tea",)),
        (["--vault", "v", "recall", "tea"], "recall", ("--vault", "v", "tea")),
        (["--vault=v", "--json", "recall"], "recall", ("--vault=v", "--json")),
        (["--no-color", "list", "--json"], "list", ("--no-color", "--json")),
        (["--vault", "recall"], "", ("--vault", "recall")),
        (["--unknown", "recall"], "", ("--unknown", "recall")),
        ([], "", ()),
    ],
)
def test_options_may_stand_on_both_sides_of_the_command(argv: list[str], name: str, options: tuple[str, ...]) -> None:
    assert split_argv(argv) == (name, options)


def test_what_is_common_is_kept_apart_from_what_is_the_commands_own() -> None:
    call = parse_argv(["--json", "recall", "--vault", "v", "two", "words", "--limit", "3"])
    assert isinstance(call, CommandCall)
    assert call.common == {"vault": "v", "as_json": True, "no_color": False}
    assert (call.own["query"], call.own["limit"]) == (["two", "words"], 3)


def test_after_two_dashes_everything_is_text() -> None:
    call = parse_argv(["recall", "--", "--json"])
    assert isinstance(call, CommandCall)
    assert call.own["query"] == ["--json"]
    assert call.common["as_json"] is False


@pytest.mark.parametrize("before", [True, False])
def test_the_vault_may_be_named_before_or_after_the_command(before: bool, line: Line) -> None:
    line("init", "elsewhere")
    words = ("--vault", "elsewhere", "status") if before else ("status", "--vault", "elsewhere")
    assert "elsewhere" in line(*words).out
