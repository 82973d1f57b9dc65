"""The warm process as a whole: what it keeps, what it answers, when it lets go, and how it is ended."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from memvault import __version__
from memvault.daemon import lifecycle as life
from memvault.daemon import wanted
from memvault.daemon.cache import Pool, megabytes
from memvault.daemon.handlers import Warm, rehearse
from memvault.daemon.request import PROCESS_WIDE, Request
from memvault.daemon.server import ASKED, Handler, Limits, Server
from memvault.daemon.socket import kept
from memvault.daemon.unlocked import Unlocked
from memvault.daemon.wanted import Wishes
from memvault.daemon.watches import Watches
from memvault.system import ipc_protocol as protocol

LARGE = "large"


class Porter:
    """Keeps catalogues open and watched, and lets go of them in time."""

    def __init__(self, wishes: Wishes, began: datetime) -> None:
        self._wishes = wishes
        self._began = began
        self._pool = Pool()
        self._watches = Watches()
        self._unlocked = Unlocked()
        self._warm = Warm(self._pool, self._watches, self._unlocked)
        self._swept = 0
        self.server: Server | None = None

    def handlers(self) -> Mapping[bytes, Handler]:
        """What is done for each kind of request."""
        return {
            protocol.RUN: self._warm.command,
            protocol.HOOK: self._warm.event,
            protocol.TOOL: self._warm.tool,
            protocol.UNLOCK: self._warm.unlock,
            protocol.LOCK: self._warm.lock,
            protocol.STATUS: self._status,
            protocol.STOP: self._stop,
        }

    def tick(self) -> None:
        """Let go of what nobody asks for any more, and of everything where memory runs short."""
        assert self.server is not None
        self._pool.trim()
        self._watches.trim()
        self._unlocked.trim()
        if self.server.answered != self._swept:
            self._swept = self.server.answered
            gc.collect()
        if megabytes() > self._wishes.megabytes:
            self._pool.trim(everything=True)
            self._watches.trim(is_scarce=True)
            if megabytes() > self._wishes.megabytes:
                self.server.leave(LARGE)

    def close(self) -> None:
        """Let go of everything."""
        self._unlocked.close()
        self._watches.close()
        self._pool.close()

    def _status(self, _request: Request) -> Sequence[bytes]:
        assert self.server is not None
        told: dict[str, Any] = {
            "process": os.getpid(),
            "version": __version__,
            "since": f"{self._began:%Y-%m-%dT%H:%M:%SZ}",
            "answered": self.server.answered,
            "left_alone": self.server.left_alone,
            "vaults": len(self._watches),
            "polled": self._watches.polled(),
            "unlocked": len(self._unlocked),
            "megabytes": round(megabytes(), 1),
            "code": self.server.code.hex(),
            "variables": {name: os.environ[name] for name in PROCESS_WIDE if name in os.environ},
        }
        return (json.dumps(told).encode(),)

    def _stop(self, _request: Request) -> Sequence[bytes]:
        assert self.server is not None
        self.server.leave(ASKED)
        return (b"",)


def serve(
    environment: Mapping[str, str],
    ready: Callable[[], object],
    ended: Callable[[Callable[[], object]], AbstractContextManager[None]],
    *,
    limits: Limits | None = None,
) -> str:
    """Be the warm process of this user until it is over; says why it is. Raises PorterThere where there is one.

    `ready` is called when it can be asked, and `ended` is given the way to end it from outside.
    """
    wishes = wanted.wishes(environment)
    with kept(wanted.place(environment)) as doorstep:
        porter = Porter(wishes, datetime.now(UTC))
        rehearse()
        gc.collect()
        gc.freeze()  # what is loaded now stays, and need not be looked through again and again
        server = porter.server = Server(
            doorstep,
            porter.handlers(),
            limits=limits or _limits(wishes),
            tick=porter.tick,
            note=lambda line: life.note(environment, line, datetime.now(UTC)),
        )
        try:
            with ended(lambda: server.leave(ASKED)):
                ready()
                why = server.serve()
        finally:
            porter.close()
    life.note(environment, f"left: {why}", datetime.now(UTC))
    return why


def _limits(wishes: Wishes) -> Limits:
    usual = Limits(idle_seconds=wishes.idle_seconds)
    is_short = 0 < wishes.idle_seconds < usual.tick_seconds
    return Limits(idle_seconds=wishes.idle_seconds, tick_seconds=wishes.idle_seconds) if is_short else usual
