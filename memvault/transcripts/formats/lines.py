"""Bytes cut into lines, and lines decoded, however long or broken they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.transcripts.model.letters import all_written
from memvault.transcripts.model.record import LONGEST, Bad, Raw, bad_bytes

_BOM = b"\xef\xbb\xbf"
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # it may be half of a letter


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from where reading began, its first byte, the byte behind it, and itself."""

    number: int
    at: int
    to: int
    data: bytes | None  # None where it is too long to be taken in
    ended: bool = True  # whether a newline stands behind it


def lines(chunks: Iterable[bytes], *, at: int = 0, longest: int = LONGEST) -> Iterator[Line]:
    """Every line that is not empty; of one that is too long, only where it stands."""
    cutter = _Cutter(at, longest)
    for chunk in chunks:
        yield from cutter.take(chunk)
    yield from cutter.rest()


class _Cutter:
    """The line that is being put together."""

    def __init__(self, at: int, longest: int) -> None:
        self._number, self._at, self._longest = 1, at, longest
        self._parts: list[bytes] = []
        self._size = 0

    def take(self, chunk: bytes) -> Iterator[Line]:
        begin = 0
        while (end := chunk.find(b"\n", begin)) >= 0:
            self._add(chunk[begin:end])
            line = self._line(newline=1)
            if line:
                yield line
            begin = end + 1
        self._add(chunk[begin:])

    def rest(self) -> Iterator[Line]:
        line = self._line(newline=0)
        if line:
            yield line

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._longest:
            self._parts = []
        else:
            self._parts.append(part)

    def _line(self, *, newline: int) -> Line | None:
        data = None if self._size > self._longest else b"".join(self._parts)
        if data is not None and self._at == 0:
            data = data.removeprefix(_BOM)
        found = Line(self._number, self._at, self._at + self._size + newline, data, ended=bool(newline))
        self._parts, self._size = [], 0
        self._number, self._at = self._number + 1, found.to
        return found if data is None or data.strip() else None


def told(line: Line, where: str) -> Raw | Bad:
    """The object that a line of JSON stands for, or what is wrong with it."""
    if line.data is None:
        return Bad(where=where, why=f"it is longer than {LONGEST // 1024 // 1024} MB")
    try:
        entry = decoded(line.data)
    except ValueError as error:
        return bad_bytes(where, str(error) if line.ended else "it is cut short", line.data, unfinished=not line.ended)
    return entry if isinstance(entry, dict) else bad_bytes(where, "it is no object", line.data)


def decoded(data: bytes) -> object:
    """The value that some bytes of JSON stand for, or ValueError with a reason; broken letters are replaced."""
    try:
        found = json.loads(data.decode("utf-8", "replace"), parse_constant=str)
        return all_written(found) if _HALF.search(data) else found
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except ValueError as error:
        raise ValueError("it is not JSON") from error
