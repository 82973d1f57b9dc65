"""One memory on its way through the rules: what is to be changed about it, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

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
from memvault.core.weight import (
    NO_USAGE,
    MemoryUse,
    UsageHistory,
    add_days,
    current_use,
    falls_below,
    never_decays,
    use_at,
    used_since,
)
from memvault.maintenance.rules.policy import MaintenancePolicy, VaultSnapshot
from memvault.text.file_names import free_file_name, name_key

FADING_PLACES = (Place.HOT, Place.MEMORIES, Place.FOREIGN)


@dataclass(frozen=True, slots=True)
class DatedStatus:
    """A status, since when it is right, and the moment of which the file's numbers tell."""

    status: str
    since: datetime
    moment: datetime
    use: MemoryUse  # as it stood at that moment
    next: datetime | None = None  # when it will be another, if nothing happens


def status_by_date(memory: Memory, past: UsageHistory, snapshot: VaultSnapshot, use: MemoryUse) -> DatedStatus:
    """Return the status of a memory now."""
    now = snapshot.now
    if memory.place not in FADING_PLACES or memory.status == "archived" or memory.pinned:
        return DatedStatus(_undated_status(memory, past, now), now, now, use)
    if held := _manual_status(memory, past, snapshot):
        return DatedStatus(held, now, now, use)
    if faded := next(_archived_statuses(memory, past, snapshot, use), None):
        return faded
    return _current_status(memory, past, snapshot, use)


def _undated_status(memory: Memory, past: UsageHistory, now: datetime) -> str:
    """Return a status that dates do not decide; pins wake, and a person may bring back what was archived."""
    if memory.pinned and memory.status != "archived":
        return "active"
    is_back = memory.status == "archived" and memory.place in FADING_PLACES
    setting = past.status
    brought_back = setting is not None and setting.value == "active" and not used_since(memory, past, setting.at, now)
    return "active" if is_back and brought_back else memory.status


def _manual_status(memory: Memory, past: UsageHistory, snapshot: VaultSnapshot) -> str:
    """Return a status that a person set by hand, which holds until the memory is used again."""
    setting = past.status
    if setting is not None and not used_since(memory, past, setting.at, snapshot.now):
        return str(setting.value)
    is_ours = (memory.id, "status") in snapshot.decided.written
    is_used = used_since(memory, past, memory.last_accessed, snapshot.now)
    return memory.status if memory.status != "active" and setting is None and not (is_ours or is_used) else ""


def _falls_below_at(memory: Memory, past: UsageHistory, snapshot: VaultSnapshot, use: MemoryUse) -> datetime | None:
    """Return when it falls below the threshold; while it was pinned, it lay above."""
    below = falls_below(memory, use, snapshot.policy.stale_below, decay=snapshot.policy.decay)
    return max(below, past.pinned.at) if below and past.pinned and not past.pinned.value else below


def _current_status(memory: Memory, past: UsageHistory, snapshot: VaultSnapshot, use: MemoryUse) -> DatedStatus:
    """Return the status since the last use."""
    now = snapshot.now
    below = _falls_below_at(memory, past, snapshot, use)
    if below is None or below > now:
        return DatedStatus("active", use.start, now, use, below)
    gone = _archived_at(memory, below, snapshot)
    return DatedStatus("stale", below, now, use, gone)


def _archived_statuses(
    memory: Memory, past: UsageHistory, snapshot: VaultSnapshot, use: MemoryUse
) -> Iterator[DatedStatus]:
    """Yield the first time it lay below the threshold for as long as it takes, even if it was used later."""
    # Until when earlier runs or a person have decided the status.
    moments = [setting.at for setting in (past.weight, past.status) if setting is not None]
    if memory.id in snapshot.decided.settled:
        moments.append(snapshot.decided.settled[memory.id])
    if snapshot.judged_until is not None and snapshot.judged_until <= snapshot.now:
        moments.append(snapshot.judged_until)
    policy, settled = snapshot.policy, max(moments, default=datetime.min.replace(tzinfo=snapshot.now.tzinfo))
    for start, end in _idle_spells(memory, past, snapshot, use):
        is_over = start < use.start
        then = use_at(memory, past, start, decay=policy.decay) if is_over else use
        below = _falls_below_at(memory, past, snapshot, then)
        gone = None if below is None else _archived_at(memory, below, snapshot)
        if gone is not None and gone <= end and not (is_over and gone <= settled):
            yield DatedStatus("archived", gone, gone, use_at(memory, past, gone, decay=policy.decay))


def _idle_spells(
    memory: Memory, past: UsageHistory, snapshot: VaultSnapshot, use: MemoryUse
) -> Iterator[tuple[datetime, datetime]]:
    """Yield the times without use that are long enough to matter; a weight typed by hand begins another."""
    enough, now = timedelta(days=snapshot.policy.archive_days), snapshot.now
    start = min(memory.last_accessed, now)
    for first, last in past.uses:
        if past.weight is not None and start < past.weight.at <= first:
            start = past.weight.at
        is_held = past.status is not None and start < past.status.at <= first
        if first - start > enough and not is_held:
            yield start, min(first, now)
        start = max(start, min(last, now))
    yield max(start, use.start), now


def last_status_change(
    memory: Memory, past: UsageHistory, snapshot: VaultSnapshot, judged: DatedStatus
) -> datetime | None:
    """Return when the status last changed by dates since what the file tells of; None where it has not."""
    found, status, start = None, memory.status, min(memory.last_accessed, snapshot.now)
    for first, last in past.uses:
        if start < first <= judged.moment:
            below = _falls_below_at(memory, past, snapshot, use_at(memory, past, start, decay=snapshot.policy.decay))
            found, status = (below, "stale") if below and below < first and status == "active" else (found, status)
            again = _falls_below_at(memory, past, snapshot, use_at(memory, past, first, decay=snapshot.policy.decay))
            found, status = (first, "active") if status == "stale" and again != first else (found, status)
            start = last
    return judged.since if status != judged.status else found


def _archived_at(memory: Memory, below: datetime, snapshot: VaultSnapshot) -> datetime | None:
    """Return when a memory that is below the threshold goes into the archive; what never decays never does."""
    if never_decays(memory) or is_placed_by_hand(memory, snapshot):
        return None
    return add_days(below, snapshot.policy.archive_days)


def is_placed_by_hand(memory: Memory, snapshot: VaultSnapshot) -> bool:
    """Return whether a person put a memory into Tier 1: then it stays there until they take it out."""
    if memory.place is not Place.HOT:
        return False
    moving = snapshot.decided.moved.get(memory.id)
    return moving is None or not moving.by_keeper or moving.target != memory.path


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
