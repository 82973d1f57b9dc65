"""Look at memories: one whole, many in a list, the vault at a glance."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from memvault.core.ids import short_id
from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import BadInput
from memvault.recall.superseded import find_contradicting, find_replacing
from memvault.storage.still_true import look_into
from memvault.storage.vault.context import VaultContext, expand_people
from memvault.storage.vault.quarantine import find_with_waiting
from memvault.text.display import to_one_line
from memvault.text.terms import ELLIPSIS, clip_to_budget, estimate_tokens

ORDERS = ("recent", "created", "weight", "title", "path")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDetails:
    """One whole memory: its text, its weight now, and how it is linked with others."""

    memory: Memory
    weight: float
    uses: int
    last_used: datetime
    links: tuple[str, ...]
    linked_from: tuple[str, ...]
    tokens: int
    cut: bool = False  # the text was longer than the budget
    start: int = 0  # the character of the text that this begins at
    next: int = 0  # where it goes on; 0 where this is its end
    superseded_by: tuple[Memory, ...] = ()  # what replaced it
    contradicts: tuple[Memory, ...] = ()  # what was found to contradict it
    has_ended: bool = False  # the day until which it held is over


def show_memory(context: VaultContext, ref: str, *, budget: int = 0, start: int = 0) -> MemoryDetails:
    """Return a memory's own text from some character on, as its file is now; that counts as a use."""
    memory = find_with_waiting(context, ref)
    whole, _ = context.read_memory(memory)
    body = whole.body or ""
    if start < 0 or (start and start >= len(body)):
        raise BadInput(what="the beginning", value=start, reason=f"the text has {len(body):,} characters")
    text, next_ = cut_page(body, start, budget)
    use = context.memory_uses([whole])[whole.id]
    whole = look_into(context, whole)
    shown = MemoryDetails(
        memory=whole if text == body else whole.with_changes(body=text),
        weight=context.memory_weight(whole, use),
        uses=use.count,
        last_used=use.last,
        links=context.index.links_from(memory.path),
        linked_from=tuple(sorted(other.path for other in context.index.links_to(memory.name))),
        tokens=estimate_tokens(body),
        cut=text != body[start:],
        start=start,
        next=next_,
        superseded_by=find_replacing(context, whole),
        contradicts=find_contradicting(context, whole),
        has_ended=whole.has_ended(context.here),
    )
    if memory.place is not Place.QUARANTINE:  # to look at what waits is no use of it
        context.record_uses([whole], why="show")
    return shown


def cut_page(body: str, start: int, budget: int) -> tuple[str, int]:
    """Return the text from a character on within the budget, and where it continues; 0 at its end."""
    rest = body[start:]
    if not budget or estimate_tokens(rest) <= budget:
        return rest, 0
    shown = clip_to_budget(rest, budget)
    length = len(shown.removesuffix(ELLIPSIS).rstrip())
    if shown and not length:  # not even a word fits: yet whoever reads on is to come to an end
        length, shown = 1, rest[0] + ELLIPSIS
    after = rest[length:]
    if not after.strip():
        return rest, 0
    return shown, len(body) - len(after.lstrip(" ").lstrip("\n"))


@dataclass(frozen=True, slots=True)
class ListedMemory:
    """One line of a list."""

    memory: Memory
    weight: float
    last_used: datetime


@dataclass(frozen=True, slots=True)
class MemoryList:
    """The memories that meet the conditions, and how many more there are."""

    rows: tuple[ListedMemory, ...]
    total: int


def list_memories(context: VaultContext, filters: Filters, *, order: str = "recent", limit: int = 0) -> MemoryList:
    """List memories that meet some conditions, in an order of choice."""
    if order not in ORDERS:
        raise BadInput(what="the order", value=order, reason=f"it must be one of {', '.join(ORDERS)}")
    context.refresh()
    found = context.index.memories(expand_people(context, filters))
    uses = context.memory_uses(found)
    rows = [
        ListedMemory(memory, context.memory_weight(memory, uses[memory.id]), uses[memory.id].last) for memory in found
    ]
    rows.sort(key=_ORDERINGS[order])
    return MemoryList(tuple(rows[:limit] if limit else rows), len(rows))


