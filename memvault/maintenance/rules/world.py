"""Everything the rules work on in one run: the memories on their courses, and what is new among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime

from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Change
from memvault.core.similarity.compare import Compared
from memvault.core.weight import NO_PAST
from memvault.maintenance.rules.case import Course
from memvault.maintenance.rules.policy import Policy
from memvault.maintenance.rules.survey import Survey
from memvault.text.file_names import file_name, name_key


@dataclass(frozen=True, slots=True)
class Made:
    """A note that the run makes, or writes anew: the memory, why, and what belongs to it."""

    memory: Memory
    why: str
    about: About
    replaces: Memory | None = None  # the note of that id that is there already
    sources: tuple[Memory, ...] = ()  # the notes that it is made of


class World:
    """The vault as the rules have left it so far."""

    def __init__(self, survey: Survey, rules: frozenset[str]) -> None:
        self.survey = survey
        self.rules = rules
        self.courses = {
            memory.id: Course(memory, survey, past=survey.pasts.get(memory.id, NO_PAST)) for memory in survey.memories
        }
        self.made: dict[str, Made] = {}
        self.compared: Compared | None = survey.compared
        self.next: datetime | None = None  # when the next thing is due, if nothing else happens
        self._taken: set[str] = set()

    @property
    def policy(self) -> Policy:
        """The numbers to go by."""
        return self.survey.policy

    @property
    def now(self) -> datetime:
        """The moment of the run."""
        return self.survey.now

    def look_again(self, moment: datetime | None) -> None:
        """Say when something will be due that is not due yet."""
        if moment is not None and moment > self.now and (self.next is None or moment < self.next):
            self.next = moment

    def free_path(self, place: Place, memory: Memory) -> str:
        """A path in the folder of a place, under the name a memory has, or the next free one."""
        folder, name = self.survey.folders[place], memory.path.rpartition("/")[2]
        return self.free(folder, name)

    def put_away(self, course: Course, rule: str, why: str, **fields: FieldValue) -> None:
        """Move a memory into the archive; where links would break, it stays in its place and is only marked."""
        is_tied = self.survey.is_tied(course.first)
        told = f"{why}; other notes link to its path, so it stays" if is_tied else why
        course.set(rule, told, status="archived", **fields)
        if not is_tied:
            course.move(rule, "", self.free_path(Place.ARCHIVED, course.memory), Place.ARCHIVED)

    def free(self, folder: str, name: str) -> str:
        """A path that nobody has, in the vault or in this run's plan."""
        stem, dot, ending = name.rpartition(".")
        path, turn = folder + name, 2
        while self.is_taken(path):
            path, turn = f"{folder}{stem}-{turn}{dot}{ending}", turn + 1
        self._taken.add(name_key(path))
        return path

    def is_taken(self, path: str) -> bool:
        """Whether a path is in use, in the vault or in this run's plan."""
        return name_key(path) in self._taken or self.survey.is_taken(path)

    def new_path(self, place: Place, day: date, title: str) -> str:
        """A path for a new note whose name no other note has."""
        folder = self.survey.folders[place]
        name = file_name(day, title, taken=lambda name: self.survey.has_name(name) or self.is_taken(folder + name))
        return self.free(folder, name)

    def make(self, made: Made) -> Course:
        """Take a new memory in; later rules see it like any other."""
        course = Course(made.memory, self.survey, made=True)
        self.courses[made.memory.id] = course
        self.made[made.memory.id] = made
        return course

    def in_order(self) -> Iterator[Course]:
        """All memories, by path."""
        return iter(sorted(self.courses.values(), key=lambda course: course.first.path))

    def changes(self) -> Iterator[Change | Made]:
        """What is to be done: what is made comes before what makes way for it, group by group."""
        grouped: dict[str, list[Course]] = {}
        for course in self.in_order():
            if course.group:
                grouped.setdefault(course.group, []).append(course)
        for made in self.made.values():
            yield self._as_it_is_now(made)
            for course in grouped.pop(made.about.group, []):
                yield from course.changes()
        for course in self.in_order():
            if not course.group or course.group in grouped:
                yield from course.changes()

    def _as_it_is_now(self, made: Made) -> Made:
        """What is made, as later rules have left it."""
        return replace(made, memory=self.courses[made.memory.id].memory)
