"""The table of commands, and how a command line is taken apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memvault import cli
from memvault.cli.argv import split_argv
from memvault.cli.commands import ALIASES, COMMANDS, GROUPED, GROUPS, HEADINGS, MORE, MOVED, WRITTEN
from memvault.cli.parsing.parser import CommandCall, command_parser, parse_argv
from tests.command_line import Line

READERS = (
    "status, recall, show, history, today, export, task list, session list, session show, session timeline, vault list, vault open, web, "
    "vault log, vault stats, vault report, vault audit, vault reindex, vault watch, model status, model test, "
    "model review, config list, "
    # These change a database, and no note.
    "worker, serve, team init, team vault, team grant, team revoke, team status, team rebuild, team audit"
).split(", ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_function_a_group_and_examples(name: str) -> None:
    row = COMMANDS[name]
    assert row.group in (GROUPS if " " in name else HEADINGS)
    assert row.load_function().__doc__
    assert row.load_examples()
    assert all(f"memvault {name}" in example or f" {name} " in f"{example} " for example in row.load_examples())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_common_options_and_every_writer_a_dry_run(name: str) -> None:
    options = {option for parameter in command_parser(name).params for option in parameter.opts}
    assert {"--vault", "--json", "--no-color"} <= options
    assert ("--dry-run" in options) == (name not in READERS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_shows_an_example(name: str, line: Line) -> None:
    ran = line(*name.split(), "--help")
    assert ran.code == 0
    assert ran.err == ""
    assert "Examples" in ran.out
    assert COMMANDS[name].load_examples()[0].split("   ")[0][:40] in " ".join(ran.out.split())


def test_memvault_alone_lists_a_dozen_commands_and_the_groups_in_a_line_each(line: Line) -> None:
    ran = line(terminal=True, COLUMNS="80", NO_COLOR="1")
    assert ran.code == 0
    names = re.findall(r"^  ([a-z]+)  ", ran.out, re.MULTILINE)
    shown = [name for name, row in COMMANDS.items() if row.group in HEADINGS and row.group not in (MORE, GROUPED)]
    assert names == [*shown, *GROUPS, *(name for name, row in COMMANDS.items() if row.group == GROUPED)]
    assert len(shown) <= 14
    assert max(map(len, ran.out.splitlines())) <= 80
    assert line("--help", terminal=True, COLUMNS="80", NO_COLOR="1").out == ran.out


@pytest.mark.parametrize("words", [("--help", "--all"), ("help", "--all"), ("help", "--all", "--no-color")])
def test_help_of_all_lists_every_command(words: tuple[str, ...], line: Line) -> None:
    ran = line(*words)
    assert [name for name, row in COMMANDS.items() if f"  {name} " not in ran.out or row.help not in ran.out] == []


@pytest.mark.parametrize("words", [("task",), ("task", "--help"), ("help", "task"), ("--no-color", "task")])
def test_help_of_a_group_lists_its_commands(words: tuple[str, ...], line: Line) -> None:
    ran = line(*words)
    assert ran.code == 0
    assert re.findall(r"^  (\w+ \w+) ", ran.out, re.MULTILINE) == [n for n in COMMANDS if n.startswith("task ")]


@pytest.mark.parametrize("words", [("help", "task", "done"), ("help", "done"), ("task", "done", "-h")])
def test_help_of_a_command_is_found_under_each_of_its_spellings(words: tuple[str, ...], line: Line) -> None:
    assert line(*words).out == line("task", "done", "--help").out
    assert "Usage: memvault task done" in line(*words).out


@pytest.mark.parametrize(
    ("argv", "name", "words"),
    [
        ("recall tea", "recall", "tea"),
        ("--vault v recall tea", "recall", "--vault v tea"),
        ("--vault=v --json recall", "recall", "--vault=v --json"),
        ("--no-color vault list --json", "vault list", "--no-color --json"),
        ("vault --json list --limit 2", "vault list", "--json --limit 2"),
        ("task --vault v done x", "task done", "--vault v x"),
        ("task", "task", ""),
        ("task dance", "task", "dance"),
        ("recall task list", "recall", "task list"),
        ("--vault recall", "", "--vault recall"),
        ("--unknown recall", "", "--unknown recall"),
        ("recall -- task", "recall", "-- task"),
        ("-- task", "", "-- task"),
        ("", "", ""),
    ],
)
def test_options_may_stand_on_both_sides_of_the_command(argv: str, name: str, words: str) -> None:
    assert split_argv(argv.split())[:2] == (name, tuple(words.split()))


@pytest.mark.parametrize(
    ("argv", "name", "words"),
    [
        ("rm 5f0c", "forget", "5f0c"),
        ("ls --limit 2", "vault list", "--limit 2"),
        ("task ls --all", "task list", "--all"),
        ("model", "model status", ""),
        ("model test", "model test", ""),
        ("model --json", "model status", "--json"),
        ("todo", "task list", ""),
        ("work", "task list", ""),
        ("work --vault v note x", "task note", "--vault v x"),
        ("watch --daemon", "vault watch", "start"),
        ("watch --vault v --serve", "vault watch", "serve --vault v"),
        ("watch", "vault watch", ""),
        ("mcp --vault v", "agent mcp", "--vault v"),
        ("doctor --fix", "vault doctor", "fix"),
        ("doctor --json --verify --accept", "vault doctor", "accept --json"),
        ("audit --by trust --kept", "vault audit", "kept --by trust"),
        ("pause --list", "agent pause", "list"),
        ("agent claude-md --target x --check", "agent claude-md", "check --target x"),
        ("done --cancel x", "task cancel", "x"),
        ("dig --json --open talk:1", "session show", "--json talk:1"),
        ("dig --json --around=talk:1", "session show", "--around --json talk:1"),
        ("forget --session x --purge --verify", "vault purge", "--session x --verify"),
        ("--vault v private forget house --purge --yes", "private", "purge --vault v house --yes"),
        ("team grant ours --to x --revoke", "team revoke", "ours --to x"),
        ("remember -- forget --purge", "remember", "-- forget --purge"),
        ("forget -- --purge", "forget", "-- --purge"),
        ("semantic enable", "model semantic", "enable"),
        ("sync merge a b c d", "sync", "merge a b c d"),
    ],
)
def test_other_spellings_mean_the_command_of_now(argv: str, name: str, words: str) -> None:
    assert split_argv(argv.split())[:2] == (name, tuple(words.split()))


def test_every_other_spelling_leads_to_a_command_and_hides_none() -> None:
    for spelling, name in {**ALIASES, **WRITTEN, **MOVED}.items():
        assert split_argv(name.split())[0] in COMMANDS, spelling
        assert spelling not in COMMANDS
    assert not set(ALIASES) & set(MOVED)
    assert not set(WRITTEN) & {*ALIASES, *MOVED}


@pytest.mark.parametrize("old", ["todo", "work", "log", "stats", "agent pause --list", "vault doctor --fix"])
def test_a_spelling_of_earlier_versions_works_and_names_the_one_of_now(old: str, in_vault: Line) -> None:
    new = MOVED[old]
    ran = in_vault(*old.split())
    assert ran.code == 0
    assert ran.err.endswith(f"`memvault {old}` is now `memvault {new}`.\n")
    assert ran.out == in_vault(*new.split()).out
    told = in_vault(*old.split(), "--json").json
    assert told["command"] == split_argv(new.split()).name
    assert told["warnings"] == [f"`memvault {old}` is now `memvault {new}`."]


@pytest.mark.parametrize("spelling", ["list", "ls", "find tea", "doctor", "watch --serve --help"])
def test_other_spellings_say_nothing_of_themselves(spelling: str, in_vault: Line) -> None:
    assert "is now" not in in_vault(*spelling.split()).err


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("forgt x", "forget"),
        ("undoo", "undo"),
        ("tsk list", "task list"),
        ("task dunnn", "task done"),
        ("vault lixxt", "vault list"),
        ("x y", ""),
        ("--json forgt", "forget"),
    ],
)
def test_a_command_that_is_not_there_is_told_with_the_nearest(words: str, near: str, line: Line) -> None:
    ran = line(*words.split())
    assert ran.code == 2
    told = ran.err or ran.out
    assert "There is no command " in told
    assert (f"(did you mean `memvault {near}`?)" in told) == bool(near)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("recal", "recall"),
        ("sttaus", "status"),
        ("mantain --dry-run", "maintain"),
        ("todoo", "task list"),
        ("vault lsit --limit 1", "vault list"),
        ("valt list", "vault list"),
        ("--vault . task --no-color lisst", "task list"),
    ],
)
def test_a_slip_of_one_key_is_understood_and_told(typed: str, meant: str, in_vault: Line) -> None:
    words = [*typed.split(), *(["tea"] if meant == "recall" else [])]
    ran = in_vault(*words)
    assert ran.code == 0
    assert ran.err.startswith(f"hint: Read as `memvault {meant}`.\n") or f"vault . {meant}`." in ran.err
    told = in_vault(*words, "--json")
    assert (told.err, told.json["command"]) == ("", meant)


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


def test_every_command_that_a_message_names_is_spelled_as_it_is_now() -> None:
    source = "\n".join(path.read_text("utf-8") for path in Path(cli.__path__[0]).parent.rglob("*.py"))
    shown = re.findall(r"`memvault(?: --vault \S+)? ([a-z][a-z -]*)", source)
    shown += [words.replace("'", "").replace(",", "") for words in re.findall(r"shell_command\(('[^)]*)\)", source)]
    found = {shown: split_argv(shown.split()) for shown in shown}
    assert len(found) > 60
    assert {shown for shown, line in found.items() if line.name not in {*COMMANDS, *GROUPS, "help", "hook"}} == set()
    assert {shown for shown, line in found.items() if line.spelling in {*MOVED, *WRITTEN} - {"mcp"}} == set()
