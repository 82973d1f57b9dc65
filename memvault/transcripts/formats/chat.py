"""Read plain chats: turns as JSON in one object, in many, in a list, or one on each line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats.entries import JsonItem, ObjectEnd, ObjectMember, ObjectStart, parse_entries
from memvault.transcripts.formats.injected import without_our_blocks
from memvault.transcripts.formats.lines import IdAssigner, content_id, decode_json, parse_message
from memvault.transcripts.model.record import (
    Raw,
    ReadStart,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
    get_text,
    make_unreadable,
    parse_moment,
)

NAME = "chat"
TURNS = frozenset({"turns", "messages"})
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "bot": "assistant"}

_ID = ("id", "uuid", "turn_id", "dia_id")
_SPEAKER = ("speaker", "role", "author", "name", "from", "sender")
_TEXT = ("text", "content", "message")
_TIME = ("time", "timestamp", "created_at", "date")
_MOST_SPEAKERS = 8
_HELD = 4 * 1024 * 1024  # of turns held until their conversation is known
_OPENING, _FEWEST, _TELLING = 8, 2, 80  # turns at most and at least, and characters, that identify a conversation
_KNOWN = re.compile(rb'"(?:turns|speakers|messages|speaker)"\s*:')


def is_chat(first: bytes) -> bool:
    """Return whether a file begins as a plain chat."""
    return first.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and _KNOWN.search(first) is not None


def read_chat(chunks: Iterable[bytes], start: ReadStart) -> Iterator[TranscriptRecord]:
    """Yield every conversation of a chat file, turn by turn."""
    reading = _ChatReader(start)
    for event in parse_entries(chunks, inner=TURNS):
        match event:
            case ObjectStart():
                reading.open_conversation()
            case ObjectMember():
                reading.members[event.name] = event.value
            case JsonItem():
                yield from reading.read_item(event)
            case ObjectEnd():
                yield from reading.close_conversation()
            case UnreadableEntry():
                yield event
    yield from reading.flush_loose()


class _ChatReader:
    """The state of reading a chat file."""

    def __init__(self, start: ReadStart) -> None:
        self._start = start
        self._loose_turns: list[Raw] | _ChatConversation = []  # turns outside of any conversation form one
        self.open_conversation()

    def open_conversation(self) -> None:
        """Start another conversation."""
        self.members: dict[str, object] = {}
        self._talk: _ChatConversation | None = None
        self._held_items: list[JsonItem] = []
        self._size = 0

    def read_item(self, item: JsonItem) -> Iterator[TranscriptRecord]:
        """Read one turn; hold it until its conversation is known, but not for long."""
        self._held_items.append(item)
        self._size += len(item.data)
        if self._talk or get_text(self.members, *_ID) or self._size > _HELD:
            yield from self._release_held()

    def close_conversation(self) -> Iterator[TranscriptRecord]:
        """Yield the held turns, and the other members of the conversation."""
        if not self._talk and not self._held_items and get_text(self.members, *_TEXT):
            if isinstance(self._loose_turns, _ChatConversation):
                yield from self._loose_turns.read_entry(self.members)
            else:
                self._loose_turns.append(self.members)
                if len(self._loose_turns) >= _OPENING:
                    yield from self._begin_loose(self._loose_turns)
        elif self._held_items or self._talk or self.members:
            yield from self._release_held()
            rest = {name: value for name, value in self.members.items() if name not in (*_ID, "speakers")}
            if rest:
                yield TranscriptEntry(raw=rest)
        self.open_conversation()

    def flush_loose(self) -> Iterator[TranscriptRecord]:
        """Yield the loose turns that were too few for an id."""
        if self._loose_turns and isinstance(self._loose_turns, list):
            yield from self._begin_loose(self._loose_turns)

    def _begin_loose(self, entries: list[Raw]) -> Iterator[TranscriptRecord]:
        self._loose_turns = _ChatConversation({}, self._start, entries)
        yield self._loose_turns.head
        for entry in entries:
            yield from self._loose_turns.read_entry(entry)

    def _release_held(self) -> Iterator[TranscriptRecord]:
        if self._talk is None:
            self._talk = _ChatConversation(self.members, self._start, _decode_items(self._held_items))
            yield self._talk.head
        items, self._held_items, self._size = self._held_items, [], 0
        for item in items:
            yield from self._talk.read_item(item)


class _ChatConversation:
    """A conversation that gives its turns ids and speakers."""

    def __init__(self, members: Raw, start: ReadStart, opening: Iterable[Raw]) -> None:
        value = members.get("speakers")
        self._speakers = [str(one) for one in value] if isinstance(value, list) else []
        name = get_text(members, *_ID)
        self.head = Conversation(
            id=name or _make_id(opening),
            source=NAME,
            title=get_text(members, "title", "name") or ("" if name else start.name),
            project=get_text(members, "project", "cwd"),
            speakers=tuple(self._speakers),
        )
        self._start, self._naming = start, IdAssigner()

    def read_item(self, item: JsonItem) -> Iterator[TranscriptRecord]:
        """Yield one turn from its bytes."""
        try:
            entry = decode_json(item.data)
        except ValueError as error:
            yield make_unreadable(f"byte {item.at:,}", str(error), item.data)
            return
        if isinstance(entry, Mapping):
            yield from self.read_entry(entry)
        else:
            yield make_unreadable(f"byte {item.at:,}", "it is not a turn", item.data)

    def read_entry(self, entry: Raw) -> Iterator[TranscriptRecord]:
        """Yield one turn."""
        speaker, said, session = _speaker_name(entry), _entry_text(entry), get_text(entry, "session", "session_id")
        when = next((found for name in _TIME if (found := parse_moment(entry.get(name), self._start.zone))), None)
        text = without_our_blocks(said, self._start.marks)
        turn = Turn(
            id=get_text(entry, *_ID)
            or (self._naming.assign_id(speaker, session, _time_text(entry), text) if text else ""),
            speaker=speaker,
            text=text,
            time=when,
            session=session,
            role=ROLES.get(speaker.casefold(), ""),
        )
        if not turn.text:
            yield TranscriptEntry(raw=entry)
        else:
            if turn.speaker and turn.speaker not in self._speakers and len(self._speakers) < _MOST_SPEAKERS:
                self._speakers.append(turn.speaker)
                self.head = replace(self.head, speakers=tuple(self._speakers))
                yield self.head
            # What an entry has besides its turn; None where that is nothing.
            told = {"id": turn.id, "session": turn.session, "speaker": turn.speaker, "text": turn.text}
            rest = {name: value for name, value in entry.items() if not (name in told and value == told[name])}
            if turn.time and isinstance(rest.get("time"), str):
                del rest["time"]
            yield TranscriptEntry(turn=turn, raw=rest or None)


def _decode_items(items: Iterable[JsonItem]) -> Iterator[Raw]:
    for item in items:
        try:
            entry = decode_json(item.data)
        except ValueError:
            continue  # reported when its turn comes
        if isinstance(entry, Mapping):
            yield entry


def _make_id(entries: Iterable[Raw]) -> str:
    """Return an id made of who said what and when at the beginning, so that the conversation may grow."""
    value: list[str] = []
    size = count = 0
    for entry in entries:
        text = _entry_text(entry)
        if not text or _speaker_name(entry) == "system":  # it is the same in many
            continue
        value += [_speaker_name(entry), _time_text(entry), text]
        size, count = size + len(text), count + 1
        if count == _OPENING or (count >= _FEWEST and size >= _TELLING):
            break
    return content_id(value)


def _entry_text(entry: Raw) -> str:
    return next((parse_message(entry[name]).text for name in _TEXT if entry.get(name)), "")


def _time_text(entry: Raw) -> str:
    """Return a time as it is written: read in another zone, it is the same."""
    return get_text(entry, *_TIME)


def _speaker_name(entry: Raw) -> str:
    for name in _SPEAKER:
        value = entry.get(name)
        told = get_text(value, "name", "role") if isinstance(value, Mapping) else get_text(entry, name)
        if told:
            return told
    return ""
