"""Encode turns, facts, topics and heads as JSON lines in gzip members, and decode them leniently."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date
from io import BufferedReader

from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.core.value import take_nonempty
from memvault.text.dates.dates import read_moment
from memvault.transcripts.model.record import LONGEST, Raw
from memvault.transcripts.model.redact import replace_all_surrogates, replace_surrogates

FORMAT = 1
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # it may be half of a surrogate pair


def encode_line(record: Raw) -> bytes:
    """Encode a record as one line, replacing surrogates, which no encoding can carry."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return replace_surrogates(text).encode() + b"\n"


def decode_line(data: bytes) -> Raw | None:
    """Decode the record on a line; None where it is none."""
    try:
        found = json.loads(data)
        found = replace_all_surrogates(found) if _HALF.search(data) else found
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


# -- writing


def encode_turn(turn: Turn) -> Raw:
    """Encode a turn, without its empty members."""
    # To the microsecond: turns of one second have an order too.
    time = turn.time.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z" if turn.time else ""
    return {
        "id": turn.id,
        **take_nonempty(time=time, session=turn.session, speaker=turn.speaker, role=turn.role),
        "text": turn.text,
        **take_nonempty(deeds=list(turn.deeds)),
    }


def encode_head(conversation: Conversation) -> Raw:
    """Encode the head of a conversation."""
    speakers = list(conversation.speakers)
    return {
        "id": conversation.id,
        "source": conversation.source,
        **take_nonempty(title=conversation.title, project=conversation.project, speakers=speakers),
    }


def encode_fact(fact: Fact) -> Raw:
    """Encode a fact."""
    extra = take_nonempty(day=fact.day.isoformat() if fact.day else "", about=list(fact.about))
    return {"text": fact.text, **take_nonempty(speaker=fact.speaker), "turns": list(fact.turns), **extra}


def encode_trajectory(run: Trajectory) -> Raw:
    """Encode a topic."""
    return {"first": run.first, "last": run.last, **take_nonempty(summary=run.summary, keywords=list(run.keywords))}


# -- reading


def decode_turn(data: object) -> Turn | None:
    """Decode a turn; None where it has no id."""
    if not isinstance(data, Mapping) or not isinstance(data.get("id"), str):
        return None
    return Turn(
        id=data["id"],
        speaker=_text_member(data, "speaker"),
        text=_text_member(data, "text"),
        time=read_moment(_text_member(data, "time")),
        session=_text_member(data, "session"),
        role=_text_member(data, "role"),
        deeds=_text_list(data, "deeds"),
    )


def decode_head(data: object) -> Conversation | None:
    """Decode a head."""
    if not isinstance(data, Mapping) or not _text_member(data, "id"):
        return None
    return Conversation(
        id=_text_member(data, "id"),
        source=_text_member(data, "source"),
        title=_text_member(data, "title"),
        project=_text_member(data, "project"),
        speakers=_text_list(data, "speakers"),
    )


def decode_fact(data: object) -> Fact | None:
    """Decode a fact; None where it has no text or no turns."""
    if not isinstance(data, Mapping) or not (_text_member(data, "text") and _text_list(data, "turns")):
        return None
    return Fact(
        text=_text_member(data, "text"),
        speaker=_text_member(data, "speaker"),
        turns=_text_list(data, "turns"),
        day=_parse_day(_text_member(data, "day")),
        about=_text_list(data, "about"),
    )


def decode_trajectory(data: object) -> Trajectory | None:
    """Decode a topic; None where its places are invalid."""
    if not isinstance(data, Mapping):
        return None
    first, last = data.get("first"), data.get("last")
    if not isinstance(first, int) or not isinstance(last, int) or not 0 <= first <= last:
        return None
    return Trajectory(
        first=first, last=last, summary=_text_member(data, "summary"), keywords=_text_list(data, "keywords")
    )


def _text_member(data: Raw, name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _text_list(data: Raw, name: str) -> tuple[str, ...]:
    value = data.get(name)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _parse_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


# The numbers of turns, also where a part was lost.

_MOST_LOST = 1_000_000  # a larger number was not written by us


class TurnCounter:
    """Counts the turns of a file, member by member."""

    def __init__(self) -> None:
        self.number = 0  # of the next turn
        self.turns = 0  # one more than the highest number so far

    def start_member(self, head: Raw | None) -> None:
        """Start a member with its first line."""
        self.number = self.turns
        data = head.get("n") if head and "head" in head else None
        if not isinstance(data, int) or not 0 <= data <= self.turns + _MOST_LOST:
            return
        self.number = data if head and is_filling(head) else max(self.turns, data)

    def next_number(self) -> int:
        """Return the number of the next turn."""
        number = self.number
        self.number += 1
        self.turns = max(self.turns, self.number)
        return number


def is_filling(head: Raw) -> bool:
    """Return whether a member holds restored turns, under the numbers that they had."""
    return head.get("fills") is True


# Concatenated gzip members, each with its own length.

# A gzip header without time or name, and an extra field that holds the length of the member.
_HEAD = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x08\0MV\x04\0"
_OPENING = len(_HEAD) + 4
_ANY_GZIP = b"\x1f\x8b\x08"
_LEVEL = 6
_WBITS = 31  # gzip
_MOST = 4 * LONGEST  # of text in one member: more was not written by us
_WINDOW = 1 << 20
_PEEK = 8_192  # enough for the first line of a member


@dataclass(frozen=True, slots=True)
class GzipMember:
    """Where a member begins and ends."""

    at: int
    to: int
    misled: bool = False  # its stated end is wrong


@dataclass(frozen=True, slots=True)
class MemberGap:
    """Bytes that are no member: `torn` where a killed writer did not finish one."""

    at: int
    to: int
    torn: bool


def pack_member(text: bytes) -> bytes:
    """Pack a text into a member."""
    press = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    body = press.compress(text) + press.flush()
    tail = zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFF_FFFF).to_bytes(4, "little")
    size = _OPENING + len(body) + len(tail)
    return _HEAD + size.to_bytes(4, "little") + body + tail


