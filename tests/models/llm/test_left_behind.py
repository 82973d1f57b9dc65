"""What is left running when memvault ends while a program is at work for it: nothing, however it ends."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import memvault
from memvault.models.llm.subprocess import GuardProcess, JobLimits, NoGuard, create_guard
from tests.models.conftest import FORM, Made
from tests.models.pipe import Pipe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes with names are a matter of POSIX")

HERE = Path(memvault.__file__).parents[1]
# With a child of its own, and both deaf to everything that can be ignored; each holds the pipe.
STUBBORN = ("sh", "-c", "exec 9>\"$0\"; trap '' TERM HUP INT PIPE; sleep 600 & echo up >&9; sleep 600")

Started = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """Where programs have their folders."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def started(environment: dict[str, str], pipe: Pipe, temporary: Path) -> Iterator[Started]:
    """Starts a memvault whose model never answers, and gives it when the model is at work."""
    settings = Path(environment["XDG_CONFIG_HOME"], "memvault", "config.toml")
    settings.parent.mkdir(parents=True)
    command = json.dumps([*STUBBORN, str(pipe.path)])
    settings.write_text(f'[model]\nprovider = "command"\ncommand = {command}\nreview_seconds = 50\n')
    running: list[subprocess.Popen[bytes]] = []

    def start(*words: str, programs: int = 1) -> subprocess.Popen[bytes]:
        there = {**environment, "TMPDIR": str(temporary), "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
        program = [sys.executable, "-m", "memvault", *words]
        process = subprocess.Popen(program, env=there, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        running.append(process)
        assert pipe.is_held(by=programs)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_no_signal_that_ends_memvault_leaves_a_program_of_the_model(
    number: signal.Signals, started: Started, pipe: Pipe, temporary: Path
) -> None:
    process = started("model", "test")
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert pipe.is_over()
    assert list(temporary.iterdir()) == []


def test_nor_one_that_was_started_in_a_thread(started: Started, pipe: Pipe, temporary: Path, tmp_path: Path) -> None:
    memvault.Memvault.init(tmp_path / "vault")
    words = ("model", "review", "The harbour closes at nine.", "--vault", str(tmp_path / "vault"))
    process = started(*words, programs=3)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert pipe.is_over()
    assert list(temporary.iterdir()) == []


def test_nor_does_a_memvault_that_ends_by_itself(pipe: Pipe) -> None:
    source = """
import sys, threading
from memvault.models.llm import subprocess as child
from memvault.models.llm.ask import Deadline
gate, *words = sys.argv[1:]
ask = lambda: child.run_program(words, "", environment={"PATH": "/usr/bin:/bin"}, deadline=Deadline.within(60))
threading.Thread(target=ask, daemon=True).start()
with open(gate, "rb"):  # opened by both: it is up
    pass
"""
    gate = pipe.path.with_name("gate")
    os.mkfifo(gate)
    words = ["/bin/sh", "-c", 'exec 9>"$0"; : > "$1"; sleep 60', str(pipe.path), str(gate)]
    there = {**os.environ, "PYTHONPATH": str(HERE)}
    subprocess.run([sys.executable, "-c", source, str(gate), *words], env=there, check=True, timeout=60)
    assert pipe.is_over()


def test_a_program_gets_its_signals_as_the_system_has_them(model: Made) -> None:
    # Whoever ignores SIGPIPE is told of a closed pipe by an error, and whoever does not ends with it.
    script = 'cat >/dev/null; sh -c "kill -PIPE \\$\\$"; [ $? -gt 128 ] && echo \'{"word": "yes"}\''
    assert model("command", command=("sh", "-c", script)).complete_json("s", "p", FORM, 30.0) == {"word": "yes"}


def test_where_there_is_no_python_to_run_a_leash_a_program_runs_without(monkeypatch: pytest.MonkeyPatch) -> None:
    with_leash = create_guard()
    assert isinstance(with_leash, GuardProcess)
    with_leash.close()
    monkeypatch.setattr(sys, "executable", "")
    assert isinstance(create_guard(), NoGuard)


def test_without_a_leash_it_is_asked_all_the_same(model: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'cat >/dev/null; echo \'{"word": "yes"}\''
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert model("command", command=("sh", "-c", script)).complete_json("s", "p", FORM, 30.0) == {"word": "yes"}
    failure = model("command", command=("/no/such",)).complete_json("s", "p", FORM, 30.0)
    assert getattr(failure, "reason", "") == "missing"


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the size is that of 64 bits")
def test_limits_of_a_job_are_laid_out_as_windows_reads_them() -> None:
    assert (ctypes.sizeof(JobLimits), JobLimits.counters.offset, JobLimits.process_memory.offset) == (144, 64, 112)
