"""Which project a folder belongs to: its repository's first remote, else its root commit, else its name."""

from __future__ import annotations

import os
import re
from pathlib import Path

_GIT_SECONDS = 5
_REMOTE = re.compile(r'^\s*\[remote\s+".*"\]', re.IGNORECASE)
_URL = re.compile(r"^\s*url\s*=\s*(\S+)", re.IGNORECASE)
_SCP_LIKE = re.compile(r"(?:[^@/]+@)?(?P<host>[^:/]+):(?!//)(?P<path>.+)")
_WITH_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/]*@)?(?P<host>[^:/]+)(?::\d+)?/(?P<path>.+)", re.IGNORECASE)


def of(folder: Path) -> str:
    """The project's name, as the `project` field has it; worktrees of one repository share it."""
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
    if top is None:
        return f"folder:{folder.name}"
    return _remote(_git_folder(top)) or _root_commit(top) or f"folder:{top.name}"


def _git_folder(top: Path) -> Path:
    """Where the repository's config lies: of a worktree, `.git` is a file that leads there."""
    found = top / ".git"
    if found.is_file():
        led_to = _text(found).removeprefix("gitdir:").strip()
        found = Path(os.path.normpath(top / led_to))
    common = _text(found / "commondir").strip()
    return Path(os.path.normpath(found / common)) if common else found


def _remote(git: Path) -> str:
    inside = False
    for line in _text(git / "config").splitlines():
        if line.lstrip().startswith("["):
            inside = _REMOTE.match(line) is not None
        elif inside and (found := _URL.match(line)):
            return _named(found[1])
    return ""


def _named(url: str) -> str:
    """`host/owner/name` in lower case; a remote that is a path on this machine names nothing."""
    found = _WITH_SCHEME.match(url) or _SCP_LIKE.match(url)
    if found is None or len(found["host"]) < 2 or url.casefold().startswith("file:"):  # one letter is a Windows drive
        return ""
    return f"{found['host']}/{found['path'].strip('/').removesuffix('.git')}".casefold()


def _root_commit(top: Path) -> str:
    import subprocess  # deferred: most repositories have a remote

    try:
        ran = subprocess.run(  # noqa: S603, RUF100 - fixed words
            ["git", "-C", str(top), "rev-list", "--max-parents=0", "HEAD"],  # noqa: S607, RUF100
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    roots = ran.stdout.split()
    return f"commit:{roots[-1][:12]}" if roots else ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
