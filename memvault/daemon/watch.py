"""Keeps the catalogue current while people work, until somebody ends it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from memvault.daemon.watcher import Lookout, Watched

if TYPE_CHECKING:
    from memvault.api import Memvault

# Windows tells of Ctrl-C only between two waits.
_LET_SIGNALS_IN = 1.0 if sys.platform == "win32" else None


class ThreadBell:
    """What ends a watch: for threads and signal handlers to ring."""

    def __init__(self) -> None:
        self._over = threading.Event()

    def silence(self) -> None:
        """It is over."""
        self._over.set()

    def wait(self) -> None:
        """Wait until it is over."""
        while not self._over.wait(_LET_SIGNALS_IN):
            pass


def watch(open_vault: Callable[[], Memvault], bell: ThreadBell, say: Callable[[str], None]) -> Watched:
    """Keep the catalogue of a vault current until the bell is silenced."""
    lookout = Lookout(
        open_vault,
        say=say,
        ready=lambda root: say(f"Watching {root}; Ctrl-C ends it."),
        ended=bell.silence,
    )
    lookout.start()
    bell.wait()
    return lookout.stop()
