"""The rows of conversations: their turns, facts and topics, looked up by place."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from zlib import crc32

from memvault import __version__
from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.errors import DamagedIndex
from memvault.storage.index.sqlite import Row, Tables

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

    def get_facts(self, number: int, turns: Sequence[str]) -> list[Fact]:
        """Return the facts of some turns, in order; a fact belongs to the last of its turns."""
        marks = ",".join("?" * len(turns))
        sql = f"select data from fact where talk = ? and turn in ({marks}) order by number"  # noqa: S608, RUF100
        return [fact_of(row[0]) for row in self._tables.fetch_all(sql, (number, *turns))]

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


# What scoring needs of every unit besides its terms: small numbers, packed into one row per conversation.


@dataclass(slots=True)
class UnitColumns:
    """One number for each unit of a conversation in every column, in the order of the units."""

    turn: array[int] = field(default_factory=lambda: array("i"))  # the place of its turn
    sitting: array[int] = field(default_factory=lambda: array("i"))  # numbered through the conversation
    speaker: array[int] = field(default_factory=lambda: array("i"))  # place in the table of speakers
    role: array[int] = field(default_factory=lambda: array("i"))  # 0 none, 1 user, 2 assistant
    day: array[int] = field(default_factory=lambda: array("i"))  # ordinal; 0 where it is not known
    flags: array[int] = field(default_factory=lambda: array("i"))
    length: array[int] = field(default_factory=lambda: array("i"))  # terms
    said: list[tuple[int, int, int]] = field(default_factory=list)  # unit, and the first and last day that it names

    def append_unit(self, values: Sequence[int], said: Iterable[tuple[int, int]] = ()) -> None:
        """Append one unit: its numbers in the order of the columns, and the days that it names."""
        self.said += [(len(self), first, last) for first, last in said]
        for each, value in zip(self.all_columns(), values, strict=True):
            each.append(value)

    def all_columns(self) -> Iterable[array[int]]:
        """Return the columns in their order."""
        return (getattr(self, name) for name in _NAMES)

    def __len__(self) -> int:
        return len(self.turn)

    def pack_columns(self) -> bytes:
        """Pack the columns into one row of the database."""
        said = array("i", [number for triple in self.said for number in triple])
        parts = [array("i", [len(self)]), *self.all_columns(), said]
        return zlib.compress(b"".join(part.tobytes() for part in parts), 1)

    @classmethod
    def unpack_columns(cls, data: bytes, *, where: Path) -> UnitColumns:
        """Unpack the columns of a row."""
        numbers = array("i")
        try:
            numbers.frombytes(zlib.decompress(data))
            count = numbers[0]
        except (zlib.error, ValueError, IndexError) as error:
            raise DamagedIndex(path=where, reason=error) from None
        found = cls()
        for place, each in enumerate(found.all_columns()):
            each.extend(numbers[1 + place * count : 1 + (place + 1) * count])
        rest = numbers[1 + len(_NAMES) * count :]
        found.said = list(zip(rest[::3], rest[1::3], rest[2::3], strict=True))
        return found


_NAMES = ("turn", "sitting", "speaker", "role", "day", "flags", "length")
