"""Programs as providers: what they are given, and what becomes of each way in which they can go wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import memvault
from memvault.models.llm.ask import INSIDE_VARIABLE, Failure
from memvault.models.llm.command import find_program
from tests.conftest import write_own_config
from tests.models.conftest import FORM, STAND_IN, Made, Pipe
from tests.models.program import GOOD

HERE = Path(memvault.__file__).parents[1]
PATIENT, SOON = 30.0, 0.4

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="process groups are a matter of POSIX")


def asked(model: Any, seconds: float = PATIENT, prompt: str = "the prompt") -> Any:
    return model.complete_json("the system", prompt, FORM, seconds)


def shown(program: Made, target: Path, *words: str, **given: Any) -> dict[str, Any]:
    """What a program saw of the world it was started in."""
    assert asked(program("echo", str(target), *words, **given)) == GOOD
    seen: dict[str, Any] = json.loads(target.read_text("utf-8"))
    return seen


# -- what a program is given


@posix_only
def test_a_program_gets_json_on_stdin_in_an_empty_folder_a_group_of_its_own_and_few_variables(
    program: Made, tmp_path: Path
) -> None:
    variables = {"AWS_SECRET_ACCESS_KEY": "x", "CLAUDECODE": "1", "OTHER_KEY": "k", "MY_KEY": "mine"}
    seen = shown(program, tmp_path / "seen", name="small", variables=variables, key_env="MY_KEY")
    asked_for = {"system": "the system", "prompt": "the prompt", "schema": FORM, "model": "small"}
    assert json.loads(seen["stdin"]) == asked_for
    assert seen["files"] == []
    assert not Path(seen["folder"]).exists(), "it is gone afterwards"
    assert seen["group"] != os.getpgid(0)
    assert seen["environment"][INSIDE_VARIABLE] == "1"
    assert seen["environment"]["MY_KEY"] == "mine"
    assert not {"AWS_SECRET_ACCESS_KEY", "CLAUDECODE", "OTHER_KEY"} & set(seen["environment"])


def test_a_program_that_takes_the_rest_as_words_gets_the_prompt_alone(program: Made, tmp_path: Path) -> None:
    seen = shown(program, tmp_path / "seen", "-s", "{system}", "--schema", "{schema}", "-m", "{name}", name="small")
    assert seen["stdin"] == "the prompt"
    assert seen["argv"] == ["-s", "the system", "--schema", json.dumps(FORM), "-m", "small"]


def test_words_reach_the_program_as_they_are_and_through_no_shell(program: Made, tmp_path: Path) -> None:
    words = ["$(touch owned)", "; touch owned", "a b", '"', "*", ""]
    seen = shown(program, tmp_path / "seen", *words)
    assert seen["argv"] == words
    assert not (tmp_path / "owned").exists()


def test_a_program_is_never_taken_from_the_folder_we_are_in(
    model: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap"
    trap.write_text("#!/bin/sh\ntouch owned\n")
    trap.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for command in ("trap", "./trap"):
        failure = asked(model("command", command=(command,), variables={"PATH": f".{os.pathsep}{os.pathsep}bin"}))
        assert failure.reason == "missing"
    assert not (tmp_path / "owned").exists()


def test_batch_files_are_no_programs(tmp_path: Path) -> None:
    for name in ("tool.cmd", "tool.bat", "tool.exe"):
        (tmp_path / name).write_bytes(b"")
        (tmp_path / name).chmod(0o755)
    variables = {"PATH": str(tmp_path)}
    assert find_program("tool", variables, platform="win32") == str(tmp_path / "tool.exe")
    assert find_program("tool.cmd", variables, platform="win32") is None


def test_a_program_that_does_not_listen_is_heard(program: Made) -> None:
    assert asked(program("deaf"), prompt="long " * 100_000) == GOOD


# -- what goes wrong


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (("say", "I think it is fine."), "malformed"),
        (("say", '{"word": 7}'), "malformed"),
        (("say", '{"word": "a", "score": "7"}'), "malformed"),
        (("say", '{"word": "a", "score": 11}'), "malformed"),
        pytest.param(("say", "[" * 100_000), "malformed", id="deep"),
        (("fail", "1"), "failed"),
        (("die",), "failed"),
        (("flood",), "oversized"),
    ],
    ids=str,
)
@pytest.mark.points(quick=4)
def test_each_bad_answer_is_a_failure_that_quotes_nothing(program: Made, how: tuple[str, ...], reason: str) -> None:
    failure = asked(program(*how))
    assert isinstance(failure, Failure)
    assert failure.reason == reason
    assert not any(told in failure.detail for told in ("fine", "secret trouble", "ye", "xxx"))


@pytest.mark.parametrize(
    ("command", "reason"),
    [((), "unset"), (("no-such-program-here",), "missing"), (("/",), "missing"), (("/no/such",), "missing")],
)
def test_a_program_that_cannot_be_started_is_a_failure(model: Made, command: tuple[str, ...], reason: str) -> None:
    assert asked(model("command", command=command)).reason == reason


def test_what_cannot_be_an_argument_is_a_failure(model: Made) -> None:
    assert asked(model("command", command=(*STAND_IN, "say", "a\0b"))).reason == "missing"


@posix_only
def test_a_file_that_is_no_program_is_a_failure(model: Made, tmp_path: Path) -> None:
    (tmp_path / "tool").write_bytes(b"\x7fELF nonsense")
    (tmp_path / "tool").chmod(0o755)
    assert asked(model("command", command=(str(tmp_path / "tool"),))).reason == "missing"


# -- deadlines


@posix_only
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("exec sleep 60", id="slow"),
        pytest.param("trap '' TERM HUP INT; while :; do sleep 60; done", id="deaf to signals"),
        pytest.param("sleep 60 & wait", id="with a grandchild"),
        pytest.param("(trap '' TERM HUP; sleep 60) & exec 1>&-; wait", id="closed its output"),
        pytest.param("cat >/dev/null; echo '{\"word\":'; exec sleep 60", id="half an answer"),
    ],
)
def test_at_the_deadline_a_program_is_dead_with_all_it_started(model: Made, pipe: Pipe, script: str) -> None:
    command = ("sh", "-c", f'exec 9>"$0"; echo up >&9; {script}', str(pipe.path))
    failure = asked(model("command", command=command), seconds=SOON)
    assert failure.reason == "late"
    assert pipe.is_over()


@posix_only
def test_what_a_program_leaves_running_ends_with_it(model: Made, pipe: Pipe) -> None:
    script = 'exec 9>"$0"; cat >/dev/null; sleep 60 & echo \'{"word": "yes"}\''
    assert asked(model("command", command=("sh", "-c", script, str(pipe.path)))) == {"word": "yes"}
    assert pipe.is_over()


def test_no_time_is_no_call(program: Made, log: Any) -> None:
    assert asked(program("good"), seconds=0).reason == "late"
    assert log.sum_month().calls == 0


# -- when memvault ends


@posix_only
@pytest.mark.parametrize(
    ("words", "programs"), [(("model", "test"), 1), (("model", "review", "The harbour closes at nine."), 3)]
)
@pytest.mark.points(only=True)
def test_an_interrupted_memvault_leaves_no_program_running(
    environment: dict[str, str], pipe: Pipe, tmp_path: Path, words: tuple[str, ...], programs: int
) -> None:
    # With a child of its own, and both deaf to everything that can be ignored; each holds the pipe.
    stubborn = (
        "sh",
        "-c",
        "exec 9>\"$0\"; trap '' TERM HUP INT PIPE; sleep 600 & echo up >&9; sleep 600",
        str(pipe.path),
    )
    memvault.Memvault.init(tmp_path / "vault")
    write_own_config(
        environment, f'[model]\nprovider = "command"\ncommand = {json.dumps(stubborn)}\nreview_seconds = 50\n'
    )
    variables = {**environment, "MEMVAULT_DIR": str(tmp_path / "vault"), "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "memvault", *words]
    with subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert pipe.is_held(by=programs)
        time.sleep(1)  # the program is up a little before memvault knows it
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130
    assert pipe.is_over()


@posix_only
def test_a_program_gets_its_signals_as_the_system_has_them(model: Made) -> None:
    # Whoever ignores SIGPIPE is told of a closed pipe by an error, and whoever does not ends with it.
    script = 'cat >/dev/null; sh -c "kill -PIPE \\$\\$"; [ $? -gt 128 ] && echo \'{"word": "yes"}\''
    assert model("command", command=("sh", "-c", script)).complete_json("s", "p", FORM, 30.0) == {"word": "yes"}
