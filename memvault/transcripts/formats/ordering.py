"""Lines of a transcript in the order in which they were said, where they lie a little out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.core.secrets.private_spans import strip_private
from memvault.transcripts.formats.entries import JsonItem, ObjectEnd, ObjectMember, ObjectStart, parse_entries
from memvault.transcripts.model.record import Raw, SeenSet, UnreadableEntry, get_text

_MOST = 64  # so many lines are looked over
_ROOM = 4 * 1024 * 1024  # and no more bytes than these


@dataclass(frozen=True, slots=True)
class OrderedLine:
    """One line: what it says or why it cannot be read, where it begins, and the byte before which it is read."""

    content: Raw | UnreadableEntry
    at: int
    to: int


@dataclass(frozen=True, slots=True)
class _WaitingLine:
    """A line that another may still come before."""

    entry: OrderedLine
    when: str
    uuid: str
    parent: str


def order_lines(entries: Iterable[OrderedLine]) -> Iterator[tuple[OrderedLine, int]]:
    """Every line, the earlier first and none before its parent, with the byte before which all were given."""
    waiting: list[_WaitingLine] = []
    size, to, when = 0, 0, ""
    for entry in entries:
        one = _make_waiting(entry, when)
        when, to = one.when, entry.to
        size += entry.to - entry.at
        waiting.insert(_insert_place(waiting, one), one)
        while len(waiting) > _MOST or (size > _ROOM and waiting):
            first = waiting.pop(0).entry
            size -= first.to - first.at
            yield first, _read_position(waiting, to)
    while waiting:
        first = waiting.pop(0).entry
        yield first, _read_position(waiting, to)


def _make_waiting(entry: OrderedLine, before: str) -> _WaitingLine:
    if isinstance(entry.content, UnreadableEntry):
        return _WaitingLine(entry, before, "", "")
    when = entry.content.get("timestamp")
    # In universal time, as they are written; the letter is cut off, for it stands behind fractions too.
    is_told = isinstance(when, str) and when.endswith("Z") and when[10:11] == "T"
    time = str(when).removesuffix("Z") if is_told else before
    return _WaitingLine(entry, time, get_text(entry.content, "uuid"), get_text(entry.content, "parentUuid"))


def _insert_place(waiting: list[_WaitingLine], one: _WaitingLine) -> int:
    place = len(waiting)
    while place and _is_before(one, waiting[place - 1]):
        place -= 1
    return place


def _is_before(one: _WaitingLine, other: _WaitingLine) -> bool:
    if other.uuid and other.uuid == one.parent:
        return False
    if one.uuid and one.uuid == other.parent:
        return True
    return bool(other.when) and one.when < other.when


def _read_position(waiting: list[_WaitingLine], to: int) -> int:
    return min((one.entry.at for one in waiting), default=to)


# Conversations that have to be there as a whole before their order is known.

MOST = 64 * 1024 * 1024


class ExportedConversation:
    """Its members and its turns, these as bytes; what would not fit is told, and left out."""

    def __init__(self, most: int = MOST) -> None:
        self.members: dict[str, object] = {}
        self.items: list[JsonItem] = []
        self._room = most

    def add_item(self, item: JsonItem) -> Iterator[UnreadableEntry]:
        """Keep one turn, while there is room."""
        self._room -= len(item.data)
        if self._room >= 0:
            self.items.append(item)
        else:
            yield UnreadableEntry(
                where=f"byte {item.at:,}", why=f"its conversation is longer than {MOST // 1024 // 1024} MB"
            )


def read_exported(chunks: Iterable[bytes], inner: str) -> Iterator[ExportedConversation | UnreadableEntry]:
    """Every conversation of an export whose turns stand in the member `inner`, with or without any; and what is bad."""
    gathered = ExportedConversation()
    for event in parse_entries(chunks, inner=frozenset({inner})):
        match event:
            case ObjectStart():
                gathered = ExportedConversation()
            case ObjectMember():
                gathered.members[event.name] = event.value
            case JsonItem():
                yield from gathered.add_item(event)
            case ObjectEnd():
                yield gathered
                gathered = ExportedConversation()
            case UnreadableEntry():
                yield event


# Ids for what has none: taken from what is said, so that they are the same wherever it stands.

_LENGTH = 16


class IdAssigner:
    """Names the turns of one conversation that have no ids; the second that says the same is the second."""

    def __init__(self) -> None:
        self._seen_ids = SeenSet()
        self._repeats: dict[str, int] = {}

    def assign_id(self, *told: str) -> str:
        """The id that who said what and when gives a turn."""
        name = content_id(told)[:_LENGTH]
        if self._seen_ids.add(name):
            self._repeats[name] = self._repeats.get(name, 1) + 1
            name = f"{name}-{self._repeats[name]}"
        return name


def content_id(told: Iterable[str]) -> str:
    """What stands for some texts, without what is private in them: nobody shall try guesses on it."""
    from hashlib import blake2b  # few sources need it

    made = blake2b(digest_size=16)
    for text in told:
        made.update(strip_private(text).encode("utf-8", "replace") + b"\0")
    return made.hexdigest()
