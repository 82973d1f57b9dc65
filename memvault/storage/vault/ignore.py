"""What a person hides from memvault, in gitignore's own language."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memvault.storage.vault.layout import IGNORE
from memvault.system import files


def nothing(_path: str) -> bool:
    """The rule where no ignore file stands: nothing is hidden."""
    return False


def rules(root: Path) -> Callable[[str], bool]:
    """Whether a path (folders with a closing slash) is hidden by the vault's ignore file."""
    path = root / IGNORE
    if not path.is_file():
        return nothing
    import pathspec  # only vaults with an ignore file pay for it

    lines = files.read(path).decode("utf-8-sig", errors="replace").splitlines()
    return pathspec.GitIgnoreSpec.from_lines(lines).match_file
