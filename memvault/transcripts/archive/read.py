"""One conversation of the archive, read member by member; what is damaged is told, and the rest is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from pathlib import Path

from memvault.errors import Unreadable
from memvault.system import files
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.codec import Count, fills
from memvault.transcripts.archive.gzip_members import Gap, Member, first_line, members, opened, unpacked
from memvault.transcripts.archive.source_file import Mark
from memvault.transcripts.model.record import Raw
from memvault.transcripts.model.turn import Fact, Talk, Trajectory, Turn

LOST = "lost:"  # how the id of a turn begins that cannot be read any more


@dataclass(frozen=True, slots=True)
class Placed:
    """A turn, its number in the conversation from 0, and the member it lies in."""

    turn: Turn
    number: int
    member: int


class Strand:
    """One file of members: its lines, and what could not be read of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble: list[str] = []

    def size(self) -> int:
        """Its bytes; none where there is no file."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def parts(self, *, at: int = 0) -> list[Member | Gap]:
        """Where its members and gaps lie."""
        if not self.size():
            return []
        with files.stream(self.path) as stream:
            return list(members(stream, self.size(), at=at))

    def end(self) -> int:
        """The byte behind all that is whole: where the next member goes."""
        parts = self.parts()
        return (parts[-1].at if isinstance(parts[-1], Gap) and parts[-1].torn else parts[-1].to) if parts else 0

    def members(self, *, at: int = 0) -> Iterator[tuple[Member, list[bytes]]]:
        """Each whole member from a place on, with its lines."""
        self.trouble = []
        size = self.size()
        if not size:
            return
        with files.stream(self.path) as stream:
            for part in opened(stream, size, at=at):
                if isinstance(part, Gap):
                    self._tell(part)
                else:
                    member, text = part
                    self._tell(member)
                    yield member, text.split(b"\n")

    def _tell(self, part: Member | Gap) -> None:
        match part:
            case Gap(torn=False):
                self.trouble.append(f"bytes {part.at:,} to {part.to:,} are damaged")
            case Member(misled=True):
                self.trouble.append(f"byte {part.at:,} begins what says a wrong length of itself")

    def fills(self) -> dict[int, int]:
        """The members that hold turns which were lost from others: where each begins, by the number of its first."""
        found: dict[int, int] = {}
        with files.stream(self.path) as stream:
            for part in self.parts():
                told = codec.record(first_line(stream, part)) if isinstance(part, Member) else None
                number = told.get("n") if told and fills(told) else None
                if isinstance(number, int):
                    found[number] = part.at
        return found

    def records(self, *, at: int = 0) -> Iterator[tuple[Member, Raw]]:
        """Each record from a place on, with the member it lies in; lines that are none are passed over."""
        for member, lines in self.members(at=at):
            for line in lines:
                found = codec.record(line) if line else None
                if found is not None:
                    yield member, found


class Transcript:
    """A conversation with its facts and topics."""

    def __init__(self, talk: Path, side: Path) -> None:
        self.talk, self.side = Strand(talk), Strand(side)

    @property
    def trouble(self) -> list[str]:
        """What could not be read the last time that anything was."""
        return [*self.talk.trouble, *self.side.trouble]

    def head(self) -> Talk:
        """What is known of it as a whole, as it was told last; Unreadable where no part of it can be read."""
        head = next(self.heads(), None)
        if head is None:
            raise Unreadable(path=self.talk.path, reason="no part of it is whole")
        return head

    def heads(self) -> Iterator[Talk]:
        """What was known of it as a whole each time that something was added, the last first."""
        with files.stream(self.talk.path) as stream:
            for part in reversed(self.talk.parts()):
                found = unpacked(stream, part) if isinstance(part, Member) else None
                told = codec.record(found[0].partition(b"\n")[0]) if found else None
                head = codec.head_of(told.get("head")) if told else None
                if head:
                    yield head

    def placed(self, *, from_member: int = 0) -> Iterator[Placed]:
        """The turns from a member on, each with its place; from the first on also what was lost and came back."""
        ahead = self._placed(self.talk, from_member)
        if from_member or not (back := self._fills()):
            yield from ahead
            return
        number = -1
        for one in merge(ahead, self._filled(back), key=lambda one: one.number):
            if one.number > number:
                yield one
                number = one.number

    def turns(self, *, from_member: int = 0, start: int | None = None) -> Iterator[Turn]:
        """What was said, in order and each turn at its place: where one is lost, an empty one stands for it.

        From a later member on, `start` is the number of turns before it, if that is known.
        """
        due = start if from_member else 0
        for one in self.placed(from_member=from_member):
            for number in range(one.number if due is None else due, one.number):
                yield Turn(id=f"{LOST}{number}", speaker="", text="")
            yield one.turn
            due = one.number + 1

    def mended(self) -> int:
        """Where the last member begins that brings back turns which were lost; 0 where there is none."""
        return max(self._fills().values(), default=0)

    def _fills(self) -> dict[int, int]:
        return self.talk.fills() if self.talk.size() else {}

    def _filled(self, back: dict[int, int]) -> Iterator[Placed]:
        for _, at in sorted(back.items()):
            # One of its own, so that its trouble is not told for that of the whole.
            for one in self._placed(Strand(self.talk.path), at, filling=True):
                if one.member != at:
                    break
                yield one

    def _placed(self, strand: Strand, from_member: int, *, filling: bool = False) -> Iterator[Placed]:
        count = Count()
        for member, lines in strand.members(at=from_member):
            head = codec.record(lines[0])
            count.member(head)
            if (head is not None and fills(head)) is not filling:
                if filling:
                    return
                continue
            for line in lines:
                told = codec.record(line) if line else None
                turn = codec.turn_of(told.get("turn")) if told else None
                if turn:
                    yield Placed(turn, count.turn(), member.at)

    def facts(self, *, from_member: int = 0) -> Iterator[Fact]:
        """What it says in single facts; those that were extracted anew stand for all before."""
        for _, told in self.side.records(at=max(from_member, self.renewed())):
            fact = codec.fact_of(told.get("fact"))
            if fact:
                yield fact

    def trajectories(self, *, from_member: int = 0) -> Iterator[Trajectory]:
        """Its topics in order; of two that begin at one turn, the later one."""
        found: dict[int, Trajectory] = {}
        for _, told in self.side.records(at=max(from_member, self.renewed())):
            run = codec.trajectory_of(told.get("trajectory"))
            if run:
                found[run.first] = run
        return iter(sorted(found.values(), key=lambda run: run.first))

    def renewed(self) -> int:
        """The member from which facts and topics were extracted anew; 0 where they never were."""
        renewed = 0
        for member, lines in self.side.members():
            told = codec.record(lines[0]) if lines else None
            if told and told.get("anew") is True:
                renewed = member.at
        return renewed

    def marks(self) -> dict[str, Mark]:
        """How far each file that it came from was read."""
        found: dict[str, Mark] = {}
        for _, lines in self.talk.members():
            for line in reversed(lines):
                if line.startswith(b'{"read":'):
                    _learn(codec.record(line), found)
                elif line:
                    break  # it is the last thing in a member
        return found


def _learn(told: Raw | None, marks: dict[str, Mark]) -> None:
    read = told.get("read") if told else None
    if isinstance(read, dict):
        key, to, told_sum = read.get("origin"), read.get("to"), read.get("sum")
        if isinstance(key, str) and isinstance(to, int) and isinstance(told_sum, str):
            marks[key] = Mark(to, told_sum)
