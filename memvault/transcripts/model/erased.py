"""Filter records that were purged, or that expired with their conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from memvault.core.conversation import Conversation, Turn
from memvault.core.ids import is_id
from memvault.core.secrets.erase import FORGOTTEN_MARK
from memvault.transcripts.model.record import TranscriptEntry, TranscriptRecord

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
