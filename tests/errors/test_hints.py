"""Every hint is whole: its commands can be copied, whatever the data, and do what the hint says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from string import Formatter

import pytest

from memvault.cli.argv import CommandCall, list_options, split_argv
from memvault.cli.commands import COMMANDS
from memvault.cli.parsing.parser import parse_argv
from memvault.errors import MemvaultError
from tests.command_line import Line
from tests.docs.tables import ERRORS

AWKWARD = 'it\'s "the" $HOME/*;'
COMMAND = "memvault recall tea"
_GIVEN = {"command": COMMAND, "seconds": 3.0, "byte": 7, "name": "recall.limit"}
_PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b")


def example_of(name: str) -> MemvaultError:
    """An error of that name with data that a shell would take apart."""
    kind = ERRORS[name]
    fields = {field for text in (kind.sentence, kind.hint) for _, field, _, _ in Formatter().parse(text) if field}
    return kind(**{field: _GIVEN.get(field, AWKWARD) for field in fields})


def commands_in(text: str) -> Iterator[list[str]]:
    """The command lines of memvault that a hint names, as a shell splits them."""
    for found in re.findall(r"`(memvault (?:[^`'\"]|'[^']*'|\"[^\"]*\")*)`|: (memvault [^\n]+)", text):
        yield shlex.split(found[0] or found[1])[1:]


@pytest.mark.parametrize("name", ERRORS)
def test_the_commands_of_a_hint_are_lines_that_the_command_line_takes(name: str) -> None:
    advice = example_of(name).advice
    for words in commands_in(advice):
        call = parse_argv(words) if split_argv(words).name in COMMANDS else 0
        assert isinstance(call, CommandCall) or call == 0, words
        assert words in (COMMAND.split()[1:], ["web", "serve"]) or not {"$HOME/*;"} & set(words)


@pytest.mark.parametrize("name", [name for name, kind in ERRORS.items() if "`--" in kind.hint])
def test_an_option_that_a_hint_names_is_one_of_a_command(name: str) -> None:
    options = {option for command in COMMANDS for option in list_options(command)}
    assert set(re.findall(r"`(--[a-z-]+)", ERRORS[name].hint)) <= options


SECRET = "The password of the modem is Hunter22!xY"
# What a person types, the error, and what the hint's first command ends with; None: there is none to run. A key is made
# where somebody says yes.
TYPED = [
    (("show", "it's gone"), "NotFound", 0),
    (("undo", "nonsense"), "NoOperation", 0),
    (("nonsense",), "UnknownCommand", 0),
    (("recall", "tea", "--limt", "3"), "Misused", 0),
    (("vault", "move"), "Misused", 0),
    (("config", "set", "recall.limit", "many"), "BadSetting", 0),
    (("config", "list", "recall.limt"), "UnknownSetting", 0),
    (("remember", SECRET), "SecretFound", 0),
    (("edit", "tea", "--append", SECRET), "SecretFound", 0),
    (("remember", "The heron nests in the reed."), "Forgotten", 0),
    (("init", "."), "AlreadyAVault", 0),
    (("init", "a b/c"), "VaultInsideVault", 0),
    (("session", "show", "nobody"), "NoConversation", 0),
    (("vault", "purge", "tea"), "NotConfirmed", 0),
    (("uninstall",), "NotConfirmed", 0),
    (("sync", "run"), "NotSynced", 0),
    (("remember", "--private", "a thing of mine"), "NoRecipients", 2),
    (("vault", "audit", "--by", "x"), "BadInput", None),
]


@pytest.mark.parametrize(("words", "code", "ends"), TYPED, ids=[" ".join(words)[:40] for words, _, _ in TYPED])
def test_the_command_of_a_hint_does_what_it_says(
    words: tuple[str, ...], code: str, ends: int | None, in_vault: Line
) -> None:
    """The vault is named by a path that a shell would split; the hint's command names it too."""
    in_vault("init", "../my vault")
    if words[0] == "uninstall":
        in_vault("agent", "hooks", "install")
    own = ("--vault", "../my vault")
    in_vault("remember", "I like tea.", "--title", "tea", *own)
    in_vault("remember", "The heron nests in the reed.", "--title", "heron", *own)
    in_vault("forget", "heron", *own)
    failed = in_vault(*words, *own, "--json")
    assert failed.json["error"]["code"] == code, failed.out
    hint = failed.json["error"]["hint"]
    named = list(commands_in(hint))
    assert bool(named) == (ends is not None), hint
    for command in named[:1]:
        assert command[:2] == list(own) or words[0] in ("init", "uninstall", "nonsense"), hint
        ran = in_vault(*command)
        assert ran.code == ends, (command, ran.err)
        assert SECRET not in hint
