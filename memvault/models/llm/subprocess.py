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

from memvault.models.llm.ask import INSIDE_VARIABLE, MAX_ANSWER, Deadline, Failure

# What ties a program to this process, so that the one does not outlive the other however it ends.

_GUARD_SCRIPT = Path(__file__).with_name("child_guard.py")


class ChildGuard(Protocol):
    """One program's tie; made before it is started."""

    def guard_command(self, words: Sequence[str]) -> list[str]:
        """What is to be started, so that the program is."""
        ...

    def inherited_files(self) -> tuple[int, ...]:
        """The open files that what is started needs."""
        ...

    def attach_child(self, pid: int) -> None:
        """Tie what was started."""
        ...

    def start_error(self) -> OSError | None:
        """Why the program could not be started after all, once what was started has ended."""
        ...

    def close(self) -> None:
        """Let go; whatever of it still runs is ended."""
        ...


class GuardProcess:
    """A process in between, which sees the end of us by a socket that the system closes whatever we die of."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()

    def guard_command(self, words: Sequence[str]) -> list[str]:
        """Return the command of the guard, which starts the program; without packages it is there in 20 ms."""
        return [sys.executable, "-I", "-S", str(_GUARD_SCRIPT), str(self._theirs.fileno()), *words]

    def inherited_files(self) -> tuple[int, ...]:
        """Its end of the socket."""
        return (self._theirs.fileno(),)

    def attach_child(self, _pid: int) -> None:
        """Leave its end to it alone."""
        self._theirs.close()

    def start_error(self) -> OSError | None:
        """Return the error that the system gave the guard."""
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


class NoGuard:
    """No guard: for where there is no Python to run one, as in a program frozen into one file."""

    def guard_command(self, words: Sequence[str]) -> list[str]:
        """The program itself."""
        return list(words)

    def inherited_files(self) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def attach_child(self, _pid: int) -> None:
        """Nothing to be done."""

    def start_error(self) -> None:
        """The system told at once."""

    def close(self) -> None:
        """Nothing to be done."""


def create_guard(*, platform: str = sys.platform) -> ChildGuard:
    """The tie of this system."""
    if platform == "win32":
        return WindowsJob()
    has_python = bool(sys.executable) and not getattr(sys, "frozen", False) and _GUARD_SCRIPT.is_file()
    return GuardProcess() if has_python else NoGuard()


# What any program needs to find itself, its user and its language; all else stays here.
_PASSED_VARIABLES = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME"),
    *("APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "HOMEDRIVE", "HOMEPATH"),
)
_CHUNK = 65_536
_KILL_WAIT = 2.0  # how long a killed program may take to be gone before nobody waits for it any more


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """How a program ended, and all it gave."""

    code: int
    out: str


def child_environment(environment: Mapping[str, str], *also: str) -> dict[str, str]:
    """The few variables that a program is given, and the one that tells it who started it."""
    passed = {name: environment[name] for name in (*_PASSED_VARIABLES, *also) if name in environment}
    return {**passed, INSIDE_VARIABLE: "1"}


def find_program(name: str, environment: Mapping[str, str], *, platform: str = sys.platform) -> str | None:
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


def run_program(
    words: Sequence[str], feed: str, *, environment: Mapping[str, str], deadline: Deadline
) -> ProgramResult | Failure:
    """Run a program on a text and read what it says, as far as it is carried; what it says on stderr is nobody's."""
    folder = tempfile.mkdtemp(prefix="memvault-")
    try:
        child = _ChildProcess(words, feed.encode("utf-8", "replace"), folder, environment)
        try:
            return child.wait_for_result(deadline)
        finally:
            child.kill()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its arguments cannot be passed on"
        return Failure("missing", f"{Path(words[0]).name} cannot be started ({reason or type(error).__name__})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _ChildProcess:
    """One running program with the three threads that feed it, read it and wait for it."""

    def __init__(self, words: Sequence[str], feed: bytes, folder: str, environment: Mapping[str, str]) -> None:
        self._name = Path(words[0]).name
        self._tie = create_guard()
        try:
            self._process = _start_process(words, folder, environment, self._tie)
        except BaseException:
            self._tie.close()
            raise
        assert self._process.stdin
        assert self._process.stdout
        self._said = bytearray()
        self._read_all = Event()
        self._threads = (
            Thread(target=_write_input, args=(self._process.stdin, feed), daemon=True),
            Thread(target=self._read_output, args=(self._process.stdout,), daemon=True),
            Thread(target=self._wait_for_exit, daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def wait_for_result(self, deadline: Deadline) -> ProgramResult | Failure:
        """What became of it by the deadline; OSError where it could not be started."""
        self._read_all.wait(max(0.0, deadline.left))
        if len(self._said) > MAX_ANSWER:
            return Failure("oversized", f"{self._name} gave more than {MAX_ANSWER:,} bytes")
        self._threads[-1].join(max(0.0, deadline.left))
        code = self._process.returncode
        if code is None or not self._read_all.is_set():
            return Failure("late", f"{self._name} did not answer in time, and was ended")
        if trouble := self._tie.start_error():
            raise trouble
        return ProgramResult(code, self._said.decode("utf-8", "replace"))

    def kill(self) -> None:
        """Kill it with all it started, and see it gone."""
        if self._process.returncode is None:
            _kill_group(self._process)
        self._tie.close()
        for thread in self._threads:
            thread.join(_KILL_WAIT)
        _RUNNING.discard(self._process)

    def _read_output(self, out: IO[bytes]) -> None:
        with out, suppress(OSError, ValueError):
            while len(self._said) <= MAX_ANSWER and (chunk := out.read(_CHUNK)):
                self._said += chunk
        self._read_all.set()

    def _wait_for_exit(self) -> None:
        self._process.wait()
        # What it left running could hold its output open, and has no business after it.
        _kill_group(self._process)


def _write_input(into: IO[bytes], feed: bytes) -> None:
    with suppress(OSError, ValueError):  # not everybody listens to the end
        rest = memoryview(feed)
        while rest:
            rest = rest[into.write(rest) or 0 :]
    with suppress(OSError):
        into.close()


_RUNNING: set[subprocess.Popen[bytes]] = set()
_STARTING = Lock()


def _start_process(
    words: Sequence[str], folder: str, environment: Mapping[str, str], tied: ChildGuard
) -> subprocess.Popen[bytes]:
    with _STARTING:  # so that none is running that is not yet known to be
        process = subprocess.Popen(
            tied.guard_command(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder,
            env=dict(environment),
            pass_fds=tied.inherited_files(),
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        _RUNNING.add(process)
    tied.attach_child(process.pid)
    return process


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and its whole group; its number stays theirs as long as one of them lives."""
    if sys.platform == "win32":
        taskkill = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe")
        with suppress(OSError, subprocess.TimeoutExpired):
            words = [str(taskkill), "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(words, check=False, capture_output=True, timeout=_KILL_WAIT)
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _kill_all() -> None:
    with _STARTING:
        for process in list(_RUNNING):
            _kill_group(process)


# Its tie ends it in any case; this way it is gone before we are.
atexit.register(_kill_all)


# A job of Windows as a tie: the system ends all programs in it when its last handle is closed, however we end.

_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE = 0x2000
_MAY_TERMINATE, _MAY_SET_QUOTA = 0x0001, 0x0100


class _BasicJobLimits(ctypes.Structure):
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


class JobLimits(ctypes.Structure):
    """The limits of a job, as the system reads them."""

    _fields_ = (
        ("basic", _BasicJobLimits),
        ("counters", c_uint64 * 6),
        ("process_memory", c_size_t),
        ("job_memory", c_size_t),
        ("peak_process_memory", c_size_t),
        ("peak_job_memory", c_size_t),
    )


class WindowsJob:
    """A job with one program in it; where the system gives none, the program runs without."""

    def __init__(self) -> None:
        self._job: int | None = _create_job()

    def guard_command(self, words: Sequence[str]) -> list[str]:
        """The program itself."""
        return list(words)

    def inherited_files(self) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def attach_child(self, pid: int) -> None:
        """Put the program into the job; all that it starts from now on is in it too."""
        if sys.platform == "win32" and self._job:
            calls = _load_kernel32()
            process = calls.OpenProcess(_MAY_TERMINATE | _MAY_SET_QUOTA, 0, pid)
            if process:
                calls.AssignProcessToJobObject(self._job, process)
                calls.CloseHandle(process)

    def start_error(self) -> None:
        """The system told at once."""

    def close(self) -> None:
        """Close the handle, and with it whatever still runs."""
        if sys.platform == "win32" and self._job:
            _load_kernel32().CloseHandle(self._job)
        self._job = None


def _create_job() -> int | None:
    if sys.platform == "win32":
        calls = _load_kernel32()
        job: int | None = calls.CreateJobObjectW(None, None)
        limits = JobLimits(basic=_BasicJobLimits(flags=_KILL_ON_CLOSE))
        if job:
            calls.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
        return job
    return None


if sys.platform == "win32":

    def _load_kernel32() -> ctypes.WinDLL:
        """The system's functions, told that a handle is as wide as a pointer."""
        calls = ctypes.WinDLL("kernel32")
        calls.CreateJobObjectW.restype = calls.OpenProcess.restype = c_void_p
        calls.CreateJobObjectW.argtypes = (c_void_p, c_void_p)
        calls.OpenProcess.argtypes = (c_uint32, c_uint32, c_uint32)
        calls.SetInformationJobObject.argtypes = (c_void_p, c_uint32, c_void_p, c_uint32)
        calls.AssignProcessToJobObject.argtypes = (c_void_p, c_void_p)
        calls.CloseHandle.argtypes = (c_void_p,)
        return calls
