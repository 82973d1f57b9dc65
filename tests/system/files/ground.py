"""What the tests of the ground share: three texts, what they run on, and how to look at the outcome."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from memvault.system import files

OLD, NEW, SAVED = b"as it was\n", b"as it shall be\n", b"as an editor saved it\n"
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
everywhere = pytest.mark.parametrize(
    "lack", [(), ("exchange",), ("exchange", "link")], ids=["kernel", "link", "neither"]
)

# Long after anything these tests write.
LATER_NS = time.time_ns() + 3600 * 10**9


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def settle(hold: Path, *, older_than_ns: int = 0) -> tuple[files.LateWrite, ...]:
    return files.collect_late_writes(hold, older_than_ns=older_than_ns, now_ns=LATER_NS)
