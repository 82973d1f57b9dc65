"""The life of the daemon as others see it: started, found, asked how it is, ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any, Self

from memvault.daemon.wanted import find_folder, is_running
from memvault.errors import MemvaultError
from memvault.system import files, ipc_client, paths
from memvault.system import ipc_protocol as protocol
from memvault.system.ipc_protocol import ProtocolError, split_texts
from memvault.system.programs import Machine

# One thing that is asked of the daemon: all that a command takes from outside itself, and bytes.

_FIELDS = 7
PROCESS_WIDE = ("HOME", "USERPROFILE", "TZ")
"""The variables that a process reads once for all it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonRequest:
    """A command or an event, with the caller's folder, terminals and variables."""

    code: bytes  # which memvault the caller is
    folder: Path
    terminals: tuple[bool, bool, bool]  # whether a person is at stdin, stdout, stderr
    columns: int  # of the terminal; 0 where there is none
    environment: Mapping[str, str]
    words: tuple[str, ...]
    data: bytes
    received_at: float = field(default_factory=monotonic)
    is_awaited: Callable[[], bool] = lambda: True  # whether its caller is still there

    @classmethod
    def from_fields(cls, fields: Sequence[bytes]) -> Self:
        """Return the request in the fields of a frame."""
        if len(fields) != _FIELDS or len(fields[2]) != 3 or not fields[3].isdigit():
            raise ProtocolError
        code, folder, terminals, columns, variables, words, data = fields
        pairs = (os.fsdecode(variable).partition("=") for variable in split_texts(variables))
        stdin, stdout, stderr = (sign == ord("1") for sign in terminals)
        return cls(
            code=code,
            folder=Path(os.fsdecode(folder)),
            terminals=(stdin, stdout, stderr),
            columns=int(columns),
            environment={name: value for name, _, value in pairs},
            words=tuple(os.fsdecode(word) for word in split_texts(words)),
            data=data,
        )

    def is_compatible(self, ours: Mapping[str, str]) -> bool:
        """Return whether the caller agrees with this process in what a process has only one of: a home and a clock."""
        return all(self.environment.get(name) == ours.get(name) for name in PROCESS_WIDE)


READY = b"ready\n"
_SERVE = ("watch", "--serve")
_ANSWER_SECONDS = 2.0
_STOP_SECONDS = 6.0
_START_SECONDS = 30.0
_STATUS_SECONDS = 3.0
_PAUSE = 0.1
# What it tells of itself; another version may tell of more, or of less.
_STATUS_FIELDS = ("process", "version", "since", "answered", "left_alone", "vaults", "unlocked", "megabytes", "polled")
_LOG, _MAX_LOG_BYTES = "porter.log", 100_000
# What it is started with: a home, a clock, where Python and programs are. No agent's session and nobody's keys.
_VARIABLES = frozenset({"HOME", "USERPROFILE", "PATH", "TZ", "SYSTEMROOT", "TMP", "TEMP", "TMPDIR"})
_VARIABLE_PREFIXES = ("XDG_", "APPDATA", "LOCALAPPDATA", "LANG", "LC_", "PYTHON", "MEMVAULT_LIVE_")


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonStatus:
    """The daemon, as it tells of itself; a hung one tells nothing but that it is there."""

    running: bool
    place: str
    answers: bool = False
    process: int = 0
    version: str = ""
    since: str = ""
    answered: int = 0
    left_alone: int = 0
    vaults: int = 0
    unlocked: int = 0  # private memories that lie open
    megabytes: float = 0.0
    polled: Mapping[str, str] = field(default_factory=dict)  # vaults where it is not told of changes, and why
    refusal: str = ""  # why it leaves all to whoever asked for this


def start_daemon(environment: Mapping[str, str], *, wait: bool = True) -> bool:
    """Start one that outlives this process; whether it is ready, where the caller is patient."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "memvault", *_SERVE],
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
    with suppress(ipc_client.NoReply):
        told = ipc_client.send_request(protocol.STOP, within=_ANSWER_SECONDS, environment=environment)
    if told is None or is_running(environment, wait=_STOP_SECONDS):
        _kill_holder(find_folder(environment) / ipc_client.LEDGER)
    return not is_running(environment, wait=_STOP_SECONDS)


def _kill_holder(ledger: Path) -> None:
    """End one that does not listen: the holder of the lock wrote down its number, and lives as long as the lock."""
    with suppress(OSError, ValueError):
        os.kill(int(ledger.read_text("ascii")), getattr(signal, "SIGKILL", signal.SIGTERM))


def install_service(environment: Mapping[str, str]) -> Path:
    """Have it run as a service of this person's log-in; gives the file that says so."""
    from memvault.maintenance.schedule import install as services  # deferred, here and below: it is done once

    machine = Machine(environment)
    stop_daemon(environment)  # there can be one only
    return services.install_service(machine, (*machine.memvault_command(), *_SERVE))


def remove_service(environment: Mapping[str, str]) -> Path | None:
    """Take the service away; gives the file that stood for it, None where there was none."""
    from memvault.maintenance.schedule import install as services

    return services.remove_service(Machine(environment))


def read_status(environment: Mapping[str, str]) -> DaemonStatus:
    """Return how it is."""
    where = str(find_folder(environment))
    if not is_running(environment):
        return DaemonStatus(running=False, place=where)
    told = None
    with suppress(ipc_client.NoReply):
        told = ipc_client.send_request(protocol.STATUS, within=_ANSWER_SECONDS, environment=environment)
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
    code, ours = bytes.fromhex(facts.get("code", "")), ipc_client.package_stamp()
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
    path = log_path(environment)
    with suppress(MemvaultError, OSError):
        files.append_line(path, f"{now:%Y-%m-%dT%H:%M:%SZ} {line}\n".encode("ascii", "replace"))
        if path.stat().st_size > _MAX_LOG_BYTES:
            path.replace(path.with_name("porter.old.log"))
