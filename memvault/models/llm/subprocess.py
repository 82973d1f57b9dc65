"""A program asked for an answer: no shell, an empty folder, and dead by the deadline with all it started."""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ctypes import c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock, Thread
from typing import IO, Protocol

from memvault.models.llm.ask import INSIDE, MOST_ANSWERED, Deadline, Failure

# What ties a program to this process, so that the one does not outlive the other however it ends.

_LEASH = Path(__file__).with_name("leash.py")


class Tie(Protocol):
    """One program's tie; made before it is started."""

    def words_for(self, words: Sequence[str]) -> list[str]:
        """What is to be started, so that the program is."""
        ...

    def inherited(self) -> tuple[int, ...]:
        """The open files that what is started needs."""
        ...

    def take(self, pid: int) -> None:
        """Tie what was started."""
        ...

    def trouble(self) -> OSError | None:
        """Why the program could not be started after all, once what was started has ended."""
        ...

    def close(self) -> None:
        """Let go; whatever of it still runs is ended."""
        ...


class Leash:
    """A process in between, which sees the end of us by a socket that the system closes whatever we die of."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()

    def words_for(self, words: Sequence[str]) -> list[str]:
        """The leash, with the program for it to start; without anybody's packages, it is there in 20 ms."""
        return [sys.executable, "-I", "-S", str(_LEASH), str(self._theirs.fileno()), *words]

    def inherited(self) -> tuple[int, ...]:
        """Its end of the socket."""
        return (self._theirs.fileno(),)

    def take(self, _pid: int) -> None:
        """Leave its end to it alone."""
        self._theirs.close()

    def trouble(self) -> OSError | None:
        """The error that the leash was given by the system."""
        self._ours.setblocking(False)
        try:
            told = self._ours.recv(20)
        except OSError:
            return None
        return OSError(int(told), os.strerror(int(told))) if told else None

    def close(self) -> None:
        """Let go of both ends."""
        self._ours.close()
        self._theirs.close()


class Loose:
    """No tie: for where there is no Python to run a leash, as in a program frozen into one file."""

    def words_for(self, words: Sequence[str]) -> list[str]:
        """The program itself."""
        return list(words)

    def inherited(self) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def take(self, _pid: int) -> None:
        """Nothing to be done."""

    def trouble(self) -> None:
        """The system told at once."""

    def close(self) -> None:
        """Nothing to be done."""


def tie(*, platform: str = sys.platform) -> Tie:
    """The tie of this system."""
    if platform == "win32":
        return Job()
    has_python = bool(sys.executable) and not getattr(sys, "frozen", False) and _LEASH.is_file()
    return Leash() if has_python else Loose()


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


# A job of Windows as a tie: the system ends all programs in it when its last handle is closed, however we end.

_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE = 0x2000
_MAY_TERMINATE, _MAY_SET_QUOTA = 0x0001, 0x0100


class _Basic(ctypes.Structure):
    _fields_ = (
        ("process_time", c_int64),
        ("job_time", c_int64),
        ("flags", c_uint32),
        ("least_memory", c_size_t),
        ("most_memory", c_size_t),
        ("processes", c_uint32),
        ("affinity", c_size_t),
        ("priority", c_uint32),
        ("scheduling", c_uint32),
    )


class Limits(ctypes.Structure):
    """The limits of a job, as the system reads them."""

    _fields_ = (
        ("basic", _Basic),
        ("counters", c_uint64 * 6),
        ("process_memory", c_size_t),
        ("job_memory", c_size_t),
        ("peak_process_memory", c_size_t),
        ("peak_job_memory", c_size_t),
    )


class Job:
    """A job with one program in it; where the system gives none, the program runs without."""

    def __init__(self) -> None:
        self._job: int | None = _made()

    def words_for(self, words: Sequence[str]) -> list[str]:
        """The program itself."""
        return list(words)

    def inherited(self) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def take(self, pid: int) -> None:
        """Put the program into the job; all that it starts from now on is in it too."""
        if sys.platform == "win32" and self._job:
            calls = _calls()
            process = calls.OpenProcess(_MAY_TERMINATE | _MAY_SET_QUOTA, 0, pid)
            if process:
                calls.AssignProcessToJobObject(self._job, process)
                calls.CloseHandle(process)

    def trouble(self) -> None:
        """The system told at once."""

    def close(self) -> None:
        """Close the handle, and with it whatever still runs."""
        if sys.platform == "win32" and self._job:
            _calls().CloseHandle(self._job)
        self._job = None


def _made() -> int | None:
    if sys.platform == "win32":
        calls = _calls()
        job: int | None = calls.CreateJobObjectW(None, None)
        limits = Limits(basic=_Basic(flags=_KILL_ON_CLOSE))
        if job:
            calls.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
        return job
    return None


if sys.platform == "win32":

    def _calls() -> ctypes.WinDLL:
        """The system's functions, told that a handle is as wide as a pointer."""
        calls = ctypes.WinDLL("kernel32")
        calls.CreateJobObjectW.restype = calls.OpenProcess.restype = c_void_p
        calls.CreateJobObjectW.argtypes = (c_void_p, c_void_p)
        calls.OpenProcess.argtypes = (c_uint32, c_uint32, c_uint32)
        calls.SetInformationJobObject.argtypes = (c_void_p, c_uint32, c_void_p, c_uint32)
        calls.AssignProcessToJobObject.argtypes = (c_void_p, c_void_p)
        calls.CloseHandle.argtypes = (c_void_p,)
        return calls
