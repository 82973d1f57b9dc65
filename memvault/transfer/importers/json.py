"""JSON as programs write it out: row by row, so that no file is ever held as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memvault.core.fields import TYPES
from memvault.core.ids import is_id
from memvault.core.memory import FieldValue
from memvault.system import files
from memvault.system.files.append_only import intact
from memvault.transcripts.formats.entries import Closed, Item, Member, Opened, entries
from memvault.transcripts.formats.lines import decoded, lines
from memvault.transcripts.model.record import Bad
from memvault.transfer.importers.item import Found, Source, Unread, When, chunks_in_utf8, key_of, place_of, told
from memvault.transfer.importers.item import Item as FoundItem

_CHUNK = 256 * 1024
_OPENING = 4_096
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{")
_ZIP = b"PK\x03\x04"
_MOST_INSIDE = 4 * 1024**3
_MOST_MEMBERS = 1_000  # of one object: what has more is no memory
_LARGEST = 1e18
_MILLISECONDS = 100_000_000_000  # in seconds, that would be the year 5138


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a document: where it stands, and what it holds."""

    where: str
    values: Mapping[str, object]

    def text(self, *names: str) -> str:
        """The first of some members that is a text and not empty."""
        found = (self.values.get(name) for name in names)
        return next((value.strip() for value in found if isinstance(value, str) and value.strip()), "")

    def texts(self, name: str) -> tuple[str, ...]:
        """A member that is a list of texts, or JSON for one."""
        return texts(self.values.get(name))

    def number(self, name: str) -> float | None:
        """A member that is a number of a size that one would write."""
        value = self.values.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number and abs(value) < _LARGEST else None  # type: ignore[arg-type, return-value]

    def moment(self, *names: str) -> When | None:
        """The first of some members that is a moment, as text or as seconds or milliseconds since 1970."""
        return next((found for name in names if (found := moment(self.values.get(name))) is not None), None)


def texts(value: object) -> tuple[str, ...]:
    """A list of texts, or the list that some JSON stands for; a text that is no JSON is a list of itself."""
    if isinstance(value, str):
        try:
            said = decoded(value.encode("utf-8", "replace"))
        except ValueError:
            said = [value]
        value = said if isinstance(said, list) else [value]
    if not isinstance(value, list | tuple):
        return ()
    return tuple(dict.fromkeys(part.strip() for part in value if isinstance(part, str) and part.strip()))


def moment(value: object) -> When | None:
    """A moment, however a program has written it down; None for what is none."""
    if isinstance(value, str):
        return told(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return told(datetime.fromtimestamp(value / 1000 if abs(value) > _MILLISECONDS else value, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def rows(path: Path, inner: frozenset[str], chunks: Iterable[bytes] | None = None) -> Iterator[Row | Unread]:
    """The objects in the lists of these names, or of a list that is the whole document, or the one object."""
    members: dict[str, object] = {}
    is_wrapper = False
    for event in entries(bytes_of(path) if chunks is None else chunks_in_utf8(chunks), inner=inner):
        match event:
            case Opened():
                members, is_wrapper = {}, False
            case Member() if len(members) < _MOST_MEMBERS:
                members[event.name] = event.value
            case Member():
                pass
            case Item():
                is_wrapper = True
                yield row_of(path, f"byte {event.at:,}", event.data)
            case Closed():
                if members and not is_wrapper:
                    yield Row("", members)
                members = {}
            case Bad():
                yield Unread(path, event.why, event.where)


def rows_of_lines(path: Path) -> Iterator[Row | Unread]:
    """The objects of a file that has one on each line."""
    for line in lines(bytes_of(path)):
        where = f"line {line.number:,}"
        yield Unread(path, "it is too long", where) if line.data is None else row_of(path, where, line.data)


def bytes_of(path: Path) -> Iterator[bytes]:
    """The bytes of a file, in chunks; of what is marked as UTF-16, the same text in UTF-8."""
    with files.stream(path) as stream:
        yield from chunks_in_utf8(iter(lambda: stream.read(_CHUNK), b""))


def is_json(path: Path) -> bool:
    """Whether a file holds an object or a list of objects, by how it begins; a list of tags or dates is a text."""
    with files.stream(path) as stream:
        opening = b"".join(chunks_in_utf8((stream.read(_OPENING),)))
    return _JSON.match(opening) is not None


def is_zip(path: Path) -> bool:
    """Whether a file is a zip archive, by how it begins."""
    with files.stream(path) as stream:
        return stream.read(len(_ZIP)) == _ZIP


def unzipped(path: Path, names: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The members of an archive whose names match, each with its bytes; damage is Unreadable."""
    from zipfile import ZipFile, ZipInfo  # only exports come so

    def chunks(archive: ZipFile, inside: ZipInfo) -> Iterator[bytes]:
        with intact(path), archive.open(inside) as opened:
            left = _MOST_INSIDE
            while left > 0 and (chunk := opened.read(min(_CHUNK, left))):
                left -= len(chunk)
                yield chunk

    with files.stream(path) as stream, intact(path), ZipFile(stream) as archive:
        for inside in archive.infolist():
            if re.fullmatch(names, inside.filename):
                yield inside.filename, chunks(archive, inside)


def row_of(path: Path, where: str, data: bytes) -> Row | Unread:
    """The object that some bytes of JSON stand for."""
    try:
        value = decoded(data)
    except ValueError as error:
        return Unread(path, str(error), where)
    return Row(where, value) if isinstance(value, dict) else Unread(path, "it is no object", where)


# Lines of JSON, as `memvault export` writes them.

# Of the fields that only some memories have, those that say what one is about; how it was used stays with its vault.
_MORE = ("project", "scope", "due", "priority", "condition", "condition_type", "state", "category", "event_type")
_LISTS = ("steps", "prerequisites", "success_conditions", "failure_patterns", "reinforces", "extends", "refines")

_PRIORITIES = range(1, 6)


def read(path: Path) -> Iterator[FoundItem]:
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
