"""The daemon as others see it: whether there is one, started, asked how it is, ended."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from memvault.core.value import Record, field
from memvault.errors import Busy, MemvaultError
from memvault.system import daemon_client, files, paths
from memvault.system import daemon_protocol as protocol

PROCESS_WIDE = ("HOME", "USERPROFILE", "TZ")
"""The variables that a process reads once for all it does."""

READY = b"ready\n"
SERVE = ("watch", "--serve")
_ANSWER_SECONDS = 2.0
_STOP_SECONDS = 6.0
_START_SECONDS = 30.0
_STATUS_SECONDS = 3.0
_RENEW_SECONDS = 10.0
_PAUSE = 0.1
# What it tells of itself; another version may tell of more, or of less.
_STATUS_FIELDS = frozenset(
    ("process", "version", "run", "since", "answered", "left_alone", "vaults", "unlocked", "megabytes", "polled")
)
_LOG, _MAX_LOG_BYTES = "porter.log", 100_000
# What it is started with: a home, a clock, where Python and programs are. No agent's session and nobody's keys.
_VARIABLES = frozenset({"HOME", "USERPROFILE", "PATH", "TZ", "SYSTEMROOT", "TMP", "TEMP", "TMPDIR"})
_VARIABLE_PREFIXES = ("XDG_", "APPDATA", "LOCALAPPDATA", "LANG", "LC_", "PYTHON", "MEMVAULT_LIVE_")
_TRIED, _NOT_AGAIN_SECONDS = "porter.tried", 60.0


def find_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder that it is found in."""
    return Path(daemon_client.socket_folder(environment))


def is_running(environment: Mapping[str, str], *, wait: float = 0.0) -> bool:
    """Return whether one is running, hung ones included; with `wait`, whether it still is after so many seconds."""
    where = find_folder(environment)
    if not where.is_dir():
        return False
    try:
        with files.lock(where / daemon_client.LOCK, wait=wait):
            return False
    except Busy:
        return True


def start_if_wanted(environment: Mapping[str, str], is_wanted: Callable[[], bool]) -> None:
    """Start one for the next command to find, unless one is there or one was started in vain a moment ago."""
    with suppress(MemvaultError, OSError):  # then the next command takes its time, and that is all
        if is_running(environment) or not is_wanted():
            return
        where = find_folder(environment)
        files.make_folder(where)
        if _seconds_since(where / _TRIED) > _NOT_AGAIN_SECONDS:  # one that cannot live is not started at every hook
            files.overwrite_file(where / _TRIED, b"")
            start_daemon(environment, wait=False)


def _seconds_since(path: Path) -> float:
    try:
        return abs(time.time() - path.stat().st_mtime)
    except OSError:
        return float("inf")


def start_daemon(environment: Mapping[str, str], *, wait: bool = True) -> bool:
    """Start one that outlives this process; whether it is ready, where the caller is patient."""
    import subprocess  # deferred: hardly any command starts one

    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "memvault", *SERVE],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if wait else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={
            name: value
            for name, value in environment.items()
            if name in _VARIABLES or name.startswith(_VARIABLE_PREFIXES)
        },
        cwd=Path.home().anchor,  # no folder is kept busy by it
        start_new_session=os.name == "posix",
        creationflags=getattr(subprocess, "DETACHED_PROCESS", 0) if os.name == "nt" else 0,
    )
    process.returncode = 0  # Python is not to complain that it goes on when we end
    if os.name == "posix":
        # Whoever goes on as long as it does, as a server may, has to take note of its end.
        threading.Thread(target=_reap_process, args=(process.pid,), daemon=True).start()
    if process.stdout is None:
        return True
    heard: list[bytes] = []
    out = process.stdout
    listener = threading.Thread(target=lambda: heard.append(out.readline()), daemon=True)
    listener.start()
    listener.join(_START_SECONDS)
    if not listener.is_alive():
        out.close()
    return heard == [READY]


def _reap_process(process: int) -> None:
    with suppress(OSError):
        os.waitpid(process, 0)


