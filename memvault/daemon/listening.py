"""Choosing an ear: what this system, and the disk that a vault lies on, allow."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from pathlib import Path

from memvault.daemon.changes import foreign_disk
from memvault.daemon.hints import Deaf, Ear, Hints
from memvault.daemon.pace import POLL_SECONDS

Say = Callable[[str], None]

_LIMITS = {
    errno.ENOSPC: "the limit fs.inotify.max_user_watches is reached",
    errno.EMFILE: "the limit fs.inotify.max_user_instances, or that of open files, is reached",
}


def listen(root: Path, heard: Callable[[Hints], None], say: Say) -> Ear:
    """Begin to listen to a vault; where that is no use, it is said, and everything has to be looked over often."""
    type_ = foreign_disk(root)
    foreign = f"This disk ({type_}) can be changed by others without this system telling" if type_ else ""
    if foreign:
        say(f"{foreign}; {_INSTEAD}")
    try:
        if sys.platform == "linux":
            from memvault.daemon.notify import KernelEar  # not on every system

            return KernelEar(root, heard, foreign=foreign)
        from memvault.daemon.watchdog_ear import WatchdogEar  # heavy, and not needed where the kernel says it all

        return WatchdogEar(root, heard, foreign=foreign)
    except OSError as error:
        return deafened(error, say)


def deafened(error: OSError, say: Say) -> Ear:
    """Go on without events, and say why."""
    reason = _LIMITS.get(error.errno or 0) or error.strerror or str(error)
    why = f"This system does not tell of changes here ({reason})"
    say(f"{why}; {_INSTEAD}")
    return Deaf(why)


_INSTEAD = f"looking every {POLL_SECONDS:g} seconds instead."
