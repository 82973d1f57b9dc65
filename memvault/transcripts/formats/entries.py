"""Parse conversations of one large JSON document piece by piece, never holding it whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.transcripts.formats.lines import decode_json
from memvault.transcripts.model.record import LONGEST, UnreadableEntry, make_unreadable

WRAPPERS = frozenset({"conversations"})

# Text between brackets, whole strings included. Possessive, so that no text takes long.
_BETWEEN = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_PLAIN = re.compile(rb"[^\s,:{}\[\]\"]*+")
_SPACE = re.compile(rb"(?:[\s,\x1e]|\xef\xbb\xbf)*+")  # \x1e opens each value of a JSON text sequence
_DEEPEST = 4
_LONGEST_PLAIN = 1_000


@dataclass(frozen=True, slots=True)
class ObjectStart:
    """A conversation begins."""


@dataclass(frozen=True, slots=True)
class ObjectMember:
    """A member of a conversation, except those that hold its turns."""

    name: str
    value: object


@dataclass(frozen=True, slots=True)
class JsonItem:
    """A turn, not yet decoded, with its key where it has one."""

    key: str
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class ObjectEnd:
    """A conversation ends, properly or because the document was cut short."""


JsonEvent = ObjectStart | ObjectMember | JsonItem | ObjectEnd | UnreadableEntry


def parse_entries(chunks: Iterable[bytes], *, inner: frozenset[str], longest: int = LONGEST) -> Iterator[JsonEvent]:
    """Yield every object of a list, wrapped list or sequence; members named `inner` hold the turns."""
    feed = _ByteFeed(chunks, longest)
    try:
        while feed.peek_byte():
            yield from _parse_entry(feed, inner, _DEEPEST)
    except EOFError:
        yield UnreadableEntry(where=f"byte {feed.position:,}", why="it is cut short")


def _parse_entry(feed: _ByteFeed, inner: frozenset[str], deepest: int) -> Iterator[JsonEvent]:
    match feed.peek_byte():
        case b"{":
            yield ObjectStart()
            try:
                yield from _parse_members(feed, inner, deepest)
            except EOFError:
                yield ObjectEnd()  # everything so far is whole
                raise
            yield ObjectEnd()
        case b"[" if deepest:
            feed.skip_byte()
            while feed.require_byte() != b"]":
                yield from _parse_entry(feed, inner, deepest - 1)
            feed.skip_byte()
        case _:
            yield from _skip_stray(feed)


def _parse_members(feed: _ByteFeed, inner: frozenset[str], deepest: int) -> Iterator[JsonEvent]:
    feed.skip_byte()
    while (char := feed.require_byte()) != b"}":
        if char != b'"':
            yield from _skip_stray(feed)
            continue
        key = _decode_value(f"byte {feed.position:,}", feed.read_value())
        name = key if isinstance(key, str) else ""
        if feed.require_byte() == b":":
            feed.skip_byte()
        char = feed.require_byte()
        if name in inner and char in b"[{":
            yield from _parse_items(feed)
        elif name in WRAPPERS and char == b"[" and deepest:
            yield from _parse_entry(feed, inner, deepest - 1)
        else:
            value = _decode_value(f"{name!r} at byte {feed.position:,}", feed.read_value())
            yield value if isinstance(value, UnreadableEntry) else ObjectMember(name, value)
    feed.skip_byte()


def _parse_items(feed: _ByteFeed) -> Iterator[JsonEvent]:
    """Yield the values of a list or an object, with their keys."""
    keyed = feed.require_byte() == b"{"
    feed.skip_byte()
    while (char := feed.require_byte()) not in (b"]", b"}"):
        key = ""
        if keyed and char == b'"':
            value = _decode_value("", feed.read_value())
            key = value if isinstance(value, str) else ""
            if feed.require_byte() == b":":
                feed.skip_byte()
        at, data = feed.position, feed.read_value()
        yield _too_long(f"byte {at:,}") if data is None else JsonItem(key, at, data)
    feed.skip_byte()


def _skip_stray(feed: _ByteFeed) -> Iterator[JsonEvent]:
    at, data = feed.position, feed.read_value()
    yield make_unreadable(f"byte {at:,}", "it is not a conversation", data or b"")


def _decode_value(where: str, data: bytes | None) -> object | UnreadableEntry:
    if data is None:
        return _too_long(where)
    try:
        return decode_json(data)
    except ValueError as error:
        return make_unreadable(where, str(error), data)


def _too_long(where: str) -> UnreadableEntry:
    return UnreadableEntry(where=where, why=f"it is longer than {LONGEST // 1024 // 1024} MB")


class _ByteFeed:
    """The bytes as they come; only those still needed are held."""

    def __init__(self, chunks: Iterable[bytes], longest: int) -> None:
        self._chunks, self._longest = iter(chunks), longest
        self._buffer, self._offset, self._consumed = b"", 0, 0

    @property
    def position(self) -> int:
        """Return the position in the document."""
        return self._consumed + self._offset

    def peek_byte(self) -> bytes:
        """Return the next byte that is no space; empty at the end."""
        while True:
            found = _SPACE.match(self._buffer, self._offset)
            self._offset = found.end() if found else self._offset
            if self._offset < len(self._buffer) and not (self.position == 0 and self._buffer in (b"\xef", b"\xef\xbb")):
                return self._buffer[self._offset : self._offset + 1]
            if not self._read_more():
                return self._buffer[self._offset : self._offset + 1]

    def require_byte(self) -> bytes:
        """Return the next byte; EOFError at the end."""
        char = self.peek_byte()
        if not char:
            raise EOFError
        return char

    def skip_byte(self) -> None:
        """Skip one byte."""
        self._offset += 1

    def read_value(self) -> bytes | None:
        """Return the bytes of the next value, None where it is too long; EOFError where it does not end."""
        char = self.require_byte()
        if char in b'"[{':
            return self._read_bracketed()
        if char in b"]}:":
            self.skip_byte()  # closes nothing: skipped, so that what follows is found
            return char
        value = b""
        while True:
            found = _PLAIN.match(self._buffer, self._offset)
            value += found[0] if found else b""
            self._offset += len(found[0]) if found else 0
            if self._offset < len(self._buffer) or len(value) > _LONGEST_PLAIN:
                return value
            if not self._read_more():
                raise EOFError  # it might continue

    def _read_bracketed(self) -> bytes | None:
        parts, size, scan = [], 0, _ValueScanner()
        while True:
            end = scan.scan_bytes(self._buffer, self._offset)
            size += end - self._offset
            parts.append(self._buffer[self._offset : end])
            self._offset = end
            if size > self._longest:
                parts = []
            if scan.is_over:
                return b"".join(parts) if size <= self._longest else None
            if not self._read_more():
                raise EOFError

    def _read_more(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        self._consumed += self._offset
        self._buffer, self._offset = self._buffer[self._offset :] + chunk, 0
        return True


class _ValueScanner:
    """The nesting depth of a value, and whether a string is open."""

    def __init__(self) -> None:
        self._depth, self._in_string = 0, False
        self.is_over = False

    def scan_bytes(self, data: bytes, place: int) -> int:
        """Return where the value ends in these bytes, or how far they were scanned."""
        while place < len(data) and not self.is_over:
            pattern = _IN_STRING if self._in_string else _BETWEEN
            found = pattern.match(data, place) if self._in_string or self._depth else None
            place = found.end() if found else place
            if place == len(data) or data[place] == 0x5C:  # a backslash whose character has not arrived
                return place
            char = data[place : place + 1]
            if char == b'"':
                self._in_string = not self._in_string
            else:
                self._depth += 1 if char in b"[{" else -1
            self.is_over = not self._depth and not self._in_string
            place += 1
        return place
