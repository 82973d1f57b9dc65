"""Counts a process's calls to the file system, and does something drastic at the n-th."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from memvault.system.files import new_file as exchange

Call = Callable[..., Any]
Trip = Callable[[str, Call, tuple[Any, ...]], None]

CALLS = (
    "open", "close", "read", "write", "lseek", "fsync", "ftruncate", "fchmod", "fchown", "stat", "lstat", "fstat", "link",
    "unlink", "rename", "replace", "mkdir", "scandir", "listxattr",
)  # fmt: skip


class Tripwire:
    """Lets the first calls through and trips at number `at`; `tripped` names the call it tripped at."""

    def __init__(self, at: int, trip: Trip) -> None:
        self.at, self.trip = at, trip
        self.count = 0
        self.tripped = ""

    @contextmanager
    def laid(self) -> Iterator[Tripwire]:
        """Watch the calls of this process until the end of the block."""
        with ExitStack() as stack:
            for name in CALLS:
                if hasattr(os, name):
                    stack.enter_context(patch.object(os, name, self._watched(name, getattr(os, name))))
            if (kernel_rename := exchange.kernel_rename()) is not None:
                watched = self._watched("renameat2", kernel_rename)
                stack.enter_context(patch.object(exchange, "kernel_rename", lambda: watched))
            yield self

    def _watched(self, name: str, real: Call) -> Call:
        def call(*args: Any, **options: Any) -> Any:
            self.count += 1
            if self.count == self.at:
                self.tripped = name
                self.trip(name, real, args)
            return real(*args, **options)

        return call


def die(name: str, real: Call, args: tuple[Any, ...]) -> None:
    """Die as by kill -9; in the middle of it, where the call is a write."""
    if name == "write":
        real(args[0], bytes(args[1])[: len(args[1]) // 2])
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt(name: str, real: Call, args: tuple[Any, ...]) -> None:
    """Be interrupted by the person at the keyboard when the call is done, before anybody takes note of its result."""
    result = real(*args)
    if name == "open":
        os.close(result)
    elif name == "scandir":
        result.close()
    raise KeyboardInterrupt


def fail(code: int) -> Trip:
    """Make the call fail with this error."""

    def trip(name: str, real: Call, args: tuple[Any, ...]) -> None:
        if name == "close":
            real(*args)  # a descriptor is gone even if closing it fails
        raise OSError(code, os.strerror(code))

    return trip


@contextmanager
def lacking(*abilities: str) -> Iterator[None]:
    """Do without what some disks cannot do: `exchange`, `link`."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    with ExitStack() as stack:
        if "exchange" in abilities:
            stack.enter_context(patch.object(exchange, "kernel_rename", lambda: None))
        if "link" in abilities:
            stack.enter_context(patch.object(os, "link", refuse))
        yield
