"""Files that are notes by name only: what is in them is reported, and not taken for text."""

from __future__ import annotations

import re

_MARKERS = (rb"<<<<<<< ", rb"=======", rb">>>>>>> ")


def why_unfit(raw: bytes) -> str:
    """Why the text of a file is not indexed; empty where it is sound."""
    if b"\0" in raw and raw[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return "it holds NUL bytes, so it is no text"
    if line := merge_line(raw):
        return f"line {line}: a merge left its markers, so it is two versions at once"
    return ""


def merge_line(raw: bytes) -> int:
    """The line of the first of three merge markers that stand in their order; 0 where none do."""
    first, at = 0, 0
    for marker in _MARKERS:
        found = re.search(rb"(?m)^" + marker, raw[at:])
        if found is None:
            return 0
        first = first or raw.count(b"\n", 0, found.start()) + 1
        at += found.end()
    return first
