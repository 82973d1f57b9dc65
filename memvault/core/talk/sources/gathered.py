"""A conversation that has to be there as a whole before its order is known."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.core.talk.record import Bad
from memvault.core.talk.sources.entries import Item

MOST = 64 * 1024 * 1024


class Gathered:
    """Its members and its turns, these as bytes; what would not fit is told, and left out."""

    def __init__(self, most: int = MOST) -> None:
        self.members: dict[str, object] = {}
        self.items: list[Item] = []
        self._room = most

    def add(self, item: Item) -> Iterator[Bad]:
        """Keep one turn, while there is room."""
        self._room -= len(item.data)
        if self._room >= 0:
            self.items.append(item)
        else:
            yield Bad(where=f"byte {item.at:,}", why=f"its conversation is longer than {MOST // 1024 // 1024} MB")
