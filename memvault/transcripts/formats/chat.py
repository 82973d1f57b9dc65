"""Plain chats: who said what, as JSON in one object, in many, in a list, or one turn on each line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from memvault.transcripts.formats.entries import Closed, Item, Member, Opened, entries
from memvault.transcripts.formats.injected import spoken
from memvault.transcripts.formats.lines import decoded, message
from memvault.transcripts.formats.ordering import Naming, content_id
from memvault.transcripts.model.record import Bad, Kept, Raw, Record, Start, bad_bytes, moment, text_of
from memvault.transcripts.model.turn import Talk, Turn

NAME = "chat"
TURNS = frozenset({"turns", "messages"})
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "bot": "assistant"}

_ID = ("id", "uuid", "turn_id", "dia_id")
_SPEAKER = ("speaker", "role", "author", "name", "from", "sender")
_TEXT = ("text", "content", "message")
_TIME = ("time", "timestamp", "created_at", "date")
_MOST_SPEAKERS = 8
_HELD = 4 * 1024 * 1024  # of turns that come before it is known whose they are
_OPENING, _FEWEST, _TELLING = 8, 2, 80  # at most, at least so many turns, and characters, tell a conversation apart
_KNOWN = re.compile(rb'"(?:turns|speakers|messages|speaker)"\s*:')


def knows(first: bytes) -> bool:
    """Whether a file begins as a plain chat does."""
    return first.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and _KNOWN.search(first) is not None


def read(chunks: Iterable[bytes], start: Start) -> Iterator[Record]:
    """Every conversation in a chat file, turn by turn."""
    reading = _Reading(start)
    for event in entries(chunks, inner=TURNS):
        match event:
            case Opened():
                reading.open()
            case Member():
                reading.members[event.name] = event.value
            case Item():
                yield from reading.item(event)
            case Closed():
                yield from reading.close()
            case Bad():
                yield event
    yield from reading.end()


class _Reading:
    """The conversation that is being read."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._loose: list[Raw] | _Talk = []  # turns that stand in no conversation are one
        self.open()

    def open(self) -> None:
        """Another conversation begins."""
        self.members: dict[str, object] = {}
        self._talk: _Talk | None = None
        self._held: list[Item] = []
        self._size = 0

    def item(self, item: Item) -> Iterator[Record]:
        """One turn, held until it is known whose it is, but not for long."""
        self._held.append(item)
        self._size += len(item.data)
        if self._talk or text_of(self.members, *_ID) or self._size > _HELD:
            yield from self._let_go()

    def close(self) -> Iterator[Record]:
        """What is still held, and what the conversation has besides its turns."""
        if not self._talk and not self._held and text_of(self.members, *_TEXT):
            yield from self._add_loose(self.members)
        elif self._held or self._talk or self.members:
            yield from self._let_go()
            rest = {name: value for name, value in self.members.items() if name not in (*_ID, "speakers")}
            if rest:
                yield Kept(raw=rest)
        self.open()

    def end(self) -> Iterator[Record]:
        """The loose turns that were too few to name a conversation after."""
        if self._loose and isinstance(self._loose, list):
            yield from self._begin_loose(self._loose)

    def _add_loose(self, entry: Raw) -> Iterator[Record]:
        if isinstance(self._loose, _Talk):
            yield from self._loose.record(entry)
        else:
            self._loose.append(entry)
            if len(self._loose) >= _OPENING:
                yield from self._begin_loose(self._loose)

    def _begin_loose(self, entries: list[Raw]) -> Iterator[Record]:
        self._loose = _Talk({}, self._start, entries)
        yield self._loose.head
        for entry in entries:
            yield from self._loose.record(entry)

    def _let_go(self) -> Iterator[Record]:
        if self._talk is None:
            self._talk = _Talk(self.members, self._start, _decoded(self._held))
            yield self._talk.head
        held, self._held, self._size = self._held, [], 0
        for item in held:
            yield from self._talk.item(item)


