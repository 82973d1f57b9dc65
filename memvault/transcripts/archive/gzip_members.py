"""Gzip members one behind the other: each whole in itself, each saying how long it is."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader

from memvault.transcripts.model.record import LONGEST

# A gzip header without time or name, and an extra field that holds the length of the member.
_HEAD = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x08\0MV\x04\0"
_OPENING = len(_HEAD) + 4
_ANY_GZIP = b"\x1f\x8b\x08"
_LEVEL = 6
_WBITS = 31  # gzip
_MOST = 4 * LONGEST  # of text in one member: what is more was not written by us
_WINDOW = 1 << 20
_PEEK = 8_192  # so much holds the first line of a member


@dataclass(frozen=True, slots=True)
class GzipMember:
    """Where a member begins, and the byte behind it."""

    at: int
    to: int
    misled: bool = False  # it says that it ends elsewhere


@dataclass(frozen=True, slots=True)
class MemberGap:
    """Bytes that are no member: `torn` where they are one that a dead writer did not finish."""

    at: int
    to: int
    torn: bool


def pack_member(text: bytes) -> bytes:
    """A member that holds some text."""
    press = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    body = press.compress(text) + press.flush()
    tail = zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFF_FFFF).to_bytes(4, "little")
    size = _OPENING + len(body) + len(tail)
    return _HEAD + size.to_bytes(4, "little") + body + tail


@dataclass(frozen=True, slots=True)
class _InflateResult:
    """What came of inflating from a place: the byte behind it, 0 where it does not end, and whether it is broken."""

    to: int
    broken: bool


def read_members(stream: BufferedReader, size: int, *, at: int = 0) -> Iterator[tuple[GzipMember, bytes] | MemberGap]:
    """Every whole member from a place on with its text, wherever it says that it ends, and what is damaged."""
    while at < size:
        part = read_part(stream, size, at)
        found = unpack_member(stream, part) if isinstance(part, GzipMember) else None
        if isinstance(part, GzipMember) and found:
            text, to = found
            yield GzipMember(at, to, misled=part.misled or to != part.to), text
        else:
            # A damaged length may reach over members that are whole.
            to = _find_member(stream, at + 1, part.to)
            yield MemberGap(at, to, torn=isinstance(part, MemberGap) and part.torn)
        at = to


def unpack_member(stream: BufferedReader, member: GzipMember) -> tuple[bytes, int] | None:
    """The text in a member, and the byte behind what holds it: not the member's, where its length is wrong."""
    stream.seek(member.at)
    press = zlib.decompressobj(_WBITS)
    try:
        text = press.decompress(stream.read(min(member.to - member.at, _MOST)), _MOST)
    except zlib.error:
        return None
    return (text, stream.tell() - len(press.unused_data)) if press.eof else None


def read_first_line(stream: BufferedReader, member: GzipMember) -> bytes:
    """How a member begins, read without the rest of it; empty where that is damaged."""
    stream.seek(member.at)
    try:
        text = zlib.decompressobj(_WBITS).decompress(stream.read(min(member.to - member.at, _PEEK)), _PEEK)
    except zlib.error:
        return b""
    return text.partition(b"\n")[0]


def list_members(stream: BufferedReader, size: int, *, at: int = 0) -> Iterator[GzipMember | MemberGap]:
    """The members from a place on, and what lies between them where they were damaged."""
    while at < size:
        part = read_part(stream, size, at)
        yield part
        at = part.to


def read_part(stream: BufferedReader, size: int, at: int) -> GzipMember | MemberGap:
    """The member at a place, or the bytes from there on that are none."""
    to = _stated_end(stream, at, size)
    if to and _may_end(stream, to, size):
        return GzipMember(at, to)
    found = _inflate_end(stream, at) if _is_begun(stream, at) else _InflateResult(0, broken=True)
    if found.to:
        return GzipMember(at, found.to, misled=found.to != to and _is_ours(stream, at))
    to = _find_member(stream, at + 1, size)
    torn = to == size and (not found.broken or _is_blank(stream, at, size))
    return MemberGap(at, to, torn=torn)


def _stated_end(stream: BufferedReader, at: int, size: int) -> int:
    """The byte behind the member that begins at a place, as it says; 0 where it cannot be so, or says nothing."""
    stream.seek(at)
    opening = stream.read(_OPENING)
    if not opening.startswith(_HEAD) or len(opening) < _OPENING:
        return 0
    to = at + int.from_bytes(opening[len(_HEAD) :], "little")
    return to if at + _OPENING < to <= size else 0


def _may_end(stream: BufferedReader, to: int, size: int) -> bool:
    """Whether another member follows a place, or nothing, or what may have been meant to be one."""
    stream.seek(to)
    following = stream.read(len(_ANY_GZIP))
    return to == size or following == _ANY_GZIP[: len(following)] or not following.strip(b"\0")


def _is_begun(stream: BufferedReader, at: int) -> bool:
    """Whether a member begins at a place, or as much of one as there is room for."""
    stream.seek(at)
    opening = stream.read(len(_HEAD))
    return opening.startswith(_ANY_GZIP) or opening == _HEAD[: len(opening)]


def _is_ours(stream: BufferedReader, at: int) -> bool:
    stream.seek(at)
    return stream.read(len(_HEAD)) == _HEAD


def _inflate_end(stream: BufferedReader, at: int) -> _InflateResult:
    """Where the member at a place ends, whatever it says of itself."""
    stream.seek(at)
    press, to = zlib.decompressobj(_WBITS), at
    while not press.eof:
        chunk = stream.read(_WINDOW)
        if not chunk:
            return _InflateResult(0, broken=False)
        to += len(chunk)
        try:
            while chunk and not press.eof:
                press.decompress(chunk, _WINDOW)
                chunk = press.unconsumed_tail
        except zlib.error:
            return _InflateResult(0, broken=True)
    return _InflateResult(to - len(press.unused_data), broken=False)


def _find_member(stream: BufferedReader, at: int, size: int) -> int:
    """Where the next member of ours may begin; the end of the file where there is none."""
    overlap = len(_HEAD) - 1
    while at < size:
        stream.seek(at)
        found = re.search(re.escape(_HEAD), stream.read(_WINDOW))
        if found:
            return min(at + found.start(), size)
        at += _WINDOW - overlap
    return size


def _is_blank(stream: BufferedReader, at: int, size: int) -> bool:
    """Whether the end of a file is zeros that a power cut left there."""
    stream.seek(at)
    return size - at <= _MOST and not stream.read(size - at).strip(b"\0")
