"""What scoring asks of every unit besides its words: small numbers, kept as one packed row for each conversation."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memvault.errors import DamagedIndex


@dataclass(slots=True)
class Columns:
    """One number for each unit of a conversation in every column, in the order of the units."""

    turn: array[int] = field(default_factory=lambda: array("i"))  # the place of its turn
    sitting: array[int] = field(default_factory=lambda: array("i"))  # numbered through the conversation
    speaker: array[int] = field(default_factory=lambda: array("i"))  # place in the table of speakers
    role: array[int] = field(default_factory=lambda: array("i"))  # 0 none, 1 user, 2 assistant
    day: array[int] = field(default_factory=lambda: array("i"))  # ordinal; 0 where it is not known
    flags: array[int] = field(default_factory=lambda: array("i"))
    length: array[int] = field(default_factory=lambda: array("i"))  # terms
    said: list[tuple[int, int, int]] = field(default_factory=list)  # unit, first and last day that its words name

    def append(self, values: Sequence[int], said: Iterable[tuple[int, int]] = ()) -> None:
        """Add one unit: its numbers in the order of the columns, and the days that its words name."""
        self.said += [(len(self), first, last) for first, last in said]
        for each, value in zip(self.all(), values, strict=True):
            each.append(value)

    def all(self) -> Iterable[array[int]]:
        """The columns in their order."""
        return (getattr(self, name) for name in _NAMES)

    def __len__(self) -> int:
        return len(self.turn)

    def packed(self) -> bytes:
        """The columns as one row of the database."""
        said = array("i", [number for triple in self.said for number in triple])
        parts = [array("i", [len(self)]), *self.all(), said]
        return zlib.compress(b"".join(part.tobytes() for part in parts), 1)

    @classmethod
    def unpacked(cls, data: bytes, *, where: Path) -> Columns:
        """The columns of such a row."""
        numbers = array("i")
        try:
            numbers.frombytes(zlib.decompress(data))
            count = numbers[0]
        except (zlib.error, ValueError, IndexError) as error:
            raise DamagedIndex(path=where, reason=error) from None
        found = cls()
        for place, each in enumerate(found.all()):
            each.extend(numbers[1 + place * count : 1 + (place + 1) * count])
        rest = numbers[1 + len(_NAMES) * count :]
        found.said = list(zip(rest[::3], rest[1::3], rest[2::3], strict=True))
        return found


_NAMES = ("turn", "sitting", "speaker", "role", "day", "flags", "length")
