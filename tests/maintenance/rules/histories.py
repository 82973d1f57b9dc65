"""Random histories of a few memories: what is used, what is typed, and when; the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from memvault.core.memory import Memory, Place
from memvault.core.weight import Decay
from memvault.maintenance.rules import MaintenancePolicy
from tests.maintenance.rules.shelf import Shelf, day, memory

KINDS = ("semantic", "episodic", "procedural", "prospective", "working", "of-my-own")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens to a memory: a use, or a value typed by hand."""

    at: datetime
    sort: str  # touch, weight, status or pin
    id: str
    value: object = None

    def happen(self, shelf: Shelf) -> None:
        if shelf.memories[self.id].status == "archived" and self.sort != "touch":
            return  # what lies in the archive is not edited in these histories
        if self.sort == "touch":
            until = self.at + timedelta(hours=float(str(self.value)))
            shelf.touch(self.id, self.at, min(until, self.at.replace(hour=23, minute=59)))
        if self.sort == "weight":
            shelf.type_weight(self.id, float(str(self.value)), self.at)
        if self.sort == "status":
            shelf.type_status(self.id, str(self.value), self.at)
        if self.sort == "pin":
            shelf.pin(self.id, self.at, pinned=bool(self.value))


@dataclass(frozen=True, slots=True)
class History:
    """Memories at the start, what happens to them, and for how long."""

    memories: tuple[Memory, ...]
    events: tuple[Event, ...]
    days: int
    policy: MaintenancePolicy
    remembers_runs: bool = False

    def shelf(self) -> Shelf:
        return Shelf.of(self.memories, policy=self.policy, remembers_runs=self.remembers_runs)

    def shelf_after(self) -> Shelf:
        """The memories after it all, with no run at all."""
        shelf = self.shelf()
        for event in self.events:
            event.happen(shelf)
        return shelf

    def lived(self, runs: Callable[[Shelf, datetime], object], moments: list[datetime]) -> Shelf:
        """The memories after it all, with runs at these moments; a person's edit finds the files up to date."""
        shelf, due = self.shelf(), iter([*sorted(moments), None])
        moment = next(due)
        for event in self.events:
            while moment is not None and moment <= event.at:
                runs(shelf, moment)
                moment = next(due)
            if event.sort != "touch":
                shelf.run(event.at)
            event.happen(shelf)
        while moment is not None:
            runs(shelf, moment)
            moment = next(due)
        return shelf


def history(seed: int, *, edits: bool = True) -> History:
    """A random history of 30 to 400 days."""
    dice = Random(seed)
    days = dice.randint(30, 400)
    memories = tuple(_memory(f"m{number}", dice, days) for number in range(dice.randint(1, 3)))
    touches = [_touch(one, dice, days) for one in memories for _ in range(dice.choice((0, 1, 2, 5, 20)))]
    edited = [_edit(one, dice, days) for one in memories for _ in range(dice.choice((0, 0, 1, 2)))] if edits else []
    model = dice.choice(("weighted", "weighted", "biomimetic"))
    policy = MaintenancePolicy(
        decay=Decay(model),
        # Numbers that follow the status tell of its last change by dates; what a person typed in between they need not.
        write=dice.choice(("grid", "grid", "grid" if edits else "status", "never")),
        stale_below=0.1 if model == "biomimetic" else 0.3,
        archive_days=dice.choice((30, 30, 7, 90)),
    )
    events = tuple(sorted((*touches, *edited), key=lambda event: event.at))
    return History(memories, events, days, policy, dice.random() < 0.5)


def _memory(name: str, dice: Random, days: int) -> Memory:
    weight = dice.choice((round(dice.random(), 1), round(dice.random(), 2), round(dice.random(), 4), 0.5, 0.8))
    used = day(-dice.choice((0, 0, dice.uniform(0, 60), dice.uniform(0, 600)))).replace(microsecond=0)
    due = {"due": day(dice.uniform(-10, days)), "state": dice.choice(("pending", "completed"))}
    return memory(
        name,
        kind=dice.choice(KINDS),
        weight=weight,
        base_weight=dice.choice((None, None, round(dice.random(), 2))),
        emotional_flag=dice.random() < 0.2,
        pinned=dice.random() < 0.1,
        decay_eligible=dice.random() < 0.9,
        access_count=dice.choice((0, 0, 1, 3, 14)),
        created=used,
        last_accessed=used,
        place=dice.choice((Place.MEMORIES, Place.MEMORIES, Place.MEMORIES, Place.HOT, Place.FOREIGN)),
        more=due if dice.random() < 0.2 else {},
    )


def _touch(one: Memory, dice: Random, days: int) -> Event:
    at = day(dice.uniform(0, days)).replace(microsecond=0)
    return Event(at, "touch", one.id, dice.choice((0, 0, 0, 2)))


def _edit(one: Memory, dice: Random, days: int) -> Event:
    at = day(dice.uniform(0, days)).replace(microsecond=0)
    sort = dice.choice(("weight", "weight", "status", "pin"))
    value = {
        "weight": round(dice.uniform(0.35, 1), 3),
        "status": dice.choice(("active", "stale")),
        "pin": dice.random() < 0.5,
    }[sort]
    return Event(at, sort, one.id, value)


def every(days: float, until: int, *, first: float = 0.0) -> list[datetime]:
    """Moments so many days apart, and the last one."""
    count = int((until - first) / days) + 1
    return [moment for number in range(count) if (moment := day(first + number * days)) < day(until)] + [day(until)]
