"""The command line as a real process: what it imports, how it ends, what it does with odd streams."""

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


def imported(machine: dict[str, str], *words: str) -> set[str]:
    """The modules that are there when a command line has been carried out."""
    script = (
        "import atexit, os, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); sys.argv[0] = 'memvault'"
        "; os._exit = sys.exit"  # a recall ends at once, and asks nobody
    )
    program = f"{script}; from memvault.__main__ import main; main()"
    told = subprocess.run(
        [sys.executable, "-c", program, *words], env=machine, capture_output=True, timeout=SOON, check=True
    )
    return set(told.stderr.decode().split())


def test_the_version_is_told_before_anything_is_imported(machine: dict[str, str]) -> None:
    assert memvault(machine, "--version").stdout.decode().strip() == f"memvault {__version__}"
    found = imported(machine, "--version")
    assert not {"typer", "dataclasses", "inspect", "pathlib", "datetime"} & found
    assert not [name for name in found if name.startswith("memvault.") and name != "memvault.__main__"]


def test_a_recall_imports_no_other_command_and_nothing_for_people_who_need_help(
    in_vault: Line, machine: dict[str, str]
) -> None:
    found = imported(machine, "recall", "tea")
    assert "memvault.cli.find.recall" in found
    assert not {"rich", "watchdog", "memvault.daemon.watcher"} & found
    commands = {name for name in found if name.startswith("memvault.cli.")}
    assert (
        not {
            f"memvault.cli.{name}"
            for name in ("memories.remember", "memories.edit", "vault.doctor", "vault.watch", "find.batch")
        }
        & commands
    )
    assert not {"memvault.memories.remember", "memvault.maintenance.doctor", "memvault.system.programs"} & found


def test_a_recall_of_what_is_known_loads_little_of_python(in_vault: Line, machine: dict[str, str]) -> None:
    machine["MEMVAULT_NO_RESIDENT"] = "1"  # nor is one started then
    imported(machine, "recall", "tea")  # the first one looks what is installed, and takes the notes in
    found = imported(machine, "recall", "tea")
    assert {"dataclasses", "inspect", "tomllib", "importlib.metadata", "threading", "subprocess"} & found == set()
    assert len([name for name in found if name.startswith("memvault")]) < 180


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


def test_the_shell_is_told_how_a_command_line_may_go_on(machine: dict[str, str]) -> None:
    asked = {**machine, "_MEMVAULT_COMPLETE": "complete_bash", "COMP_WORDS": "memvault re", "COMP_CWORD": "1"}
    told = memvault(asked)
    assert set(told.stdout.decode().split()) == {
        "remember",
        "recall",
        "restore",
        "reindex",
        "report",
        "resolve",
        "resume",
    }
    asked |= {"COMP_WORDS": "memvault list --kind s", "COMP_CWORD": "3"}
    assert "semantic" in memvault(asked).stdout.decode().split()


@pytest.mark.skipif(sys.platform == "win32", reason="it takes a shell to close a stream")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
@pytest.mark.points(quick=1)
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
def test_a_watch_ends_in_good_order(number: signal.Signals, in_vault: Line, machine: dict[str, str]) -> None:
    with subprocess.Popen([sys.executable, "-m", "memvault", "watch"], env=machine, stderr=subprocess.PIPE) as watch:
        assert watch.stderr is not None
        assert watch.stderr.readline().startswith(b"Watching ")
        watch.send_signal(number)
        _, rest = watch.communicate(timeout=SOON)
    assert rest.decode().split("\n")[-2] == "Stopped."
    assert watch.returncode == 0
