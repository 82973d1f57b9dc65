"""Name the project a folder belongs to: its repository's first remote, else its root commit, else its name."""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.system.paths import git_folder, read_text, repository_top, shared_folder

_REMOTE = re.compile(r'^\s*\[remote\s+".*"\]', re.IGNORECASE)
_URL = re.compile(r"^\s*url\s*=\s*(\S+)", re.IGNORECASE)
_SCP_LIKE = re.compile(r"(?:[^@/]+@)?(?P<host>[^:/]+):(?!//)(?P<path>.+)")
_WITH_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/]*@)?(?P<host>[^:/]+)(?::\d+)?/(?P<path>.+)", re.IGNORECASE)


def project_of(folder: Path) -> str:
    """Return a folder's project name, as the `project` field has it; worktrees of one repository share it.

    A person's home, or a whole disk, is no project.
    """
    top = repository_top(folder)
    if top is None:
        home = Path.home()
        is_everything = folder == home or folder in home.parents or not folder.name
        return "" if is_everything else _name_by_folder(folder)
    return (
        _name_by_remote(shared_folder(git_folder(top) or top / ".git"))
        or _name_by_commit(str(top))
        or _name_by_folder(top)
    )


def _name_by_folder(folder: Path) -> str:
    """Name a folder with a digest of its path, as many are called `src`."""
    place = os.path.realpath(folder).encode("utf-8", "surrogateescape")
    return f"folder:{folder.name}-{hashlib.blake2b(place, digest_size=4).hexdigest()}"


def _name_by_remote(git: Path) -> str:
    inside = False
    for line in read_text(git / "config").splitlines():
        if line.lstrip().startswith("["):
            inside = _REMOTE.match(line) is not None
        elif inside and (found := _URL.match(line)):
            return _name_from_url(found[1])
    return ""


def _name_from_url(url: str) -> str:
    """Return `host/owner/name` in lower case; empty for a remote that is a path on this machine."""
    found = _WITH_SCHEME.match(url) or _SCP_LIKE.match(url)
    if found is None or len(found["host"]) < 2 or url.casefold().startswith("file:"):  # one letter is a Windows drive
        return ""
    return f"{found['host']}/{found['path'].strip('/').removesuffix('.git')}".casefold()


@lru_cache(maxsize=64)
def _name_by_commit(top: str) -> str:
    """Return the name of a repository by its first commit; empty where git cannot tell."""
    from memvault.system.git import Git  # deferred: most repositories have a remote

    try:
        roots = Git(Path(top), os.environ).try_run("rev-list", "--max-parents=0", "HEAD")
    except MemvaultError:
        return ""
    return f"commit:{roots.text.split()[-1][:12]}" if roots.code == 0 and roots.out else ""
