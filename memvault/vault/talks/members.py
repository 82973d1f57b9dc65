"""Gzip members one behind the other: each whole in itself, each saying how long it is."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader

from memvault.core.talk.record import LONGEST

# A gzip header without time or name, and an extra field that holds the length of the member.
_HEAD = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x08\0MV\x04\0"
_OPENING = len(_HEAD) + 4
_ANY_GZIP = b"\x1f\x8b\x08"
_LEVEL = 6
_WBITS = 31  # gzip
_MOST = 4 * LONGEST  # of text in one member: what is more was not written by us
_WINDOW = 1 << 20


@dataclass(frozen=True, slots=True)
class Member:
    """Where a member begins, and the byte behind it."""

    at: int
    to: int


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes that are no member: `torn` where they are one that a dead writer did not finish."""

    at: int
    to: int
    torn: bool


def packed(text: bytes) -> bytes:
    """A member that holds some text."""
    press = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    body = press.compress(text) + press.flush()
    tail = zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFF_FFFF).to_bytes(4, "little")
    size = _OPENING + len(body) + len(tail)
    return _HEAD + size.to_bytes(4, "little") + body + tail


def unpacked(stream: BufferedReader, member: Member) -> bytes | None:
    """The text in a member, or None where it is damaged."""
    stream.seek(member.at)
    press = zlib.decompressobj(_WBITS)
    try:
        text = press.decompress(stream.read(member.to - member.at), _MOST)
    except zlib.error:
        return None
    return text if press.eof else None


def members(stream: BufferedReader, size: int, *, at: int = 0) -> Iterator[Member | Gap]:
    """The members from a place on, and what lies between them where they were damaged."""
    while at < size:
        to = _end(stream, at, size)
        if to:
            yield Member(at, to)
        else:
            to = _next(stream, at + 1, size)
            yield Gap(at, to, torn=to == size and _is_torn(stream, at, size))
        at = to


def _end(stream: BufferedReader, at: int, size: int) -> int:
    """The byte behind the member that begins at a place; 0 where there is none, or not all of one."""
    stream.seek(at)
    opening = stream.read(_OPENING)
    if opening.startswith(_HEAD) and len(opening) == _OPENING:
        to = at + int.from_bytes(opening[len(_HEAD) :], "little")
        return to if at + _OPENING < to <= size else 0
    return _end_of_foreign(stream, at) if opening.startswith(_ANY_GZIP) else 0


def _end_of_foreign(stream: BufferedReader, at: int) -> int:
    """The same of a member that another program wrote, which does not say how long it is."""
    stream.seek(at)
    press, to = zlib.decompressobj(_WBITS), at
    while not press.eof:
        chunk = stream.read(_WINDOW)
        if not chunk:
            return 0
        to += len(chunk)
        try:
            while chunk and not press.eof:
                press.decompress(chunk, _WINDOW)
                chunk = press.unconsumed_tail
        except zlib.error:
            return 0
    return to - len(press.unused_data)


def _next(stream: BufferedReader, at: int, size: int) -> int:
    """Where the next member of ours may begin; the end of the file where there is none."""
    overlap = len(_HEAD) - 1
    while at < size:
        stream.seek(at)
        found = re.search(re.escape(_HEAD), stream.read(_WINDOW))
        if found:
            return at + found.start()
        at += _WINDOW - overlap
    return size


def _is_torn(stream: BufferedReader, at: int, size: int) -> bool:
    """Whether the end of a file is the beginning of a member, or zeros that a power cut left in its place."""
    stream.seek(at)
    opening = stream.read(len(_HEAD))
    if opening == _HEAD[: len(opening)]:
        return True
    stream.seek(at)
    return size - at <= _MOST and not stream.read(size - at).strip(b"\0")
