"""A program asked for an answer: no shell, an empty folder, and dead by the deadline with all it started."""

from __future__ import annotations

import atexit
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
from threading import Event, Lock, Thread
from typing import IO

from memvault.models.llm.ask import INSIDE, MOST_ANSWERED, Failure
from memvault.models.llm.deadline import Deadline
from memvault.models.llm.ties import Tie, tie

# What any program needs to find itself, its user and its language; all else stays here.
_PASSED_ON = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME"),
    *("APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "HOMEDRIVE", "HOMEPATH"),
)
_CHUNK = 65_536
_AFTERMATH = 2.0  # how long a killed program may take to be gone before nobody waits for it any more


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and all it gave."""

    code: int
    out: str


def environment_for(environment: Mapping[str, str], *also: str) -> dict[str, str]:
    """The few variables that a program is given, and the one that tells it who started it."""
    passed = {name: environment[name] for name in (*_PASSED_ON, *also) if name in environment}
    return {**passed, INSIDE: "1"}


def program(name: str, environment: Mapping[str, str], *, platform: str = sys.platform) -> str | None:
    """The full path of a program, by its own path or in PATH; never one of the folder we happen to be in."""
    written = os.path.expanduser(name)  # noqa: PTH111 - pathlib raises where there is no home
    if os.path.dirname(written):  # noqa: PTH120
        folders = [""] if Path(written).is_absolute() else []
    else:
        folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()]
    # A batch file would be run by a shell with rules of its own, which no list of arguments survives.
    endings = ("",) if platform != "win32" or written.casefold().endswith(".exe") else (".exe",)
    for folder in folders:
        for ending in endings:
            path = Path(folder, written + ending)
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    return None


def run(words: Sequence[str], feed: str, *, environment: Mapping[str, str], deadline: Deadline) -> Ended | Failure:
    """Run a program on a text and read what it says, as far as it is carried; what it says on stderr is nobody's."""
    folder = tempfile.mkdtemp(prefix="memvault-")
    try:
        child = _Child(words, feed.encode("utf-8", "replace"), folder, environment)
        try:
            return child.outcome(deadline)
        finally:
            child.end()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its arguments cannot be passed on"
        return Failure("missing", f"{Path(words[0]).name} cannot be started ({reason or type(error).__name__})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Child:
    """One running program with the three threads that feed it, read it and wait for it."""

    def __init__(self, words: Sequence[str], feed: bytes, folder: str, environment: Mapping[str, str]) -> None:
        self._name = Path(words[0]).name
        self._tie = tie()
        try:
            self._process = _started(words, folder, environment, self._tie)
        except BaseException:
            self._tie.close()
            raise
        assert self._process.stdin
        assert self._process.stdout
        self._said = bytearray()
        self._read_all = Event()
        self._threads = (
            Thread(target=_feed, args=(self._process.stdin, feed), daemon=True),
            Thread(target=self._read, args=(self._process.stdout,), daemon=True),
            Thread(target=self._wait, daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def outcome(self, deadline: Deadline) -> Ended | Failure:
        """What became of it by the deadline; OSError where it could not be started."""
        self._read_all.wait(max(0.0, deadline.left))
        if len(self._said) > MOST_ANSWERED:
            return Failure("oversized", f"{self._name} gave more than {MOST_ANSWERED:,} bytes")
        self._threads[-1].join(max(0.0, deadline.left))
        code = self._process.returncode
        if code is None or not self._read_all.is_set():
            return Failure("late", f"{self._name} did not answer in time, and was ended")
        if trouble := self._tie.trouble():
            raise trouble
        return Ended(code, self._said.decode("utf-8", "replace"))

    def end(self) -> None:
        """Kill it with all it started, and see it gone."""
        if self._process.returncode is None:
            _kill(self._process)
        self._tie.close()
        for thread in self._threads:
            thread.join(_AFTERMATH)
        _RUNNING.discard(self._process)

    def _read(self, out: IO[bytes]) -> None:
        with out, suppress(OSError, ValueError):
            while len(self._said) <= MOST_ANSWERED and (chunk := out.read(_CHUNK)):
                self._said += chunk
        self._read_all.set()

    def _wait(self) -> None:
        self._process.wait()
        # What it left running could hold its output open, and has no business after it.
        _kill(self._process)


def _feed(into: IO[bytes], feed: bytes) -> None:
    with suppress(OSError, ValueError):  # not everybody listens to the end
        rest = memoryview(feed)
        while rest:
            rest = rest[into.write(rest) or 0 :]
    with suppress(OSError):
        into.close()


_RUNNING: set[subprocess.Popen[bytes]] = set()
_STARTING = Lock()


def _started(words: Sequence[str], folder: str, environment: Mapping[str, str], tied: Tie) -> subprocess.Popen[bytes]:
    with _STARTING:  # so that none is running that is not yet known to be
        process = subprocess.Popen(
            tied.words_for(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder,
            env=dict(environment),
            pass_fds=tied.inherited(),
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        _RUNNING.add(process)
    tied.take(process.pid)
    return process


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and its whole group; its number stays theirs as long as one of them lives."""
    if sys.platform == "win32":
        taskkill = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe")
        with suppress(OSError, subprocess.TimeoutExpired):
            words = [str(taskkill), "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(words, check=False, capture_output=True, timeout=_AFTERMATH)
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _kill_all() -> None:
    with _STARTING:
        for process in list(_RUNNING):
            _kill(process)


# Its tie ends it in any case; this way it is gone before we are.
atexit.register(_kill_all)
