"""The MCP `memory` server: entities, what was observed of each, and how they are related, a line of JSON each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memvault.transfer.importers.item import Found, Item, Source, Unread
from memvault.transfer.importers.json import Row, rows_of_lines

_PEOPLE = frozenset({"person", "people", "user", "human"})
_MOST = 200_000  # relations that are held while the entities are read


def read(path: Path) -> Iterator[Item]:
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


SOURCE = Source("mcp-memory", "the MCP memory server", read)
