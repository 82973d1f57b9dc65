"""The rows of conversations: turns, facts and topics by place, and all turns as scoring sees them."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Protocol
from zlib import crc32

from memvault import __version__
from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.errors import DamagedIndex
from memvault.storage.index.postings import GONE, IndexSnapshot
from memvault.storage.index.search.bm25 import HEAD, similar_terms
from memvault.storage.index.sqlite import Row, Tables
from memvault.storage.transcript_index.units import FACTS, TEXT, UnitColumns
from memvault.text.terms import extract_terms

VERSION = 3
# Another version may cut and read conversations differently.
_VERSION = crc32(f"talks {VERSION} {__version__}".encode()) & 0x7FFF_FFFF
SHORTEST_PART = 4

TABLES = """
create table meta (name text primary key, value) without rowid;
create table talk (
  number integer primary key, path text unique, key text, id text, short text, source text, title text, project text,
  speakers text, turns integer, units integer, first real, last real, state text
);
create index talk_id on talk (id);
create index talk_short on talk (short);
create table turn (
  talk integer, place integer, id text, session text, at real, speaker text, role text, text text, deeds text,
  primary key (talk, place)
) without rowid;
create index turn_id on turn (id);
create table fact (
  talk integer, number integer, turn text, data text, primary key (talk, number)
) without rowid;
create index fact_turn on fact (talk, turn);
create table trajectory (
  talk integer, first integer, last integer, summary text, keywords text, primary key (talk, first)
) without rowid;
create table unit (key integer primary key, talk integer, turn integer, start integer, stop integer);
create index unit_turn on unit (talk, turn);
create table columns (talk integer primary key, data blob);
"""

_TALK = "select number, path, id, short, source, title, project, speakers, turns, units, first, last from talk"
_TURN = "select place, id, session, at, speaker, role, text, deeds from turn"


@dataclass(frozen=True, slots=True)
class IndexedConversation:
    """A conversation in the index."""

    number: int
    path: str
    short: str  # the prefix of its turns' references
    talk: Conversation
    turns: int
    units: int
    first: datetime | None  # the times of its first and last turn with a time
    last: datetime | None


@dataclass(frozen=True, slots=True)
class IndexUnit:
    """A part of a turn that is found on its own: the whole of a short one."""

    key: int
    conversation: int
    turn: int
    start: int
    stop: int


class TranscriptRows:
    """The rows of each conversation."""

    def __init__(self, path: Path) -> None:
        self._tables = Tables(path, version=_VERSION, schema=TABLES)

    def close(self) -> None:
        """Close the file."""
        self._tables.close()

    def conversations(self) -> list[IndexedConversation]:
        """Return every conversation, the latest first."""
        return [_row_conversation(row) for row in self._tables.fetch_all(f"{_TALK} order by last desc, path")]

    def get_conversation(self, number: int) -> IndexedConversation | None:
        """Return the conversation with a number."""
        row = self._tables.fetch_one(f"{_TALK} where number = ?", (number,))
        return _row_conversation(row) if row else None

    def find_conversations(self, ref: str) -> list[IndexedConversation]:
        """Return the conversations that match an id, its beginning, or a short id."""
        found = [
            _row_conversation(row) for row in self._tables.fetch_all(f"{_TALK} where id = ? or short = ?", (ref, ref))
        ]
        if found or len(ref) < SHORTEST_PART:
            return found
        rows = self._tables.fetch_all(f"{_TALK} where substr(id, 1, ?) = ? order by path", (len(ref), ref))
        return [_row_conversation(row) for row in rows]

    def count_turns(self) -> tuple[int, int]:
        """Return how many conversations and turns there are."""
        row = self._tables.fetch_one("select count(*), coalesce(sum(turns), 0) from talk")
        return (int(row[0]), int(row[1])) if row else (0, 0)

    # -- turns, facts and topics

    def get_turns(self, number: int, first: int, last: int) -> list[Turn]:
        """Return the turns of a conversation from one place to another, both included."""
        return turns_between(self._tables, number, first, last)

    def place_of(self, number: int, turn: str) -> int | None:
        """Return the place of a turn in its conversation."""
        row = self._tables.fetch_one("select place from turn where id = ? and talk = ?", (turn, number))
        return int(row[0]) if row else None

    def is_known_turn(self, turn: str, _text: str = "") -> bool:
        """Return whether any conversation has a turn of that id."""
        return self._tables.fetch_one("select 1 from turn where id = ?", (turn,)) is not None

    def get_trajectories(self, number: int) -> list[Trajectory]:
        """Return the topics of a conversation, in order."""
        sql = "select first, last, summary, keywords from trajectory where talk = ? order by first"
        return [_row_trajectory(row) for row in self._tables.fetch_all(sql, (number,))]

    def trajectory_at(self, number: int, place: int) -> Trajectory | None:
        """Return the topic that a turn belongs to."""
        sql = (
            "select first, last, summary, keywords from trajectory where talk = ? and first <= ?"
            " order by first desc limit 1"
        )
        row = self._tables.fetch_one(sql, (number, place))
        found = _row_trajectory(row) if row else None
        return found if found and found.last >= place else None

    def keyword_sets(self) -> Iterator[tuple[str, ...]]:
        """Yield the keywords of every topic of every conversation."""
        for (keywords,) in self._tables.fetch_all("select keywords from trajectory"):
            yield tuple(json.loads(keywords))

    def get_units(self, keys: Iterable[int]) -> dict[int, IndexUnit]:
        """Return the units of some keys."""
        wanted = list(keys)
        found: dict[int, IndexUnit] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            sql = f"select key, talk, turn, start, stop from unit where key in ({','.join('?' * len(part))})"  # noqa: S608, RUF100
            found |= {row[0]: IndexUnit(*row) for row in self._tables.fetch_all(sql, part)}
        return found


def turns_between(tables: Tables, number: int, first: int, last: int) -> list[Turn]:
    """Return the turns of a conversation from one place to another, both included."""
    rows = tables.fetch_all(f"{_TURN} where talk = ? and place between ? and ? order by place", (number, first, last))
    return [_row_turn(row) for row in rows]


def fact_of(data: str) -> Fact:
    """Decode the fact of a row."""
    said = json.loads(data)
    day = date.fromisoformat(said["day"]) if said.get("day") else None
    return Fact(**{**said, "turns": tuple(said["turns"]), "day": day, "about": tuple(said["about"])})


def fact_row(fact: Fact) -> str:
    """Encode a fact for a row."""
    said = {**asdict(fact), "day": fact.day.isoformat() if fact.day else None}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def _row_conversation(row: Row) -> IndexedConversation:
    number, path, id_, short, source, title, project, speakers, turns, units, first, last = row
    talk = Conversation(id=id_, source=source, title=title, project=project, speakers=tuple(json.loads(speakers)))
    return IndexedConversation(number, path, short, talk, turns, units, _from_timestamp(first), _from_timestamp(last))


def _row_turn(row: Row) -> Turn:
    _, id_, session, at, speaker, role, text, deeds = row
    return Turn(
        id=id_,
        speaker=speaker,
        text=text,
        time=_from_timestamp(at),
        session=session,
        role=role,
        deeds=tuple(json.loads(deeds)) if deeds else (),
    )


def _row_trajectory(row: Row) -> Trajectory:
    first, last, summary, keywords = row
    return Trajectory(first=first, last=last, summary=summary, keywords=tuple(json.loads(keywords)))


def _from_timestamp(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)


# The turns as scoring sees them: every unit in its order, with its columns.

IN_A_FACT = 0.5  # a fact has a name or a day where the turn has "he" or "yesterday"
_NO_ROLE = 0
_NOBODY: frozenset[int] = frozenset()

Part = tuple[UnitColumns, Sequence[str]]  # the columns of one conversation, and its speakers


class TurnStatistics(Protocol):
    """What is counted over all units of a vault, however few of them are at hand to be scored."""

    units: int
    sittings: int
    terms: int  # of all units together

    def units_with(self, terms: tuple[str, ...], here: int) -> int:
        """Return how many units hold any of the terms, of which so many are at hand."""

    def sittings_with(self, terms: tuple[str, ...], here: int) -> int:
        """Return the same for sittings."""

    def count_by_sitting(self, term: str, units: Sequence[int]) -> Mapping[int, int]:
        """Return how many units of each sitting hold a term; those at hand are given."""

    def similar(self, term: str) -> Iterable[str]:
        """Return terms that may be meant by one that no unit holds: spelled nearly so, or its two halves."""


class TranscriptTurns:
    """All units of all conversations, those of each in a row."""

    statistics: TurnStatistics | None = None  # of the whole vault, where these are only some of its units

    def __init__(self, reading: IndexSnapshot, parts: Mapping[int, Part], folder: Path) -> None:
        self._reading = reading
        self.keys, self._places = _order_keys(reading)
        if sum(len(columns) for columns, _ in parts.values()) != len(self.keys):
            raise DamagedIndex(path=folder, reason="postings and rows have different units")
        self._parts = [parts[number] for number in sorted(parts)]
        self.lengths: Sequence[int] = self._join_column("length")
        self.roles: Sequence[int] = self._join_column("role")
        self.days: Sequence[int] = self._join_column("day")
        self.signs: Sequence[int] = self._join_column("flags")
        self.sittings: Sequence[int] = self._number_column("sitting")
        self.turns: Sequence[int] = self._number_column("turn")
        self.first_units: Sequence[int] = first_places(self.turns)
        self.runs: Sequence[int] = (
            self.sittings
        )  # turns that follow each other without a gap; here, those of a whole sitting
        self.first_turns: Sequence[int] = first_places([self.runs[unit] for unit in self.first_units[:-1]])
        sums = array("i", bytes(4 * (self.sittings[-1] + 1 if self.sittings else 0)))
        for sitting, length in zip(self.sittings, self.lengths, strict=True):
            sums[sitting] += length
        self.sitting_lengths: Sequence[int] = sums
        self._speakers: dict[str, int] = {}
        found = array("i")
        for columns, names in self._parts:
            numbers = [self._speakers.setdefault(name, len(self._speakers)) for name in names]
            found.extend(numbers[speaker] for speaker in columns.speaker)
        self.speakers: Sequence[int] = found
        known = [day for day in self.days if day]
        self.earliest, self.latest = min(known, default=0), max(known, default=0)

    # -- columns

    def _join_column(self, name: str) -> array[int]:
        found = array("i")
        for columns, _ in self._parts:
            found.extend(getattr(columns, name))
        return found

    def _number_column(self, name: str) -> array[int]:
        """Number a column through all conversations, leaving no gaps."""
        found = array("i")
        number = -1
        for columns, _ in self._parts:
            before = None
            for value in getattr(columns, name):
                number += value != before
                before = value
                found.append(number)
        return found

    # -- scoring

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """Return the units that hold a term, ascending, and how often each does; facts count less."""
        documents, counts = self._reading.postings(TEXT, term)
        told, times = self._reading.postings(FACTS, term)
        if self._places is None and not len(told):
            return documents, counts
        held: dict[int, float] = dict(zip(documents, counts, strict=True))
        for document, count in zip(told, times, strict=True):
            held[document] = held.get(document, 0.0) + IN_A_FACT * count
        places = self._places
        pairs = sorted((document if places is None else places[document], count) for document, count in held.items())
        return [unit for unit, _ in pairs], [count for _, count in pairs]

    def near(self, term: str) -> Iterable[str]:
        """Return terms that are spelled nearly like one that no unit holds."""
        return similar_terms(term, self._reading.terms(TEXT, term[:HEAD]))

    def speaking(self, term: str) -> frozenset[int]:
        """Return the speakers whose name has this term; never the two roles."""
        return self._speakers_by_term.get(term, _NOBODY)

    @cached_property
    def _speakers_by_term(self) -> dict[str, frozenset[int]]:
        persons = {speaker for speaker, role in zip(self.speakers, self.roles, strict=True) if role == _NO_ROLE}
        found: dict[str, set[int]] = {}
        for name, number in self._speakers.items():
            if number in persons:
                for term in extract_terms(name):
                    found.setdefault(term, set()).add(number)
        return {term: frozenset(numbers) for term, numbers in found.items()}

    def dated(self, first: int, last: int) -> Iterable[int]:
        """Return the units that were said on these days."""
        days, units = self._units_by_day
        return units[bisect_left(days, first) : bisect_right(days, last)]

    @cached_property
    def _units_by_day(self) -> tuple[list[int], list[int]]:
        pairs = sorted((day, unit) for unit, day in enumerate(self.days) if day)
        return [day for day, _ in pairs], [unit for _, unit in pairs]

    def named_days(self, unit: int) -> Iterable[tuple[int, int]]:
        """Return the first and last days that a unit names, as ordinals."""
        return self._named_days.get(unit, ())

    @cached_property
    def _named_days(self) -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = {}
        starts = accumulate((len(columns) for columns, _ in self._parts), initial=0)
        for start, (columns, _) in zip(starts, self._parts, strict=False):
            for unit, first, last in columns.said:
                found.setdefault(start + unit, []).append((first, last))
        return found


def _order_keys(reading: IndexSnapshot) -> tuple[array[int], dict[int, int] | None]:
    """Return the keys in order, and each document's place; None where the documents are in that order."""
    keys = reading.keys()
    if GONE not in keys and all(one < other for one, other in pairwise(keys)):
        return keys, None
    held = sorted((key, document) for document, key in enumerate(keys) if key != GONE)
    return array("q", (key for key, _ in held)), {document: place for place, (_, document) in enumerate(held)}


def first_places(numbers: Sequence[int]) -> array[int]:
    """Return where each number, counted from 0, stands first; with one more entry for the end."""
    first = array("i")
    for place, number in enumerate(numbers):
        if number == len(first):
            first.append(place)
    first.append(len(numbers))
    return first
