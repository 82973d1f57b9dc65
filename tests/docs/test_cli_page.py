"""The manual's page on the command line: nothing is missing, nothing is made up, nothing has drifted."""

from __future__ import annotations

import re

import pytest

from memvault import errors
from memvault.cli.argv import split_argv
from memvault.cli.commands import COMMANDS
from memvault.errors import external
from tests.cli.output.test_output import ENVELOPES
from tests.docs.cli import PAGE, renewed, sections

TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = dict(sections(TEXT))
NOT_COMMANDS = {"Exit codes", "Variables", "JSON"}
IN_EVERY_RESULT = ("op", "dry_run")


def test_usages_and_options_are_those_of_the_code() -> None:
    assert renewed(TEXT) == TEXT, "python -m tests.docs.cli --write renews the page"


def test_every_command_has_its_section_and_every_section_its_command() -> None:
    assert set(SECTIONS) - NOT_COMMANDS == set(COMMANDS)
    assert [name for name in SECTIONS if name in COMMANDS] == [
        name
        for group in dict.fromkeys(row.group for row in COMMANDS.values())
        for name, row in COMMANDS.items()
        if row.group == group
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_section_shows_the_commands_own_options(name: str) -> None:
    assert SECTIONS[name].count("<!-- end -->") == 1


@pytest.mark.parametrize(("words", "keys"), ENVELOPES)
def test_every_member_of_a_result_is_explained(words: tuple[str, ...], keys: str) -> None:
    text = SECTIONS[split_argv(words)[0]]
    alike = re.search(r"as for `([\w -]+)`", text)
    told = text + (SECTIONS[alike[1]] if alike else "")
    assert not [key for key in set(keys.split()).difference(IN_EVERY_RESULT) if f"`{key}`" not in told]


def test_what_many_results_have_is_explained_once() -> None:
    assert [key for key in IN_EVERY_RESULT if f"`{key}`" not in SECTIONS["JSON"]] == []


def test_every_exit_code_is_explained() -> None:
    raised = {
        error.exit_code
        for error in (*vars(errors).values(), *vars(external).values())
        if isinstance(error, type) and issubclass(error, errors.MemvaultError)
    }
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", SECTIONS["Exit codes"], flags=re.MULTILINE)}
    assert listed == raised | {0, 130}
