"""What a reader finds in another program's memory: one text with what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from types import MappingProxyType

from memvault.core.ids import is_id
from memvault.core.memory import NOTHING, FieldValue
from memvault.system import files
from memvault.text.dates.dates import read_moment

LONGEST = 1_000_000  # bytes of one memory: what is longer is a book
_KEY = "text:"
_EARLIEST = 1000  # the year: what was made before is a date that nobody has set
_NO_FILES: Mapping[str, Path] = MappingProxyType({})

When = datetime | str
"""A moment, or the text that names one: without a zone of its own, it is read in the vault's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One memory of another program; `origin` is its own name there, by which it is known again."""

    text: str
    origin: str
    place: Path | None = None  # the file or folder in which no two are called so; None where nowhere two are
    title: str = ""
    created: When | None = None
    type: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # other names, by which its neighbours link to it
    project: str = ""
    scope: str = ""
    more: Mapping[str, FieldValue] = field(default_factory=lambda: NOTHING)
    artifacts: tuple[str, ...] = ()  # files that it names
    attachments: Mapping[str, Path] = field(default_factory=lambda: _NO_FILES)  # those of them that are there
    id: str = ""  # where it has one that can stay
    weight: float | None = None
    pinned: bool = False
    automatic: bool = False  # that program picked it up by itself: so what says nothing is passed over


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """One note of another vault, byte for byte, with the path that it had there."""

    path: str
    id: str
    raw: bytes
    vault: str  # the id of the vault that it was in


@dataclass(frozen=True, slots=True)
class Unread:
    """What could not be read: where it lies, and why."""

    path: Path
    why: str
    where: str = ""  # within that file


Item = Found | Whole | Unread
Reader = Callable[[Path], Iterator[Item]]
Place = Callable[[Mapping[str, str]], Path | None]


def moment_of(when: When | None, zone: tzinfo) -> datetime | None:
    """The moment in UTC; None where there is none, or one that programs write for none."""
    found = read_moment(when, local=zone) if isinstance(when, str) else when
    return found if found is not None and found.year >= _EARLIEST else None


def told(when: When) -> When | None:
    """The same, if it is a moment at all, whatever the zone."""
    return None if moment_of(when, UTC) is None else when


def key_of(text: str) -> str:
    """What stands for a memory that has no name but its text."""
    return f"{_KEY}{files.digest(text.encode('utf-8', 'replace'))[:16]}"


def place_of(path: Path, key: str) -> Path | None:
    """The place of what lies in a file under a key, unless nothing else anywhere is called so."""
    return None if is_id(key.casefold()) or key.startswith(_KEY) else path


def nowhere(_environment: Mapping[str, str]) -> Path | None:
    """The place of what lies wherever a person has put it."""
    return None


@dataclass(frozen=True, slots=True)
class Source:
    """Another program: its name, what it is called, its reader, and where its memory lies on this machine."""

    name: str
    title: str
    read: Reader
    place: Place = nowhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How memories are to come in."""

    dry_run: bool = False
    as_mine: bool = False  # notes of another vault are trusted as they were there
    attachments: bool = False  # files that a note names come along
