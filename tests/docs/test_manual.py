"""The manual as a whole: every page can be reached, every link leads somewhere, what it names exists, the README holds."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memvault.cli.argv import split_argv
from memvault.cli.commands import COMMANDS, GROUPS, MOVED
from memvault.core.settings import SETTINGS
from memvault.core.settings.table import SECTIONS
from tests.docs import session_costs
from tests.docs.cli import options_of
from tests.docs.tables import ERRORS, PAGES, renewed
from tests.docs.test_examples import Reader

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MANUAL = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in (ROOT / "README.md", *DOCS.glob("*.md"))
}
README = MANUAL["README.md"]
PAGE_NAMES = sorted(MANUAL)

COMMON = {"--vault", "--json", "--no-color", "--help"}
FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
CODE = re.compile(r"`([^`\n]+)`")


def prose(page: str) -> str:
    """A page without its fenced blocks."""
    return FENCE.sub("", page)


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks in a language."""
    return [found["text"] for found in FENCE.finditer(page) if found["language"] == language]


def part(page: str, heading: str) -> str:
    """The text below a heading of the second rank."""
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


# -- pages and links


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_comes_from_the_code_is_as_the_code_has_it(path: Path) -> None:
    assert renewed(path.read_text("utf-8")) == path.read_text("utf-8"), "python -m tests.docs.tables --write"


def test_every_page_can_be_reached() -> None:
    linked = {Path(target).name for page in ("README.md", "docs/index.md") for target, _ in LINK.findall(MANUAL[page])}
    assert {path.name for path in DOCS.glob("*.md")} - linked - {"index.md"} == set()


def test_the_manual_stays_short_enough_to_be_read() -> None:
    assert sum(len(page.encode()) for page in MANUAL.values()) <= 330_000, "say it shorter, once, or on another page"
    assert len(MANUAL) <= 25


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    for target, anchor in LINK.findall(CODE.sub("", prose(MANUAL[name]))):
        path = (ROOT / name).parent / target if target else ROOT / name
        assert path.exists(), target
        assert not anchor or anchor in anchors(path.read_text("utf-8")), f"{target}#{anchor}"


# -- what is named exists


def test_every_section_of_the_settings_stands_on_its_page() -> None:
    assert [name for name in SECTIONS if f"\n### {name}\n" not in MANUAL["docs/settings.md"]] == []


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_every_setting_that_is_named_exists(name: str) -> None:
    dotted = re.compile(rf"(?:{'|'.join(SECTIONS)})\.[a-z_]+")
    named = {code for code in CODE.findall(prose(MANUAL[name])) if dotted.fullmatch(code)}
    assert named - set(SETTINGS) - {"vault.json"} == set()


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_every_variable_that_is_named_exists(name: str) -> None:
    settings = {f"MEMVAULT_{setting.replace('.', '_').upper()}" for setting in SETTINGS}
    others = {
        "MEMVAULT_DIR",
        "MEMVAULT_AGENT",
        "MEMVAULT_SESSION",
        "MEMVAULT_DEBUG",
        "MEMVAULT_INCOGNITO",
        "MEMVAULT_TESTS",  # of these tests alone
        "MEMVAULT_SECTION_KEY",
        "MEMVAULT_INSIDE",
        "MEMVAULT_NO_RESIDENT",
        "MEMVAULT_OP",
        "MEMVAULT_VERB",
        "MEMVAULT_TEAM_DSN",
        "MEMVAULT_WEBHOOK_SECRET",
    }
    assert set(re.findall(r"MEMVAULT_[A-Z_]*[A-Z]", MANUAL[name])) - settings - others == set()


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_every_error_that_is_named_exists(name: str) -> None:
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "memvault").rglob("*.py"))
    classes = set(re.findall(r"^(?:class )?([A-Z]\w+)\b", source, re.MULTILINE))
    named = {code for code in CODE.findall(prose(MANUAL[name])) if re.fullmatch(r"(?:[A-Z][a-z]+){2,}", code)}
    coded = set(re.findall(r'"code": "(\w+)"', MANUAL[name]))
    assert named - classes == set()
    assert coded - set(ERRORS) == set()


