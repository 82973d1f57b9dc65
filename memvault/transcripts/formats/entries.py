"""Conversations in one large JSON document, told piece by piece, so that no document is ever held as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.transcripts.formats.lines import decoded
from memvault.transcripts.model.record import LONGEST, Bad, bad_bytes

WRAPPERS = frozenset({"conversations"})

# What stands between brackets: anything, and whole strings. Possessive, so that no text takes long.
_BETWEEN = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_PLAIN = re.compile(rb"[^\s,:{}\[\]\"]*+")
_SPACE = re.compile(rb"(?:[\s,\x1e]|\xef\xbb\xbf)*+")  # \x1e opens each value of a JSON text sequence
_DEEPEST = 4
_LONGEST_PLAIN = 1_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A conversation begins."""


@dataclass(frozen=True, slots=True)
class Member:
    """One of its members, but for those that hold its turns."""

    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Item:
    """One of its turns, not yet decoded, with its key where it has one."""

    key: str
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Closed:
    """The conversation ends, as it should or because the document was cut short."""


Event = Opened | Member | Item | Closed | Bad


def entries(chunks: Iterable[bytes], *, inner: frozenset[str], longest: int = LONGEST) -> Iterator[Event]:
    """Every object of a list, of a wrapped list or of a sequence; the members named `inner` hold the turns."""
    feed = _Feed(chunks, longest)
    try:
        while feed.peek():
            yield from _entry(feed, inner, _DEEPEST)
    except EOFError:
        yield Bad(where=f"byte {feed.at:,}", why="it is cut short")


def _entry(feed: _Feed, inner: frozenset[str], deepest: int) -> Iterator[Event]:
    match feed.peek():
        case b"{":
            yield Opened()
            try:
                yield from _members(feed, inner, deepest)
            except EOFError:
                yield Closed()  # what came so far is whole
                raise
            yield Closed()
        case b"[" if deepest:
            feed.skip()
            while feed.due() != b"]":
                yield from _entry(feed, inner, deepest - 1)
            feed.skip()
        case _:
            yield from _stray(feed)


def _members(feed: _Feed, inner: frozenset[str], deepest: int) -> Iterator[Event]:
    feed.skip()
    while (char := feed.due()) != b"}":
        if char != b'"':
            yield from _stray(feed)
            continue
        key = _value(f"byte {feed.at:,}", feed.value())
        name = key if isinstance(key, str) else ""
        if feed.due() == b":":
            feed.skip()
        char = feed.due()
        if name in inner and char in b"[{":
            yield from _items(feed)
        elif name in WRAPPERS and char == b"[" and deepest:
            yield from _entry(feed, inner, deepest - 1)
        else:
            value = _value(f"{name!r} at byte {feed.at:,}", feed.value())
            yield value if isinstance(value, Bad) else Member(name, value)
    feed.skip()


def _items(feed: _Feed) -> Iterator[Event]:
    """What a list holds, or what an object holds, by their keys."""
    keyed = feed.due() == b"{"
    feed.skip()
    while (char := feed.due()) not in (b"]", b"}"):
        key = ""
        if keyed and char == b'"':
            told = _value("", feed.value())
            key = told if isinstance(told, str) else ""
            if feed.due() == b":":
                feed.skip()
        at, data = feed.at, feed.value()
        yield _too_long(f"byte {at:,}") if data is None else Item(key, at, data)
    feed.skip()


def _stray(feed: _Feed) -> Iterator[Event]:
    at, data = feed.at, feed.value()
    yield bad_bytes(f"byte {at:,}", "it is no conversation", data or b"")


def _value(where: str, data: bytes | None) -> object | Bad:
    if data is None:
        return _too_long(where)
    try:
        return decoded(data)
    except ValueError as error:
        return bad_bytes(where, str(error), data)


def _too_long(where: str) -> Bad:
    return Bad(where=where, why=f"it is longer than {LONGEST // 1024 // 1024} MB")


class _Feed:
    """The bytes as they come, of which only those that are still needed are held."""

    def __init__(self, chunks: Iterable[bytes], longest: int) -> None:
        self._chunks, self._longest = iter(chunks), longest
        self._held, self._place, self._before = b"", 0, 0

    @property
    def at(self) -> int:
        """The place in the document."""
        return self._before + self._place

    def peek(self) -> bytes:
        """The next byte that is no space; empty at the end."""
        while True:
            found = _SPACE.match(self._held, self._place)
            self._place = found.end() if found else self._place
            if self._place < len(self._held) and not self._is_split_mark():
                return self._held[self._place : self._place + 1]
            if not self._more():
                return self._held[self._place : self._place + 1]

    def due(self) -> bytes:
        """The same where there must be one."""
        char = self.peek()
        if not char:
            raise EOFError
        return char

    def skip(self) -> None:
        """Pass over one byte."""
        self._place += 1

    def value(self) -> bytes | None:
        """The bytes of the next value, or None where they are too many; EOFError where it does not end."""
        char = self.due()
        if char == b'"':
            return self._bracketed()
        if char in b"[{":
            return self._bracketed()
        if char in b"]}:":
            self.skip()  # closes nothing: passed over, so that what follows is found
            return char
        return self._plain()

    def _plain(self) -> bytes:
        told = b""
        while True:
            found = _PLAIN.match(self._held, self._place)
            told += found[0] if found else b""
            self._place += len(found[0]) if found else 0
            if self._place < len(self._held) or len(told) > _LONGEST_PLAIN:
                return told
            if not self._more():
                raise EOFError  # it may have been longer

    def _bracketed(self) -> bytes | None:
        parts, size, scan = [], 0, _Scan()
        while True:
            end = scan.go(self._held, self._place)
            size += end - self._place
            parts.append(self._held[self._place : end])
            self._place = end
            if size > self._longest:
                parts = []
            if scan.is_over:
                return b"".join(parts) if size <= self._longest else None
            if not self._more():
                raise EOFError

    def _more(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        self._before += self._place
        self._held, self._place = self._held[self._place :] + chunk, 0
        return True

    def _is_split_mark(self) -> bool:
        """Whether only the first bytes of a byte order mark are there yet."""
        return self.at == 0 and self._held in (b"\xef", b"\xef\xbb")


class _Scan:
    """How deep in brackets a value is, and whether within a string."""

    def __init__(self) -> None:
        self._depth, self._in_string = 0, False
        self.is_over = False

    def go(self, held: bytes, place: int) -> int:
        """Where in these bytes the value ends, or up to where they were looked through."""
        while place < len(held) and not self.is_over:
            pattern = _IN_STRING if self._in_string else _BETWEEN
            found = pattern.match(held, place) if self._in_string or self._depth else None
            place = found.end() if found else place
            if place == len(held) or held[place] == 0x5C:  # a backslash whose letter has not come yet
                return place
            self._turn(held[place : place + 1])
            place += 1
        return place

    def _turn(self, char: bytes) -> None:
        if char == b'"':
            self._in_string = not self._in_string
        else:
            self._depth += 1 if char in b"[{" else -1
        self.is_over = not self._depth and not self._in_string
