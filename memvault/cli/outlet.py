"""Where what is printed leaves the process: a slow reader is waited for, and a stream that fails is told of plainly."""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from memvault.errors import NotPrinted

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_PAUSE = 0.01


class _Outlet(io.RawIOBase):
    """One of this process's streams, which takes all that it is given, or raises NotPrinted."""

    def __init__(self, raw: io.RawIOBase, name: str, stream: TextIO) -> None:
        super().__init__()
        self._raw = raw
        self._name = name
        self._stream = stream  # which would close the raw one when nobody holds it any more

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            while (count := self._raw.write(data)) is None:  # it is full, and was told not to wait
                wait_for_reader(self.fileno())
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unprinted(error, self._name) from error
        return count

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()


def outlet(stream: TextIO, name: str) -> TextIO:
    """The same stream, patient and plain; one that leads nowhere out of this process stays what it is."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    if not isinstance(raw, io.RawIOBase):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(_Outlet(raw, name, stream)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=getattr(stream, "line_buffering", False) or getattr(stream, "write_through", False),
    )


def wait_for_reader(number: int) -> None:
    """Come back when a stream may take more."""
    if sys.platform == "win32":  # there only sockets can be waited for
        from time import sleep

        sleep(_PAUSE)
        return
    from select import select  # deferred: hardly any stream is set not to wait by itself

    select((), (number,), ())


def unprinted(error: OSError, name: str) -> NotPrinted:
    """The error to tell where a stream takes no more."""
    from memvault.system.files import (
        plain,  # deferred: help needs no files, and nearly every stream takes what it is given
    )

    return NotPrinted(stream=name, reason=plain(error))


def told(error: NotPrinted) -> int:
    """Say so on stderr, if that takes anything; the exit code that goes with it."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"memvault: {error}\n  {error.advice}\n")
            sys.stderr.flush()
    return error.exit_code
