"""The frontmatter of a note: strings out of bytes and into bytes, and no byte changed that need not be."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.storage.frontmatter.read import parse
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

# What writes is imported when something is written: a recall only reads, and starts the sooner for it.


def patch(raw: bytes, changes: Mapping[str, Setting | RemovedKey]) -> bytes:
    """The note with these keys set or removed and every other byte as it was; Refusal where that cannot be proven."""
    from memvault.storage.frontmatter.rewrite import patch_note

    return patch_note(raw, changes)


def compose(fields: Mapping[str, Setting], body: str) -> bytes:
    """The bytes of a new note with these fields, which read back as they were given."""
    from memvault.storage.frontmatter.read import compose_note

    return compose_note(fields, body)
