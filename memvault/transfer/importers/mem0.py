"""mem0: what its `get_all` or an export of it gives, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memvault.transfer.importers.item import (
    FoundMemory,
    ImportItem,
    ImportSource,
    UnreadItem,
    key_place,
    one_line,
    text_key,
)
from memvault.transfer.importers.json import JsonRow, map_rows, parse_texts, read_line_rows, read_rows

_LISTS = frozenset({"results", "memories"})  # by which an answer wraps its memories


def _read_memory(path: Path, row: JsonRow) -> FoundMemory | UnreadItem:
    text, key = row.first_text("memory", "data", "text"), row.first_text("id", "hash")
    if not text:
        return UnreadItem(path, "it holds no memory", row.where)
    metadata = row.values.get("metadata")
    held: Mapping[str, object] = metadata if isinstance(metadata, Mapping) else {}
    # What a person's own program has put there is not for us to read, but for its tags.
    tags = (*row.text_list("categories"), *parse_texts(held.get("tags")), *parse_texts(held.get("category")))
    return FoundMemory(
        text=text,
        origin=key or text_key(text),
        place=key_place(path, key or text_key(text)),
        created=row.first_moment("created_at", "updated_at"),
        tags=tuple(dict.fromkeys(tag.casefold().replace(" ", "-") for tag in tags)),
        scope="global" if row.first_text("user_id") and not row.first_text("run_id") else "",
    )


MEM0_SOURCE = ImportSource("mem0", "mem0", lambda path: map_rows(path, read_rows(path, _LISTS), _read_memory))


# The MCP `memory` server: entities, what was observed of each, and how they are related, a line of JSON each.

_PEOPLE = frozenset({"person", "people", "user", "human"})
_MOST = 200_000  # relations that are held while the entities are read
_NOT_IN_LINKS = dict.fromkeys(map(ord, "[]|#^"), " ")


def read_mcp_memory(path: Path) -> Iterator[ImportItem]:
    """Yield one memory for each entity: what was observed as a list, and its relations as links."""
    related, left = _read_relations(path)
    yield from left
    alone = dict.fromkeys(related)  # those that no entity is called by
    for row in read_line_rows(path):
        if isinstance(row, UnreadItem):
            yield row
        elif row.values.get("type") == "entity":
            alone.pop(row.first_text("name"), None)
            yield _read_entity(path, row, related)
        elif row.values.get("type") != "relation":
            yield UnreadItem(path, "it is neither an entity nor a relation", row.where)
    for name in alone:
        yield _read_entity(path, JsonRow("", {"name": name}), related)


def _read_relations(path: Path) -> tuple[dict[str, list[str]], list[UnreadItem]]:
    """Return the relations by the entity that they begin at: they stand behind all entities in the file."""
    found: dict[str, list[str]] = {}
    left: list[UnreadItem] = []
    count = 0
    for row in read_line_rows(path):
        if isinstance(row, UnreadItem) or row.values.get("type") != "relation":
            continue
        ends = (row.first_text("from"), row.first_text("to"), row.first_text("relationType"))
        count += 1
        if all(ends) and count <= _MOST:
            named = one_line(ends[1].translate(_NOT_IN_LINKS))
            found.setdefault(ends[0], []).append(f"- {one_line(ends[2])} [[{named}]]")
        elif len(left) < 100:
            why = "it names no two entities" if count <= _MOST else "there are too many"
            left.append(UnreadItem(path, why, row.where))
    return found, left


def _read_entity(path: Path, row: JsonRow, related: dict[str, list[str]]) -> FoundMemory | UnreadItem:
    name, sort = one_line(row.first_text("name")), row.first_text("entityType")
    observed = [f"- {one_line(each)}" for each in row.text_list("observations")]
    links = list(dict.fromkeys(related.get(row.first_text("name"), ())))
    if not name or not (observed or links):
        return UnreadItem(path, "nothing is said of it", row.where)
    return FoundMemory(
        text="\n\n".join("\n".join(part) for part in (observed, links) if part),
        origin=name,
        place=path,
        title=name,
        tags=(sort.casefold().replace(" ", "-"),) if sort else (),
        people=(name,) if sort.casefold() in _PEOPLE else (),
        kind="semantic",
        aliases=(name,),
    )


MCP_MEMORY_SOURCE = ImportSource("mcp-memory", "the MCP memory server", read_mcp_memory)
