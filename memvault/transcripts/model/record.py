"""The records of format readers: heads, entries with turns, and unreadable entries."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from memvault.core.conversation import Conversation, Turn
from memvault.core.ids import is_id
from memvault.core.secrets.erase import FORGOTTEN_MARK
from memvault.text.dates.dates import read_moment

# The longest piece that is decoded at once. More would not stay under 300 MB, whatever the script.
LONGEST = 16 * 1024 * 1024
_SHOWN = 1_000
_MILLISECONDS = 100_000_000_000  # in seconds, that would be the year 5138

Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEntry:
    """One entry of a source, and the turn that it makes, if any."""

    turn: Turn | None = None
    raw: Raw | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableEntry:
    """An entry that could not be read: where it stands, why, and how it begins."""

    where: str
    why: str
    text: str = ""
    unfinished: bool = False  # the end of a source that may still grow: not kept, and read again


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """All bytes before this one are in the records so far: reading may resume here."""

    to: int


TranscriptRecord = Conversation | TranscriptEntry | UnreadableEntry | ReadPosition


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStart:
    """What is known before reading: the file's name, the offset, the conversation that goes on there."""

    name: str = ""
    at: int = 0
    head: Conversation | None = None
    closed: bool = True  # nobody is writing it now
    zone: tzinfo = UTC
    marks: tuple[tuple[str, str], ...] = ()  # beginnings and ends of injected blocks


FormatReader = Callable[[Iterable[bytes], ReadStart], Iterator[TranscriptRecord]]


@dataclass(frozen=True, slots=True)
class TranscriptFormat:
    """One format: its name, its reader, how to recognize it, and whether its files grow."""

    name: str
    read: FormatReader
    recognizes: Callable[[bytes], bool]
    grows: bool = False


def make_unreadable(where: str, why: str, data: bytes = b"", *, unfinished: bool = False) -> UnreadableEntry:
    """Return an unreadable entry with as much of it as shows what it was."""
    return UnreadableEntry(where=where, why=why, text=data[:_SHOWN].decode("utf-8", "replace"), unfinished=unfinished)


def parse_moment(value: object, zone: tzinfo) -> datetime | None:
    """Return the time of a member: in words, or in seconds or milliseconds since 1970."""
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


def get_text(holder: Raw, *names: str) -> str:
    """Return the first of some members that holds text, stripped; empty where none does."""
    for name in names:
        value = holder.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


# A set of what was seen, in bounded memory: the older half is forgotten when it is full.

MOST = 2_000_000  # a conversation of half a million turns, with ids and raw lines, fits whole


class SeenSet:
    """A set of the last few million items, of which only the hashes are held."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._recent: set[int] = set()
        self._old: set[int] = set()

    def __contains__(self, thing: Hashable) -> bool:
        key = hash(thing)
        return key in self._recent or key in self._old

    def add(self, thing: Hashable) -> bool:
        """Add an item; return whether it was known."""
        if thing in self:
            return True
        if len(self._recent) >= self._most:
            self._old, self._recent = self._recent, set()
        self._recent.add(hash(thing))
        return False


# Records that were purged, or that expired with their conversation.

# Purged turns and conversations are known by their ids: their texts may be anybody's.

IsPurgedTurn = Callable[[str, str], bool]
"""Whether a turn was forgotten for good, by its conversation's id and its own; without the latter, all of that."""

_SITTINGS = ("sessionId", "session_id")


def is_conversation_purged(conversation: Conversation | None, is_gone: IsPurgedTurn) -> bool:
    """Return whether a conversation was purged as a whole."""
    return conversation is not None and is_gone(conversation.id, "")


def without_purged(
    entry: TranscriptEntry, conversation: Conversation | None, is_gone: IsPurgedTurn
) -> TranscriptEntry | None:
    """Return an entry without what was purged by id; None where nothing of it may be kept."""
    turn, raw, name = entry.turn, entry.raw, conversation.id if conversation else ""
    # A conversation that is resumed in a new file repeats the old one, under random ids.
    if any(is_id(id_) and is_gone(id_, "") for id_ in session_ids(entry)):
        return None
    if turn is not None and is_gone(name, turn.id):
        # The turn keeps its place, as others are counted by it.
        return TranscriptEntry(turn=replace(turn, text=FORGOTTEN_MARK, deeds=()), raw=None)
    if turn is None and raw is not None and is_gone(name, str(raw.get("uuid", ""))):
        return None
    return entry


def session_ids(entry: TranscriptEntry) -> tuple[str, ...]:
    """Return the ids of the sessions that an entry names."""
    raw = entry.raw or {}
    return (entry.turn.session if entry.turn else "", *(str(raw.get(name, "")) for name in _SITTINGS))


ExpiryLookup = Callable[[str], datetime | None]
"""Up to when a conversation, by its id, went as its time was over; None where it did not."""


def is_expired(entry: TranscriptEntry, conversation: str, lapsed: ExpiryLookup) -> bool:
    """Return whether an entry was said before its conversation, or the session it is repeated from, expired."""
    turn, others = entry.turn, {name for name in session_ids(entry) if is_id(name)} - {conversation}
    if turn is None:  # without a time it shares the fate of the turns around it, unless it is only repeated
        return any(lapsed(name) for name in others)
    ends = [end for name in (conversation, *others) if (end := lapsed(name))]
    return bool(ends) and (turn.time is None or turn.time <= max(ends))


class UnexpiredRecords:
    """The part of a source after its conversation expired; all of it where it did not."""

    def __init__(self, conversation: Conversation, lapsed: ExpiryLookup, *, is_there: bool) -> None:
        self._conversation_id, self._expired_until = conversation.id, lapsed
        self._is_archived = is_there  # a part was archived since, with its placeholders
        self.has_later_turns = lapsed(conversation.id) is None

    def filter_records(self, records: Iterable[TranscriptRecord]) -> Iterator[TranscriptRecord]:
        """Yield the records from the first later turn on; before it, placeholders of the earlier turns."""
        places: list[TranscriptEntry] = []
        for record in records:
            if isinstance(record, TranscriptEntry) and is_expired(record, self._conversation_id, self._expired_until):
                places += self._placeholder(record.turn)
                continue
            self.has_later_turns = self.has_later_turns or (
                isinstance(record, TranscriptEntry) and record.turn is not None
            )
            if self.has_later_turns:
                yield from places
                places = []
            if self.has_later_turns or isinstance(record, Conversation):
                yield record

    def _placeholder(self, turn: Turn | None) -> list[TranscriptEntry]:
        """Return a placeholder for an expired turn, as others are counted by it."""
        if turn is None or self._is_archived or self._expired_until(self._conversation_id) is None:
            return []
        return [TranscriptEntry(turn=replace(turn, text=FORGOTTEN_MARK, deeds=()))]
