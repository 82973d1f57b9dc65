"""What a path that came from elsewhere may be, so that it means the same on every system."""

from __future__ import annotations

import re

# What no system takes for a plain name, or takes for another one.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|\ud800-\udfff]')
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_LONGEST_NAME = 255  # bytes


def is_safe(path: str) -> bool:
    """Whether a path stays below the folder it begins in, on every system."""
    parts = path.split("/")
    return not _UNSAFE.search(path) and all(map(_is_name, parts))


def _is_name(part: str) -> bool:
    is_plain = part not in ("", ".", "..") and part[-1] not in ". " and not _RESERVED.fullmatch(part)
    return is_plain and len(part.encode()) <= _LONGEST_NAME
