"""Sort lines of a transcript that are a little out of order; collect exports; make ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memvault.core.secrets.private_spans import strip_private
from memvault.transcripts.formats.entries import JsonItem, ObjectEnd, ObjectMember, ObjectStart, parse_entries
from memvault.transcripts.model.record import Raw, SeenSet, UnreadableEntry, get_text

_MOST = 64  # lines that are compared
_ROOM = 4 * 1024 * 1024  # and no more bytes than these


@dataclass(frozen=True, slots=True)
class OrderedLine:
    """One line: its content or why it is unreadable, where it begins, and where it ends."""

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
    """Yield every line, the earlier first and none before its parent, with how far all is read."""
    waiting: list[_WaitingLine] = []
    size, to, when = 0, 0, ""
    for entry in entries:
        one = _make_waiting(entry, when)
        when, to = one.when, entry.to
        size += entry.to - entry.at
        place = len(waiting)
        while place and _is_before(one, waiting[place - 1]):
            place -= 1
        waiting.insert(place, one)
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
    # UTC, as written; the Z is cut off, for it follows fractions too.
    is_told = isinstance(when, str) and when.endswith("Z") and when[10:11] == "T"
    time = str(when).removesuffix("Z") if is_told else before
    return _WaitingLine(entry, time, get_text(entry.content, "uuid"), get_text(entry.content, "parentUuid"))


def _is_before(one: _WaitingLine, other: _WaitingLine) -> bool:
    if other.uuid and other.uuid == one.parent:
        return False
    if one.uuid and one.uuid == other.parent:
        return True
    return bool(other.when) and one.when < other.when


def _read_position(waiting: list[_WaitingLine], to: int) -> int:
    return min((one.entry.at for one in waiting), default=to)


# Conversations that must be whole before their order is known.

MOST = 64 * 1024 * 1024


class ExportedConversation:
    """The members and undecoded turns of a conversation; what does not fit is reported and dropped."""

    def __init__(self, most: int = MOST) -> None:
        self.members: dict[str, object] = {}
        self.items: list[JsonItem] = []
        self._room = most

    def add_item(self, item: JsonItem) -> Iterator[UnreadableEntry]:
        """Keep one turn while there is room; else report it."""
        self._room -= len(item.data)
        if self._room >= 0:
            self.items.append(item)
        else:
            yield UnreadableEntry(
                where=f"byte {item.at:,}", why=f"its conversation is longer than {MOST // 1024 // 1024} MB"
            )


def read_exported(chunks: Iterable[bytes], inner: str) -> Iterator[ExportedConversation | UnreadableEntry]:
    """Yield every conversation of an export whose turns are in the member `inner`, and what is unreadable."""
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


# Ids for turns without one: made of what was said, so that they are the same everywhere.

_LENGTH = 16


class IdAssigner:
    """Assigns ids to the turns of one conversation; a repeated turn gets a number."""

    def __init__(self) -> None:
        self._seen_ids = SeenSet()
        self._repeats: dict[str, int] = {}

    def assign_id(self, *texts: str) -> str:
        """Return the id of a turn made of who said what and when."""
        name = content_id(texts)[:_LENGTH]
        if self._seen_ids.add(name):
            self._repeats[name] = self._repeats.get(name, 1) + 1
            name = f"{name}-{self._repeats[name]}"
        return name


def content_id(texts: Iterable[str]) -> str:
    """Return a digest of some texts without their private spans, which nobody shall guess by it."""
    from hashlib import blake2b  # few sources need it

    digest = blake2b(digest_size=16)
    for text in texts:
        digest.update(strip_private(text).encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()
