"""Lines of a transcript in the order in which they were said, where they lie a little out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.core.secrets.private_spans import without_private
from memvault.transcripts.formats.entries import Closed, Item, Member, Opened, entries
from memvault.transcripts.model.record import Bad, Raw, Seen, text_of

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


# Conversations that have to be there as a whole before their order is known.

MOST = 64 * 1024 * 1024


class Gathered:
    """Its members and its turns, these as bytes; what would not fit is told, and left out."""

    def __init__(self, most: int = MOST) -> None:
        self.members: dict[str, object] = {}
        self.items: list[Item] = []
        self._room = most

    def add(self, item: Item) -> Iterator[Bad]:
        """Keep one turn, while there is room."""
        self._room -= len(item.data)
        if self._room >= 0:
            self.items.append(item)
        else:
            yield Bad(where=f"byte {item.at:,}", why=f"its conversation is longer than {MOST // 1024 // 1024} MB")


def conversations(chunks: Iterable[bytes], inner: str) -> Iterator[Gathered | Bad]:
    """Every conversation of an export whose turns stand in the member `inner`, with or without any; and what is bad."""
    gathered = Gathered()
    for event in entries(chunks, inner=frozenset({inner})):
        match event:
            case Opened():
                gathered = Gathered()
            case Member():
                gathered.members[event.name] = event.value
            case Item():
                yield from gathered.add(event)
            case Closed():
                yield gathered
                gathered = Gathered()
            case Bad():
                yield event


# Ids for what has none: taken from what is said, so that they are the same wherever it stands.

_LENGTH = 16


class Naming:
    """Names the turns of one conversation that have no ids; the second that says the same is the second."""

    def __init__(self) -> None:
        self._seen = Seen()
        self._again: dict[str, int] = {}

    def name(self, *told: str) -> str:
        """The id that who said what and when gives a turn."""
        name = content_id(told)[:_LENGTH]
        if self._seen.add(name):
            self._again[name] = self._again.get(name, 1) + 1
            name = f"{name}-{self._again[name]}"
        return name


def content_id(told: Iterable[str]) -> str:
    """What stands for some texts, without what is private in them: nobody shall try guesses on it."""
    from hashlib import blake2b  # few sources need it

    made = blake2b(digest_size=16)
    for text in told:
        made.update(without_private(text).encode("utf-8", "replace") + b"\0")
    return made.hexdigest()
