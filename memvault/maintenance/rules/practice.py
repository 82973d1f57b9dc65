"""How often a way was followed and worked goes into its file, as the journals tell it."""

from __future__ import annotations

from memvault.core.kinds.practice import NO_PRACTICE, fields_of, in_file
from memvault.core.memory import Place
from memvault.maintenance.rules.case import Course
from memvault.maintenance.rules.world import World

_OWN = (Place.HOT, Place.MEMORIES)
RULE = "practice"


def practise(course: Course, world: World) -> None:
    """Bring the numbers in a file up to what the journals tell; they are written by grid and by status alike."""
    memory, practice = course.memory, world.survey.practices.get(course.id, NO_PRACTICE)
    if course.made or memory.place not in _OWN or world.policy.write == "never":
        return
    values = fields_of(memory, practice)
    if not values:
        return
    if course.id not in world.survey.decided.practised:
        before = in_file(memory)
        rate = {} if before.rate is None else {"rate": before.rate}
        course.note({"e": "practice", "id": course.id, "count": before.count, **rate})
    count, worked = len(practice.followed), sum(ok for _, ok in practice.followed)
    course.set(RULE, f"followed {count} {'time' if count == 1 else 'times'}, worked {worked}", **values)
