"""Daemons for tests: real ones, and servers in a thread with handlers of the test's own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memvault.api.cache import OpenIndexCache
from memvault.cli.vault.daemon_commands import run_read_command
from memvault.daemon.handlers import RequestHandlers
from memvault.daemon.server import DaemonLimits, DaemonRequest, DaemonServer, Handler
from memvault.daemon.socket import open_socket
from memvault.daemon.watcher import WatcherPool
from memvault.system import daemon, daemon_client
from memvault.system import daemon_protocol as protocol

HERE = Path(__file__).resolve().parents[2]
SOON = 60  # seconds after which a test that waits for the real thing gives up
UNIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals and sockets there")


def machine(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of processes that know of each other, and of nobody else's."""
    return {**environment, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}


def memvault(
    environment: Mapping[str, str], *words: str, data: bytes = b"", folder: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "memvault", *words],
        env=dict(environment),
        input=data,
        cwd=folder,
        capture_output=True,
        timeout=SOON,
        check=False,
    )


@contextmanager
def running(environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon, ready to be asked; killed in the end if it is still there."""
    with subprocess.Popen(
        [sys.executable, "-m", "memvault", "watch", "--serve"],
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == daemon.READY
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


class Serving:
    """A server in a thread."""

    def __init__(self, server: DaemonServer, place: Path) -> None:
        self.server = server
        self.place = place
        self.why: list[str] = []
        self.thread = threading.Thread(target=lambda: self.why.append(server.serve_callers()))

    def left(self) -> str:
        """Why it left, when it has."""
        self.thread.join(SOON)
        return self.why[0]

    def call(self) -> socket.socket:
        """A connection to it."""
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(SOON)
        made.connect(str(self.place / daemon_client.SOCKET))
        return made


@contextmanager
def serving(
    environment: Mapping[str, str],
    handlers: Mapping[bytes, Handler],
    *,
    tick: Callable[[], object] = lambda: None,
    note: Callable[[str], object] = lambda _line: None,
    **limits: float,
) -> Iterator[Serving]:
    """A server at the doorstep of an environment's user."""
    place = daemon.find_folder(environment)
    with open_socket(place) as doorstep:
        server = DaemonServer(doorstep, handlers, limits=DaemonLimits(**limits), tick=tick, note=note)  # type: ignore[arg-type]
        served = Serving(server, place)
        served.thread.start()
        try:
            yield served
        finally:
            server.request_stop("the test is over")
            served.thread.join(SOON)


def prompt_event(session: str, prompt: str, *, cwd: str | Path = "/") -> bytes:
    """What an agent sends when its user has said something."""
    told = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(cwd), "prompt": prompt}
    return json.dumps(told).encode()


class AskedHandlers:
    """The handlers of a daemon, asked within the test's own process."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment, self.folder = environment, folder
        self.pool, self.watches = OpenIndexCache(), WatcherPool()
        self.warm = RequestHandlers(self.pool, self.watches, run_command=run_read_command)

    def make_request(self, words: Sequence[str] = (), data: bytes = b"", **more: Any) -> DaemonRequest:
        """A request from somebody without a terminal, in all else that is not given."""
        made = DaemonRequest(
            code=b"",
            folder=self.folder,
            terminals=(False, False, False),
            columns=0,
            environment=self.environment,
            words=tuple(words),
            data=data,
        )
        return replace(made, **more)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """What was opened is closed in the end; it begins when a command is answered."""
        try:
            until(lambda: self.warm.run_command(self.make_request(("list",))) is not None)
            yield
        finally:
            self.watches.close()
            self.pool.close()


def ask(
    environment: Mapping[str, str], *words: str, kind: bytes = protocol.RUN, data: bytes = b""
) -> list[bytes] | None:
    """What the daemon answers to one who has much time."""
    return daemon_client.send_request(kind, words, data, within=SOON, environment=environment)


@pytest.fixture
def at_home(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The test's own process lives where those live that it starts, so that it may ask their daemon."""
    for name in ("TZ", "XDG_RUNTIME_DIR", daemon_client.OFF, "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)
    # A folder of the test run may lie too deep for a socket.
    with tempfile.TemporaryDirectory(prefix="mv", ignore_cleanup_errors=True) as runtime:
        made = machine({**environment, "XDG_RUNTIME_DIR": runtime})
        for name, value in made.items():
            monkeypatch.setenv(name, value)
        yield made


def until(true: Callable[[], bool]) -> None:
    """Wait for something that another process does, and that can only be looked at."""
    pause = threading.Event()
    for _ in range(SOON * 100):
        if true():
            return
        pause.wait(0.01)
    raise TimeoutError


def pid_of(environment: Mapping[str, str]) -> int:
    """The number that the daemon wrote down."""
    return int((daemon.find_folder(environment) / daemon_client.LEDGER).read_text("ascii"))


def is_alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def memory_of(process: int) -> bytes:
    """All that a process has in its memory and may write to."""
    found = []
    with Path(f"/proc/{process}/mem").open("rb") as memory:
        for row in Path(f"/proc/{process}/maps").read_text().splitlines():
            span, rights = row.split()[:2]
            if rights.startswith("rw"):
                start, end = (int(one, 16) for one in span.split("-"))
                memory.seek(start)
                with suppress(OSError, OverflowError):
                    found.append(memory.read(end - start))
    return b"".join(found)
