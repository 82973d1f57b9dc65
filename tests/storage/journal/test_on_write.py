"""A command of the person's own is started after every operation, and never one that a vault names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from memvault import Memvault
from memvault.system import programs
from tests.conftest import Opener, write_own_config

Started = list[tuple[list[str], Mapping[str, str]]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    found: Started = []

    def start(words: Sequence[str], environment: Mapping[str, str]) -> None:
        found.append((list(words), environment))

    monkeypatch.setattr(programs, "start_detached", start)
    return found


def test_the_command_of_the_own_config_is_told_of_every_operation(
    vault: Memvault, environment: dict[str, str], open_vault: Opener, started: Started
) -> None:
    write_own_config(environment, "[user]\non_write = \"notify 'a word'\"\n")
    own = open_vault(vault.root)
    made = own.remember("The gate is painted green.")
    own.recall("gate")
    [(words, told)] = started
    assert words == ["notify", "a word"]
    assert (told["MEMVAULT_OP"], told["MEMVAULT_VERB"]) == (made.op, "remember")
    assert told["MEMVAULT_DIR"] == str(own.root)
    own.undo()
    assert [told["MEMVAULT_VERB"] for _, told in started] == ["remember", "undo"]


def test_what_the_command_writes_starts_it_not_again(
    vault: Memvault, environment: dict[str, str], open_vault: Opener, started: Started
) -> None:
    write_own_config(environment, '[user]\non_write = "notify"\n')
    open_vault(vault.root, environment={**environment, "MEMVAULT_OP": "x"}).remember("The gate is painted green.")
    assert started == []


def test_a_vault_starts_no_command(vault: Memvault, open_vault: Opener, started: Started) -> None:
    (vault.root / "memvault.toml").write_text('[user]\non_write = "notify"\n')
    own = open_vault(vault.root)
    own.remember("The gate is painted green.")
    assert started == []


def test_without_a_command_none_is_started(vault: Memvault, started: Started) -> None:
    vault.remember("The gate is painted green.")
    assert started == []
