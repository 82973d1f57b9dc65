"""The units of conversations: turns cut into what is found on its own, and the numbers that scoring needs of each."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from memvault.core.conversation import Turn, split_turn, starts_sitting
from memvault.errors import DamagedIndex
from memvault.text.dates.expressions import find_spans
from memvault.text.dates.time_words import find_signals, may_name_days
from memvault.text.terms import extract_terms

TEXT, FACTS = "text", "facts"
_ROLES = {"user": 1, "assistant": 2}


class CutUnit(NamedTuple):
    """A part of a turn: where it stands, its terms by field, its numbers in the order of the columns, days it names."""

    place: int
    start: int
    stop: int
    fields: dict[str, list[str]]
    numbers: tuple[int, ...]
    named_days: list[tuple[int, int]]


class UnitCutter:
    """Cuts the turns of one conversation into units, in order."""

    def __init__(self) -> None:
        self.speakers: dict[str, int] = {}
        self._sitting = -1
        self._before: Turn | None = None

    def add_speakers(self, names: Iterable[str]) -> None:
        """Number speakers in the order in which they are given."""
        for name in names:
            self.speakers.setdefault(name, len(self.speakers))

    def resume(self, sitting: int, last: Turn) -> None:
        """Continue after a turn of a sitting."""
        self._sitting, self._before = sitting, last

    def cut_turns(self, turns: Iterable[Turn], facts: Mapping[str, Sequence[str]], *, start: int) -> Iterator[CutUnit]:
        """Yield the units of turns, the first of which has a place; each with the facts that were taken from it."""
        for place, turn in enumerate(turns, start):
            self._sitting += self._before is None or starts_sitting(self._before, turn)
            self._before = turn
            speaker = self.speakers.setdefault(turn.speaker, len(self.speakers))
            day = turn.time.date().toordinal() if turn.time else 0
            for number, (begin, end) in enumerate(split_turn(turn.text)):
                text = turn.text[begin:end]
                words = extract_terms(text)
                fields = {TEXT: words}
                # Only among people: with a program users say what they mean, and facts only blur it (measured).
                if number == 0 and not turn.role and (extra := _extra_terms(facts.get(turn.id, ()), words)):
                    fields[FACTS] = extra
                about = (place, self._sitting, speaker, _ROLES.get(turn.role, 0), day, find_signals(text), len(words))
                yield CutUnit(place, begin, end, fields, about, _named_days(text, turn))


def _named_days(text: str, turn: Turn) -> list[tuple[int, int]]:
    """Return the days that a text names, counted from when it was said."""
    found = find_spans(text, now=turn.time) if turn.time and may_name_days(text) else ()
    return [
        (span.first.toordinal(), span.last.toordinal()) for span in (place.days for place in found) if not span.side
    ]


def _extra_terms(texts: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the terms of a turn's facts that the turn itself does not use: names, days."""
    known = set(words)
    return [term for text in texts for term in extract_terms(text) if term not in known]


# What scoring needs of every unit besides its terms: small numbers, packed into one row per conversation.


@dataclass(slots=True)
class UnitColumns:
    """One number for each unit of a conversation in every column, in the order of the units."""

    turn: array[int] = field(default_factory=lambda: array("i"))  # the place of its turn
    sitting: array[int] = field(default_factory=lambda: array("i"))  # numbered through the conversation
    speaker: array[int] = field(default_factory=lambda: array("i"))  # place in the table of speakers
    role: array[int] = field(default_factory=lambda: array("i"))  # 0 none, 1 user, 2 assistant
    day: array[int] = field(default_factory=lambda: array("i"))  # ordinal; 0 where it is not known
    flags: array[int] = field(default_factory=lambda: array("i"))
    length: array[int] = field(default_factory=lambda: array("i"))  # terms
    said: list[tuple[int, int, int]] = field(default_factory=list)  # unit, and the first and last day that it names

    def append_unit(self, values: Sequence[int], said: Iterable[tuple[int, int]] = ()) -> None:
        """Append one unit: its numbers in the order of the columns, and the days that it names."""
        self.said += [(len(self), first, last) for first, last in said]
        for each, value in zip(self.all_columns(), values, strict=True):
            each.append(value)

    def all_columns(self) -> Iterable[array[int]]:
        """Return the columns in their order."""
        return (getattr(self, name) for name in _NAMES)

    def __len__(self) -> int:
        return len(self.turn)

    def pack_columns(self) -> bytes:
        """Pack the columns into one row of the database."""
        said = array("i", [number for triple in self.said for number in triple])
        parts = [array("i", [len(self)]), *self.all_columns(), said]
        return zlib.compress(b"".join(part.tobytes() for part in parts), 1)

    @classmethod
    def unpack_columns(cls, data: bytes, *, where: Path) -> UnitColumns:
        """Unpack the columns of a row."""
        numbers = array("i")
        try:
            numbers.frombytes(zlib.decompress(data))
            count = numbers[0]
        except (zlib.error, ValueError, IndexError) as error:
            raise DamagedIndex(path=where, reason=error) from None
        found = cls()
        for place, each in enumerate(found.all_columns()):
            each.extend(numbers[1 + place * count : 1 + (place + 1) * count])
        rest = numbers[1 + len(_NAMES) * count :]
        found.said = list(zip(rest[::3], rest[1::3], rest[2::3], strict=True))
        return found


_NAMES = ("turn", "sitting", "speaker", "role", "day", "flags", "length")
