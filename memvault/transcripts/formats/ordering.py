"""Lines of a transcript in the order in which they were said, where they lie a little out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.transcripts.model.record import Bad, Raw, text_of

_MOST = 64  # so many lines are looked over
_ROOM = 4 * 1024 * 1024  # and no more bytes than these


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: what it says or why it cannot be read, where it begins, and the byte before which it is read."""

    told: Raw | Bad
    at: int
    to: int


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A line that another may still come before."""

    entry: Entry
    when: str
    uuid: str
    parent: str


def ordered(entries: Iterable[Entry]) -> Iterator[tuple[Entry, int]]:
    """Every line, the earlier first and none before its parent, with the byte before which all were given."""
    waiting: list[_Waiting] = []
    size, to, when = 0, 0, ""
    for entry in entries:
        one = _waiting(entry, when)
        when, to = one.when, entry.to
        size += entry.to - entry.at
        waiting.insert(_place(waiting, one), one)
        while len(waiting) > _MOST or (size > _ROOM and waiting):
            first = waiting.pop(0).entry
            size -= first.to - first.at
            yield first, _read_to(waiting, to)
    while waiting:
        first = waiting.pop(0).entry
        yield first, _read_to(waiting, to)


def _waiting(entry: Entry, before: str) -> _Waiting:
    if isinstance(entry.told, Bad):
        return _Waiting(entry, before, "", "")
    when = entry.told.get("timestamp")
    # In universal time, as they are written; the letter is cut off, for it stands behind fractions too.
    is_told = isinstance(when, str) and when.endswith("Z") and when[10:11] == "T"
    time = str(when).removesuffix("Z") if is_told else before
    return _Waiting(entry, time, text_of(entry.told, "uuid"), text_of(entry.told, "parentUuid"))


def _place(waiting: list[_Waiting], one: _Waiting) -> int:
    place = len(waiting)
    while place and _is_before(one, waiting[place - 1]):
        place -= 1
    return place


def _is_before(one: _Waiting, other: _Waiting) -> bool:
    if other.uuid and other.uuid == one.parent:
        return False
    if one.uuid and one.uuid == other.parent:
        return True
    return bool(other.when) and one.when < other.when


def _read_to(waiting: list[_Waiting], to: int) -> int:
    return min((one.entry.at for one in waiting), default=to)
