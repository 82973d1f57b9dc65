"""Starting a process of our own that outlives the one that starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress


def start(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a command of memvault with nobody listening; where it cannot be started, nothing is done."""
    # -P: a module of the folder that the agent works in is not to be taken for ours.
    with suppress(OSError):
        subprocess.Popen(
            [sys.executable, "-P", "-m", "memvault", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0) if os.name == "nt" else 0,
        )
