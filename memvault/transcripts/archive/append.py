"""Append to a conversation of the archive: only what is new, in whole gzip members."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from memvault.core.conversation import Conversation, Turn
from memvault.core.secrets.erase import FORGOTTEN_MARK
from memvault.system import files
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.codec import TurnCounter, pack_member
from memvault.transcripts.archive.read import MemberFile
from memvault.transcripts.archive.source_file import SourceFile
from memvault.transcripts.model.record import (
    IsPurgedTurn,
    ReadPosition,
    SeenSet,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
    parse_moment,
    without_purged,
)
from memvault.transcripts.model.redact import Redactor

MEMBER = 256 * 1024  # of text: what a reader holds at a time
MOST_REPORTED = 20
_TIMES = ("timestamp", "created_at", "create_time")
_TURN, _RAW, _BETWEEN, _REF = b'{"turn":', b'{"raw":', b',"raw":', b'{"ref":'
_BAD, _SHARING = b'{"bad":', "claude-code"
_SHARED = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

IsKnownElsewhere = Callable[[str, str], bool]
"""Whether a turn, by its id and text, is in another conversation."""


@dataclass(slots=True)
class AppendResult:
    """The result of one append to a conversation."""

    path: str = ""
    head: Conversation | None = None
    turns: int = 0  # new ones
    other_lines: int = 0  # new lines without a turn
    repeated: int = 0
    elsewhere: int = 0  # turns of another conversation
    unreadable_count: int = 0
    size: int = 0  # bytes written
    purged: bool = False  # nothing was archived, as the conversation was purged
    expired: bool = False  # nothing was archived, as all of it had expired
    unreadable: list[UnreadableEntry] = field(default_factory=list)  # the first few unreadable entries

    def count_unreadable(self, bad: UnreadableEntry) -> None:
        """Count what could not be read, and keep the first few."""
        self.unreadable_count += 1
        if len(self.unreadable) < MOST_REPORTED:
            self.unreadable.append(bad)


class ConversationWriter:
    """One append to a conversation: compares records with the archived ones, and writes member by member."""

    def __init__(
        self,
        name: Callable[[Conversation, datetime | None], Path],
        existing: Path | None,
        cleaning: Redactor,
        elsewhere: IsKnownElsewhere | None = None,
        is_gone: IsPurgedTurn | None = None,
    ) -> None:
        self.tally = AppendResult()
        self._make_path, self.path, self._cleaning, self._elsewhere = name, existing, cleaning, elsewhere
        self._is_gone = is_gone
        self._seen_lines, self._turn_ids, self._turns = SeenSet(), SeenSet(), 0
        self._holes = _LostNumbers()
        self._filled: range | None = None  # the lost numbers restored by this member
        self._head: Conversation | None = None
        self._first_time: datetime | None = None
        self._lines: list[bytes] = []
        self._size = 0
        self._origin: SourceFile | None = None
        self._read_to: int | None = None
        self._end = self._read_existing() if existing else 0

    def write_records(self, records: Iterable[TranscriptRecord], origin: SourceFile | None) -> AppendResult:
        """Add all records, writing a member whenever one is full."""
        self._origin = origin
        for record in records:
            self._add_record(record)
            if self._size >= MEMBER:
                self._write_member()
        if self._turns or self.path:  # without a turn there is no conversation
            self._write_member()
        else:
            self.tally.other_lines = 0
        self.tally.head = self._head
        return self.tally

    def _add_record(self, record: TranscriptRecord) -> None:
        match record:
            case Conversation():
                self._head = self._cleaning.redact_head(record)
            case TranscriptEntry():
                entry = without_purged(record, self._head, self._is_gone) if self._is_gone else record
                if entry:
                    self._add_entry(entry)
                else:
                    self.tally.repeated += 1
            case UnreadableEntry():
                bad = self._cleaning.redact_unreadable(record)
                self.tally.count_unreadable(bad)
                if self._head and not bad.unfinished:
                    line = codec.encode_line({"bad": bad.text, "why": bad.why, "where": bad.where})
                    if self._seen_lines.add(line):
                        self.tally.repeated += 1
                    else:
                        self._buffer_line(line)
            case ReadPosition():
                self._read_to = record.to

    # -- one line

    def _add_entry(self, entry: TranscriptEntry) -> None:
        redacted = self._cleaning.redact_turn(entry.turn) if entry.turn else None
        turn = self._new_turn(redacted) if redacted and (redacted.text.strip() or redacted.deeds) else None
        raw = codec.encode_line(self._cleaning.redact_record(entry.raw))[:-1] if entry.raw else b""
        times = (parse_moment(entry.raw[name], UTC) for name in _TIMES if entry.raw and name in entry.raw)
        self._first_time = self._first_time or (turn.time if turn else None) or next(times, None)
        if raw and self._seen_lines.add(raw):
            raw = b""
        if turn:
            # Add a turn: at the end, or in a member of its own under the number that it had before it was lost.
            number = self._holes.next_lost()
            due = None if self._filled is None else self._filled.stop
            if number != due:
                self._write_member()
                self._filled = None if number is None else range(number, number)
            if self._filled is not None:
                self._filled = range(self._filled.start, self._filled.stop + 1)
            else:
                self._turns += 1
            line_json = codec.encode_line(codec.encode_turn(turn))[:-1]
            self._buffer_line(_TURN + line_json + (_BETWEEN + raw if raw else b"") + b"}\n")
            self.tally.turns += turn.text != FORGOTTEN_MARK  # of a purged turn only the place is new
        elif raw:
            self._buffer_line(_RAW + raw + b"}\n")
            self.tally.other_lines += 1
        else:
            self.tally.repeated += 1

    def _new_turn(self, turn: Turn) -> Turn | None:
        """Return the turn, under another id if that one is taken; None where it is known here or elsewhere."""
        name, number = turn.id, 1
        if self._is_elsewhere(turn):
            return None
        while not self._seen_lines.add((name, *turn.key[1:])):
            if not self._turn_ids.add(name):
                return replace(turn, id=name) if number > 1 else turn
            number += 1
            name = f"{turn.id}~{number}"
        self._holes.move_behind((name, *turn.key[1:]))
        return None

    def _is_elsewhere(self, turn: Turn) -> bool:
        """Return whether another conversation has the turn, as when a file continues it; then add a reference."""
        line = codec.encode_line({"ref": turn.id})
        if line in self._seen_lines:
            return True
        if not (self._elsewhere and self._head and self._head.source == _SHARING and _SHARED.fullmatch(turn.id)):
            return False
        if turn.key in self._seen_lines or not self._elsewhere(turn.id, turn.text):
            return False
        self._seen_lines.add(line)
        self._buffer_line(line)
        self.tally.elsewhere += 1
        return True

    def _buffer_line(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)

    # -- members

    def _write_member(self) -> None:
        if not self._lines or self._head is None:
            return
        if self.path is None:
            self.path = self._make_path(self._head, self._first_time)
        first = (
            self._filled.start if self._filled else self._turns - sum(line.startswith(_TURN) for line in self._lines)
        )
        head = {"v": codec.FORMAT, "head": codec.encode_head(self._head), "n": first}
        # A member that restores lost turns has the number of its first turn.
        lines = [codec.encode_line({**head, "fills": True} if self._filled else head), *self._lines]
        if self._origin is not None and self._read_to is not None:
            mark = self._origin.make_mark(self._read_to)
            lines.append(codec.encode_line({"read": {"origin": self._origin.key, "to": mark.to, "sum": mark.sum}}))
        data = pack_member(b"".join(lines))
        files.extend_at(self.path, data, at=self._end)
        self._end += len(data)
        self.tally.size += len(data)
        self._lines, self._size = [], 0
        self._filled = None if self._filled is None else range(self._filled.stop, self._filled.stop)

    # -- archived lines

    def _read_existing(self) -> int:
        """Read every archived line of the conversation, and return the offset of the next member."""
        if self.path is None:
            return 0
        strand, count = MemberFile(self.path), TurnCounter()
        for _, lines in strand.read_members():
            count.start_member(codec.decode_line(lines[0]))
            for line in lines:
                self._remember_line(line, count)
        self._turns = count.turns
        self._holes.find_holes()
        return strand.append_offset()

    def _remember_line(self, line: bytes, count: TurnCounter) -> None:
        if line.startswith(_RAW):
            self._seen_lines.add(line[len(_RAW) : -1])
        elif line.startswith(_TURN):
            line_json, _, raw = line[len(_TURN) : -1].partition(b"}" + _BETWEEN)
            turn = codec.decode_turn(codec.decode_line(line_json + b"}" if raw else line_json))
            if turn:
                self._seen_lines.add(turn.key)
                self._turn_ids.add(turn.id)
                self._holes.add_present(count.next_number(), turn.key)
            if raw:
                self._seen_lines.add(raw)
        elif line.startswith((_BAD, _REF)):
            self._seen_lines.add(line + b"\n")


class _LostNumbers:
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
