"""Show what stands before and after chosen memories in time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC

from memvault.core.ids import short_id
from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import BadInput
from memvault.storage.vault.context import VaultContext
from memvault.text.display import to_one_line
from memvault.text.terms import clip_to_budget, estimate_tokens

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
    order = sorted(_visible_memories(context, chosen), key=lambda memory: (memory.created, memory.path))
    places = [number for number, memory in enumerate(order) if memory.id in chosen]
    wanted = list(_places_outwards(places, len(order), around or DEFAULT_NEIGHBORS))
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
    return TimelineResult(
        moments=tuple(moments[number] for number in sorted(moments)),
        tokens=sum(map(_entry_cost, moments.values())),
        budget=budget or DEFAULT_BUDGET,
        left_out=len(wanted) - len(moments),
    )


def _visible_memories(context: VaultContext, chosen: set[str]) -> Iterator[Memory]:
    """Yield the memories that are events of their own: no long files of a memory, no tasks that are over."""
    for memory in context.index.memories(Filters()):
        is_moment = memory.place in _SHOWN and not memory.more.get("cleared_at") and not memory.more.get("merged_into")
        if is_moment or memory.id in chosen:
            yield memory


def _places_outwards(places: Sequence[int], count: int, around: int) -> Iterator[int]:
    """Yield the chosen places, then their neighbors, the nearest first, so that the budget drops the farthest."""
    steps = [0, *(sign * step for step in range(1, around + 1) for sign in (-1, 1))]
    found = (place + step for step in steps for place in places)
    return iter(dict.fromkeys(number for number in found if 0 <= number < count))


def _entry_cost(moment: TimelineEntry) -> int:
    """Return the tokens of an entry as it is printed: a line of facts, and below it how the memory begins."""
    memory = moment.memory
    created = memory.created.astimezone(UTC)
    when = f"{created:%Y-%m-%d}" if f"{created:%H%M%S}" == "000000" else f"{created:%Y-%m-%d %H:%M}"
    facts = ", ".join([short_id(memory.id), memory.kind, *memory.remarks])
    title = to_one_line(memory.title)
    below = f"    {moment.gist}\n" if moment.gist and to_one_line(moment.gist) != title else ""
    return estimate_tokens(f"  {when} {title} ({facts})\n{below}")
