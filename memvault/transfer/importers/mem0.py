"""mem0: what its `get_all` or an export of it gives, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memvault.transfer.importers.item import Found, Item, Source, Unread, key_of, place_of
from memvault.transfer.importers.json import Row, rows, texts

_LISTS = frozenset({"results", "memories"})


def read(path: Path) -> Iterator[Item]:
    """Every memory of a list, or of the list that an answer wraps."""
    for row in rows(path, _LISTS):
        yield row if isinstance(row, Unread) else _found(path, row)


def _found(path: Path, row: Row) -> Found | Unread:
    text, key = row.text("memory", "data", "text"), row.text("id", "hash")
    if not text:
        return Unread(path, "it holds no memory", row.where)
    metadata = row.values.get("metadata")
    held: Mapping[str, object] = metadata if isinstance(metadata, Mapping) else {}
    # What a person's own program has put there is not for us to read, but for its tags.
    tags = (*row.texts("categories"), *texts(held.get("tags")), *texts(held.get("category")))
    return Found(
        text=text,
        origin=key or key_of(text),
        place=place_of(path, key or key_of(text)),
        created=row.moment("created_at", "updated_at"),
        tags=tuple(dict.fromkeys(tag.casefold().replace(" ", "-") for tag in tags)),
        scope="global" if row.text("user_id") and not row.text("run_id") else "",
    )


SOURCE = Source("mem0", "mem0", read)
