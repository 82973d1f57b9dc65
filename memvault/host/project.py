"""Which project a folder belongs to: its repository's first remote, else its root commit, else its name."""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path

_GIT_SECONDS = 5
_REMOTE = re.compile(r'^\s*\[remote\s+".*"\]', re.IGNORECASE)
_URL = re.compile(r"^\s*url\s*=\s*(\S+)", re.IGNORECASE)
_SCP_LIKE = re.compile(r"(?:[^@/]+@)?(?P<host>[^:/]+):(?!//)(?P<path>.+)")
_WITH_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/]*@)?(?P<host>[^:/]+)(?::\d+)?/(?P<path>.+)", re.IGNORECASE)


def of(folder: Path) -> str:
    """The project's name, as the `project` field has it; worktrees of one repository share it.

    A person's home, or a whole disk, is no project.
    """
    top = repository(folder)
    if top is None:
        return "" if _is_everything(folder) else _by_name(folder)
    common = _git_folder(top)
    return _remote(common) or _root_commit(str(top), str(common)) or _by_name(top)


def repository(folder: Path) -> Path | None:
    """The top of the repository that a folder lies in; None where it lies in none, or nobody may look."""
    return next((each for each in (folder, *folder.parents) if _is_there(each / ".git")), None)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # somebody else's folder above it, or a disk in trouble
        return False


def _by_name(folder: Path) -> str:
    """Many folders are called `src`: so its place tells one from another."""
    place = os.path.realpath(folder).encode("utf-8", "surrogateescape")
    return f"folder:{folder.name}-{hashlib.blake2b(place, digest_size=4).hexdigest()}"


def _is_everything(folder: Path) -> bool:
    home = Path.home()
    return folder == home or folder in home.parents or not folder.name


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


@lru_cache(maxsize=64)
def _root_commit(top: str, _common: str) -> str:
    """The first commit, by git; whatever the repository's settings say, nothing else is run and nothing is fetched."""
    import subprocess  # deferred: most repositories have a remote

    try:
        ran = subprocess.run(  # noqa: S603, RUF100 - fixed words
            ["git", *_HARMLESS, "-C", top, "rev-list", "--max-parents=0", "HEAD"],  # noqa: S607, RUF100
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=True,
            env={**os.environ, **_ALONE},
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    roots = ran.stdout.split()
    return f"commit:{roots[-1][:12]}" if roots else ""


# A folder may hold anybody's `.git`: nothing that its settings name is started, and no object is fetched for it.
_HARMLESS = ("-c", "protocol.allow=never", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