def list_for_reader(context: VaultContext, filters: Filters, *, order: str = "recent", limit: int = 0) -> MemoryList:
    """List memories for somebody who reads their titles, which may be a stranger's words too."""
    found = list_memories(context, filters, order=order, limit=limit)
    context.mark_after_reading(row.memory for row in found.rows)
    return found


_ORDERINGS = {
    "recent": lambda row: (-row.last_used.timestamp(), row.memory.path),
    "created": lambda row: (-row.memory.created.timestamp(), row.memory.path),
    "weight": lambda row: (-row.weight, row.memory.path),
    "title": lambda row: (row.memory.title.casefold(), row.memory.path),
    "path": lambda row: row.memory.path,
}


# What stands before and after chosen memories in time.

DEFAULT_NEIGHBORS = 3
"""So many neighbours on either side, unless more are asked for."""

DEFAULT_BUDGET = 500
_GIST_TOKENS = 32
_LINE_START = re.compile(r"^\s*(?:[-*+>]|\d+[.)]|#{1,6})\s+", re.MULTILINE)  # signs of lists and headings
_SHOWN = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.ARCHIVED, Place.FOREIGN})


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One memory of a timeline, how it begins, and whether it is one of the chosen."""

    memory: Memory
    gist: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineResult:
    """Chosen memories and their neighbors, the oldest first, and how many neighbors did not fit."""

    moments: tuple[TimelineEntry, ...]
    tokens: int
    budget: int
    left_out: int = 0


def build_timeline(context: VaultContext, refs: Iterable[str], *, around: int = 0, budget: int = 0) -> TimelineResult:
    """Return the chosen memories among those made just before and after them; that counts as no use."""
    named = [context.find_memory(ref) for ref in refs]
    if not named:
        raise BadInput(what="the memories", value="", reason="there must be one at least")
    chosen = {memory.id for memory in named}
    # Events of their own: no long files of a memory, no tasks that are over.
    shown = (
        memory
        for memory in context.index.memories(Filters())
        if memory.id in chosen
        or (memory.place in _SHOWN and not memory.more.get("cleared_at") and not memory.more.get("merged_into"))
    )
    order = sorted(shown, key=lambda memory: (memory.created, memory.path))
    places = [number for number, memory in enumerate(order) if memory.id in chosen]
    # The chosen ones, then their neighbors, the nearest first, so that the budget drops the farthest.
    steps = [0, *(sign * step for step in range(1, (around or DEFAULT_NEIGHBORS) + 1) for sign in (-1, 1))]
    near = dict.fromkeys(place + step for step in steps for place in places)
    wanted = [number for number in near if 0 <= number < len(order)]
    room = budget or DEFAULT_BUDGET
    moments: dict[int, TimelineEntry] = {}
    for number in wanted:
        memory = order[number]
        start = _LINE_START.sub("", strip_private(context.read_text(memory))[:1_000])
        moment = TimelineEntry(memory, clip_to_budget(to_one_line(start), _GIST_TOKENS), memory.id in chosen)
        cost = _entry_cost(moment)
        if moments and cost > room:
            break
        room -= cost
        moments[number] = moment
    context.mark_after_reading([moment.memory for moment in moments.values()])
    return TimelineResult(
        moments=tuple(moments[number] for number in sorted(moments)),
        tokens=sum(map(_entry_cost, moments.values())),
        budget=budget or DEFAULT_BUDGET,
        left_out=len(wanted) - len(moments),
    )


def _entry_cost(moment: TimelineEntry) -> int:
    """Return the tokens of an entry as it is printed: a line of facts, and below it how the memory begins."""
    memory = moment.memory
    created = memory.created.astimezone(UTC)
    when = f"{created:%Y-%m-%d}" if f"{created:%H%M%S}" == "000000" else f"{created:%Y-%m-%d %H:%M}"
    facts = ", ".join([short_id(memory.id), memory.kind, *memory.remarks])
    title = to_one_line(memory.title)
    below = f"    {moment.gist}\n" if moment.gist and to_one_line(moment.gist) != title else ""
    return estimate_tokens(f"  {when} {title} ({facts})\n{below}")
