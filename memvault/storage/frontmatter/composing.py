"""A whole new note."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.storage.frontmatter.changes import encodable, grouped, settings_of, value_of
from memvault.storage.frontmatter.lines import Manner, lines_of
from memvault.storage.frontmatter.read import parse
from memvault.storage.frontmatter.values import Refusal, Setting


def composed(fields: Mapping[str, Setting], body: str) -> bytes:
    """The whole note, read back once to be sure of it."""
    settings = settings_of(grouped(fields))
    text = encodable(body)
    if text:
        text = text.removesuffix("\n") + "\n"
    note = f"---\n{lines_of(settings, Manner())}---\n{text}".encode()
    if parse(note).fields != {key: value_of(setting) for key, setting in settings.items()}:
        raise Refusal("these fields would not read back as they were given; they may be too long")
    return note
