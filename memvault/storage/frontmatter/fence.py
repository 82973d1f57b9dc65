"""Where a frontmatter begins and ends, found in bytes and never looked for further than 64 KiB in."""

from __future__ import annotations

import re
from typing import NamedTuple

LIMIT = 64 * 1024
BOM = b"\xef\xbb\xbf"

_MARKS = re.compile(rb"(?:\xef\xbb\xbf)*+")
_OPENING = re.compile(rb"---[ \t]*(\r\n|\n|\r)")
_CLOSING = re.compile(rb"\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_CLOSING_WITH_CR = re.compile(rb"[\r\n](?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")
_LIKE_A_KEY = re.compile(rb"(?:\s*+#[^\r\n]*+)*+\s*+[\w\"'\x80-\xff][^\r\n:]*:(?:\s|\Z)")
_FOREIGN = (
    (re.compile(rb"\xff\xfe|\xfe\xff|[^\0]{0,3}\0"), "the file is not UTF-8 text"),
    (re.compile(rb"\+\+\+[ \t]*[\r\n]"), "it has TOML frontmatter (+++), which is not memvault's to write"),
)


class Fence(NamedTuple):
    """The text between the fences is raw[start:end]; `top` is where the opening fence stands."""

    top: int
    start: int
    end: int
    body_start: int


class NoFence(NamedTuple):
    """The note is all body; `reason` says why no fence may be put before it, and is empty where one may."""

    body_start: int
    reason: str = ""


def find(raw: bytes) -> Fence | NoFence:
    """The fences of a note, or that there are none."""
    marks = _MARKS.match(raw)
    top = marks.end() if marks else 0
    opening = _OPENING.match(raw, top)
    if opening is None:
        return NoFence(top, _why_foreign(raw, top))
    start = opening.end()
    limit = start + LIMIT
    pattern = _CLOSING_WITH_CR if opening[1] == b"\r" else _CLOSING
    closing = pattern.search(raw, start - 1, limit)
    # A match that ends where the search was cut off may be the start of a longer line.
    if closing and (closing.end() < limit or limit >= len(raw)):
        return Fence(top, start, closing.start() + 1, closing.end())
    if _LIKE_A_KEY.match(raw, start, limit):
        return NoFence(top, "its frontmatter has no closing --- within 64 KiB")
    return NoFence(top)


def _why_foreign(raw: bytes, top: int) -> str:
    return next((reason for pattern, reason in _FOREIGN if pattern.match(raw, top)), "")
