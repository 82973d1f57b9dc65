"""What a reader makes of somebody's format: heads, turns with what they stood in, and what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from memvault.text.dates.dates import read_moment
from memvault.transcripts.model.talk import Talk, Turn

# One piece that is decoded at once. More would not stay under 300 MB, whatever script it is written in.
LONGEST = 16 * 1024 * 1024
_SHOWN = 1_000
_MILLISECONDS = 100_000_000_000  # in seconds, that would be the year 5138

Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One piece of a source: the turn that it makes, if it makes one, and the piece itself."""

    turn: Turn | None = None
    raw: Raw | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """A piece that could not be read: where it stands, why, and how it begins."""

    where: str
    why: str
    text: str = ""
    unfinished: bool = False  # the end of a source that may still go on: not kept, and looked at again


@dataclass(frozen=True, slots=True)
class ReadTo:
    """All bytes before this one are in what was given so far: reading may go on here another time."""

    to: int


Record = Talk | Kept | Bad | ReadTo


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is known before reading: the name of the file, where the bytes begin, the talk that goes on there."""

    name: str = ""
    at: int = 0
    head: Talk | None = None
    closed: bool = True  # nobody is writing there at this moment
    zone: tzinfo = UTC
    marks: tuple[tuple[str, str], ...] = ()  # the beginnings and ends of what was put in by programs


Reader = Callable[[Iterable[bytes], Start], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class Source:
    """One format: its name, its reader, how it is known by its first bytes, and whether it grows at its end."""

    name: str
    read: Reader
    knows: Callable[[bytes], bool]
    grows: bool = False


def bad_bytes(where: str, why: str, data: bytes = b"", *, unfinished: bool = False) -> Bad:
    """What could not be read, with so much of it as shows what it was."""
    return Bad(where=where, why=why, text=data[:_SHOWN].decode("utf-8", "replace"), unfinished=unfinished)


def moment(value: object, zone: tzinfo) -> datetime | None:
    """The time that a member gives: in words, or in seconds or milliseconds since 1970."""
    match value:
        case str():
            return read_moment(value, local=zone)
        case bool():
            return None
        case int() | float():
            try:
                seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
                return datetime.fromtimestamp(seconds, UTC)
            except (ValueError, OverflowError, OSError):
                return None
        case _:
            return None


def text_of(holder: Raw, *names: str) -> str:
    """The first of some members that holds text, without white space around it; empty where none does."""
    for name in names:
        value = holder.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""
