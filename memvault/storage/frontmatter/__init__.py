"""The frontmatter of a note: bytes to strings and back, with no byte changed that need not be."""

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

# The writing half is imported when something is written: a recall only reads, and so starts faster.


def patch(raw: bytes, changes: Mapping[str, Setting | RemovedKey]) -> bytes:
    """Return the note with only these keys set or removed; raise Refusal where that cannot be proven."""
    from memvault.storage.frontmatter.rewrite import patch_note

    return patch_note(raw, changes)


def compose(fields: Mapping[str, Setting], body: str) -> bytes:
    """Return the bytes of a new note, read back once to be sure that its fields read as given."""
    from memvault.storage.frontmatter.rewrite import compose_note

    return compose_note(fields, body)
