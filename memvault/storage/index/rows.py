"""The tables of the index, and memories as rows."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

from memvault import __version__
from memvault.core.ids import is_prefix
from memvault.core.memory import SOURCES, IndexEntry, Memory, Place, Span
from memvault.core.query import Filters, IndexDocument
from memvault.core.weight import NO_USAGE, UsageHistory
from memvault.storage.index.derived import JournalNews, PairTable, UsageTables
from memvault.storage.index.sqlite import Tables
from memvault.system.files import StatKey

VERSION = 20
GLOBAL = "global"  # the scope of what holds in every project

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


def fold_name(text: str) -> str:
    """Return a name in the form in which names are compared."""
    return unicodedata.normalize("NFC", " ".join(text.split())).casefold()


def encode_row(number: int, key: StatKey, card: IndexEntry) -> tuple[object, ...]:
    """Return the row of a memory."""
    memory = card.memory
    data, crc = encode_memory(memory)
    folder, _, _ = memory.path.rpartition("/")
    return (
        *(number, memory.path, f"{folder}/" if folder else "", *key),
        *(memory.id, memory.id, fold_name(memory.name), fold_name(memory.title)),
        *(memory.place.value, memory.kind, memory.type, memory.status, memory.tier),
        *(memory.created.timestamp(), memory.last_accessed.timestamp(), int(memory.pinned)),
        *(card.text, int(bool(memory.problem)), data, crc),
        json.dumps(card.spans, ensure_ascii=False, separators=(",", ":")),
        card.opens,
    )


def encode_memory(memory: Memory) -> tuple[str, int]:
    """Return a memory's JSON and its checksum."""
    data = json.dumps(_plain_fields(memory), ensure_ascii=False, separators=(",", ":"))
    return data, crc32(data.encode())


def decode_memory(data: str, crc: int, id_: str) -> Memory | None:
    """Return the memory of a row; None where the row is damaged."""
    if crc32(data.encode()) != crc:
        return None
    values: dict[str, Any] = json.loads(data)
    for name, read in _READ:
        if name in values:
            values[name] = read(values[name])
    values["id"] = id_
    values.setdefault("title", "")  # empty values are not stored, and a title may be wholly private
    return Memory(**values)


class MemoryRow(NamedTuple):
    """A memory as its row holds it: its passages, the offset of its text, its file's key, its usage."""

    memory: Memory
    spans: Sequence[Sequence[Any]]
    body_offset: int
    key: StatKey
    past: UsageHistory


def span_of(spans: Sequence[Sequence[Any]], part: int) -> Span:
    """Return where one passage stands; the whole text where there is no passage of that number."""
    if part >= len(spans):
        return WHOLE
    start, end, heading = spans[part]
    return start, end, heading


def _plain_fields(memory: Memory) -> dict[str, object]:
    names = (name for name in Memory.__slots__ if name != "body")
    return {name: _encode_value(value) for name in names if (value := getattr(memory, name)) not in (None, (), "")}


def _encode_value(value: object) -> object:
    match value:
        case Place():
            return value.value
        case datetime():
            return {"@": value.timestamp()}
        case Mapping():
            return {str(name): _encode_value(part) for name, part in value.items()}
        case tuple():
            return list(value)
        case _:
            return value


def _decode_value(value: object) -> object:
    match value:
        case {"@": float(stamp)}:
            return datetime.fromtimestamp(stamp, tz=UTC)
        case dict():
            return MappingProxyType({name: _decode_value(part) for name, part in value.items()})
        case list():
            return tuple(value)
        case _:
            return value


_LISTS = ("tags", "topics", "people", "triggers", "aliases", "stated", "theirs")
# What JSON cannot express; everything else is stored as it is.
_READ: tuple[tuple[str, Callable[[Any], object]], ...] = (
    ("place", {place.value: place for place in Place}.__getitem__),
    *((name, _decode_value) for name in ("created", "last_accessed", "refs", "more")),
    *((name, tuple) for name in _LISTS),
)


