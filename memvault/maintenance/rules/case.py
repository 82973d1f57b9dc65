"""One memory on its way through the rules: what is to be changed about it, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime

from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import (
    ChangeSubject,
    LedgerLine,
    LedgerNote,
    MoveFile,
    PlanChange,
    SetFields,
    ledger_lines_for_write,
)
from memvault.core.similarity.verdict import ComparisonResult
from memvault.core.weight import NO_USAGE, MemoryUse, UsageHistory, current_use, used_since
from memvault.maintenance.rules.policy import MaintenancePolicy, VaultSnapshot
from memvault.maintenance.rules.status import DatedStatus, status_by_date
from memvault.text.file_names import free_file_name, name_key

_NOTED = ("weight", "status", "pinned")


class Case:
    """A memory as the rules have left it so far, and the one change that brings its file there."""

    def __init__(
        self, memory: Memory, snapshot: VaultSnapshot, *, past: UsageHistory = NO_USAGE, made: bool = False
    ) -> None:
        self._snapshot = snapshot
        self._past = past
        self._new_path: str = ""
        self._notes: list[tuple[LedgerLine, LedgerLine | None]] = []
        self.original = memory
        self.memory = memory
        self.is_new = made  # by this run: there is no file yet
        self.group = ""
        self.fields: dict[str, FieldValue | None] = {}
        self.reasons: list[tuple[str, str]] = []  # rule, reason
        self.use: MemoryUse = current_use(memory, past, snapshot.now, decay=snapshot.policy.decay)
        self.dated_status: DatedStatus = status_by_date(memory, past, snapshot, self.use)

    @property
    def id(self) -> str:
        """Return the memory's id."""
        return self.memory.id

    @property
    def is_frozen(self) -> bool:
        """Return whether its file cannot be changed: its frontmatter is broken, or a change was refused for it."""
        first = self.original
        return bool(first.problem) or self._snapshot.unfit.get(first.path) == first.version != ""

    def is_vetoed(self, rule: str) -> bool:
        """Return whether a person took this very thing back, and the memory has not changed since."""
        at = self._snapshot.decided.vetoes.get((self.id, rule))
        return at is not None and not self._has_changed_since(at)

    def _has_changed_since(self, moment: datetime) -> bool:
        now, typed = self._snapshot.now, self._past.weight
        is_retyped = typed is not None and moment < typed.at <= now
        return is_retyped or used_since(self.original, self._past, moment, now)

    def set_fields(self, rule: str, why: str, **values: FieldValue | None) -> None:
        """Change some of its fields."""
        values = {name: value for name, value in values.items() if name not in self.original.theirs}
        if self.is_frozen or not values:
            return
        if why:
            self.reasons.append((rule, why))
        for name, value in values.items():
            if not self.is_new and name in _NOTED and value is not None:
                self._notes.append(ledger_lines_for_write(self.id, name, value, getattr(self.original, name)))
            self.fields[name] = value
        known = {name: value for name, value in values.items() if name in Memory.__slots__}
        more = {name: value for name, value in values.items() if name not in Memory.__slots__}
        self.memory = self.memory.with_changes(**known, more={**self.memory.more, **more})

    def add_note(self, entry: LedgerLine, inverse: LedgerLine | None = None) -> None:
        """Add a ledger line that goes with the change."""
        self._notes.append((entry, inverse))

    def move_to(self, rule: str, why: str, path: str, place: Place) -> None:
        """Put it into another folder."""
        if self.is_frozen:
            return
        if why:
            self.reasons.append((rule, why))
        if not self.is_new:
            line = {"e": "moved", "id": self.id, "by": "keeper"}
            back = {**line, "from": path, "to": self.memory.path}
            self._notes.append(({**line, "from": self.memory.path, "to": path}, back))
        self._new_path = path
        self.memory = self.memory.with_changes(path=path, place=place)

    @property
    def moved_to(self) -> str:
        """Return where it goes; empty where it stays."""
        return "" if self._new_path == self.original.path else self._new_path

    def list_changes(self) -> Iterator[PlanChange]:
        """Yield the change to its file; of what lies outside the tiers only the ledger is told."""
        if self.is_new or not self.reasons:
            return
        reason = "; ".join(text for _, text in self.reasons)
        rules = tuple(dict.fromkeys(rule for rule, _ in self.reasons))
        if self.original.place is Place.FOREIGN:
            about = ChangeSubject(id=self.id, rules=rules)
            yield from (LedgerNote(entry, reason, inverse, about) for entry, inverse in self._notes)
            return
        if "id" not in (*self.original.stated, *self.original.theirs):
            self.fields["id"] = self.id  # its file is being written anyway
        about = ChangeSubject(id=self.id, rules=rules, notes=tuple(self._notes), group=self.group)
        first = self.original
        if self.moved_to:
            yield MoveFile(first.path, self.moved_to, reason, dict(self.fields), None, first.version, about)
        elif self.fields:
            yield SetFields(first.path, dict(self.fields), reason, first.version, about)


