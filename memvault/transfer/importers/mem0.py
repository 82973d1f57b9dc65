"""mem0: what its `get_all` or an export of it gives, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memvault.transfer.importers.item import Found, Item, Source, Unread, key_of, place_of
from memvault.transfer.importers.json import Row, rows, rows_of_lines, texts

_LISTS = frozenset({"results", "memories"})


def read_mem0(path: Path) -> Iterator[Item]:
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


MEM0_SOURCE = Source("mem0", "mem0", read_mem0)


# The MCP `memory` server: entities, what was observed of each, and how they are related, a line of JSON each.

_PEOPLE = frozenset({"person", "people", "user", "human"})
_MOST = 200_000  # relations that are held while the entities are read


def read_mcp_memory(path: Path) -> Iterator[Item]:
    """One memory for each entity: what was observed as a list, and its relations as links."""
    related, left = _relations(path)
    yield from left
    alone = dict.fromkeys(related)  # those that no entity is called by
    for row in rows_of_lines(path):
        if isinstance(row, Unread):
            yield row
        elif row.values.get("type") == "entity":
            alone.pop(row.text("name"), None)
            yield _entity(path, row, related)
        elif row.values.get("type") != "relation":
            yield Unread(path, "it is neither an entity nor a relation", row.where)
    for name in alone:
        yield _entity(path, Row("", {"name": name}), related)


def _relations(path: Path) -> tuple[dict[str, list[str]], list[Unread]]:
    """The relations by the entity that they begin at: they stand behind all entities in the file."""
    found: dict[str, list[str]] = {}
    left: list[Unread] = []
    count = 0
    for row in rows_of_lines(path):
        if isinstance(row, Unread) or row.values.get("type") != "relation":
            continue
        ends = (row.text("from"), row.text("to"), row.text("relationType"))
        count += 1
        if all(ends) and count <= _MOST:
            found.setdefault(ends[0], []).append(f"- {_line(ends[2])} [[{_linked(ends[1])}]]")
        elif len(left) < 100:
            left.append(Unread(path, "it names no two entities" if count <= _MOST else "there are too many", row.where))
    return found, left


def _entity(path: Path, row: Row, related: dict[str, list[str]]) -> Found | Unread:
    name, sort = _line(row.text("name")), row.text("entityType")
    observed = [f"- {_line(each)}" for each in row.texts("observations")]
    links = list(dict.fromkeys(related.get(row.text("name"), ())))
    if not name or not (observed or links):
        return Unread(path, "nothing is said of it", row.where)
    is_person = sort.casefold() in _PEOPLE
    return Found(
        text="\n\n".join("\n".join(part) for part in (observed, links) if part),
        origin=name,
        place=path,
        title=name,
        tags=(sort.casefold().replace(" ", "-"),) if sort else (),
        people=(name,) if is_person else (),
        kind="semantic",
        aliases=(name,),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _linked(name: str) -> str:
    """A name as it can stand in a link."""
    return " ".join(name.translate(dict.fromkeys(map(ord, "[]|#^"), " ")).split())


MCP_MEMORY_SOURCE = Source("mcp-memory", "the MCP memory server", read_mcp_memory)
