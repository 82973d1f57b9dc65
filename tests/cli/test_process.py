"""The command line as a real process: how it ends, what it does with odd streams."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memvault import __main__ as front_door
from memvault import __version__
from memvault.cli import main
from tests.command_line import Line

HERE = Path(__file__).resolve().parents[2]
SOON = 60


@pytest.fixture
def machine(environment: dict[str, str]) -> dict[str, str]:
    """The environment of a new process."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("MEMVAULT", "CLAUDE"))}
    return {**ours, **environment, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100"}


def memvault(machine: dict[str, str], *words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "memvault", *words],
        env=machine,
        input=data,
        capture_output=True,
        timeout=SOON,
        check=False,
    )


def test_the_version_is_told(machine: dict[str, str]) -> None:
    assert memvault(machine, "--version").stdout.decode().strip() == f"memvault {__version__}"


def test_a_reader_that_has_seen_enough_is_no_error(in_vault: Line, machine: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        told = subprocess.run(
            [sys.executable, "-m", "memvault", "config"],
            env=machine,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=SOON,
            check=False,
        )
    finally:
        os.close(writing)
    assert told.stderr == b""
    assert told.returncode == 0


def test_an_ascii_terminal_breaks_nothing(in_vault: Line, machine: dict[str, str]) -> None:
    ascii_only = {**machine, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    told = memvault(ascii_only, "remember", "Žluťoučký kůň", "--title", "お茶")
    assert told.returncode == 0
    assert b"\\u304a\\u8336" in told.stdout


@pytest.mark.points(only=True)
def test_the_shell_is_told_how_a_command_line_may_go_on(machine: dict[str, str]) -> None:
    asked = {**machine, "_MEMVAULT_COMPLETE": "complete_bash", "COMP_WORDS": "memvault re", "COMP_CWORD": "1"}
    told = memvault(asked)
    assert {"remember", "recall"} <= set(told.stdout.decode().split())
    asked |= {"COMP_WORDS": "memvault vault list --kind s", "COMP_CWORD": "4"}
    assert "semantic" in memvault(asked).stdout.decode().split()


@pytest.mark.skipif(sys.platform == "win32", reason="it takes a shell to close a stream")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
@pytest.mark.points(only=True)
def test_a_closed_stream_breaks_nothing(closed: str, in_vault: Line, machine: dict[str, str]) -> None:
    program = f"{sys.executable} -m memvault"
    script = f"{program} recall tea {closed} && {program} recall xyzzy {closed} && {program} remember {closed}"
    ran = subprocess.run(["sh", "-c", script], env=machine, input=b"", capture_output=True, timeout=SOON, check=False)
    assert ran.returncode == 2
    assert b"Traceback" not in ran.stderr
    assert b"bug" not in ran.stderr


def test_an_interruption_ends_it_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_argv: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "run_process", interrupted)
    monkeypatch.setattr(sys, "argv", ["memvault", "recall", "tea"])
    with pytest.raises(SystemExit) as ended:
        front_door.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.points(only=True)
def test_a_watch_ends_in_good_order(number: signal.Signals, in_vault: Line, machine: dict[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "memvault", "vault", "watch"], env=machine, stderr=subprocess.PIPE
    ) as watch:
        assert watch.stderr is not None
        assert watch.stderr.readline().startswith(b"Watching ")
        watch.send_signal(number)
        _, rest = watch.communicate(timeout=SOON)
    assert rest.decode().split("\n")[-2] == "Stopped."
    assert watch.returncode == 0