# Everything the rules work on in one run: the memories on their courses, and what is new among them.


@dataclass(frozen=True, slots=True)
class PlannedNote:
    """A note that the run makes, or writes anew: the memory, why, and what belongs to it."""

    memory: Memory
    why: str
    about: ChangeSubject
    replaces: Memory | None = None  # the note of that id that is there already
    sources: tuple[Memory, ...] = ()  # the notes that it is made of


class RuleState:
    """The vault as the rules have left it so far."""

    def __init__(self, snapshot: VaultSnapshot, rules: frozenset[str]) -> None:
        self.snapshot = snapshot
        self.rules = rules
        self.cases = {
            memory.id: Case(memory, snapshot, past=snapshot.pasts.get(memory.id, NO_USAGE))
            for memory in snapshot.memories
        }
        self.planned_notes: dict[str, PlannedNote] = {}
        self.compared: ComparisonResult | None = snapshot.compared
        self.next: datetime | None = None  # when the next thing is due, if nothing else happens
        self._taken: set[str] = set()

    @property
    def policy(self) -> MaintenancePolicy:
        """Return the numbers to go by."""
        return self.snapshot.policy

    @property
    def now(self) -> datetime:
        """Return the moment of the run."""
        return self.snapshot.now

    def note_due(self, moment: datetime | None) -> None:
        """Say when something will be due that is not due yet."""
        if moment is not None and moment > self.now and (self.next is None or moment < self.next):
            self.next = moment

    def free_path(self, place: Place, memory: Memory) -> str:
        """Return a path in the folder of a place, under the name a memory has, or the next free one."""
        folder, name = self.snapshot.folders[place], memory.path.rpartition("/")[2]
        return self.claim_path(folder, name)

    def archive_case(self, case: Case, rule: str, why: str, **fields: FieldValue) -> None:
        """Move a memory into the archive; where links would break, it stays in its place and is only marked."""
        is_tied = self.snapshot.is_linked_by_path(case.original)
        reason = f"{why}; other notes link to its path, so it stays" if is_tied else why
        case.set_fields(rule, reason, status="archived", **fields)
        if not is_tied:
            case.move_to(rule, "", self.free_path(Place.ARCHIVED, case.memory), Place.ARCHIVED)

    def claim_path(self, folder: str, name: str) -> str:
        """Return a path that nobody has, in the vault or in this run's plan."""
        stem, dot, ending = name.rpartition(".")
        path, turn = folder + name, 2
        while self.is_taken(path):
            path, turn = f"{folder}{stem}-{turn}{dot}{ending}", turn + 1
        self._taken.add(name_key(path))
        return path

    def is_taken(self, path: str) -> bool:
        """Return whether a path is in use, in the vault or in this run's plan."""
        return name_key(path) in self._taken or self.snapshot.is_taken(path)

    def new_path(self, place: Place, day: date, title: str) -> str:
        """Return a path for a new note whose name no other note has."""
        folder = self.snapshot.folders[place]
        name = free_file_name(
            day, title, taken=lambda name: self.snapshot.has_name(name) or self.is_taken(folder + name)
        )
        return self.claim_path(folder, name)

    def add_planned(self, made: PlannedNote) -> Case:
        """Take a new memory in; later rules see it like any other."""
        case = Case(made.memory, self.snapshot, made=True)
        self.cases[made.memory.id] = case
        self.planned_notes[made.memory.id] = made
        return case

    def cases_by_path(self) -> Iterator[Case]:
        """Return all memories, by path."""
        return iter(sorted(self.cases.values(), key=lambda case: case.original.path))

    def list_changes(self) -> Iterator[PlanChange | PlannedNote]:
        """Yield what is to be done: what is made comes before what makes way for it, group by group."""
        grouped: dict[str, list[Case]] = {}
        for case in self.cases_by_path():
            if case.group:
                grouped.setdefault(case.group, []).append(case)
        for made in self.planned_notes.values():
            yield replace(made, memory=self.cases[made.memory.id].memory)
            for case in grouped.pop(made.about.group, []):
                yield from case.list_changes()
        for case in self.cases_by_path():
            if not case.group or case.group in grouped:
                yield from case.list_changes()
