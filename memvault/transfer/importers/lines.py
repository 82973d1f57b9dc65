"""Lines of JSON, as `memvault export` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memvault.core.fields import TYPES
from memvault.core.ids import is_id
from memvault.core.memory import FieldValue
from memvault.transfer.importers.item import Found, Item, Source, Unread, key_of, place_of
from memvault.transfer.importers.json import Row, rows_of_lines

# Of the fields that only some memories have, those that say what one is about; how it was used stays with its vault.
_MORE = ("project", "scope", "due", "priority", "condition", "condition_type", "state", "category", "event_type")
_LISTS = ("steps", "prerequisites", "success_conditions", "failure_patterns", "reinforces", "extends", "refines")

_PRIORITIES = range(1, 6)


def read(path: Path) -> Iterator[Item]:
    """One memory for each line, under the id that it has there."""
    for row in rows_of_lines(path):
        yield row if isinstance(row, Unread) else _found(path, row)


def _found(path: Path, row: Row) -> Found | Unread:
    text, id_ = row.text("text", "body"), row.text("id").casefold()
    if not text:
        return Unread(path, "it holds no text", row.where)
    weight, origin = row.number("weight"), id_ or row.text("path", "title") or key_of(text)
    return Found(
        text=text,
        origin=origin,
        place=place_of(path, origin),
        id=id_ if is_id(id_) else "",
        title=row.text("title"),
        created=row.moment("created"),
        type=row.text("type") if row.text("type") in TYPES else "",
        kind=row.text("kind"),
        tags=row.texts("tags"),
        topics=row.texts("topics"),
        people=row.texts("people"),
        triggers=row.texts("triggers"),
        aliases=row.texts("aliases"),
        more=_more(row),
        weight=weight if weight is not None and 0 <= weight <= 1 else None,
        pinned=row.values.get("pinned") is True,
    )


def _more(row: Row) -> Mapping[str, FieldValue]:
    found: dict[str, FieldValue] = {name: row.text(name) for name in _MORE if row.text(name)}
    found |= {name: row.texts(name) for name in _LISTS if row.texts(name)}
    priority = row.number("priority")
    return {**found, "priority": int(priority)} if priority is not None and priority in _PRIORITIES else found


SOURCE = Source("jsonl", "lines of JSON", read)