def commands_of(page: str) -> list[str]:
    """Every command line that a page shows to be typed, in blocks and in prose."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    lines += [line[2:] for block in blocks(page, "console") for line in block.splitlines() if line.startswith("$ ")]
    lines += CODE.findall(prose(page))
    found = (re.search(r"(?:^|\| |=\S+ )memvault ([a-z][^|]*)", line.partition("  #")[0]) for line in lines)
    return [match[1] for match in found if match]


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_every_command_that_is_shown_exists_with_its_options(name: str) -> None:
    for line in commands_of(MANUAL[name]):
        unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
        command, words, spelling = split_argv(unquoted.split())
        assert command in {*COMMANDS, *GROUPS, "help"}, line
        assert spelling not in MOVED, line
        options = {word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word)}
        assert options - (options_of(command) if command in COMMANDS else {"--all"}) - COMMON == set(), line


def test_commands_are_found_where_they_are_shown() -> None:
    assert len(commands_of(README)) >= 9
    assert len(commands_of(MANUAL["docs/tutorial.md"])) >= 30


# -- the README


def commands_to_set_up() -> tuple[str, str]:
    run, test = (block.strip() for block in blocks(part(README, "Set up"), "sh"))
    return run, test


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return Reader(tmp_path)


def test_the_first_command_ends_with_a_memory_recalled(reader: Reader) -> None:
    steps = [step for step in commands_to_set_up()[0].split(" && ") if step.startswith(".venv/bin/memvault ")]
    lines = [f"$ {step.removeprefix('.venv/bin/').replace('~/', f'{reader.home.as_posix()}/')}" for step in steps]
    answer = reader.play("\n".join(lines))
    assert len(steps) == 3
    assert "[exit" not in answer
    assert "\n 1. Sara prefers tea over coffee in the morning\n" in answer.rpartition("$ memvault")[2]


def test_the_vault_of_the_first_command_is_not_in_the_checkout() -> None:
    assert set(re.findall(r"(?:init|--vault) (\S+)", commands_to_set_up()[0])) == {"~/my-vault"}


def test_the_test_command_is_the_one_that_is_run_before_a_change_is_taken() -> None:
    command = commands_to_set_up()[1]
    assert command in (ROOT / ".ci" / "run").read_text("utf-8")
    assert command in blocks(MANUAL["docs/contributing.md"], "sh")[0]


def test_the_everyday_commands_do_what_they_say(reader: Reader) -> None:
    lines = blocks(part(README, "Every day"), "sh")[0].splitlines()
    answer = reader.play("\n".join(f"$ {line}" for line in ("memvault init .", *lines)))
    assert answer.count("$ memvault ") == len(lines) + 1 >= 10
    assert "[exit" not in answer
    assert "No matches" not in answer


def test_the_memory_of_the_readme_is_the_file_and_what_claude_code_is_given(reader: Reader) -> None:
    command, note, given = (blocks(README, language)[0] for language in ("sh", "markdown", "text"))
    question = re.search(r'\*"(.+)"\*', README)
    assert question
    around = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "MEMVAULT_"))}
    here = {**around, **reader.environment, "PYTHONPATH": str(ROOT), "MEMVAULT_DIR": str(Path.cwd())}

    def run(*words: str, given: str = "", **variables: str) -> str:
        """Run memvault as a process, by the clock on the wall."""
        line = [sys.executable, "-m", "memvault", *words]
        return subprocess.run(
            line, input=given.encode(), env=here | variables, capture_output=True, check=True
        ).stdout.decode()

    run("init", ".")
    run(*shlex.split(command)[1:])
    assert steady(next(Path("2-memories").glob("*.md")).read_text("utf-8")) == steady(note)
    event = {"hook_event_name": "UserPromptSubmit", "cwd": str(Path.cwd()), "prompt": question[1]}
    sessions = (json.dumps(event | {"session_id": f"s{number}"}) for number in range(20))
    # On a machine that is too busy a hook says nothing; the next session is given the memory.
    answers = (run("hook", given=session, CLAUDECODE="1") for session in sessions)
    result = json.loads(next(answer for answer in answers if answer))
    assert steady(result["hookSpecificOutput"]["additionalContext"]) == steady(given)
    assert f"`{result['systemMessage']}`" in README


def steady(text: str) -> str:
    """The text without what differs from run to run: ids, tokens and days."""
    text = re.sub(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16}\b|\b[0-9a-f]{8}\b", "ID", text)
    return re.sub(r"\d{4}-\d\d-\d\d(T[\d:]+Z)?", "DAY", text).strip()


def test_the_costs_of_sessions_are_those_of_the_golden_files() -> None:
    page = session_costs.PAGE.read_text(encoding="utf-8")
    assert page == session_costs.renewed(page), "python -m tests.docs.session_costs --write renews the page"
