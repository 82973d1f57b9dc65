"""What one task needed is put away when its time is over; what was archived long ago may go."""

from __future__ import annotations

from datetime import datetime, timedelta

from memvault.core.memory import Memory, Place
from memvault.core.weight import later
from memvault.maintenance.rules.case import Course
from memvault.maintenance.rules.world import World

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