def read_members(stream: BufferedReader, size: int, *, at: int = 0) -> Iterator[tuple[GzipMember, bytes] | MemberGap]:
    """Yield every whole member from an offset on with its text, and the damaged parts between them."""
    while at < size:
        part = read_part(stream, size, at)
        found = unpack_member(stream, part) if isinstance(part, GzipMember) else None
        if isinstance(part, GzipMember) and found:
            text, to = found
            yield GzipMember(at, to, misled=part.misled or to != part.to), text
        else:
            # A wrong length may reach over whole members.
            to = _find_member(stream, at + 1, part.to)
            yield MemberGap(at, to, torn=isinstance(part, MemberGap) and part.torn)
        at = to


def unpack_member(stream: BufferedReader, member: GzipMember) -> tuple[bytes, int] | None:
    """Return the text of a member and where it ends: not the stated end, where the length is wrong."""
    stream.seek(member.at)
    press = zlib.decompressobj(_WBITS)
    try:
        text = press.decompress(stream.read(min(member.to - member.at, _MOST)), _MOST)
    except zlib.error:
        return None
    return (text, stream.tell() - len(press.unused_data)) if press.eof else None


def read_first_line(stream: BufferedReader, member: GzipMember) -> bytes:
    """Return the first line of a member without reading the rest; empty where it is damaged."""
    stream.seek(member.at)
    try:
        text = zlib.decompressobj(_WBITS).decompress(stream.read(min(member.to - member.at, _PEEK)), _PEEK)
    except zlib.error:
        return b""
    return text.partition(b"\n")[0]


def read_part(stream: BufferedReader, size: int, at: int) -> GzipMember | MemberGap:
    """Return the member at an offset, or the bytes from there on that are none."""
    to = _stated_end(stream, at, size)
    if to and _may_end(stream, to, size):
        return GzipMember(at, to)
    stream.seek(at)
    opening = stream.read(len(_HEAD))
    end, is_broken = (
        _inflate_end(stream, at) if (opening.startswith(_ANY_GZIP) or opening == _HEAD[: len(opening)]) else (0, True)
    )
    if end:
        return GzipMember(at, end, misled=end != to and _starts_with(stream, at, _HEAD))
    to = _find_member(stream, at + 1, size)
    torn = to == size and (not is_broken or _is_blank(stream, at, size))
    return MemberGap(at, to, torn=torn)


def _stated_end(stream: BufferedReader, at: int, size: int) -> int:
    """Return the stated end of the member at an offset; 0 where it is impossible or missing."""
    stream.seek(at)
    opening = stream.read(_OPENING)
    if not opening.startswith(_HEAD) or len(opening) < _OPENING:
        return 0
    to = at + int.from_bytes(opening[len(_HEAD) :], "little")
    return to if at + _OPENING < to <= size else 0


def _may_end(stream: BufferedReader, to: int, size: int) -> bool:
    """Return whether an offset is the end of the file, or another member may begin there."""
    stream.seek(to)
    following = stream.read(len(_ANY_GZIP))
    return to == size or following == _ANY_GZIP[: len(following)] or not following.strip(b"\0")


def _starts_with(stream: BufferedReader, at: int, opening: bytes) -> bool:
    stream.seek(at)
    return stream.read(len(opening)) == opening


def _inflate_end(stream: BufferedReader, at: int) -> tuple[int, bool]:
    """Inflate the member at an offset; return its end, 0 where it has none, and whether it is broken."""
    stream.seek(at)
    press, to = zlib.decompressobj(_WBITS), at
    while not press.eof:
        chunk = stream.read(_WINDOW)
        if not chunk:
            return 0, False
        to += len(chunk)
        try:
            while chunk and not press.eof:
                press.decompress(chunk, _WINDOW)
                chunk = press.unconsumed_tail
        except zlib.error:
            return 0, True
    return to - len(press.unused_data), False


def _find_member(stream: BufferedReader, at: int, size: int) -> int:
    """Return where our next member may begin; the end of the file where there is none."""
    overlap = len(_HEAD) - 1
    while at < size:
        stream.seek(at)
        found = re.search(re.escape(_HEAD), stream.read(_WINDOW))
        if found:
            return min(at + found.start(), size)
        at += _WINDOW - overlap
    return size


def _is_blank(stream: BufferedReader, at: int, size: int) -> bool:
    """Return whether the end of a file is zeros that a power cut left there."""
    stream.seek(at)
    return size - at <= _MOST and not stream.read(size - at).strip(b"\0")
