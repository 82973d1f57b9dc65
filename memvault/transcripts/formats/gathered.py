"""Conversations that have to be there as a whole before their order is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memvault.transcripts.formats.entries import Closed, Item, Member, Opened, entries
from memvault.transcripts.model.record import Bad

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


def conversations(chunks: Iterable[bytes], inner: str) -> Iterator[Gathered | Bad]:
    """Every conversation of an export whose turns stand in the member `inner`, with or without any; and what is bad."""
    gathered = Gathered()
    for event in entries(chunks, inner=frozenset({inner})):
        match event:
            case Opened():
                gathered = Gathered()
            case Member():
                gathered.members[event.name] = event.value
            case Item():
                yield from gathered.add(event)
            case Closed():
                yield gathered
                gathered = Gathered()
            case Bad():
                yield event
