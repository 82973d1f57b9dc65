"""Look at what stands before and after chosen memories in time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memvault.cli.output.transcript import gist, moment_line
from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.secrets.private_spans import without_private
from memvault.errors import BadInput
from memvault.storage.vault.context import Bench
from memvault.text.terms import estimate

AROUND = 3
"""So many neighbours on either side, unless more are asked for."""

BUDGET = 500
_SHOWN = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.ARCHIVED, Place.FOREIGN})


@dataclass(frozen=True, slots=True)
class Moment:
    """One memory in the course of time, how it begins, and whether it is one of the chosen."""

    memory: Memory
    gist: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Chosen memories and their neighbours, the oldest first, and how many neighbours did not fit."""

    moments: tuple[Moment, ...]
    tokens: int
    budget: int
    left_out: int = 0


def timeline(bench: Bench, refs: Iterable[str], *, around: int = 0, budget: int = 0) -> Timeline:
    """The chosen memories among those made just before and after them; a look that counts as no use."""
    named = [bench.find(ref) for ref in refs]
    if not named:
        raise BadInput(what="the memories", value="", reason="there must be one at least")
    chosen = {memory.id for memory in named}
    order = sorted(_visible(bench, chosen), key=_when)
    places = [number for number, memory in enumerate(order) if memory.id in chosen]
    wanted = list(_outwards(places, len(order), around or AROUND))
    room = budget or BUDGET
    moments: dict[int, Moment] = {}
    for number in wanted:
        memory = order[number]
        moment = Moment(memory, gist(without_private(bench.text(memory))), memory.id in chosen)
        cost = _cost(moment)
        if moments and cost > room:
            break
        room -= cost
        moments[number] = moment
    return Timeline(
        moments=tuple(moments[number] for number in sorted(moments)),
        tokens=sum(map(_cost, moments.values())),
        budget=budget or BUDGET,
        left_out=len(wanted) - len(moments),
    )


def _visible(bench: Bench, chosen: set[str]) -> Iterator[Memory]:
    """What time went by with: a long file that belongs to a memory, and a task that is over, are no moments of it."""
    for memory in bench.catalogue.memories(Filters()):
        is_moment = memory.place in _SHOWN and not memory.more.get("cleared_at") and not memory.more.get("merged_into")
        if is_moment or memory.id in chosen:
            yield memory


def _when(memory: Memory) -> tuple[datetime, str]:
    return memory.created, memory.path


def _outwards(places: Sequence[int], count: int, around: int) -> Iterator[int]:
    """The chosen places, then their neighbours, the nearest first, so that what does not fit is what is far."""
    steps = [0, *(sign * step for step in range(1, around + 1) for sign in (-1, 1))]
    found = (place + step for step in steps for place in places)
    return iter(dict.fromkeys(number for number in found if 0 <= number < count))


def _cost(moment: Moment) -> int:
    return estimate(f"{moment_line(moment.memory, moment.gist, chosen=moment.chosen)}\n")
