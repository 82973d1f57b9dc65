"""Adding to a conversation of the archive: what is new in it, in whole members, never the same thing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from memvault import files
from memvault.core.talk import Talk, Turn
from memvault.core.talk.cleaning import Cleaning
from memvault.core.talk.record import Bad, Kept, Raw, ReadTo, Record, moment
from memvault.core.talk.seen import Seen
from memvault.vault.talks import codec
from memvault.vault.talks.members import packed
from memvault.vault.talks.origin import Origin
from memvault.vault.talks.transcript import Strand

MEMBER = 256 * 1024  # of text: so much a reader takes in at a time
MOST_TOLD = 20
_TIMES = ("timestamp", "created_at", "create_time")
_TURN, _RAW, _BETWEEN = b'{"turn":', b'{"raw":', b',"raw":'


@dataclass(slots=True)
class Tally:
    """What came of one addition to a conversation."""

    path: str = ""
    from_member: int = 0  # where what is new begins
    head: Talk | None = None
    turns: int = 0  # that are new
    kept: int = 0  # lines that make no turn, and are new
    repeated: int = 0
    bad: int = 0
    size: int = 0  # bytes written
    told: list[Bad] = field(default_factory=list)  # the first of what could not be read

    def skip(self, bad: Bad) -> None:
        """Count what could not be read, and remember the first."""
        self.bad += 1
        if len(self.told) < MOST_TOLD:
            self.told.append(bad)


class Addition:
    """What is added to one conversation: gathered, compared with what is there, and written member by member."""

    def __init__(self, name: Callable[[Talk, datetime | None], Path], there: Path | None, cleaning: Cleaning) -> None:
        self.tally = Tally()
        self._name, self._path, self._cleaning = name, there, cleaning
        self._seen, self._ids, self._turns = Seen(), Seen(), 0
        self._head: Talk | None = None
        self._when: datetime | None = None
        self._lines: list[bytes] = []
        self._size, self._before = 0, 0
        self._read_to: int | None = None
        self._at = self._recall() if there else 0
        self.tally.from_member = self._at

    def add(self, records: Iterable[Record], origin: Origin | None) -> Tally:
        """Take in all records, writing a member whenever one is full."""
        for record in records:
            self._take(record)
            if self._size >= MEMBER:
                self._write(origin)
        if self._turns or self._path:  # where nobody said anything, there is no conversation
            self._write(origin)
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
                self._keep(record)
            case Bad():
                self.tally.skip(record)
                if self._head and not record.unfinished:
                    text = self._cleaning.text(record.text)
                    self._put(codec.line({"bad": text, "why": record.why, "where": record.where}))
            case ReadTo():
                self._read_to = record.to

    # -- one line

    def _keep(self, kept: Kept) -> None:
        said = self._cleaning.turn(kept.turn) if kept.turn else None
        turn = self._new(said) if said and (said.text.strip() or said.deeds) else None
        raw = codec.line(self._cleaning.record(kept.raw))[:-1] if kept.raw else b""
        self._when = self._when or (turn.time if turn else None) or _dated(kept.raw)
        if raw and self._seen.add(raw):
            raw = b""
        if turn:
            told = codec.line(codec.of_turn(turn))[:-1]
            self._hold(_TURN + told + (_BETWEEN + raw if raw else b"") + b"}\n")
            self.tally.turns += 1
            self._turns += 1
        elif raw:
            self._hold(_RAW + raw + b"}\n")
            self.tally.kept += 1
        else:
            self.tally.repeated += 1

    def _new(self, turn: Turn) -> Turn | None:
        """The turn, under another id if that one is another's; None where it is there already."""
        name, number = turn.id, 1
        while not self._seen.add(_key(turn, name)):
            if not self._ids.add(name):
                return replace(turn, id=name) if number > 1 else turn
            number += 1
            name = f"{turn.id}~{number}"
        return None

    def _put(self, line: bytes) -> None:
        if self._seen.add(line):
            self.tally.repeated += 1
        else:
            self._hold(line)

    def _hold(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)

    # -- members

    def _write(self, origin: Origin | None) -> None:
        if not self._lines or self._head is None:
            return
        if self._path is None:
            self._path = self._name(self._head, self._when)
        before = self._turns - sum(line.startswith(_TURN) for line in self._lines)
        first = codec.line({"v": codec.FORMAT, "head": codec.of_head(self._head), "n": before})
        data = packed(b"".join((first, *self._lines, self._last(origin))))
        files.extend(self._path, data, at=self._at)
        self._at += len(data)
        self.tally.size += len(data)
        self._lines, self._size = [], 0

    def _last(self, origin: Origin | None) -> bytes:
        if origin is None or self._read_to is None:
            return b""
        mark = origin.mark(self._read_to)
        return codec.line({"read": {"origin": origin.key, "to": mark.to, "sum": mark.sum}})

    # -- what is there already

    def _recall(self) -> int:
        """Remember every line of the conversation; the place where the next member goes."""
        strand = Strand(self._path) if self._path else None
        for _, lines in strand.members() if strand else ():
            for line in lines:
                self._remember(line)
        return strand.end() if strand else 0

    def _remember(self, line: bytes) -> None:
        if line.startswith(_RAW):
            self._seen.add(line[len(_RAW) : -1])
        elif line.startswith(_TURN):
            told, _, raw = line[len(_TURN) : -1].partition(b"}" + _BETWEEN)
            turn = codec.turn_of(codec.record(told + b"}" if raw else told))
            if turn:
                self._seen.add(_key(turn, turn.id))
                self._ids.add(turn.id)
                self._turns += 1
            if raw:
                self._seen.add(raw)
        elif line.startswith(b'{"bad":'):
            self._seen.add(line + b"\n")


def _key(turn: Turn, name: str) -> tuple[str, str, str]:
    """What makes a turn the same: not its time, which may be read in another zone another day."""
    return name, turn.session, turn.text


def _dated(raw: Raw | None) -> datetime | None:
    """The time that a kept line gives."""
    return next((moment(raw[name], UTC) for name in _TIMES if raw and name in raw), None)
