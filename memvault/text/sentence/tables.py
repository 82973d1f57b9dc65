"""How word tables are written down: words with spaces between them."""

from __future__ import annotations


def words(*lines: str) -> frozenset[str]:
    """All words of some lines."""
    return frozenset(word for line in lines for word in line.split())


def rows(table: str) -> list[str]:
    """The lines of a table; one that ends in a backslash goes on in the next."""
    return [line.strip() for line in table.replace("\\\n", " ").strip().splitlines()]
