"""JSON as programs write it out: row by row, so that no file is ever held as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memvault.core.fields import TYPES
from memvault.core.ids import is_id
from memvault.core.memory import FieldValue
from memvault.system import files
from memvault.system.files.append_only import archive_errors
from memvault.transcripts.formats.entries import JsonItem, ObjectEnd, ObjectMember, ObjectStart, parse_entries
from memvault.transcripts.formats.lines import decode_json, split_lines
from memvault.transcripts.model.record import UnreadableEntry
from memvault.transfer.importers.item import (
    FoundMemory,
    ImportItem,
    ImportSource,
    UnreadItem,
    When,
    chunks_to_utf8,
    key_place,
    one_line,
    text_key,
    valid_when,
)

_CHUNK = 256 * 1024
_OPENING = 4_096
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{")
_ZIP = b"PK\x03\x04"
_MOST_INSIDE = 4 * 1024**3
_MOST_MEMBERS = 1_000  # of one object: what has more is no memory
_LARGEST = 1e18
_MILLISECONDS = 100_000_000_000  # in seconds, that would be the year 5138


@dataclass(frozen=True, slots=True)
class JsonRow:
    """One object of a document: where it stands, and what it holds."""

    where: str
    values: Mapping[str, object]

    def first_text(self, *names: str) -> str:
        """Return the first of some members that is a text and not empty."""
        found = (self.values.get(name) for name in names)
        return next((value.strip() for value in found if isinstance(value, str) and value.strip()), "")

    def text_list(self, name: str) -> tuple[str, ...]:
        """Return a member that is a list of texts, or JSON for one."""
        return parse_texts(self.values.get(name))

    def read_number(self, name: str) -> float | None:
        """Return a member that is a number of a size that one would write."""
        value = self.values.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number and abs(value) < _LARGEST else None  # type: ignore[arg-type, return-value]

    def first_moment(self, *names: str) -> When | None:
        """Return the first of some members that is a moment, as text or as seconds or milliseconds since 1970."""
        return next((found for name in names if (found := parse_moment(self.values.get(name))) is not None), None)


def parse_texts(value: object) -> tuple[str, ...]:
    """Return a list of texts, or the list that some JSON stands for; a text that is no JSON is a list of itself."""
    if isinstance(value, str):
        try:
            items = decode_json(value.encode("utf-8", "replace"))
        except ValueError:
            items = [value]
        value = items if isinstance(items, list) else [value]
    if not isinstance(value, list | tuple):
        return ()
    return tuple(dict.fromkeys(part.strip() for part in value if isinstance(part, str) and part.strip()))


def parse_moment(value: object) -> When | None:
    """Return a moment, however a program has written it down; None for what is none."""
    if isinstance(value, str):
        return valid_when(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return valid_when(datetime.fromtimestamp(value / 1000 if abs(value) > _MILLISECONDS else value, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def map_rows(
    path: Path, rows: Iterable[JsonRow | UnreadItem], make: Callable[[Path, JsonRow], ImportItem]
) -> Iterator[ImportItem]:
    """Yield what is made of each row; what could not be read stays so."""
    return (row if isinstance(row, UnreadItem) else make(path, row) for row in rows)


def read_rows(
    path: Path, inner: frozenset[str] = frozenset(), chunks: Iterable[bytes] | None = None
) -> Iterator[JsonRow | UnreadItem]:
    """Yield the objects in the lists of these names, or of a list that is the whole document, or the one object."""
    members: dict[str, object] = {}
    is_wrapper = False
    for event in parse_entries(read_chunks(path) if chunks is None else chunks_to_utf8(chunks), inner=inner):
        match event:
            case ObjectStart():
                members, is_wrapper = {}, False
            case ObjectMember() if len(members) < _MOST_MEMBERS:
                members[event.name] = event.value
            case ObjectMember():
                pass
            case JsonItem():
                is_wrapper = True
                yield parse_row(path, f"byte {event.at:,}", event.data)
            case ObjectEnd():
                if members and not is_wrapper:
                    yield JsonRow("", members)
                members = {}
            case UnreadableEntry():
                yield UnreadItem(path, event.why, event.where)


def read_line_rows(path: Path) -> Iterator[JsonRow | UnreadItem]:
    """Yield the objects of a file that has one on each line."""
    for line in split_lines(read_chunks(path)):
        where = f"line {line.number:,}"
        yield UnreadItem(path, "it is too long", where) if line.data is None else parse_row(path, where, line.data)


def read_chunks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, in chunks; of what is marked as UTF-16, the same text in UTF-8."""
    with files.open_stream(path) as stream:
        yield from chunks_to_utf8(iter(lambda: stream.read(_CHUNK), b""))


