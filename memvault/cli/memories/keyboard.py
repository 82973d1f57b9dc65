"""Read single keys from a person's terminal, without Enter."""

from __future__ import annotations

import os
import sys
from collections import deque
from contextlib import suppress
from typing import Any, Self, TextIO

_LONGEST = 64  # bytes of keys typed ahead that are taken at once
_ARROWS = {"\x1b[A": "k", "\x1b[B": "j", "\x1b[C": "j", "\x1b[D": "k", "\x1bOA": "k", "\x1bOB": "j"}
_INTERRUPT, _END = "\x03", "\x04"


class Keyboard:
    """The keys that a person presses, one at a time; arrows count as j and k."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._typed: deque[str] = deque()
        self._descriptor: int | None = None
        self._before: list[Any] | None = None
        if sys.platform != "win32":
            with suppress(OSError, ValueError):  # no terminal of the system's: a text that stands for one
                self._descriptor = stream.fileno()

    def __enter__(self) -> Self:
        self.take_terminal()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.restore_terminal()

    def take_terminal(self) -> None:
        """Have the terminal give each key at once, and print none of them; what is printed is printed as ever."""
        if sys.platform != "win32" and self._descriptor is not None and self._before is None:
            import termios  # deferred: only there is on POSIX
            import tty

            self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def restore_terminal(self) -> None:
        """Leave the terminal as it was, for another program or for good."""
        if sys.platform != "win32" and self._descriptor is not None and self._before is not None:
            import termios  # deferred, as above

            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)
            self._before = None

    def read_key(self) -> str:
        """Return the next key; empty where nobody is there any more."""
        if not self._typed:
            typed = self._read_typed()
            at = 0
            while at < len(typed):  # what is no key of ours comes as the character that it is
                arrow = typed[at : at + 3]
                self._typed.append(_ARROWS.get(arrow, typed[at]))
                at += 3 if arrow in _ARROWS else 1
        key = self._typed.popleft() if self._typed else ""
        if key == _INTERRUPT:
            raise KeyboardInterrupt
        return "" if key == _END else key

    def _read_typed(self) -> str:
        if self._descriptor is not None:
            return os.read(self._descriptor, _LONGEST).decode("utf-8", "ignore")
        return _read_windows_key() if self._stream is sys.stdin else self._stream.read(1)


def _read_windows_key() -> str:
    if sys.platform != "win32":
        return ""
    import msvcrt  # deferred: only there is on Windows

    key = msvcrt.getwch()
    return {"H": "k", "P": "j", "M": "j", "K": "k"}.get(msvcrt.getwch(), "") if key in ("\x00", "\xe0") else key
