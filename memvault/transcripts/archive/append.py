"""Adding to a conversation of the archive: what is new in it, in whole members, never the same thing twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from memvault.core.secrets.erase import FORGOTTEN
from memvault.system import files
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.codec import Count, Holes
from memvault.transcripts.archive.gzip_members import packed
from memvault.transcripts.archive.read import Strand
from memvault.transcripts.archive.source_file import Origin
from memvault.transcripts.model.clean import Cleaning
from memvault.transcripts.model.erased import IsGone, without_gone
from memvault.transcripts.model.record import Bad, Kept, Raw, ReadTo, Record, Seen, moment
from memvault.transcripts.model.turn import Talk, Turn

MEMBER = 256 * 1024  # of text: so much a reader takes in at a time
MOST_TOLD = 20
_TIMES = ("timestamp", "created_at", "create_time")
_TURN, _RAW, _BETWEEN, _REF = b'{"turn":', b'{"raw":', b',"raw":', b'{"ref":'
_BAD, _SHARING = b'{"bad":', "claude-code"
_SHARED = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

Elsewhere = Callable[[str, str], bool]
"""Whether a turn, by its id and text, is in another conversation."""


@dataclass(slots=True)
class Tally:
    """What came of one addition to a conversation."""

    path: str = ""
    from_member: int = 0  # where what is new begins
    head: Talk | None = None
    turns: int = 0  # that are new
    kept: int = 0  # lines that make no turn, and are new
    repeated: int = 0
    elsewhere: int = 0  # turns that another conversation has
    bad: int = 0
    size: int = 0  # bytes written
    gone: bool = False  # nothing of it was taken in, as it was forgotten for good
    lapsed: bool = False  # likewise, as all of it went when its time was over
    told: list[Bad] = field(default_factory=list)  # the first of what could not be read

    def skip(self, bad: Bad) -> None:
        """Count what could not be read, and remember the first."""
        self.bad += 1
        if len(self.told) < MOST_TOLD:
            self.told.append(bad)


class Addition:
    """What is added to one conversation: gathered, compared with what is there, and written member by member."""

    def __init__(
        self,
        name: Callable[[Talk, datetime | None], Path],
        there: Path | None,
        cleaning: Cleaning,
        elsewhere: Elsewhere | None = None,
        is_gone: IsGone | None = None,
    ) -> None:
        self.tally = Tally()
        self._name, self._path, self._cleaning, self._elsewhere = name, there, cleaning, elsewhere
        self._is_gone = is_gone
        self._seen, self._ids, self._turns = Seen(), Seen(), 0
        self._holes = Holes()
        self._filled: range | None = None  # the lost numbers that the turns of this member have
        self._head: Talk | None = None
        self._when: datetime | None = None
        self._lines: list[bytes] = []
        self._size = 0
        self._origin: Origin | None = None
        self._read_to: int | None = None
        self._at = self._recall() if there else 0
        self.tally.from_member = self._at

    def add(self, records: Iterable[Record], origin: Origin | None) -> Tally:
        """Take in all records, writing a member whenever one is full."""
        self._origin = origin
        for record in records:
            self._take(record)
            if self._size >= MEMBER:
                self._write()
        if self._turns or self._path:  # where nobody said anything, there is no conversation
            self._write()
        else:
            self.tally.kept = 0
        self.tally.head = self._head
        return self.tally

    @property
    def path(self) -> Path | None:
        """Where the conversation lies; None where nothing of it was worth a file."""
        return self._path

    def _take(self, record: Record) -> None:
        match record:
            case Talk():
                self._head = self._cleaning.head(record)
            case Kept():
                self._keep_unless_gone(record)
            case Bad():
                bad = self._cleaning.bad(record)
                self.tally.skip(bad)
                if self._head and not bad.unfinished:
                    self._put(codec.line({"bad": bad.text, "why": bad.why, "where": bad.where}))
            case ReadTo():
                self._read_to = record.to

    # -- one line

    def _keep_unless_gone(self, kept: Kept) -> None:
        left = kept if self._is_gone is None else without_gone(kept, self._head, self._is_gone)
        if left is None:
            self.tally.repeated += 1
        else:
            self._keep(left)

    def _keep(self, kept: Kept) -> None:
        said = self._cleaning.turn(kept.turn) if kept.turn else None
        turn = self._new(said) if said and (said.text.strip() or said.deeds) else None
        raw = codec.line(self._cleaning.record(kept.raw))[:-1] if kept.raw else b""
        self._when = self._when or (turn.time if turn else None) or _dated(kept.raw)
        if raw and self._seen.add(raw):
            raw = b""
        if turn:
            self._say(turn, raw)
        elif raw:
            self._hold(_RAW + raw + b"}\n")
            self.tally.kept += 1
        else:
            self.tally.repeated += 1

    def _new(self, turn: Turn) -> Turn | None:
        """The turn, under another id if that one is another's; None where it is there already, or elsewhere."""
        name, number = turn.id, 1
        if self._is_elsewhere(turn):
            return None
        while not self._seen.add(_key(turn, name)):
            if not self._ids.add(name):
                return replace(turn, id=name) if number > 1 else turn
            number += 1
            name = f"{turn.id}~{number}"
        self._holes.passed(_key(turn, name))
        return None

    def _is_elsewhere(self, turn: Turn) -> bool:
        """Whether another conversation has the turn, as where one is resumed in a new file; then it is only named."""
        line = codec.line({"ref": turn.id})
        if line in self._seen:
            return True
        if not (self._elsewhere and self._head and self._head.source == _SHARING and _SHARED.fullmatch(turn.id)):
            return False
        if _key(turn, turn.id) in self._seen or not self._elsewhere(turn.id, turn.text):
            return False
        self._seen.add(line)
        self._hold(line)
        self.tally.elsewhere += 1
        return True

    def _say(self, turn: Turn, raw: bytes) -> None:
        """One turn: at the end, or in a member of its own under the number that it had before it was lost."""
        number = self._holes.fill()
        due = None if self._filled is None else self._filled.stop
        if number != due:
            self._write()
            self._filled = None if number is None else range(number, number)
        if self._filled is not None:
            self._filled = range(self._filled.start, self._filled.stop + 1)
        else:
            self._turns += 1
        told = codec.line(codec.of_turn(turn))[:-1]
        self._hold(_TURN + told + (_BETWEEN + raw if raw else b"") + b"}\n")
        self.tally.turns += turn.text != FORGOTTEN  # of what is nowhere any more only the place is new

    def _put(self, line: bytes) -> None:
        if self._seen.add(line):
            self.tally.repeated += 1
        else:
            self._hold(line)

    def _hold(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)

    # -- members

    def _write(self) -> None:
        if not self._lines or self._head is None:
            return
        if self._path is None:
            self._path = self._name(self._head, self._when)
        data = packed(b"".join((self._first(), *self._lines, self._last())))
        files.extend(self._path, data, at=self._at)
        self._at += len(data)
        self.tally.size += len(data)
        self._lines, self._size = [], 0
        self._filled = None if self._filled is None else range(self._filled.stop, self._filled.stop)

    def _first(self) -> bytes:
        """The head of a member: of one that brings back what was lost, with the number of its first turn."""
        head: dict[str, object] = {"v": codec.FORMAT, "head": codec.of_head(self._head)} if self._head else {}
        if self._filled:
            return codec.line({**head, "n": self._filled.start, "fills": True})
        return codec.line({**head, "n": self._turns - sum(line.startswith(_TURN) for line in self._lines)})

    def _last(self) -> bytes:
        if self._origin is None or self._read_to is None:
            return b""
        mark = self._origin.mark(self._read_to)
        return codec.line({"read": {"origin": self._origin.key, "to": mark.to, "sum": mark.sum}})

    # -- what is there already

    def _recall(self) -> int:
        """Remember every line of the conversation; the place where the next member goes."""
        if self._path is None:
            return 0
        strand, count = Strand(self._path), Count()
        for _, lines in strand.members():
            count.member(codec.record(lines[0]))
            for line in lines:
                self._remember(line, count)
        self._turns = count.turns
        self._holes.settle()
        return strand.end()

    def _remember(self, line: bytes, count: Count) -> None:
        if line.startswith(_RAW):
            self._seen.add(line[len(_RAW) : -1])
        elif line.startswith(_TURN):
            told, _, raw = line[len(_TURN) : -1].partition(b"}" + _BETWEEN)
            turn = codec.turn_of(codec.record(told + b"}" if raw else told))
            if turn:
                key = _key(turn, turn.id)
                self._seen.add(key)
                self._ids.add(turn.id)
                self._holes.there(count.turn(), key)
            if raw:
                self._seen.add(raw)
        elif line.startswith((_BAD, _REF)):
            self._seen.add(line + b"\n")


def _key(turn: Turn, name: str) -> tuple[str, str, str]:
    """What makes a turn the same: not its time, which may be read in another zone another day."""
    return name, turn.session, turn.text


def _dated(raw: Raw | None) -> datetime | None:
    """The time that a kept line gives."""
    return next((moment(raw[name], UTC) for name in _TIMES if raw and name in raw), None)
