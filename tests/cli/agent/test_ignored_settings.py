"""What a vault's file sets and only the person may: named by commands, asked about once, and never by a hook."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.agents.hooks import handler
from tests.command_line import Line, Ran

OLD = '[inject]\nfolders = ["Journal"]\n\n[undo]\nkeep_days = 7\n'
QUESTION = "You are asked once."

Person = Callable[..., Ran]


@pytest.fixture
def person(in_vault: Line) -> Person:
    """Runs a command at a terminal where somebody types these keys, in a vault of an earlier version."""
    Path("memvault.toml").write_text(OLD, encoding="utf-8")

    return lambda *words, keys="": in_vault(*words, typed=keys, terminal=True, NO_COLOR="1")


def own_config(environment: dict[str, str]) -> str:
    path = Path(environment["XDG_CONFIG_HOME"]) / "memvault" / "config.toml"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def folders(line: Line) -> object:
    return line("config", "inject.folders", "--json").json["result"]["settings"][0]["value"]


def test_who_agrees_gets_them_for_this_vault_and_is_not_asked_again(
    person: Person, in_vault: Line, environment: dict[str, str]
) -> None:
    ran = person("vault", "list", keys="y\n")
    assert ran.code == 0
    assert 'inject.folders = ["Journal"]' in ran.err
    assert "undo.keep_days = 7" in ran.err
    assert folders(in_vault) == ["Journal"]
    vault_id = json.loads(Path(".memvault/vault.json").read_text())["id"]
    assert f'[vaults."{vault_id}".inject]\nfolders = ["Journal"]' in own_config(environment)
    assert QUESTION not in person("vault", "list", keys="y\n").err


def test_who_does_not_agree_is_not_asked_again_either(person: Person, in_vault: Line) -> None:
    assert QUESTION in person("remember", "The weir was painted.", keys="n\n").err
    assert folders(in_vault) == []
    Path("memvault.toml").write_text(f"{OLD}keep_megabytes = 1\n", encoding="utf-8")
    assert QUESTION not in person("vault", "list", keys="y\n").err
    assert folders(in_vault) == []
    assert "warning" not in in_vault("status").err


def test_an_answer_that_never_came_is_no_answer(person: Person, environment: dict[str, str]) -> None:
    assert person("vault", "list").code == 0
    assert own_config(environment) == ""
    assert QUESTION in person("vault", "list", keys="\n").err


@pytest.mark.parametrize("words", [("status",), ("config",), ("doctor",), ("list", "--json")])
def test_these_ask_nothing(person: Person, words: tuple[str, ...], environment: dict[str, str]) -> None:
    assert QUESTION not in person(*words, keys="y\n").err
    assert own_config(environment) == ""


def test_what_no_version_ever_obeyed_is_not_asked_about(person: Person) -> None:
    Path("memvault.toml").write_text('[model]\nprovider = "command"\ncommand = ["evil"]\n', encoding="utf-8")
    assert QUESTION not in person("vault", "list", keys="y\n").err


def test_where_nobody_can_be_asked_they_stay_ignored_and_are_named(person: Person, in_vault: Line) -> None:
    assert QUESTION not in in_vault("vault", "list", stdin=b"y\n").err
    assert "2 settings that only you may set are ignored" in in_vault("status").err
    told = in_vault("config", "undo")
    assert "warning: memvault.toml sets undo.keep_days = 7. It is ignored" in told.err
    assert "`memvault config undo.keep_days 7`" in told.err
    assert "inject" not in told.err
    assert [one["name"] for one in in_vault("config", "--json").json["result"]["ignored"]] == [
        "inject.folders",
        "undo.keep_days",
    ]
    found = in_vault("vault", "doctor")
    assert found.code == 1
    assert "undo.keep_days = 7 is ignored" in found.out


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_no_hook_says_a_word_of_it(
    person: Person, environment: dict[str, str], capfdbinary: pytest.CaptureFixture[bytes], event: str
) -> None:
    given = {"hook_event_name": event, "session_id": "s1", "cwd": str(Path.cwd()), "prompt": "Is there any tea?"}
    here = {"MEMVAULT_DIR": str(Path.cwd()), "MEMVAULT_SCHEDULE_AT_SESSION_START": "false"}
    told = handler.answer_event(json.dumps(given).encode(), [], {**environment, **here})
    assert b"tea" in told
    assert b"ignored" not in told
    assert capfdbinary.readouterr() == (b"", b"")


def test_a_setting_of_the_persons_says_where_it_was_written(in_vault: Line, environment: dict[str, str]) -> None:
    before = Path("memvault.toml").read_bytes()
    ran = in_vault("config", "sync.private_text", "push")
    assert (ran.code, ran.out) == (0, 'sync.private_text = "push"\n')
    assert f"Written to {environment['XDG_CONFIG_HOME']}/memvault/config.toml, for this vault." in ran.err
    assert Path("memvault.toml").read_bytes() == before
    assert in_vault("config", "live.autostart", "true").code == 2
    assert in_vault("config", "--user", "live.autostart", "true").code == 0


def test_a_list_on_several_lines_is_not_broken(in_vault: Line, environment: dict[str, str]) -> None:
    in_vault("config", "--user", "inject.folders", "a")
    path = Path(environment["XDG_CONFIG_HOME"]) / "memvault" / "config.toml"
    path.write_text('[inject]\nfolders = [\n  "a",\n]\n', encoding="utf-8")
    before = path.read_bytes()
    assert in_vault("config", "--user", "inject.folders", "b").code == 2
    assert path.read_bytes() == before


def test_adopting_says_what_may_be_injected_and_where_that_is_written(line: Line) -> None:
    Path("Notes/Projects").mkdir(parents=True)
    Path("Notes/Projects/dike.md").write_text("The dike is checked in May.\n")
    assert line("init", "Notes", "--inject", "../x").code == 2
    ran = line("init", "Notes", "--inject", "Projects")
    assert "Notes in Projects may be injected. Written to " in ran.err
    assert "Projects" not in Path("Notes/memvault.toml").read_text()
