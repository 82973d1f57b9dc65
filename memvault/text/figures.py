"""Numbers as a person says them."""

from __future__ import annotations

KILO = 1024


def size(count: int) -> str:
    """So many bytes, in the unit a person would choose."""
    if count < KILO:
        return f"{count} bytes"
    return f"{count / KILO:.1f} KB" if count < KILO * KILO else f"{count / KILO / KILO:.1f} MB"


def plural(count: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{count:,} {one if count == 1 else many}"