def memory_marks(card: IndexEntry) -> Iterator[tuple[str, str]]:
    """Yield a memory's marks: tags, keywords, people by every word, aliases, tasks, triggers, statements."""
    from memvault.text.keyword_spelling import lookup_keys  # deferred: only indexing needs them
    from memvault.text.statements.action_match import is_rule
    from memvault.text.terms import trigger_key

    memory = card.memory
    for tag in memory.tags:
        parts = fold_name(tag).split("/")
        above = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        yield from (("tag", name) for name in above)
        yield from (("keyword", key) for name in above for key in lookup_keys(name))
    yield from (("keyword", key) for topic in memory.topics for key in lookup_keys(topic))
    for person in memory.people:
        yield from (("person", word) for word in {fold_name(person), *fold_name(person).split()})
    yield from (("scope", name) for name in memory_scopes(memory))
    yield from (("alias", fold_name(alias)) for alias in memory.aliases)
    yield from (("task", f"{number}\t{line}") for number, line in card.tasks)
    yield from (("trigger", normalized) for phrase in memory.triggers if (normalized := trigger_key(phrase)))
    if (statement := standing_statement(card)) is not None:
        yield "card", statement
    is_own = memory.place in _CARD_PLACES and memory.source == SOURCES[0] and not memory.more.get("tainted")
    if is_own and len(card.passages) == 1 and is_rule(card.passages[0]):
        yield "rule", card.passages[0]


def memory_scopes(memory: Memory) -> tuple[str, ...]:
    """Return the names by which a memory's scope is asked for: `global`, or its project, whole and by its last part."""
    project = fold_name(str(memory.more.get("project", "")))
    if not project or memory.more.get("scope") == GLOBAL:
        return (GLOBAL,)
    return tuple(dict.fromkeys((project, re.split(r"[/:\\]", project.removesuffix(".git").rstrip("/"))[-1])))


_CARD_PLACES = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES})
_SUREST = 99.9


def standing_statement(card: IndexEntry) -> str | None:
    """Return a text that is one standing statement, behind a number by which the surest are sorted first."""
    from memvault.text.statements.standing import LEAST, is_short, rate_statement  # deferred, as above

    if card.memory.place not in _CARD_PLACES or len(card.passages) != 1 or not card.memory.is_trusted:
        return None
    text = " ".join(card.passages[0].split())
    rating = max(rate_statement(text), LEAST if card.memory.place is Place.IDENTITY and is_short(text) else 0.0)
    return f"{_SUREST - rating:04.1f} {text}" if rating >= LEAST else None


def search_document(number: int, card: IndexEntry) -> IndexDocument:
    """Return what the search backend is given of a memory."""
    memory = card.memory
    if memory.more.get("cleared_at"):  # its task is over: kept, but no longer found by its text
        return IndexDocument(number=number, title="", names="", triggers="", headings="", passages=())
    names = (*memory.tags, *memory.topics, *memory.people, *memory.aliases, memory.name, *memory.folders)
    return IndexDocument(
        number=number,
        title=memory.title,
        names="\n".join(name for name in names if fold_name(name) != fold_name(memory.title)),
        triggers="\n".join((*memory.triggers, str(memory.more.get("condition", "")))).strip(),
        headings=card.headings,
        passages=card.passages,
    )


# Filters as SQL.

Spellings = Callable[[str], Sequence[str]]
"""The marks under which memories bear a keyword, in whatever spelling."""


def filter_condition(filters: Filters, spellings: Spellings) -> tuple[str, list[object]]:
    """Return the SQL condition of the filters, and its values."""
    parts = list(_condition_parts(filters, spellings))
    condition = " and ".join(text for text, _ in parts)
    return (f"where {condition}" if condition else ""), [value for _, values in parts for value in values]


