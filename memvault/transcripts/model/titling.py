"""What a conversation is called whose source gives it no title: by the first line of what was said, cut to fit."""

from __future__ import annotations

from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.scan import redacted

OPENING = 20_000
"""So much of what a title is cut from goes with it until it is cleaned: a sentence is only known as a whole."""
_LONGEST = 80
_LOOKED_AT = 1_000  # so much is searched for secrets before it is cut, which may hide what they were


def title_of(text: str) -> str:
    """The title that a text gives; empty where it has nothing to show."""
    return first_line(redacted(without_private(text[:_LOOKED_AT])))


def first_line(text: str) -> str:
    """The first line of a text in which anything stands, cut to the length of a title."""
    line = next(filter(None, (part.strip() for part in text.splitlines())), "")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
