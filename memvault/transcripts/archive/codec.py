"""Encode turns, facts, topics and heads as JSON lines, and decode them leniently."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping
from datetime import UTC, date

from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.text.dates.dates import read_moment
from memvault.transcripts.model.record import Raw
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
        **_nonempty(time=time, session=turn.session, speaker=turn.speaker, role=turn.role),
        "text": turn.text,
        **_nonempty(deeds=list(turn.deeds)),
    }


def encode_head(conversation: Conversation) -> Raw:
    """Encode the head of a conversation."""
    speakers = list(conversation.speakers)
    return {
        "id": conversation.id,
        "source": conversation.source,
        **_nonempty(title=conversation.title, project=conversation.project, speakers=speakers),
    }


def encode_fact(fact: Fact) -> Raw:
    """Encode a fact."""
    extra = _nonempty(day=fact.day.isoformat() if fact.day else "", about=list(fact.about))
    return {"text": fact.text, **_nonempty(speaker=fact.speaker), "turns": list(fact.turns), **extra}


def encode_trajectory(run: Trajectory) -> Raw:
    """Encode a topic."""
    return {"first": run.first, "last": run.last, **_nonempty(summary=run.summary, keywords=list(run.keywords))}


def _nonempty(**members: object) -> Raw:
    return {name: value for name, value in members.items() if value}


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


class LostNumbers:
    """The numbers of lost turns, each run keyed by the turn before it."""

    def __init__(self) -> None:
        self._runs: list[tuple[int, int, Hashable]] = []  # present turns: from, to, and the key of the last one
        self._behind: dict[Hashable, tuple[int, int]] = {}
        self._next, self._end = 0, 0

    def add_present(self, number: int, key: Hashable) -> None:
        """Record a turn that is present."""
        first = self._runs.pop()[0] if self._runs and self._runs[-1][1] == number else number
        self._runs.append((first, number + 1, key))

    def find_holes(self) -> None:
        """Find the lost numbers, once all present turns are recorded."""
        end, last = 0, None
        for first, behind, key in sorted(self._runs, key=lambda run: run[:2]):
            if first > end:
                self._behind[last] = (end, first)
            if behind > end:
                end, last = behind, key
        self._runs = []
        self.move_behind(None)

    def move_behind(self, key: Hashable) -> None:
        """Note a known turn of the source: the turns after it may be the lost ones behind it."""
        self._next, self._end = self._behind.pop(key, (0, 0))

    def next_lost(self) -> int | None:
        """Return the number that the next turn of the source had before it was lost; None for a new turn."""
        if self._next >= self._end:
            return None
        self._next += 1
        return self._next - 1
