"""What a reader finds in another program's memory: one text with what is known of it."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from memvault.core.ids import derive_id, is_id
from memvault.core.memory import NO_FIELDS, FieldValue
from memvault.system import files
from memvault.text.dates.dates import read_moment

LONGEST = 1_000_000  # bytes of one memory: what is longer is a book
_KEY = "text:"
_EARLIEST = 1000  # the year: what was made before is a date that nobody has set
_NO_FILES: Mapping[str, Path] = MappingProxyType({})

When = datetime | str
"""A moment, or the text that names one: without a zone of its own, it is read in the vault's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory:
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
    more: Mapping[str, FieldValue] = field(default_factory=lambda: NO_FIELDS)
    artifacts: tuple[str, ...] = ()  # files that it names
    attachments: Mapping[str, Path] = field(default_factory=lambda: _NO_FILES)  # those of them that are there
    path: str = ""  # below the folder that is brought in, where that is to stay as it is
    id: str = ""  # where it has one that can stay
    weight: float | None = None
    pinned: bool = False
    automatic: bool = False  # that program picked it up by itself: so what says nothing is passed over
    source: str = ""  # that of a page, where its own words tell so


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleNote:
    """One note of another vault, byte for byte, with the path that it had there."""

    path: str
    id: str
    raw: bytes
    vault: str  # the id of the vault that it was in


@dataclass(frozen=True, slots=True)
class UnreadItem:
    """What could not be read: where it lies, and why."""

    path: Path
    why: str
    where: str = ""  # within that file


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that comes as it is: a drawing, a template, a note in which nothing is written yet."""

    source: Path
    path: str  # below the folder that is brought in
    is_template: bool = False


ImportItem = FoundMemory | BundleNote | FoundFile | UnreadItem


def parse_when(when: When | None, zone: tzinfo) -> datetime | None:
    """Return the moment in UTC; None where there is none, or one that programs write for none."""
    found = read_moment(when, local=zone) if isinstance(when, str) else when
    return found if found is not None and found.year >= _EARLIEST else None


def valid_when(when: When) -> When | None:
    """Return the same, if it is a moment at all, whatever the zone."""
    return None if parse_when(when, UTC) is None else when


def one_line(value: object) -> str:
    """Return a text on one line; empty for what is no text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def text_key(text: str) -> str:
    """Return what stands for a memory that has no name but its text."""
    return f"{_KEY}{files.digest(text.encode('utf-8', 'replace'))[:16]}"


def key_place(path: Path, key: str) -> Path | None:
    """Return the place of what lies in a file under a key, unless nothing else anywhere is called so."""
    return None if is_id(key.casefold()) or key.startswith(_KEY) else path


def home_folder(environment: Mapping[str, str]) -> Path | None:
    """Return the person's own folder, where the environment names it."""
    own = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(own) if own else None


@dataclass(frozen=True, slots=True)
class ImportSource:
    """Another program: its name, what it is called, its reader, and where its memory lies on this machine."""

    name: str
    title: str
    read: Callable[[Path], Iterator[ImportItem]]
    place: Callable[[Mapping[str, str]], Path | None] = lambda _environment: None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How memories are to come in."""

    dry_run: bool = False
    as_mine: bool = False  # notes of another vault are trusted as they were there


# Text as people and programs save it, made UTF-8 where its first bytes say what it is.

NO_TEXT = "it is no text"
NOT_UTF8 = "it is not UTF-8 text: save it as UTF-8, and bring it in again"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LOOKED_AT = 4_096  # bytes in which a file that is no text has a zero


def read_text_file(path: Path, *, what: str = "one memory") -> tuple[bytes, datetime] | UnreadItem:
    """Return a text's bytes in UTF-8, and when it was last changed; UnreadItem where it is no such text."""
    raw, stamp = files.read_stamped(path, limit=LONGEST + 1)
    if len(raw) > LONGEST:
        return UnreadItem(path, f"it is too long for {what}")
    try:
        return _to_utf8(raw), stamp.modified
    except ValueError as error:
        return UnreadItem(path, str(error))


def _to_utf8(raw: bytes) -> bytes:
    """Return a text's bytes in UTF-8; where nobody can tell what they are, a ValueError says so."""
    is_utf16 = raw.startswith(_UTF16)
    if not is_utf16 and b"\x00" in raw[:_LOOKED_AT]:
        raise ValueError(NO_TEXT)
    try:
        return raw.decode("utf-16" if is_utf16 else "utf-8").encode()
    except UnicodeError as error:
        raise ValueError(NO_TEXT if is_utf16 else NOT_UTF8) from error


def chunks_to_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the chunks of a long text in UTF-8; what is not marked as UTF-16 stays as it is."""
    rest = iter(chunks)
    first = next(rest, b"")
    if not first.startswith(_UTF16):
        yield from chain((first,) if first else (), rest)
        return
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for chunk in chain((first,), rest):
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


# By what a memory of another program is known again: its source, the place that it lies in, and its name there.

_MARK = 12


@dataclass(slots=True)
class OriginNames:
    """The names of one import."""

    vault: str  # its id
    home: Path | None = None  # the person's: what lies below it is in the same place on all of their machines
    _brought: dict[str, list[str]] = field(default_factory=dict)  # name -> what came in under it
    _places: dict[Path, str] = field(default_factory=dict)

    def number_origin(self, found: FoundMemory) -> FoundMemory | None:
        """Return the memory, numbered where another one has its name; None where that one says the same."""
        text = files.digest(found.text.encode("utf-8", "replace"))[:_MARK]
        name = found.id or f"{self._place_mark(found.place)}:{found.origin}"
        before = self._brought.setdefault(name, [])
        if text in before:
            return None
        before.append(text)
        return found if len(before) == 1 else replace(found, origin=f"{found.origin} ({len(before)})", id="")

    def make_ids(self, source: ImportSource, found: FoundMemory) -> tuple[str, str]:
        """Return the id that it has in this vault, and the one that it had when no place was asked for."""
        bare = found.id or derive_id(self.vault, f"import:{source.name}:{found.origin}")
        place = self._place_mark(found.place)
        if found.id or not place:
            return bare, bare
        return derive_id(self.vault, f"import:{source.name}:{place}:{found.origin}"), bare

    def _place_mark(self, path: Path | None) -> str:
        """Return a mark of a place; which it is need not stand in a vault."""
        if path is None:
            return ""
        if path not in self._places:
            real, home = Path(os.path.realpath(path)), Path(os.path.realpath(self.home)) if self.home else None
            portable = Path("~", real.relative_to(home)) if home and real.is_relative_to(home) else real
            marked = os.path.normcase(portable).encode("utf-8", "surrogateescape")
            self._places[path] = files.digest(marked)[:_MARK]
        return self._places[path]