class _Talk:
    """A conversation whose turns are given their ids and speakers."""

    def __init__(self, members: Raw, start: Start, opening: Iterable[Raw]) -> None:
        told = members.get("speakers")
        self._speakers = [str(one) for one in told] if isinstance(told, list) else []
        name = text_of(members, *_ID)
        self.head = Talk(
            id=name or _opening_id(opening),
            source=NAME,
            title=text_of(members, "title", "name") or ("" if name else start.name),
            project=text_of(members, "project", "cwd"),
            speakers=tuple(self._speakers),
        )
        self._start, self._naming = start, Naming()

    def item(self, item: Item) -> Iterator[Record]:
        """One turn, from its bytes."""
        try:
            entry = decoded(item.data)
        except ValueError as error:
            yield bad_bytes(f"byte {item.at:,}", str(error), item.data)
            return
        if isinstance(entry, Mapping):
            yield from self.record(entry)
        else:
            yield bad_bytes(f"byte {item.at:,}", "it is no turn", item.data)

    def record(self, entry: Raw) -> Iterator[Record]:
        """One turn."""
        turn = self._turn(entry)
        if not turn.text:
            yield Kept(raw=entry)
        else:
            yield from self._heard(turn.speaker)
            yield Kept(turn=turn, raw=_rest(entry, turn))

    def _turn(self, entry: Raw) -> Turn:
        speaker, said, session = _speaker(entry), _said(entry), text_of(entry, "session", "session_id")
        when = next((found for name in _TIME if (found := moment(entry.get(name), self._start.zone))), None)
        text = spoken(said, self._start.marks)
        return Turn(
            id=text_of(entry, *_ID) or (self._naming.name(speaker, session, _stamp(entry), text) if text else ""),
            speaker=speaker,
            text=text,
            time=when,
            session=session,
            role=ROLES.get(speaker.casefold(), ""),
        )

    def _heard(self, speaker: str) -> Iterator[Record]:
        if speaker and speaker not in self._speakers and len(self._speakers) < _MOST_SPEAKERS:
            self._speakers.append(speaker)
            self.head = replace(self.head, speakers=tuple(self._speakers))
            yield self.head


def _decoded(items: Iterable[Item]) -> Iterator[Raw]:
    for item in items:
        try:
            entry = decoded(item.data)
        except ValueError:
            continue  # told when its turn comes
        if isinstance(entry, Mapping):
            yield entry


def _opening_id(entries: Iterable[Raw]) -> str:
    """The id of a conversation that has none: by who said what and when at its beginning, so that it may grow."""
    told: list[str] = []
    size = count = 0
    for entry in entries:
        text = _said(entry)
        if not text or _speaker(entry) == "system":  # which is the same in many
            continue
        told += [_speaker(entry), _stamp(entry), text]
        size, count = size + len(text), count + 1
        if count == _OPENING or (count >= _FEWEST and size >= _TELLING):
            break
    return content_id(told)


def _said(entry: Raw) -> str:
    return next((message(entry[name]).text for name in _TEXT if entry.get(name)), "")


def _stamp(entry: Raw) -> str:
    """A time as it is written: read in another zone, it is the same."""
    return text_of(entry, *_TIME)


def _speaker(entry: Raw) -> str:
    for name in _SPEAKER:
        value = entry.get(name)
        told = text_of(value, "name", "role") if isinstance(value, Mapping) else text_of(entry, name)
        if told:
            return told
    return ""


def _rest(entry: Raw, turn: Turn) -> Raw | None:
    """What a turn does not say of its piece; None where it says all."""
    told = {"id": turn.id, "session": turn.session, "speaker": turn.speaker, "text": turn.text}
    rest = {name: value for name, value in entry.items() if not (name in told and value == told[name])}
    if turn.time and isinstance(rest.get("time"), str):
        del rest["time"]
    return rest or None
