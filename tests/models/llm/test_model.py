"""The configured model: from the person's own config alone, asked about by status, asked by test."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import memvault
from memvault.api import Memvault
from memvault.core.settings.table import SETTING_ROWS
from memvault.errors import BadSetting
from tests import command_line as surfaces
from tests.command_line import Line
from tests.conftest import Opener, write_own_config
from tests.models.conftest import STAND_IN
from tests.models.server import Server, serving

line = surfaces.line


def configured(environment: dict[str, str], **rows: object) -> None:
    # JSON's texts, numbers and lists are TOML's too.
    write_own_config(
        environment, "[model]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in rows.items())
    )


def command(environment: dict[str, str], *how: str, **rows: object) -> None:
    configured(environment, provider="command", command=[*STAND_IN, *how], **rows)


def served(environment: dict[str, str], server: Server, *, word: str = "remembered", **rows: object) -> None:
    server.content = json.dumps({"word": word})
    configured(environment, provider="openai", url=server.url, name="small", **rows)


@pytest.mark.parametrize(
    ("row", "value"), [("model.key_env", "sk-abc-123"), ("model.url", "ftp://x"), ("model.url", "http://me:pw@x")]
)
def test_a_key_is_not_taken_for_its_variable_nor_a_user_into_an_address(row: str, value: str) -> None:
    with pytest.raises(BadSetting):
        next(found for found in SETTING_ROWS if found.name == row).accept(value, where="here")


def test_without_a_model_there_is_no_way_to_ask_one(vault: Memvault) -> None:
    assert vault.open_model().ask is None
    assert not vault.open_model().status().is_ready


def test_with_one_there_is_and_secrets_do_not_reach_it(
    vault: Memvault, environment: dict[str, str], open_vault: Opener, server: Server
) -> None:
    served(environment, server)
    ask = open_vault(vault.root).open_model().ask
    assert ask is not None
    secret = "AKIAIOSFODNN7EXAMPLQ"
    ask("the system", f"the key is {secret}", {"type": "object"}, 30.0)
    assert [prompt.partition("[")[0] for prompt in server.prompts] == ["the key is "]
    assert secret not in str(server.asked)


def test_the_run_has_a_budget(vault: Memvault, environment: dict[str, str], open_vault: Opener) -> None:
    command(environment, "good", max_calls=0)
    found = open_vault(vault.root).open_model().test_model()
    assert (found.ok, found.reason) == (False, "budget")


@pytest.mark.parametrize(("kept", "calls"), [(True, 1), (False, 0)])
def test_calls_are_logged_unless_the_person_does_not_want_that(
    environment: dict[str, str], server: Server, kept: bool, calls: int
) -> None:
    served(environment, server, log=kept)
    assert Memvault.own_model(environment=environment).test_model().ok
    assert Memvault.own_model(environment=environment).status().spent.calls == calls


# -- the command


def test_where_none_is_configured_status_says_so(line: Line) -> None:
    ran = line("model")
    assert ran.code == 0
    assert "No language model" in ran.out
    assert "model.provider" in ran.err


def test_a_test_without_a_model_has_failed(line: Line) -> None:
    assert line("model", "test").code == 1


def test_a_model_that_answers_is_told_with_its_time(line: Line, environment: dict[str, str]) -> None:
    command(environment, "say", '{"word": "remembered"}', name="small", review_seconds=60)
    ran = line("model", "test")
    assert ran.code == 0
    assert ran.out.startswith("command small answered")
    assert ran.err == "Asking command small one small question; that may take up to 60 s (model.max_seconds).\n"
    assert "1 call this month, 0 without an answer" in line("model", "status").out


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a line of sh")
def test_a_model_that_is_slower_than_a_reviewer_may_be_is_told_with_the_remedy(
    line: Line, environment: dict[str, str]
) -> None:
    script = 'cat > /dev/null; sleep 0.15; echo \'{"word": "remembered"}\''
    configured(environment, provider="command", command=["sh", "-c", script], review_seconds=0.1)
    assert re.search(r"model\.review_seconds [1-9]", line("model", "test").err)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("test",), b"Asking command one small question; that may take up to 7 s (model.max_seconds).\n"),
        (("review", "Tea."), b"Asking command for a review; that may take up to 8 s (model.review_seconds).\n"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="it waits for a pipe with a name")
def test_who_is_asked_is_told_while_they_still_think(
    vault: Memvault, environment: dict[str, str], tmp_path: Path, words: tuple[str, ...], said: bytes
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    command_words = ["sh", "-c", 'read _ <"$0"', str(gate)]
    configured(environment, provider="command", command=command_words, max_seconds=7, review_seconds=8)
    there = {**environment, "PYTHONPATH": str(Path(memvault.__file__).parents[1]), "MEMVAULT_DIR": str(vault.root)}
    program = [sys.executable, "-m", "memvault", "model", *words]
    with subprocess.Popen(program, env=there, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
        assert asking.stderr is not None
        assert asking.stderr.readline() == said
        assert asking.poll() is None
        asking.terminate()


def test_nobody_is_announced_where_nobody_is_asked_or_a_program_reads(line: Line, environment: dict[str, str]) -> None:
    assert "Asking" not in line("model", "test").err
    command(environment, "say", '{"word": "remembered"}')
    ran = line("model", "test", "--json")
    assert (ran.json["result"]["ok"], ran.err) == (True, "")


def test_a_model_that_does_as_it_likes_is_told(line: Line, environment: dict[str, str], server: Server) -> None:
    served(environment, server, word="banana")
    assert "expect poor reviews" in line("model", "test").err


def test_a_model_that_fails_is_told_with_exit_code_1(line: Line, environment: dict[str, str]) -> None:
    command(environment, "fail", "1")
    ran = line("model", "test")
    assert ran.code == 1
    assert "exit code 1" in ran.out
    assert "secret trouble" not in ran.out + ran.err


def test_status_asks_nobody_and_shows_no_key(line: Line, environment: dict[str, str]) -> None:
    with serving() as server:
        configured(environment, provider="openai", url=server.url, name="small", key_env="MY_KEY")
        ran = line("model", "status", "--json", MY_KEY="sk-abc")
        assert server.asked == []
    result = ran.json["result"]
    assert result["facts"]["key"] == "from MY_KEY"
    assert "sk-abc" not in ran.out + ran.err


def test_what_is_wrong_is_a_warning(line: Line, environment: dict[str, str]) -> None:
    configured(environment, provider="command", command=["/no/such/program"])
    ran = line("model", "status")
    assert ran.code == 0
    assert "/no/such/program was not found" in ran.err
