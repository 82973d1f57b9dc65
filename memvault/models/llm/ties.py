"""What ties a program to this process, so that the one does not outlive the other however it ends."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

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
        from memvault.models.llm.job import Job  # deferred: only that system has them

        return Job()
    has_python = bool(sys.executable) and not getattr(sys, "frozen", False) and _LEASH.is_file()
    return Leash() if has_python else Loose()
