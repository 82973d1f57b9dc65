"""Long lists a page at a time: a cursor says where the next page begins, and nobody but us reads it."""

from __future__ import annotations

import re

from memvault.errors import BadInput

_CURSOR = re.compile(r"after-(\d{1,9})")


def cursor(place: int) -> str:
    """The cursor of the page that begins at a place."""
    return f"after-{place}"


def place(given: str | None) -> int:
    """Where the page of a cursor begins; without one, the first."""
    if not given:
        return 0
    found = _CURSOR.fullmatch(given)
    if found is None:
        raise BadInput(what="the cursor", value=given[:40], reason="it has to be one that the page before gave")
    return int(found[1])
