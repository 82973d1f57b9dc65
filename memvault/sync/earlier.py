"""A version of a file that is there no more: from what was kept for undoing, else from the history that git has."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.errors import MemvaultError
from memvault.storage.vault.vault import Vault
from memvault.sync.commits import in_parts
from memvault.system import files
from memvault.system.git import Git, is_work_tree, own_environment

_COMMITS = 1_000  # that changed the file; whoever looks for older ones looks into git
_LONGEST_NAME_OF_NONE = "0"  # git's name for "no file": nothing but noughts


def version(vault: Vault, op: str, path: str, digest: str) -> bytes | None:
    """The bytes that an operation found at a path; None where nothing has them any more.

    What another machine did, or what is older than undo keeps, only the commits still know.
    """
    kept = vault.log.kept(op, digest)
    return kept if kept is not None else _in_git(vault, path, digest)


def _in_git(vault: Vault, path: str, digest: str) -> bytes | None:
    if not is_work_tree(vault.root) or files.exit_on(vault.root / ".git"):
        return None
    try:
        git = Git(vault.root, own_environment())
        for part in in_parts(git, _blobs(git, path)):
            for data in part.values():
                if files.digest(data) == digest:
                    return data
    except MemvaultError:  # no git, or a repository that it cannot read
        return None
    return None


def _blobs(git: Git, path: str) -> Iterator[str]:
    """Git's names of all that ever lay at a path, in any branch."""
    words = ("--literal-pathspecs", "log", "--all", "--no-renames", "--format=", "--raw", "--no-abbrev", "-m", "-z")
    for row in git.ask(*words, f"-n{_COMMITS}", "--", path).names():
        if row.startswith(":"):
            _, _, before, after, _ = row.split(" ")
            yield from (name for name in (before, after) if name.strip(_LONGEST_NAME_OF_NONE))
