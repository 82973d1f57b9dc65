"""A process that is killed, or held up, in the middle of taking notes in: at its n-th step, whatever that is."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_connect = sqlite3.connect
_STEPS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"}


class _Steps:
    """Counts statements of SQLite and changes of files below a folder, and is struck at one of them."""

    def __init__(self, folder: Path, last: int, end: signal.Signals) -> None:
        self._folder = str(folder)
        self._last = last
        self._end = end
        self.taken = 0

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        if event in _STEPS and str(given[0]).startswith(self._folder):
            self.step()

    def connect(self, *given: Any, **named: Any) -> sqlite3.Connection:
        """What `sqlite3.connect` does, with every statement a step."""
        connection: sqlite3.Connection = _connect(*given, **named)
        connection.set_trace_callback(lambda _statement: self.step())
        return connection

    def step(self) -> None:
        """One step more."""
        self.taken += 1
        if self.taken == self._last:
            os.kill(os.getpid(), self._end)


def _child(folder: Path, act: Callable[[], object], last: int, end: signal.Signals, report: int = -1) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            steps = _Steps(folder, last, end)
            sys.addaudithook(steps)
            sqlite3.connect = steps.connect  # type: ignore[assignment]  # this process is about to end
            act()
            if report >= 0:
                os.write(report, str(steps.taken).encode())
            code = 0
        finally:
            os._exit(code)
    return child


def steps_of(folder: Path, act: Callable[[], object], *, deadly: int = 0) -> int:
    """Let a child process act, killed at that step; says how many steps it took, 0 if it was killed."""
    reader, writer = os.pipe()
    child = _child(folder, act, deadly, signal.SIGKILL, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as reports:
        report = reports.read()
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert killed or status == 0, "the child failed by itself"
    return 0 if killed else int(report)


@contextmanager
def paused(folder: Path, act: Callable[[], object], *, at: float) -> Iterator[None]:
    """A child process that acts and stands still that far through, until the block is over."""
    spare = folder.with_name(f"{folder.name}-spare")
    shutil.copytree(folder, spare)
    steps = steps_of(folder, act)  # a rehearsal, to know how many there are
    shutil.rmtree(folder)
    spare.rename(folder)
    child = _child(folder, act, int(steps * at), signal.SIGSTOP)
    _, status = os.waitpid(child, os.WUNTRACED)
    assert os.WIFSTOPPED(status), "it ended before"
    try:
        yield
    finally:
        os.kill(child, signal.SIGCONT)
        os.waitpid(child, 0)
