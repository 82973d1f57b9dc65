"""Errors that repeat no secret: what somebody typed in the wrong place is not shown again."""

from __future__ import annotations

from memvault.core.secrets import scan as leaks
from memvault.errors import MemvaultError

# Where things lie is told as it is: a folder may have any name, and is needed whole.
_PLACES = frozenset({"path", "where", "looked", "folder", "outer", "vault", "target", "command", "kept"})


def veiled(error: MemvaultError) -> MemvaultError:
    """The error with a mark in the place of every secret in what it quotes; itself where there is none."""
    quoted = {name: value for name, value in error.data.items() if isinstance(value, str) and name not in _PLACES}
    hidden = {name: veil for name, value in quoted.items() if (veil := leaks.redacted(value)) != value}
    return type(error)(**{**error.data, **hidden}) if hidden else error
