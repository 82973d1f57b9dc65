"""What a path that came from elsewhere may be, so that it means the same on every system."""

from __future__ import annotations

import re

# What no system takes for a plain name, or takes for another one.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|\ud800-\udfff]')
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_IMPOSSIBLE = re.compile(r"[\x00\ud800-\udfff]")  # what no file's name in UTF-8 can hold
_LONGEST_NAME = 255  # bytes


def is_safe(path: str) -> bool:
    """Whether a path stays below the folder it begins in, on every system."""
    parts = path.split("/")
    return not _UNSAFE.search(path) and all(map(_is_name, parts))


def is_within(path: str, *, windows: bool) -> bool:
    """Whether a path stays below the folder it begins in on one system, and can be a file there."""
    if windows:
        return is_safe(path)
    return not _IMPOSSIBLE.search(path) and all(map(_is_plain, path.split("/")))


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and len(part.encode()) <= _LONGEST_NAME


def _is_name(part: str) -> bool:
    return _is_plain(part) and part[-1] not in ". " and not _RESERVED.fullmatch(part)
