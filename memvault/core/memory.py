"""A memory, as all of memvault passes it around."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from types import MappingProxyType
from typing import Any

from memvault.core.value import Record, field, replace

FieldValue = str | int | float | bool | datetime | tuple[str, ...] | Mapping[str, object]

Span = tuple[int, int, str]  # where a passage stands in a text without its private parts, and the headings above it

INTERNAL: Mapping[str, bool] = MappingProxyType({"inner": True})  # a field that no output shows
OPTIONAL: Mapping[str, bool] = MappingProxyType({"optional": True})  # a field that is only shown where it is set

SOURCES = ("user", "agent", "hook", "import", "tool", "web")  # trust falls in this order
TRUSTED, UNTRUSTED = SOURCES[:3], SOURCES[4:]
"""Those of what every session may load, and those of what is never given unasked."""

NO_FIELDS: Mapping[str, FieldValue] = MappingProxyType({})


class Place(Enum):
    """Which part of the vault a file lies in; the folder is the tier."""

    IDENTITY = "identity"
    HOT = "hot"
    MEMORIES = "memories"
    DEEP = "deep-context"
    ARCHIVED = "archived"
    QUARANTINE = "quarantine"
    FOREIGN = "foreign"


_TIERS = {Place.IDENTITY: 0, Place.HOT: 1, Place.ARCHIVED: 3}  # all others are of tier 2


PLACE_REMARKS = {
    place: place.value for place in (Place.IDENTITY, Place.HOT, Place.ARCHIVED, Place.QUARANTINE, Place.FOREIGN)
}


class Memory(Record, kw_only=True):
    """Everything memvault knows of one note. `body` is None if it came from the index, not the file."""

    id: str
    path: str  # relative to the vault, with forward slashes
    place: Place
    title: str
    type: str = "memory"
    kind: str = "semantic"
    created: datetime
    last_accessed: datetime
    access_count: int = 0
    weight: float = 0.5
    base_weight: float | None = None
    emotional_flag: bool = False
    pinned: bool = False
    decay_eligible: bool = True
    status: str = "active"
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    refs: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    more: Mapping[str, FieldValue] = field(default_factory=lambda: NO_FIELDS)
    version: str = ""  # digest of the file's bytes as read, which an update presents
    body: str | None = None
    stated: tuple[str, ...] = ()  # the fields that the file itself gives; the rest are defaults
    theirs: tuple[str, ...] = ()  # fields of ours that hold somebody else's value: not ours to change
    half_life: float | None = None  # in days, where its kind is one of the user's own
    problem: str = ""  # why the frontmatter could not be read whole; empty for a sound note

    @property
    def tier(self) -> int:
        """Return the tier: 0 identity, 1 hot, 2 archive, 3 raw."""
        return _TIERS.get(self.place, 2)

    @property
    def name(self) -> str:
        """Return the file's name without folder and ending, as a wikilink says it."""
        return self.path.rpartition("/")[2].rpartition(".")[0]

    @property
    def folders(self) -> tuple[str, ...]:
        """Return the folders that its person chose for it, the outermost first; those of memvault say nothing of it."""
        return tuple(self.path.split("/")[:-1]) if self.place is Place.FOREIGN else ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is out of the ordinary about it, a word each."""
        found = (
            PLACE_REMARKS.get(self.place),
            "pinned" if self.pinned else "",
            "significant" if self.emotional_flag else "",
            self.status if self.status != "active" else "",
            "superseded" if self.more.get("superseded_by") else "",
            str(self.more.get("outdated", "")),
            str(self.more.get("elsewhere", "")),
        )
        return tuple(dict.fromkeys(filter(None, found)))

    @property
    def source(self) -> str:
        """Return where it came from: the user where it does not say, and in quarantine the web."""
        said = str(self.more.get("source", ""))
        return said if said in SOURCES else SOURCES[-1] if self.place is Place.QUARANTINE else SOURCES[0]

    @property
    def is_trusted(self) -> bool:
        """Return whether it may be among what every session loads, as far as its source goes."""
        return self.source in TRUSTED and not self.more.get("tainted")

    @property
    def is_strangers(self) -> bool:
        """Return whether its text may be a stranger's, of a page or a tool."""
        return self.source in UNTRUSTED or bool(self.more.get("tainted"))

    @property
    def is_doubtful(self) -> bool:
        """Return whether it may not be worth giving: picked up and unsure, or called wrong by a person."""
        return bool(self.more.get("unsure") or self.more.get("called_wrong"))

    def has_ended(self, now: datetime) -> bool:
        """Return whether the day until which it holds is over, where `now` is in the person's own time."""
        until = self.more.get("until")
        return isinstance(until, datetime) and until.astimezone(now.tzinfo).date() < now.date()

    def with_changes(self, **values: Any) -> Memory:
        """Return the same memory with some attributes replaced."""
        return replace(self, **values)

    @property
    def base(self) -> float:
        """Return the weight that decay starts from."""
        return self.weight if self.base_weight is None else self.base_weight


MILESTONE = "milestone"
_ASKED, _USED, _MARKS = "Asked:", "Memories used:", ("?", "？")


def telling_text(memory: Memory, text: str) -> str:
    """Return what a text tells: of a milestone not what was asked and what it links to, which is left blank."""
    if memory.type != MILESTONE:
        return text
    lines, is_asked = [], False
    for line in text.split("\n"):
        bare = line.strip()
        is_asked = bare == _ASKED or (is_asked and (not bare or bare.startswith("- ")))
        is_blank = is_asked or bare.startswith(_USED) or bare.endswith(_MARKS)
        lines.append(" " * len(line) if is_blank else line)
    return "\n".join(lines)


def least_trust(memories: Iterable[Memory]) -> dict[str, FieldValue]:
    """Return the source and the mark of what is made of these: no more trusted than the least trusted of them."""
    parts = list(memories)
    source = max((memory.source for memory in parts), key=SOURCES.index)
    return {"source": source, **({"tainted": True} if any(memory.more.get("tainted") for memory in parts) else {})}


class IndexEntry(Record):
    """A memory as the index stores it: without its body, and with the words to find it by."""

    memory: Memory
    headings: str
    passages: tuple[str, ...]
    spans: tuple[Span, ...] = ()
    links: tuple[str, ...] = ()
    text: str = ""  # digest of the body, which shows an edit
    opens: int = -1  # the byte of the file at which the body begins; -1 if unknown
    tasks: tuple[tuple[int, str], ...] = ()  # lines of the Tasks plug-in that are open, with their numbers in the body
