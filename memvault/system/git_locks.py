"""The locks that git lays while it works: whose they are, and which were left by a git that was killed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memvault.system.git_folders import git_folder, shared_folder

_FOLDERS = ("refs", "logs")  # each ref has a lock of its own; all others lie at the top
_LEFT_AFTER = timedelta(hours=1)  # in which even a git that nobody sees, in a container say, is done
_TAKEN = re.compile(r"'([^'\n]+\.lock)': File exists")
_WAITING = ("--daemon", "fsmonitor--daemon", "credential-cache--daemon", "daemon")  # they stay, and hold no lock


@dataclass(frozen=True, slots=True)
class GitLock:
    """A lock of git's, and the processes of git that may hold it."""

    path: Path
    laid: datetime
    holders: tuple[int, ...] | None  # None where nobody can tell

    @property
    def whose(self) -> str:
        """Whose it is, in a clause."""
        if self.holders is None:
            return "nobody can tell here whether a git is still at work"
        if self.holders:
            return f"a git is at work there (process {self.holders[0]})"
        return "no git is at work there, so one that was killed may have left it"

    def is_left(self, now: datetime) -> bool:
        """Whether it is sure that nobody holds it any more."""
        return self.holders == () and now - self.laid >= _LEFT_AFTER


def locks(folder: Path) -> Iterator[GitLock]:
    """The locks that are laid now on the repository that a folder lies in."""
    top = _top(folder)
    own = None if top is None else git_folder(top)
    if top is None or own is None:
        return
    for each in dict.fromkeys((own, shared_folder(own))):
        inside = (path for name in _FOLDERS for path in (each / name).rglob("*.lock"))
        yield from filter(None, (_lock(path, top) for path in sorted((*each.glob("*.lock"), *inside))))


def whose(folder: Path, told: str) -> str:
    """Whose the lock is that git named, in a clause."""
    top = _top(folder) or folder
    found = _lock(top / told, top)
    return found.whose if found else "it is free by now"


def _top(folder: Path) -> Path | None:
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def _lock(path: Path, top: Path) -> GitLock | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    holders = _at_work(top) if _is_told(found) else None
    return GitLock(path, datetime.fromtimestamp(found.st_mtime, tz=UTC), holders)


def taken(told: str) -> str:
    """The lock that kept git from its work, by what it said; empty where none did."""
    found = _TAKEN.search(told)
    return found[1] if found else ""


def _is_told(lock: os.stat_result) -> bool:
    """Whether this system tells us of every process of whoever laid it."""
    return sys.platform == "linux" and lock.st_uid == os.getuid() and Path("/proc/self/comm").exists()


def _at_work(top: Path) -> tuple[int, ...]:
    """The processes of git that may be at work in a working tree."""
    return tuple(sorted(int(process.name) for process in Path("/proc").glob("[0-9]*") if _may_work_in(process, top)))


def _may_work_in(process: Path, top: Path) -> bool:
    try:
        if not (process / "comm").read_text().startswith("git"):
            return False
        words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        if any(word.endswith(_WAITING) for word in words[:3]):
            return False
        where = (process / "cwd").readlink()
    except FileNotFoundError:  # it has ended
        return False
    except OSError:  # somebody else's
        return False
    return where.is_relative_to(top.resolve()) or any(word.startswith("--git-dir") for word in words)
