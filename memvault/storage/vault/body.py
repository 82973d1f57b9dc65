"""The text of a note, out of its bytes."""

from __future__ import annotations


def decoded(body: bytes) -> str:
    """A body in UTF-8 as text; what is no UTF-8 in it becomes a mark that says so."""
    return body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
