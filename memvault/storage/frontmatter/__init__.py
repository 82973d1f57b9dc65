"""The frontmatter of a note: bytes to strings and back, with no byte changed that need not be."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.storage.frontmatter.read import compose, parse
from memvault.storage.frontmatter.scalars import (
    FrontmatterProblem,
    ParsedNote,
    PlainScalar,
    Refusal,
    RemovedKey,
    Setting,
    Value,
)

__all__ = [
    "FrontmatterProblem",
    "ParsedNote",
    "PlainScalar",
    "Refusal",
    "RemovedKey",
    "Setting",
    "Value",
    "compose",
    "parse",
    "patch",
]

# The writing half is imported when something is written: a recall only reads, and so starts faster.


def patch(raw: bytes, changes: Mapping[str, Setting | RemovedKey]) -> bytes:
    """Return the note with only these keys set or removed; raise Refusal where that cannot be proven."""
    from memvault.storage.frontmatter.rewrite import patch_note

    return patch_note(raw, changes)
