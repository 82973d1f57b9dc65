"""Weights, uses and statuses: what becomes of one memory by its dates."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from math import floor

from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.weight import NO_PAST, Past, Use, at, base_of, effective, falls_below, last_by, later
from memvault.maintenance.rules.case import Course, World
from memvault.maintenance.rules.status import last_turn

STEP = 0.1
_LEEWAY = 1e-9  # so that a weight on an edge belongs to the cell above, whatever floats make of it
_OWN = (Place.HOT, Place.MEMORIES)  # whose files upkeep writes to


def cell(weight: float) -> float:
    """The point of the grid that stands for a weight."""
    return round(floor(weight / STEP + 0.5 + _LEEWAY) * STEP, 1)


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


# -- uses


def fold(course: Course, world: World) -> None:
    """Write how often and when a memory was last used into its file, where it says so."""
    memory, told = course.memory, _numbers(course, world)
    if told is None:
        return
    use, values = told[1], dict[str, FieldValue | None]()
    if "access_count" in memory.stated and use.count > memory.access_count:
        values["access_count"] = use.count
    last = last_by(memory, world.survey.pasts.get(memory.id, NO_PAST), told[0])  # what is dated ahead waits for its day
    if "last_accessed" in memory.stated and last > memory.last_accessed:
        values["last_accessed"] = last
    if not values:
        return
    if "access_count" in values and course.id not in world.survey.decided.counted:
        course.note({"e": "count", "id": course.id, "value": memory.access_count})
    more = use.count - memory.access_count
    course.set(
        "touches", f"used {more} more times, last on {_day(use.last)}" if more > 1 else _used(use.last), **values
    )


def _used(last: datetime) -> str:
    return f"used on {_day(last)}"


def adopt(course: Course, world: World) -> None:
    """A weight that a person typed becomes what decay starts from, that day."""
    memory, told = course.memory, _numbers(course, world)
    if told is not None and told[1].base is not None and abs(told[1].base - memory.base) > 1e-6:
        course.set("adopt", f"you set its weight to {memory.weight:g}", base_weight=round(told[1].base, 4))


# -- the number in the file


def weigh(course: Course, world: World) -> None:
    """Bring the number in the file onto the grid where the exact weight has left its cell."""
    memory, told = course.memory, _numbers(course, world)
    if "weight" not in memory.stated or told is None:
        return
    moment, use = told
    exact = effective(memory, use, moment, model=world.policy.model)
    if cell(exact) == cell(memory.weight) and not _was_left(course, world):
        _note_crossing(course, world)
        return
    base = round(base_of(memory, use), 4)
    values: dict[str, FieldValue | None] = {"weight": cell(exact)}
    if memory.base_weight is None or abs(memory.base_weight - base) > 1e-6:
        values["base_weight"] = base
    verb = "fell" if exact < memory.weight else "rose"
    why = "pinned: its weight is 1" if memory.pinned else f"its weight {verb} to {exact:.2f}"
    course.set("decay", why, **values)
    _note_crossing(course, world)


def _numbers(course: Course, world: World) -> tuple[datetime, Use] | None:
    """The moment of which the numbers in a file are to tell, and the use by then; None where they stay as they are.

    They follow always, with the status (then they tell of the moment it last changed), or never, as the settings say.
    """
    memory, judged = course.memory, course.judgement
    if course.made or memory.place not in _OWN or memory.status == "archived" == judged.status:
        return None
    if world.policy.write == "grid":
        return judged.moment, judged.use
    past = world.survey.pasts.get(memory.id, NO_PAST)
    turn = last_turn(course.first, past, world.survey, judged) if world.policy.write == "status" else None
    return None if turn is None else (turn, at(course.first, past, turn, model=world.policy.model))


def _was_left(course: Course, world: World) -> bool:
    """Whether a weight that is not ours yet was left for a while and came back to."""
    memory, model = course.first, world.policy.model
    is_on_grid = abs(cell(memory.weight) - memory.weight) < 1e-6
    if is_on_grid and memory.base_weight is not None:
        return False
    if world.policy.write == "status":
        return True  # the status has turned, and never does so within a cell
    past = world.survey.pasts.get(memory.id, NO_PAST)
    weights = (
        effective(memory, at(memory, past, start, model=model), end, model=model)
        for start, end in _turns(memory, past, course.judgement.moment)
    )
    return any(cell(weight) != cell(memory.weight) for weight in weights)


def _turns(memory: Memory, past: Past, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    """When a weight is lowest and highest: just before each use that is not in the file yet, and just after."""
    start = memory.last_accessed if past.weight is None else max(memory.last_accessed, past.weight.at)
    yield start, start
    for first, last in past.uses:
        if start < first <= until:
            yield start, first
            yield last, last
            start = last


def _note_crossing(course: Course, world: World) -> None:
    """When the exact weight will leave the cell it is in."""
    memory, use = course.memory, course.use
    low = cell(effective(memory, use, world.now, model=world.policy.model)) - STEP / 2 - 2 * _LEEWAY * STEP
    if low > 0:
        world.look_again(falls_below(memory, use, low, model=world.policy.model))


# -- the status


def mark_stale(course: Course, world: World) -> None:
    """Flag what fell below the threshold."""
    judged, memory = course.judgement, course.memory
    world.look_again(judged.next)
    if judged.status != "stale" or memory.status == "stale" or not _has_status(course):
        return
    course.set("stale", f"below {world.policy.stale_below:g} since {_day(judged.since)}", status="stale")


def revive(course: Course, world: World) -> None:
    """What was used again, or weighs enough again, is active again."""
    judged, memory = course.judgement, course.memory
    if judged.status != "active" or memory.status == "active" or not _has_status(course):
        return
    exact = effective(memory, judged.use, judged.moment, model=world.policy.model)
    course.set("revive", f"{_used(judged.use.last)}, weighs {exact:.2f} again", status="active")


def _has_status(course: Course) -> bool:
    memory = course.memory
    return memory.place in _OWN and not course.made and "status" not in memory.theirs and not course.is_frozen


def archive(course: Course, world: World) -> None:
    """Put away what has been stale for long; where links would break it stays in its place, marked."""
    judged, memory = course.judgement, course.memory
    world.look_again(judged.next)
    if judged.status != "archived" or memory.status == "archived" or course.made or course.is_vetoed("stale"):
        return
    why = f"below {world.policy.stale_below:g} for {world.policy.archive_days:g} days until {_day(judged.since)}"
    if memory.place is Place.FOREIGN:
        course.note({"e": "archive", "id": course.id}, {"e": "lift", "of": "archive", "id": course.id})
        course.why.append(("archive", why))
        return
    if "status" not in memory.theirs:  # a status of somebody else's is left to them, and so is where the note lies
        world.put_away(course, "archive", why)


# What one task needed is put away when its time is over; what was archived long ago may go.

MONTH = 30.44  # days


def expire(course: Course, world: World) -> None:
    """Clear a memory that served one task, when its time is over or nobody used it for a day."""
    memory = course.memory
    over = _over_at(memory, course, world)
    if over is None or memory.place not in (Place.HOT, Place.MEMORIES) or memory.status == "archived" or memory.pinned:
        return
    if over > world.now:
        world.look_again(over)
        return
    world.put_away(course, "expire", f"its time was over on {over:%Y-%m-%d %H:%M}Z", cleared_at=over)


def _over_at(memory: Memory, course: Course, world: World) -> datetime | None:
    kind = world.policy.kinds.get(memory.kind)
    # What was only guessed to be of such a kind is never put away for it.
    if kind is None or not kind.idle_hours or "kind" not in memory.stated:
        return None
    idle = course.use.last + timedelta(hours=kind.idle_hours)
    said = memory.more.get("expires_at")
    return min(said, idle) if isinstance(said, datetime) else idle


def prune(course: Course, world: World) -> None:
    """Let a memory go that faded long ago and that nobody asked for since; never one that was merged."""
    memory, months = course.memory, world.policy.prune_months
    if not months or memory.place is not Place.ARCHIVED or memory.pinned or memory.more.get("merged_into"):
        return
    over = later(course.use.last, months * MONTH)
    if over > world.now:
        world.look_again(over)
        return
    why = f"archived, and not used since {course.use.last:%Y-%m-%d}"
    course.move("prune", why, world.free(world.survey.trash, memory.path.rpartition("/")[2]), Place.ARCHIVED)
