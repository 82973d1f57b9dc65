"""Keeps the index current while people work, until somebody ends it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from memvault.daemon.watcher import VaultWatcher, WatchResult

if TYPE_CHECKING:
    from memvault.open_vault import OpenVault

# Windows tells of Ctrl-C only between two waits.
_LET_SIGNALS_IN = 1.0 if sys.platform == "win32" else None


class StopSignal:
    """What ends a watch: for threads and signal handlers to ring."""

    def __init__(self) -> None:
        self._is_stopped = threading.Event()

    def request_stop(self) -> None:
        """It is over."""
        self._is_stopped.set()

    def wait(self) -> None:
        """Wait until it is over."""
        while not self._is_stopped.wait(_LET_SIGNALS_IN):
            pass


def watch_vault(open_vault: Callable[[], OpenVault], bell: StopSignal, say: Callable[[str], None]) -> WatchResult:
    """Keep the index of a vault current until the signal is silenced."""
    lookout = VaultWatcher(
        open_vault, say=say, ready=lambda root: say(f"Watching {root}; Ctrl-C ends it."), ended=bell.request_stop
    )
    lookout.start()
    bell.wait()
    return lookout.stop()
