"""A pipe by which it is seen who still lives."""

from __future__ import annotations

import os
import select
from pathlib import Path

_PATIENCE = 30.0


class Pipe:
    """A pipe that is at its end once everybody who holds it is dead."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self.reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        # A pipe that nobody has written to yet has no end either; our own hold on it gives it one.
        self.writing = os.open(path, os.O_WRONLY)

    def is_held(self, *, by: int = 1) -> bool:
        """Whether so many come to hold it, and say so by a line each."""
        said = b""
        while said.count(b"\n") < by and (more := self._said()):
            said += more
        return said.count(b"\n") >= by

    def is_over(self) -> bool:
        """Whether nobody else holds it any more; what they said is read away first."""
        os.close(self.writing)
        while (said := self._said()) is not None:
            if not said:
                return True
        return False

    def _said(self) -> bytes | None:
        return os.read(self.reading, 100) if select.select([self.reading], [], [], _PATIENCE)[0] else None
