"""Files that are notes by name only: what is in them is reported, and not taken for text."""

from __future__ import annotations

import re

_MARKERS = tuple(re.compile(mark, re.MULTILINE) for mark in (rb"^<{7} ", rb"^={7}\r?$", rb"^>{7} "))


def why_unfit(raw: bytes) -> str:
    """Why the text of a file is not indexed; empty where it is sound."""
    if b"\0" in raw and raw[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return "it holds NUL bytes, so it is no text"
    if line := merge_line(raw):
        return f"line {line}: a merge left its markers, so it is two versions at once"
    return ""


def merge_line(raw: bytes) -> int:
    """The line of the first of three merge markers that stand in their order; 0 where none do."""
    at, first = 0, -1
    for marker in _MARKERS:
        found = marker.search(raw, at)
        if found is None:
            return 0
        at, first = found.end(), found.start() if first < 0 else first
    return raw.count(b"\n", 0, first) + 1