def is_json(path: Path) -> bool:
    """Return whether a file begins with an object or a list of objects; a list of tags or dates is a text."""
    with files.open_stream(path) as stream:
        opening = b"".join(chunks_to_utf8((stream.read(_OPENING),)))
    return _JSON.match(opening) is not None


def is_zip(path: Path) -> bool:
    """Return whether a file is a zip archive, by how it begins."""
    with files.open_stream(path) as stream:
        return stream.read(len(_ZIP)) == _ZIP


def unzip_members(path: Path, names: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield the members of an archive whose names match, each with its bytes; damage is Unreadable."""
    from zipfile import ZipFile, ZipInfo  # only exports come so

    def read_member(archive: ZipFile, inside: ZipInfo) -> Iterator[bytes]:
        with archive_errors(path), archive.open(inside) as opened:
            left = _MOST_INSIDE
            while left > 0 and (chunk := opened.read(min(_CHUNK, left))):
                left -= len(chunk)
                yield chunk

    with files.open_stream(path) as stream, archive_errors(path), ZipFile(stream) as archive:
        for inside in archive.infolist():
            if re.fullmatch(names, inside.filename):
                yield inside.filename, read_member(archive, inside)


def parse_row(path: Path, where: str, data: bytes) -> JsonRow | UnreadItem:
    """Return the object that some bytes of JSON stand for."""
    try:
        value = decode_json(data)
    except ValueError as error:
        return UnreadItem(path, str(error), where)
    return JsonRow(where, value) if isinstance(value, dict) else UnreadItem(path, "it is no object", where)


# Lines of JSON, as `memvault export` writes them.

# Of the fields that only some memories have, those that say what one is about; how it was used stays with its vault.
_MORE = ("project", "scope", "due", "priority", "condition", "condition_type", "state", "category", "event_type")
_LISTS = ("steps", "prerequisites", "success_conditions", "failure_patterns", "reinforces", "extends", "refines")

_PRIORITIES = range(1, 6)


def _read_memory(path: Path, row: JsonRow) -> FoundMemory | UnreadItem:
    """Return the memory of a line, under the id that it has there."""
    text, id_ = row.first_text("text", "body"), row.first_text("id").casefold()
    if not text:
        return UnreadItem(path, "it holds no text", row.where)
    weight, origin = row.read_number("weight"), id_ or row.first_text("path", "title") or text_key(text)
    more: dict[str, FieldValue] = {name: row.first_text(name) for name in _MORE if row.first_text(name)}
    more |= {name: row.text_list(name) for name in _LISTS if row.text_list(name)}
    priority = row.read_number("priority")
    return FoundMemory(
        text=text,
        origin=origin,
        place=key_place(path, origin),
        id=id_ if is_id(id_) else "",
        title=row.first_text("title"),
        created=row.first_moment("created"),
        type=row.first_text("type") if row.first_text("type") in TYPES else "",
        kind=row.first_text("kind"),
        tags=row.text_list("tags"),
        topics=row.text_list("topics"),
        people=row.text_list("people"),
        triggers=row.text_list("triggers"),
        aliases=row.text_list("aliases"),
        more={**more, "priority": int(priority)} if priority is not None and priority in _PRIORITIES else more,
        weight=weight if weight is not None and 0 <= weight <= 1 else None,
        pinned=row.values.get("pinned") is True,
    )


JSONL_SOURCE = ImportSource("jsonl", "lines of JSON", lambda path: map_rows(path, read_line_rows(path), _read_memory))


# mem0: what its `get_all` or an export of it gives, as JSON.

_WRAPPERS = frozenset({"results", "memories"})  # by which an answer wraps its memories


def _read_mem0(path: Path, row: JsonRow) -> FoundMemory | UnreadItem:
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


MEM0_SOURCE = ImportSource("mem0", "mem0", lambda path: map_rows(path, read_rows(path, _WRAPPERS), _read_mem0))


# The MCP `memory` server: entities, what was observed of each, and how they are related, a line of JSON each.

_PEOPLE = frozenset({"person", "people", "user", "human"})
_MOST_RELATIONS = 200_000  # relations that are held while the entities are read
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
        if all(ends) and count <= _MOST_RELATIONS:
            named = one_line(ends[1].translate(_NOT_IN_LINKS))
            found.setdefault(ends[0], []).append(f"- {one_line(ends[2])} [[{named}]]")
        elif len(left) < 100:
            why = "it names no two entities" if count <= _MOST_RELATIONS else "there are too many"
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
