"""One memory on its way through the rules: what is to be changed about it, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime

from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Change, Entry, Move, Note, SetFields, wrote
from memvault.core.similarity.compare import Compared
from memvault.core.weight import NO_PAST, Past, Use, present, used_since
from memvault.maintenance.rules.policy import Policy, Survey
from memvault.maintenance.rules.status import Judgement, judge
from memvault.text.file_names import file_name, name_key

_NOTED = ("weight", "status", "pinned")


class Course:
    """A memory as the rules have left it so far, and the one change that brings its file there."""

    __slots__ = (
        "_moved",
        "_notes",
        "_past",
        "_survey",
        "fields",
        "first",
        "group",
        "judgement",
        "made",
        "memory",
        "use",
        "why",
    )

    def __init__(self, memory: Memory, survey: Survey, *, past: Past = NO_PAST, made: bool = False) -> None:
        self._survey = survey
        self._past = past
        self._moved: str = ""
        self._notes: list[tuple[Entry, Entry | None]] = []
        self.first = memory
        self.memory = memory
        self.made = made  # by this run: there is no file yet
        self.group = ""
        self.fields: dict[str, FieldValue | None] = {}
        self.why: list[tuple[str, str]] = []  # rule, reason
        self.use: Use = present(memory, past, survey.now, model=survey.policy.model)
        self.judgement: Judgement = judge(memory, past, survey, self.use)

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id

    @property
    def is_frozen(self) -> bool:
        """Whether its file cannot be changed: its frontmatter is broken, or a change was refused for it."""
        first = self.first
        return bool(first.problem) or self._survey.unfit.get(first.path) == first.version != ""

    def is_vetoed(self, rule: str) -> bool:
        """Whether a person took this very thing back, and the memory has not changed since."""
        at = self._survey.decided.vetoes.get((self.id, rule))
        return at is not None and not self._has_changed_since(at)

    def _has_changed_since(self, moment: datetime) -> bool:
        now, typed = self._survey.now, self._past.weight
        is_retyped = typed is not None and moment < typed.at <= now
        return is_retyped or used_since(self.first, self._past, moment, now)

    def set(self, rule: str, why: str, **values: FieldValue | None) -> None:
        """Change some of its fields."""
        values = {name: value for name, value in values.items() if name not in self.first.theirs}
        if self.is_frozen or not values:
            return
        if why:
            self.why.append((rule, why))
        for name, value in values.items():
            if not self.made and name in _NOTED and value is not None:
                self._notes.append(wrote(self.id, name, value, getattr(self.first, name)))
            self.fields[name] = value
        known = {name: value for name, value in values.items() if name in Memory.__slots__}
        more = {name: value for name, value in values.items() if name not in Memory.__slots__}
        self.memory = self.memory.changed(**known, more={**self.memory.more, **more})

    def note(self, entry: Entry, inverse: Entry | None = None) -> None:
        """A ledger line that goes with the change."""
        self._notes.append((entry, inverse))

    def move(self, rule: str, why: str, path: str, place: Place) -> None:
        """Put it into another folder."""
        if self.is_frozen:
            return
        if why:
            self.why.append((rule, why))
        if not self.made:
            line = {"e": "moved", "id": self.id, "by": "keeper"}
            back = {**line, "from": path, "to": self.memory.path}
            self._notes.append(({**line, "from": self.memory.path, "to": path}, back))
        self._moved = path
        self.memory = self.memory.changed(path=path, place=place)

    @property
    def moved_to(self) -> str:
        """Where it goes; empty where it stays."""
        return "" if self._moved == self.first.path else self._moved

    def changes(self) -> Iterator[Change]:
        """The change to its file; of what lies outside the tiers only the ledger is told."""
        if self.made or not self.why:
            return
        reason = "; ".join(text for _, text in self.why)
        rules = tuple(dict.fromkeys(rule for rule, _ in self.why))
        if self.first.place is Place.FOREIGN:
            about = About(id=self.id, rules=rules)
            yield from (Note(entry, reason, inverse, about) for entry, inverse in self._notes)
            return
        if "id" not in (*self.first.stated, *self.first.theirs):
            self.fields["id"] = self.id  # its file is being written anyway
        about = About(id=self.id, rules=rules, notes=tuple(self._notes), group=self.group)
        first = self.first
        if self.moved_to:
            yield Move(first.path, self.moved_to, reason, dict(self.fields), None, first.version, about)
        elif self.fields:
            yield SetFields(first.path, dict(self.fields), reason, first.version, about)


# Everything the rules work on in one run: the memories on their courses, and what is new among them.


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
