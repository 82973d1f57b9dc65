"""A shell is told how a command line may go on: by the tables of commands, and by the index."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.cli.commands import COMMANDS, GROUPS
from memvault.cli.parsing import complete
from memvault.cli.parsing.parser import command_parser
from memvault.cli.transfer.import_ import SOURCES
from tests.command_line import Line


def completed(line: Line, *words: str) -> list[str]:
    """What bash would offer where the last of the words is begun."""
    typed = {"COMP_WORDS": "\n".join(("memvault", *words)), "COMP_CWORD": str(len(words))}
    ran = line(_MEMVAULT_COMPLETE="complete_bash", **typed)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.splitlines()


def completed_by(shell: str, text: str, line: Line, **more: str) -> str:
    return line(_MEMVAULT_COMPLETE=f"complete_{shell}", _TYPER_COMPLETE_ARGS=text, **more).out


def test_a_line_begins_with_a_command_or_a_group(line: Line) -> None:
    offered = completed(line, "")
    assert {"remember", "recall", "import", "history", "help", *GROUPS} <= set(offered)
    assert not [name for name in offered if " " in name]
    assert completed(line, "rem") == ["remember"]
    assert completed(line, "--v") == ["--version", "--vault"]
    assert completed(line, "nonsense", "x") == []


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_is_followed_by_its_commands(group: str, line: Line) -> None:
    own = [name.partition(" ")[2] for name in COMMANDS if name.startswith(f"{group} ")]
    assert completed(line, group, "") == completed(line, "--json", "help", group, "") == own


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["import", ""], list(SOURCES)),
        (["import", "mc"], ["mcp-memory"]),
        (["recall", "tea", "--kind", "p"], ["prospective", "procedural"]),
        (["vault", "list", "--sort", "w"], ["weight"]),
        (["config", "set", "recall.l"], ["recall.limit"]),
        (["agent", "hooks", "i"], ["install"]),
        (["vault", "list", "--not"], ["--not-pinned"]),
        (["vault", "list", "--pinned", "--li"], ["--limit"]),
        (["vault", "--vault", ""], []),
        (["remember", ""], []),
        (["export", ""], []),
        (["status", ""], []),
    ],
)
def test_choices_and_options_are_those_of_the_command(words: list[str], offered: list[str], line: Line) -> None:
    assert completed(line, *words) == offered


def test_memories_are_offered_by_file_name_title_and_id(in_sample: Line) -> None:
    assert completed(in_sample, "show", "gauges-k") == ["gauges-keep-winter-time"]
    assert completed(in_sample, "show", "Gauges\\ k") == [r"Gauges\ keep\ winter\ time\ all\ year"]
    assert completed(in_sample, "show", '"gauges k') == ['"Gauges keep winter time all year"']
    assert completed(in_sample, "show", "'gauges k") == ["'Gauges keep winter time all year'"]
    found = in_sample("show", "gauges-keep-winter-time", "--json").json["result"]["memory"]["id"][:8]
    assert completed(in_sample, "show", found[:5]) == [found]
    assert completed(in_sample, "vault", "pin", "one", "gauges-k") == ["gauges-keep-winter-time"]
    assert completed(in_sample, "show", "one", "gauges-k") == []
    assert completed(in_sample, "recall", "gauges-k") == []
    assert len(completed(in_sample, "forget", "")) > 10


def test_tags_people_keywords_and_operations_are_offered(in_sample: Line) -> None:
    in_sample("vault", "pin", "gauges-keep-winter-time")
    op = in_sample("vault", "log", "--json").json["result"]["operations"][0]["op"]
    assert completed(in_sample, "undo", "") == completed(in_sample, "vault", "log", op[:6]) == [op]
    assert completed(in_sample, "recall", "--tag", "gau") == ["gauges"]
    assert completed(in_sample, "edit", "x", "--add-tag", "#gau") == ["gauges"]
    assert r"ilse\ marrow" in completed(in_sample, "vault", "list", "--person", "Ils")
    assert "gauges" in completed(in_sample, "vault", "keywords", "gau")


def test_the_vault_that_the_line_names_is_asked(line: Line) -> None:
    line("init", "memory", "--sample")
    assert completed(line, "show", "gauges-k") == []
    assert completed(line, "--vault", "memory", "show", "gauges-k") != []
    assert completed(line, "show", "--vault", "memory", "gauges-k") != []


def test_without_a_vault_there_is_nothing_to_offer_and_nothing_to_complain_of(line: Line) -> None:
    assert completed(line, "show", "x") == []


def test_each_shell_is_answered_in_its_own_form(in_sample: Line) -> None:
    in_sample("remember", "It's done: fully.", "--title", "It's done: fully")
    assert completed_by("fish", "memvault help ta", in_sample, _TYPER_COMPLETE_FISH_ACTION="get-args") == (
        f"task\t{GROUPS['task']}\n"
    )
    asked = {"_MEMVAULT_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "is-args"}
    assert in_sample(_TYPER_COMPLETE_ARGS="memvault task ", **asked).code == 0
    assert in_sample(_TYPER_COMPLETE_ARGS="memvault export ", **asked).code == 1
    assert completed_by("zsh", "memvault export ", in_sample) == "_files\n"
    assert r"('It'\''s done\: fully:It'\''s done: fully')" in completed_by("zsh", 'memvault show "it', in_sample)
    told = completed_by("powershell", "memvault ta", in_sample, _TYPER_COMPLETE_WORD_TO_COMPLETE="ta")
    assert told == f"task:::{GROUPS['task']}\n"


def test_the_script_for_zsh_answers_the_first_tab_by_which_it_is_loaded(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for _ in range(2):
        told = line("--install-completion", "zsh")
        script = (tmp_path / ".zfunc" / "_memvault").read_text()
        assert f"{tmp_path}/.zfunc/_memvault" in told.out
        assert line("--show-completion", "zsh").out == script
        assert script.startswith("#compdef memvault\n")
        assert script.endswith(complete._ZSH_END)
    if _has_zsh():
        check = (
            f"compdef() {{ }}; autoload -Uz {tmp_path}/.zfunc/_memvault; memvault() {{ print -- 'print $words[2]' }}"
        )
        ran = subprocess.run(
            ["zsh", "-fc", f"{check}; env() {{ memvault }}; words=(memvault first); CURRENT=2; _memvault"],
            capture_output=True,
            check=False,
        )
        assert ran.stdout == b"first\n"


def test_completion_is_installed_for_shells_that_are_known(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert line("--install-completion", "fish").code == 0
    assert "complete_fish" in (tmp_path / ".config" / "fish" / "completions" / "memvault.fish").read_text()
    told = line("--install-completion", "tcsh")
    assert (told.code, "there are bash, zsh, fish" in told.err) == (2, True)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_offered(name: str, line: Line) -> None:
    offered = set(completed(line, *name.split(), "--"))
    declared = {word for part in command_parser(name).params for word in part.opts if word.startswith("--")}
    assert declared <= {*offered, "--help"}


@pytest.mark.points(only=True)
def test_a_shell_is_answered_within_100_ms_at_10_000_notes(tmp_path: Path, environment: dict[str, str]) -> None:
    """Processor time, the best of several: what a busy machine adds says nothing of memvault."""
    resource = pytest.importorskip("resource")
    root = tmp_path / "vault"
    (root / "notes").mkdir(parents=True)
    for number in range(10_000):
        text = f"---\ntags: [berth{number % 40}]\n---\nBerth {number} is {number % 9} fathoms deep.\n"
        (root / "notes" / f"Berth {number}.md").write_text(text)
    Memvault.init(root, environment=environment)
    with Memvault(root, environment=environment) as vault:
        vault.list()

    def seconds(*words: str, **variables: str) -> float:
        def once() -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            ran = subprocess.run(words, cwd=root, env={**os.environ, **environment, **variables}, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert (ran.returncode, bool(ran.stdout)) == (0, bool(variables))
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        return min(once() for _ in range(9))

    allowed = max(0.1, 7 * seconds(sys.executable, "-c", "pass"))
    for line in ("show\nBerth 77", "show\n", "recall\nx\n--tag\nbe", "vault\nl"):
        asked = {"COMP_WORDS": f"memvault\n{line}", "COMP_CWORD": str(line.count("\n") + 1)}
        taken = seconds(sys.executable, "-m", "memvault", _MEMVAULT_COMPLETE="complete_bash", **asked)
        assert taken < allowed, (line, taken, allowed)


def _has_zsh() -> bool:
    try:
        return subprocess.run(["zsh", "-fc", "true"], check=False).returncode == 0
    except FileNotFoundError:
        return False