def stop_daemon(environment: Mapping[str, str]) -> bool:
    """End it, whatever state it is in; whether there was one, and it is gone."""
    if not is_running(environment):
        return False
    told = None
    with suppress(daemon_client.NoReply):
        told = daemon_client.send_request(protocol.STOP, within=_ANSWER_SECONDS, environment=environment)
    if told is None or is_running(environment, wait=_STOP_SECONDS):
        with suppress(OSError, ValueError):
            # It does not listen: the holder of the lock wrote down its number, and lives as long as the lock.
            number = int((find_folder(environment) / daemon_client.LEDGER).read_text("ascii"))
            os.kill(number, getattr(signal, "SIGKILL", signal.SIGTERM))
    return not is_running(environment, wait=_STOP_SECONDS)


def renew_daemon(environment: Mapping[str, str]) -> bool:
    """Have it end and start again, with nothing in its memory; whether no older one is left."""
    before = read_status(environment)
    if not before.running:
        return True
    told = None
    with suppress(daemon_client.NoReply):
        told = daemon_client.send_request(protocol.RENEW, within=_ANSWER_SECONDS, environment=environment)
    if not told:
        stop_daemon(environment)  # one of another version, or one that hangs
        return not is_running(environment)
    until = time.monotonic() + (0 if before.process == os.getpid() else _RENEW_SECONDS)
    while (found := read_status(environment)).run in ("", before.run) and time.monotonic() < until:
        time.sleep(_PAUSE)
    return not found.running or found.run not in ("", before.run)


class DaemonStatus(Record, kw_only=True):
    """The daemon, as it tells of itself; a hung one tells nothing but that it is there."""

    running: bool
    place: str
    answers: bool = False
    process: int = 0
    version: str = ""
    run: str = ""  # drawn anew whenever it starts
    since: str = ""
    answered: int = 0
    left_alone: int = 0
    vaults: int = 0
    unlocked: int = 0  # private memories that lie open
    megabytes: float = 0.0
    polled: Mapping[str, str] = field(default_factory=dict)  # vaults where it is not told of changes, and why
    refusal: str = ""  # why it leaves all to whoever asked for this


def read_status(environment: Mapping[str, str]) -> DaemonStatus:
    """Return how it is."""
    where = str(find_folder(environment))
    if not is_running(environment):
        return DaemonStatus(running=False, place=where)
    told = None
    with suppress(daemon_client.NoReply):
        told = daemon_client.send_request(protocol.STATUS, within=_ANSWER_SECONDS, environment=environment)
    if not told:
        return DaemonStatus(running=True, place=where)
    facts = json.loads(told[0])
    known = {name: value for name, value in facts.items() if name in _STATUS_FIELDS}
    return DaemonStatus(running=True, answers=True, place=where, refusal=_refusal_reason(facts, environment), **known)


def await_status(environment: Mapping[str, str]) -> DaemonStatus:
    """Return how it is, where one that has just begun is given the time to answer."""
    until = time.monotonic() + _STATUS_SECONDS
    while (found := read_status(environment)).running and not found.answers and time.monotonic() < until:
        time.sleep(_PAUSE)
    return found


def _refusal_reason(facts: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return why it does nothing for whoever lives in that environment; empty where it does."""
    code, ours = bytes.fromhex(facts.get("code", "")), daemon_client.package_stamp()
    if code != ours:
        path = _package_folder(code)
        is_older = path == _package_folder(ours)
        return "memvault has been replaced since it started" if is_older else f"it is another memvault ({path})"
    variables = facts["variables"]
    other = [name for name in PROCESS_WIDE if variables.get(name) != environment.get(name)]
    told = [f"{name}={variables[name]}" if name in variables else f"no {name}" for name in other]
    return f"it runs with {', '.join(told)}" if told else ""


def _package_folder(code: bytes) -> str:
    fields = protocol.split_texts(code)
    return os.path.dirname(os.fsdecode(fields[1])) if len(fields) > 1 else "of another version"  # noqa: PTH120 - a name


def log_path(environment: Mapping[str, str]) -> Path:
    """Return the file in which it notes how it fared."""
    return paths.state_folder(environment) / _LOG


def append_log(environment: Mapping[str, str], line: str, now: datetime) -> None:
    """A line in its log, which holds nothing of what was asked; one that cannot be written stops nobody."""
    told = f"{now:%Y-%m-%dT%H:%M:%SZ} {line}\n".encode("ascii", "replace")
    with suppress(MemvaultError, OSError):
        files.append_line(log_path(environment), told, full=_MAX_LOG_BYTES)