def _condition_parts(filters: Filters, spellings: Spellings) -> Iterator[tuple[str, list[object]]]:
    columns: tuple[tuple[str, Iterable[object]], ...] = (
        ("kind", filters.kinds),
        ("type", filters.types),
        ("status", filters.statuses),
        ("tier", filters.tiers),
        ("place", [place.value for place in filters.places]),
    )
    for column, wanted in columns:
        if values := sorted(wanted, key=str):
            yield f"{column} in ({_placeholders(values)})", values
    for sort, marks in _wanted_marks(filters, spellings):
        yield (
            f"number in (select number from mark where sort = ? and value in ({_placeholders(marks)}))",
            [sort, *marks],
        )
    if filters.made:
        yield f"({' or '.join(['created between ? and ?'] * len(filters.made))})", [*chain(*filters.made)]
    if filters.since is not None:
        yield "(created >= ? or used >= ?)", [filters.since.timestamp()] * 2
    if filters.pinned is not None:
        yield "pinned = ?", [int(filters.pinned)]


def _wanted_marks(filters: Filters, spellings: Spellings) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield sorts of marks and values of which a memory must have one each."""
    yield from (("tag", (fold_name(tag.lstrip("#")),)) for tag in sorted(filters.tags))
    yield from (("keyword", spellings(keyword)) for keyword in sorted(filters.keywords))
    if filters.scopes:
        yield "scope", sorted(map(fold_name, filters.scopes))
    for person in sorted(map(fold_name, filters.people)):
        yield "person", sorted({person}.union(*(some for some in filters.namesakes if person in some)))


def _placeholders(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


# Memories looked up by id, name, filters, links and uses.

# Another version may split words differently, so its index would not match our queries.
_VERSION = crc32(f"{VERSION} {__version__}".encode()) & 0x7FFF_FFFF
SHORTEST_PART = 4
_KEPT = "select number, data, crc, id, spans, opens, size, mtime, ctime, inode from note"
_SELECT = "select note.data, note.crc, note.id from note"


class RowQueries(UsageTables, PairTable):
    """Queries over the rows of one index."""

    def __init__(self, path: Path) -> None:
        super().__init__(Tables(path, version=_VERSION, schema=TABLES))

    def close(self) -> None:
        """Close the database file."""
        self._tables.close()

    def select(self, rest: str, values: Sequence[object] = ()) -> list[Memory]:
        """Return the memories that the rest of a query selects; damaged rows are left out, and `doctor` shows them."""
        rows = self._tables.fetch_all(f"{_SELECT} {rest}", values)
        found = (decode_memory(data, crc, id_) for data, crc, id_ in rows)
        return [memory for memory in found if memory is not None]

    def memory_rows(self, numbers: Sequence[int]) -> dict[int, MemoryRow]:
        """Return the rows with these numbers, as far as they exist and are sound."""
        held = f"{_KEPT} where number in ({','.join('?' * len(numbers))})"
        rows = [(decode_memory(row[1], row[2], row[3]), row) for row in self._tables.fetch_all(held, numbers)]
        pasts = self.usage_histories([memory.id for memory, _ in rows if memory is not None])
        return {
            row[0]: MemoryRow(memory, json.loads(row[4]), row[5], row[6:], pasts.get(memory.id, NO_USAGE))
            for memory, row in rows
            if memory is not None
        }

    def passage_span(self, number: int, part: int) -> Span:
        """Return where a passage of a memory stands in its text."""
        found = self._tables.fetch_one("select spans from note where number = ?", (number,))
        return span_of(json.loads(found[0]), part) if found else WHOLE

    def find_memories(self, ref: str) -> list[Memory]:
        """Return the memories that a path, an id or its prefix, a file name, an alias or (part of) a title means."""
        name = fold_name(ref)
        stem, low = name.removesuffix(".md"), ref.casefold()
        looks: list[tuple[str, Sequence[object]]] = [("where path = ?", (ref.replace(os.sep, "/"),))]
        if is_prefix(ref):  # "cafe" may begin an id and be a file name: then it means both
            looks.append(("where (id >= ? and id < ?) or name = ?", (low, low + "g", stem)))
        looks.append(("where name = ?", (stem,)))
        looks.append(("where title = ?", (name,)))
        looks.append(("join mark on mark.number = note.number where sort = 'alias' and value = ?", (name,)))
        if len(name) >= SHORTEST_PART:
            looks.append(("where instr(title, ?)", (name,)))
        for rest, values in looks:
            if found := self.select(f"{rest} order by path", values):
                return found
        return []

    def has_name(self, name: str) -> bool:
        """Return whether any note of the vault has that file name."""
        stem = fold_name(name.rpartition(".")[0])
        return self._tables.fetch_one("select 1 from note where name = ?", (stem,)) is not None

    def known_folders(self) -> list[str]:
        """Return the folders with notes at the last comparison, each with its closing slash."""
        return [row[0] for row in self._tables.fetch_all("select path from folder")]

    def memories(self, filters: Filters, *, limit: int = 0) -> list[Memory]:
        """Return the memories that meet the filters, the latest used first."""
        condition, values = filter_condition(filters, self._keyword_spellings)
        most = f" limit {int(limit)}" if limit else ""
        return self.select(f"{condition} order by used desc, path{most}", values)

    def newest_memories(self, limit: int) -> list[Memory]:
        """Return the memories created last."""
        return self.select("order by created desc, path limit ?", (limit,))

    def matching_numbers(self, filters: Filters) -> set[int]:
        """Return the numbers of the memories that meet the filters."""
        condition, values = filter_condition(filters, self._keyword_spellings)
        return {row[0] for row in self._tables.fetch_all(f"select number from note {condition}", values)}

    def _keyword_spellings(self, keyword: str) -> tuple[str, ...]:
        """Return the known spellings of a keyword; its first letter must be right."""
        from memvault.text.keyword_spelling import lookup_keys, nearest_keys  # deferred: most filters have no keyword

        first = lookup_keys(keyword)[0][:1]
        near = "select distinct value from mark where sort = 'keyword' and value >= ? and value < ?"
        return nearest_keys(keyword, [row[0] for row in self._tables.fetch_all(near, (first, f"{first}\U0010ffff"))])

    def mark_counts(self, sort: str, begun: str, *, limit: int) -> list[tuple[str, int]]:
        """Return the tags, people or keywords that begin with a text, those of most memories first."""
        counted = "select value, count(*) from mark where sort = ? and value >= ? and value < ? group by value"
        values = (sort, begun, f"{begun}\U0010ffff", limit)
        return self._tables.fetch_all(f"{counted} order by count(*) desc, value limit ?", values)

    def count(self) -> int:
        """Return how many memories there are."""
        found = self._tables.fetch_one("select count(*) from note")
        return int(found[0]) if found else 0

    def unreadable_notes(self) -> tuple[str, ...]:
        """Return the notes that could not be read whole, with why."""
        return tuple(f"{memory.path}: {memory.problem}" for memory in self.select("where problem = 1 order by path"))

    def duplicate_ids(self) -> dict[str, list[str]]:
        """Return the ids that several notes claim, with their paths."""
        rows = self._tables.fetch_all("select claimed from note group by claimed having count(*) > 1")
        return {claimed: self._paths_claiming(claimed) for (claimed,) in rows}

    def _paths_claiming(self, claimed: str) -> list[str]:
        rows = self._tables.fetch_all("select path from note where claimed = ? order by path", (claimed,))
        return [row[0] for row in rows]

    def links_to(self, name: str) -> list[Memory]:
        """Return the memories that link to a note of that name."""
        return self.select("join link on link.number = note.number where target = ? order by path", (fold_name(name),))

    def links_from(self, path: str) -> tuple[str, ...]:
        """Return the names that a note links to."""
        links = "select target from link join note on note.number = link.number where path = ? order by target"
        return tuple(row[0] for row in self._tables.fetch_all(links, (path,)))

    def text_digest(self, path: str) -> str:
        """Return the digest of the text indexed for a path; empty where there is none."""
        found = self._tables.fetch_one("select text from note where path = ?", (path,))
        return found[0] if found else ""

    def note_sizes(self) -> dict[str, tuple[int, str]]:
        """Return the size of each note and the digest of its text, by path."""
        rows = self._tables.fetch_all("select path, size, text from note")
        return {path: (size, text) for path, size, text in rows}

    def note_stamps(self) -> dict[str, tuple[int, int]]:
        """Return the size and the modification time in nanoseconds of each note when it was indexed."""
        return {path: (size, at) for path, size, at in self._tables.fetch_all("select path, size, mtime from note")}

    def fold_news(self, name: str, offset: int, news: JournalNews, *, now: datetime) -> None:
        """Fold the news of a journal or a ledger in, up to an offset."""
        with self._tables.transaction():
            self._fold_usage(news, now)
            for id_, is_archived in news.archive_marks:
                # A foreign note is archived in the ledger only.
                for memory in self.select("where id = ? and place = ?", (id_, Place.FOREIGN.value)):
                    marked = memory.with_changes(status="archived" if is_archived else "active")
                    data, crc = encode_memory(marked)
                    row = (marked.status, data, crc, marked.path)
                    self._tables.execute("update note set status = ?, data = ?, crc = ? where path = ?", row)
                    self._note_change()
            self._tables.execute("replace into journal values (?, ?)", (name, offset))

    def triggered_memories(self, text: str) -> list[tuple[Memory, str]]:
        """Return the memories with a trigger in the (normalized) text, each with that trigger."""
        from memvault.text.terms import key_ranges  # deferred: a recall needs none

        look = "select number, value from mark where sort = 'trigger' and value >= ? and value < ? and instr(?, value)"
        rows = [row for least, below in key_ranges(text) for row in self._tables.fetch_all(look, (least, below, text))]
        longest: dict[int, str] = dict(sorted(rows, key=lambda row: len(row[1])))
        found = ((self.select("where number = ?", (number,)), value) for number, value in longest.items())
        return [(memory, value) for memories, value in found for memory in memories]

    def card_statements(self, most: int) -> list[tuple[Memory, str]]:
        """Return the memories that are one standing statement, each with it, the surest first."""
        rows = self._tables.fetch_all(
            "select number, value from mark where sort = 'card' order by value limit ?", (most,)
        )
        found = ((self.select("where number = ?", (number,)), value) for number, value in rows)
        return [(memory, value.partition(" ")[2]) for memories, value in found for memory in memories]

    def task_lines(self) -> list[tuple[Memory, int, str]]:
        """Return the open lines of the Tasks plug-in, each with its note and its number in the body."""
        look = "select note.data, note.crc, note.id, value from mark join note using (number) where sort = 'task'"
        rows = ((decode_memory(*row[:3]), *row[3].split("\t", 1)) for row in self._tables.fetch_all(look))
        return [(memory, int(number), line) for memory, number, line in rows if memory is not None]

    def action_rules(self, most: int) -> list[tuple[int, str]]:
        """Return the numbers of the user's own memories that are a short rule, each with its text, the latest first."""
        return self._tables.fetch_all(
            "select number, value from mark where sort = 'rule' order by number desc limit ?", (most,)
        )

    def memory_by_number(self, number: int) -> Memory | None:
        """Return the indexed memory of a row."""
        return next(iter(self.select("where number = ?", (number,))), None)

    def text_digests(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the digests of the indexed texts of some memories."""
        look = "select text from note where id = ?"
        found = ((id_, self._tables.fetch_one(look, (id_,))) for id_ in ids)
        return {id_: row[0] for id_, row in found if row}

    def memory_by_id(self, id_: str) -> Memory | None:
        """Return the indexed memory with an id."""
        found = self.select("where id = ?", (id_,))
        return found[0] if found else None
