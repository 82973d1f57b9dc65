"""Read one archived transcript member by member; report damage, and return the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from pathlib import Path

from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.errors import Unreadable
from memvault.system import files
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.codec import (
    GzipMember,
    MemberGap,
    TurnCounter,
    is_filling,
    read_first_line,
    read_members,
    read_part,
    unpack_member,
)
from memvault.transcripts.archive.source_file import ReadMark
from memvault.transcripts.model.record import Raw

LOST = "lost:"  # the id prefix of a lost turn


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn, its number in the conversation from 0, and the offset of its member."""

    turn: Turn
    number: int
    member: int


class MemberFile:
    """One file of gzip members: its lines, and its damage."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage: list[str] = []

    def file_size(self) -> int:
        """Return its size; 0 where there is no file."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def list_parts(self) -> list[GzipMember | MemberGap]:
        """Return where its members and gaps are."""
        size, at = self.file_size(), 0
        parts: list[GzipMember | MemberGap] = []
        if size:
            with files.open_stream(self.path) as stream:
                while at < size:
                    parts.append(read_part(stream, size, at))
                    at = parts[-1].to
        return parts

    def append_offset(self) -> int:
        """Return the end of everything that is whole: where the next member goes."""
        parts = self.list_parts()
        return (parts[-1].at if isinstance(parts[-1], MemberGap) and parts[-1].torn else parts[-1].to) if parts else 0

    def read_members(self, *, at: int = 0) -> Iterator[tuple[GzipMember, list[bytes]]]:
        """Yield each whole member from an offset on, with its lines."""
        self.damage = []
        size = self.file_size()
        if not size:
            return
        with files.open_stream(self.path) as stream:
            for part in read_members(stream, size, at=at):
                if isinstance(part, MemberGap):
                    self._note_damage(part)
                else:
                    member, text = part
                    self._note_damage(member)
                    yield member, text.split(b"\n")

    def _note_damage(self, part: GzipMember | MemberGap) -> None:
        match part:
            case MemberGap(torn=False):
                self.damage.append(f"bytes {part.at:,} to {part.to:,} are damaged")
            case GzipMember(misled=True):
                self.damage.append(f"byte {part.at:,} begins a member with a wrong length")

    def find_fills(self) -> dict[int, int]:
        """Return the offsets of the members with restored turns, by the number of their first turn."""
        found: dict[int, int] = {}
        parts = self.list_parts()
        if not parts:
            return found
        with files.open_stream(self.path) as stream:
            for part in parts:
                data = codec.decode_line(read_first_line(stream, part)) if isinstance(part, GzipMember) else None
                number = data.get("n") if data and is_filling(data) else None
                if isinstance(number, int):
                    found[number] = part.at
        return found

    def read_records(self, *, at: int = 0) -> Iterator[tuple[GzipMember, Raw]]:
        """Yield each record from an offset on, with its member; skip lines that are none."""
        for member, lines in self.read_members(at=at):
            for line in lines:
                found = codec.decode_line(line) if line else None
                if found is not None:
                    yield member, found


