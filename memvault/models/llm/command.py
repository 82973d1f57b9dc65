"""Ask a program: no shell, an empty folder, and dead by the deadline with all it started."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import IO

from memvault.models.llm.ask import INSIDE_VARIABLE, MAX_ANSWER, Answered, Deadline, Failure, Question, Setup, Standing

_SYSTEM, _SCHEMA, _NAME = "{system}", "{schema}", "{name}"

# What any program needs to find itself, its user and its language; all else stays here.
_PASSED_VARIABLES = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME"),
    *("APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "HOMEDRIVE", "HOMEPATH"),
)
_CHUNK = 65_536
_KILL_WAIT = 2.0  # how long a killed program may take to be gone before nobody waits for it any more
_WINDOWS_FLAGS = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


@dataclass(frozen=True, slots=True)
class ProgramProvider:
    """The person's own program as a provider: the request as JSON on its stdin, a JSON object on its stdout."""

    setup: Setup
    name: str = "command"

    @property
    def model(self) -> str:
        """What the settings call the model; the program may know better."""
        return self.setup.name

    def answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        """Run the program on the request."""
        if not self.setup.command:
            return Failure("unset", "model.command names no program")
        given = {_SYSTEM: question.system, _SCHEMA: json.dumps(question.schema), _NAME: self.model}
        words = [given.get(word, word) for word in self.setup.command[1:]]
        # A program that takes the rest as words gets the prompt alone.
        request = {"system": question.system, "prompt": question.prompt, "schema": question.schema, "model": self.model}
        text = question.prompt if _SYSTEM in self.setup.command else json.dumps(request, ensure_ascii=False)
        ended = run_program(self.setup, (self.setup.command[0], *words), text, deadline)
        if isinstance(ended, Failure):
            return ended
        if ended.code:
            return Failure("failed", f"it ended with exit code {ended.code}, whatever it answered")
        return Answered(ended.out)

    def standing(self, _deadline: Deadline) -> Standing:
        """Return whether the program is there."""
        if not self.setup.command:
            return Standing(problems=("model.command names no program: set it to the program and its first words.",))
        path = find_program(self.setup.command[0], self.setup.environment)
        if path is None:
            problem = f"{self.setup.command[0]} was not found: give its full path, or see that it is in PATH."
            return Standing(problems=(problem,))
        return Standing(facts=(("program", " ".join([path, *self.setup.command[1:]])),))


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """How a program ended, and all it gave."""

    code: int
    out: str


def find_program(name: str, environment: Mapping[str, str], *, platform: str = sys.platform) -> str | None:
    """Return the full path of a program, by its own path or in PATH; never one of the folder we happen to be in."""
    written = os.path.expanduser(name)  # noqa: PTH111 - pathlib raises where there is no home
    if os.path.dirname(written):  # noqa: PTH120
        folders = [""] if Path(written).is_absolute() else []
    else:
        folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()]
    # A batch file would be run by a shell with rules of its own, which no list of arguments survives.
    endings = ("",) if platform != "win32" or written.casefold().endswith(".exe") else (".exe",)
    paths = (Path(folder, written + ending) for folder in folders for ending in endings)
    return next((str(path) for path in paths if path.is_file() and os.access(path, os.X_OK)), None)


def run_program(
    setup: Setup, words: Sequence[str], text: str, deadline: Deadline, *, variables: Sequence[str] = ()
) -> ProgramResult | Failure:
    """Run a program on a text and read its answer; what it says on stderr is nobody's."""
    program = find_program(words[0], setup.environment)
    if program is None:
        return Failure("missing", f"{words[0]} was not found")
    names = (*_PASSED_VARIABLES, *variables, setup.key_env)
    environment = {name: setup.environment[name] for name in names if name in setup.environment}
    folder = tempfile.mkdtemp(prefix="memvault-")
    try:
        with _starting:
            process = subprocess.Popen(
                [program, *words[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=folder,
                env={**environment, INSIDE_VARIABLE: "1"},
                start_new_session=True,
                creationflags=_WINDOWS_FLAGS,
            )
            _running.add(process)
        return _wait_for_answer(process, text.encode("utf-8", "replace"), deadline, Path(program).name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its arguments cannot be passed on"
        return Failure("missing", f"{Path(program).name} cannot be started ({reason or type(error).__name__})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for_answer(
    process: subprocess.Popen[bytes], text: bytes, deadline: Deadline, name: str
) -> ProgramResult | Failure:
    """Wait until a program ends; then, at the deadline or when we are interrupted, kill all it started."""
    assert process.stdin
    assert process.stdout
    answer = bytearray()
    threads = (
        Thread(target=_write_input, args=(process.stdin, text), daemon=True),
        Thread(target=_read_answer, args=(process, process.stdout, answer), daemon=True),
    )
    for thread in threads:
        thread.start()
    try:
        process.wait(max(0.0, deadline.left))
    except subprocess.TimeoutExpired:
        return Failure("late", f"{name} did not answer in time, and was ended")
    finally:
        _kill_group(process)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_KILL_WAIT)
        for thread in threads:
            thread.join(_KILL_WAIT)
        _running.discard(process)
    if len(answer) > MAX_ANSWER:
        return Failure("oversized", f"{name} gave more than {MAX_ANSWER:,} bytes")
    return ProgramResult(process.returncode, answer.decode("utf-8", "replace"))


def _write_input(stream: IO[bytes], text: bytes) -> None:
    with suppress(OSError, ValueError), stream:  # not everybody listens to the end
        rest = memoryview(text)
        while rest:
            rest = rest[stream.write(rest) or 0 :]


def _read_answer(process: subprocess.Popen[bytes], stream: IO[bytes], answer: bytearray) -> None:
    with suppress(OSError, ValueError), stream:
        while chunk := stream.read(_CHUNK):
            answer += chunk
            if len(answer) > MAX_ANSWER:
                _kill_group(process)
                return


_running: set[subprocess.Popen[bytes]] = set()
_starting = Lock()  # so that none is running that is not yet known to be


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        taskkill = str(Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe"))
        with suppress(OSError, subprocess.TimeoutExpired):
            words = [taskkill, "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(words, check=False, capture_output=True, timeout=_KILL_WAIT)
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


@atexit.register
def _kill_all() -> None:
    """Kill what threads left running that nobody waits for any more."""
    with _starting:
        for process in tuple(_running):
            _kill_group(process)
