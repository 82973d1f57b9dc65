"""One memory on its way through the rules: what is to be changed about it, and why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Change, Entry, Move, Note, SetFields, wrote
from memvault.core.weight import NO_PAST, Past, Use, present, used_since
from memvault.maintenance.rules.status import Judgement, judge
from memvault.maintenance.rules.survey import Survey

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