class Transcript:
    """A conversation in the archive, with its facts and topics."""

    def __init__(self, turns_path: Path, side: Path) -> None:
        self.turns_file, self.facts_file = MemberFile(turns_path), MemberFile(side)

    @property
    def damage(self) -> list[str]:
        """Return the damage found by the last read."""
        return [*self.turns_file.damage, *self.facts_file.damage]

    def read_head(self) -> Conversation:
        """Return the latest head; Unreadable where no member is whole."""
        head = next(self.read_heads(), None)
        if head is None:
            raise Unreadable(path=self.turns_file.path, reason="no part of it is whole")
        return head

    def read_heads(self) -> Iterator[Conversation]:
        """Yield the heads of all members, the latest first."""
        with files.open_stream(self.turns_file.path) as stream:
            for part in reversed(self.turns_file.list_parts()):
                found = unpack_member(stream, part) if isinstance(part, GzipMember) else None
                data = codec.decode_line(found[0].partition(b"\n")[0]) if found else None
                head = codec.decode_head(data.get("head")) if data else None
                if head:
                    yield head

    def read_placed(self, *, from_member: int = 0) -> Iterator[PlacedTurn]:
        """Yield the placed turns from a member on; from the first on also the restored ones."""
        ahead = self._place_turns(self.turns_file, from_member)
        if from_member or not (fills := self.turns_file.find_fills()):
            yield from ahead
            return
        number = -1
        for one in merge(ahead, self._read_fills(fills), key=lambda one: one.number):
            if one.number > number:
                yield one
                number = one.number

    def read_turns(self, *, from_member: int = 0, start: int | None = None) -> Iterator[Turn]:
        """Yield the turns in order, each at its place: an empty turn stands for a lost one.

        From a later member on, `start` is the number of turns before it, if that is known.
        """
        due = start if from_member else 0
        for one in self.read_placed(from_member=from_member):
            for number in range(one.number if due is None else due, one.number):
                yield Turn(id=f"{LOST}{number}", speaker="", text="")
            yield one.turn
            due = one.number + 1

    def last_fill(self) -> int:
        """Return the offset of the last member with restored turns; 0 where there is none."""
        return max(self.turns_file.find_fills().values(), default=0)

    def _read_fills(self, fills: dict[int, int]) -> Iterator[PlacedTurn]:
        for _, at in sorted(fills.items()):
            # A file object of its own, so that its damage is not reported as that of the whole.
            for one in self._place_turns(MemberFile(self.turns_file.path), at, filling=True):
                if one.member != at:
                    break
                yield one

    def _place_turns(self, strand: MemberFile, from_member: int, *, filling: bool = False) -> Iterator[PlacedTurn]:
        count = TurnCounter()
        for member, lines in strand.read_members(at=from_member):
            head = codec.decode_line(lines[0])
            count.start_member(head)
            if (head is not None and is_filling(head)) is not filling:
                if filling:
                    return
                continue
            for line in lines:
                data = codec.decode_line(line) if line else None
                turn = codec.decode_turn(data.get("turn")) if data else None
                if turn:
                    yield PlacedTurn(turn, count.next_number(), member.at)

    def read_facts(self, *, from_member: int = 0) -> Iterator[Fact]:
        """Yield the facts; a new extraction replaces all earlier ones."""
        for _, data in self.facts_file.read_records(at=max(from_member, self.renewed_from())):
            fact = codec.decode_fact(data.get("fact"))
            if fact:
                yield fact

    def read_trajectories(self, *, from_member: int = 0) -> Iterator[Trajectory]:
        """Return the topics in order; of two that begin at one turn, the later one."""
        found: dict[int, Trajectory] = {}
        for _, data in self.facts_file.read_records(at=max(from_member, self.renewed_from())):
            run = codec.decode_trajectory(data.get("trajectory"))
            if run:
                found[run.first] = run
        return iter(sorted(found.values(), key=lambda run: run.first))

    def renewed_from(self) -> int:
        """Return the offset from which facts and topics were extracted anew; 0 where they never were."""
        renewed = 0
        for member, lines in self.facts_file.read_members():
            data = codec.decode_line(lines[0]) if lines else None
            if data and data.get("anew") is True:
                renewed = member.at
        return renewed

    def read_marks(self) -> dict[str, ReadMark]:
        """Return how far each source file was read."""
        found: dict[str, ReadMark] = {}
        for _, lines in self.turns_file.read_members():
            for line in reversed(lines):
                if not line.startswith(b'{"read":'):
                    if line:
                        break  # the mark is the last line of a member
                    continue
                match codec.decode_line(line):
                    case {"read": {"origin": str(key), "to": int(to), "sum": str(digest)}}:
                        found[key] = ReadMark(to, digest)
        return found
