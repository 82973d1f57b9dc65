"""The tables of the catalogue, and how a memory becomes a row and a row a memory again."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

from memvault.core.memory import Card, Memory, Place, Span
from memvault.core.query import Document
from memvault.core.weight import Past
from memvault.storage.vault.entries import StatKey

VERSION = 15

TABLES = """
create table meta (name text primary key, value) without rowid;
create table pending (first integer, last integer);
create table departing (number integer);
create table folder (path text primary key, digest text) without rowid;
create table note (
  number integer primary key, path text unique, folder text, size integer, mtime integer, ctime integer, inode integer,
  id text, claimed text, name text, title text, place text, kind text, type text, status text, tier integer,
  created real, used real, pinned integer, text text, problem integer, data text, crc integer, spans text, opens integer
);
create index note_folder on note (folder);
create index note_id on note (id);
create index note_claimed on note (claimed);
create index note_name on note (name);
create index note_title on note (title);
create table mark (number integer, sort text, value text, primary key (sort, value, number)) without rowid;
create index mark_number on mark (number);
create table link (target text, number integer, primary key (target, number)) without rowid;
create index link_number on link (number);
create table use (id text, who text, day integer, first real, at real, primary key (id, who, day)) without rowid;
create table wish (id text, field text, value, at real, primary key (id, field)) without rowid;
create table baseline (id text primary key, value integer, at real) without rowid;
create table followed (id text, device text, at real, ok integer, primary key (id, device, at, ok)) without rowid;
create table practice (id text primary key, count integer, rate real, at real) without rowid;
create table confirm (id text, session text, primary key (id, session)) without rowid;
create table pair (one text, other text, verdict text, data text, primary key (one, other)) without rowid;
create index pair_other on pair (other);
create table journal (name text primary key, offset integer) without rowid;
"""

COLUMNS = 25
WHOLE: Span = (0, 1 << 62, "")


def folded(text: str) -> str:
    """A name in the form in which names are compared."""
    return unicodedata.normalize("NFC", " ".join(text.split())).casefold()


def row_of(number: int, key: StatKey, card: Card) -> tuple[object, ...]:
    """The row that keeps a memory."""
    memory = card.memory
    data, crc = data_of(memory)
    folder, _, _ = memory.path.rpartition("/")
    return (
        *(number, memory.path, f"{folder}/" if folder else "", *key),
        *(memory.id, memory.id, folded(memory.name), folded(memory.title)),
        *(memory.place.value, memory.kind, memory.type, memory.status, memory.tier),
        *(memory.created.timestamp(), memory.last_accessed.timestamp(), int(memory.pinned)),
        *(card.text, int(bool(memory.problem)), data, crc),
        json.dumps(card.spans, ensure_ascii=False, separators=(",", ":")),
        card.opens,
    )


def data_of(memory: Memory) -> tuple[str, int]:
    """A memory as the row keeps it, and the sum by which damage is told."""
    data = json.dumps(_plain(memory), ensure_ascii=False, separators=(",", ":"))
    return data, crc32(data.encode())


def memory_of(data: str, crc: int, id_: str) -> Memory | None:
    """The memory that a row keeps; None where the row is damaged."""
    if crc32(data.encode()) != crc:
        return None
    said: dict[str, Any] = json.loads(data)
    for name, read in _READ:
        if name in said:
            said[name] = read(said[name])
    said["id"] = id_
    said.setdefault("title", "")  # what is empty is not kept, and a title may be private as a whole
    return Memory(**said)


class Kept(NamedTuple):
    """What is kept of a memory besides itself: where its passages and its text stand, in which file, and its use."""

    memory: Memory
    spans: Sequence[Sequence[Any]]
    opens: int
    key: StatKey
    past: Past


def spans_of(spans: str) -> Sequence[Sequence[Any]]:
    """Where the passages of a memory stand, as its row keeps that."""
    found: Sequence[Sequence[Any]] = json.loads(spans)
    return found


def span_of(spans: Sequence[Sequence[Any]], part: int) -> Span:
    """Where one passage of a memory stands; where there is none of that number, the whole text."""
    if part >= len(spans):
        return WHOLE
    start, end, heading = spans[part]
    return start, end, heading


def _plain(memory: Memory) -> dict[str, object]:
    names = (name for name in Memory.__slots__ if name != "body")
    return {name: _written(value) for name in names if (value := getattr(memory, name)) not in (None, (), "")}


def _written(value: object) -> object:
    match value:
        case Place():
            return value.value
        case datetime():
            return {"@": value.timestamp()}
        case Mapping():
            return {str(name): _written(part) for name, part in value.items()}
        case tuple():
            return list(value)
        case _:
            return value


def _value(value: object) -> object:
    match value:
        case {"@": float(stamp)}:
            return datetime.fromtimestamp(stamp, tz=UTC)
        case dict():
            return MappingProxyType({name: _value(part) for name, part in value.items()})
        case list():
            return tuple(value)
        case _:
            return value


_LISTS = ("tags", "topics", "people", "triggers", "aliases", "stated", "theirs")
# What JSON has no word for; everything else stands there as it is.
_READ: tuple[tuple[str, Callable[[Any], object]], ...] = (
    ("place", {place.value: place for place in Place}.__getitem__),
    *((name, _value) for name in ("created", "last_accessed", "refs", "more")),
    *((name, tuple) for name in _LISTS),
)


def marks_of(card: Card) -> Iterator[tuple[str, str]]:
    """What a memory can be picked by: tags with those above them, keywords, people by every word, aliases, triggers."""
    from memvault.text.spelling import keys  # deferred: a recall that takes nothing in has no use for them
    from memvault.text.triggers import key

    memory = card.memory
    for tag in memory.tags:
        parts = folded(tag).split("/")
        above = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        yield from (("tag", name) for name in above)
        yield from (("keyword", key) for name in above for key in keys(name))
    yield from (("keyword", key) for topic in memory.topics for key in keys(topic))
    for person in memory.people:
        yield from (("person", word) for word in {folded(person), *folded(person).split()})
    yield from (("alias", folded(alias)) for alias in memory.aliases)
    yield from (("trigger", said) for phrase in memory.triggers if (said := key(phrase)))


def document_of(number: int, card: Card) -> Document:
    """What the search backend is given of a memory."""
    memory = card.memory
    if memory.more.get("cleared_at"):  # its task is over: kept, and never found again by what it says
        return Document(number=number, title="", names="", triggers="", headings="", passages=())
    names = (*memory.tags, *memory.topics, *memory.people, *memory.aliases, memory.name)
    return Document(
        number=number,
        title=memory.title,
        names="\n".join(name for name in names if folded(name) != folded(memory.title)),
        triggers="\n".join(memory.triggers),
        headings=card.headings,
        passages=card.passages,
    )
