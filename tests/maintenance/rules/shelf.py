"""A vault of values: memories, what was noted of them, and runs of the rules over both. No file, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from memvault.core.kinds import FIELDS
from memvault.core.memory import Memory, Place
from memvault.core.plan import RULE_NAMES, ChangeSubject, LedgerNote, MoveFile, PlanChange, SetFields
from memvault.core.weight import NO_USAGE, TierMove, TypedValue, UsageHistory, current_use, effective_weight
from memvault.maintenance.rules import (
    EarlierDecisions,
    MaintenancePolicy,
    PlannedNote,
    RuleResult,
    VaultSnapshot,
    apply_rules,
)

START = datetime(2026, 1, 1, 9, 30, tzinfo=UTC)
FOLDERS = {Place.HOT: "1-hot/", Place.MEMORIES: "2-memories/", Place.ARCHIVED: "3-raw/archived/"}
ALL = frozenset(RULE_NAMES)
FADING = frozenset({"adopt", "touches", "decay", "stale", "revive", "archive"})
_PLACES = {folder: place for place, folder in FOLDERS.items()}
STATED = tuple(name for name in FIELDS if name != "base_weight")


def day(number: float) -> datetime:
    """A moment so many days after the start."""
    return START + timedelta(days=number)


def memory(name: str = "one", **given: object) -> Memory:
    """A memory of Tier 2, made and last used at the start, whose file states all of its fields."""
    place = given.get("place", Place.MEMORIES)
    folder = FOLDERS.get(place, "notes/") if isinstance(place, Place) else ""
    known = {
        "id": name,
        "path": f"{folder}{name}.md",
        "place": Place.MEMORIES,
        "title": name,
        "created": START,
        "last_accessed": START,
        "weight": 0.8,
        "stated": STATED,
        "body": f"Body of {name}.",
    }
    return Memory(**{**known, **given})  # type: ignore[arg-type]


def survey(
    *memories: Memory, now: datetime = START, policy: MaintenancePolicy | None = None, **given: object
) -> VaultSnapshot:
    """One look at some memories, with nothing decided before."""
    folders = {
        "folders": FOLDERS,
        "vault_id": "11111111-2222-4333-8444-555555555555",
        "sizes": {one.path: 1_000 for one in memories},
    }
    return VaultSnapshot(memories=memories, now=now, policy=policy or MaintenancePolicy(), **{**folders, **given})  # type: ignore[arg-type]


def told(swept: RuleResult) -> list[str]:
    """A plan as lines a person can read: what becomes of each file, and why."""
    return [_line(change) for change in swept.changes]


def about(change: PlanChange | PlannedNote) -> ChangeSubject:
    """What is said about a change, which all that the rules make say."""
    found = change.about if isinstance(change, SetFields | MoveFile | LedgerNote | PlannedNote) else None
    assert found is not None, change
    return found


def _line(change: PlanChange | PlannedNote) -> str:
    match change:
        case SetFields(path, fields, why):
            return f"{path}: {_said(fields)} ({why})"
        case MoveFile(path, to, why, fields):
            return f"{path} -> {to}: {_said(fields)} ({why})"
        case LedgerNote(entry, why):
            return f"note {_said(entry)} ({why})"
        case PlannedNote(one, why):
            return f"{one.path}: new ({why})"
        case _:
            raise AssertionError(change)


def _said(fields: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {_plain(value)}" for name, value in fields.items()) or "as it is"


def _plain(value: object) -> str:
    return f"{value:%Y-%m-%d}" if isinstance(value, datetime) else str(value)


# -- a vault that lives on


@dataclass
class Shelf:
    """Some memories over time: used, edited by hand, and swept."""

    memories: dict[str, Memory]
    policy: MaintenancePolicy = field(default_factory=MaintenancePolicy)
    rules: frozenset[str] = FADING
    remembers_runs: bool = False  # whether a run knows when the last one was
    pasts: dict[str, UsageHistory] = field(default_factory=dict)
    written: dict[tuple[str, str], object] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    vetoes: dict[tuple[str, str], datetime] = field(default_factory=dict)
    moved: dict[str, TierMove] = field(default_factory=dict)
    last: datetime | None = None
    next: datetime | None = None
    is_quiet: bool = False  # whether nothing has happened since a run that found nothing to do

    @classmethod
    def of(cls, memories: Iterable[Memory], **given: object) -> Shelf:
        return cls({one.id: one for one in memories}, **given)  # type: ignore[arg-type]

    def past(self, id_: str) -> UsageHistory:
        return self.pasts.get(id_, NO_USAGE)

    def _noted(self, id_: str, **given: object) -> None:
        self.pasts[id_] = replace(self.past(id_), **given)  # type: ignore[arg-type]
        self.is_quiet = False

    def change(self, id_: str, **given: object) -> None:
        """What a person types into the file."""
        self.memories[id_] = self.memories[id_].with_changes(**given)
        self.is_quiet = False

    # -- what happens

    def touch(self, id_: str, at: datetime, until: datetime | None = None) -> None:
        uses = sorted((*self.past(id_).uses, (at, until or at)), key=lambda use: use[1])
        self._noted(id_, uses=tuple(uses))

    def type_weight(self, id_: str, value: float, at: datetime) -> None:
        self.change(id_, weight=value)
        self._noted(id_, weight=TypedValue(value, at))

    def type_status(self, id_: str, value: str, at: datetime) -> None:
        self.change(id_, status=value)
        self._noted(id_, status=TypedValue(value, at))

    def pin(self, id_: str, at: datetime, *, pinned: bool = True) -> None:
        if self.memories[id_].pinned != pinned:
            self.change(id_, pinned=pinned)
            self._noted(id_, pinned=TypedValue(pinned, at))

    # -- upkeep

    def survey(self, now: datetime) -> VaultSnapshot:
        return survey(
            *self.memories.values(),
            now=now,
            policy=self.policy,
            pasts=self.pasts,
            judged_until=self.last if self.remembers_runs else None,
            decided=EarlierDecisions(
                written=self.written, counted=frozenset(self.counted), vetoes=self.vetoes, moved=self.moved
            ),
        )

    def run(self, now: datetime) -> RuleResult:
        """Sweep, and carry the plan out."""
        swept = apply_rules(self.survey(now), self.rules)
        for change in swept.changes:
            self._make(change, now)
        self.last, self.next, self.is_quiet = now, swept.next, not swept.changes
        return swept

    def run_if_due(self, now: datetime) -> RuleResult | None:
        """Sweep unless nothing has happened and nothing has come due, as the timer's run does."""
        is_due = self.next is not None and self.next <= now
        return None if self.is_quiet and not is_due else self.run(now)

    def _make(self, change: PlanChange | PlannedNote, now: datetime) -> None:
        assert isinstance(change, SetFields | MoveFile | LedgerNote), change
        for entry, _ in change.about.notes:
            self._keep(entry, now)
        if isinstance(change, LedgerNote):
            self._keep(change.entry, now)
            self.memories[change.about.id] = self.memories[change.about.id].with_changes(status="archived")
            return
        one = self.memories[change.about.id]
        assert one.path == change.path
        path = change.to if isinstance(change, MoveFile) else one.path
        place = _PLACES[path.rpartition("/")[0] + "/"] if path != one.path else one.place
        assert None not in change.fields.values()
        fields = dict(change.fields)
        stated = tuple(dict.fromkeys((*one.stated, *fields)))
        self.memories[one.id] = one.with_changes(path=path, place=place, stated=stated, **fields)

    def _keep(self, entry: Mapping[str, object], now: datetime) -> None:
        id_ = str(entry["id"])
        if entry["e"] == "wrote":
            self.written[id_, str(entry["field"])] = entry["value"]
        if entry["e"] == "moved":
            self.moved[id_] = TierMove(str(entry["from"]), str(entry["to"]), now, by_keeper=True)
        if entry["e"] == "count":
            self.counted.add(id_)
            value = entry["value"]
            assert isinstance(value, int)
            baseline = self.past(id_).baseline
            self.pasts[id_] = replace(self.past(id_), baseline=value if baseline is None else baseline)

    # -- how it stands

    def weight(self, id_: str, now: datetime) -> float:
        """The exact weight, as recall sees it."""
        one = self.memories[id_]
        decay = self.policy.decay
        return effective_weight(one, current_use(one, self.past(id_), now, decay=decay), now, decay=decay)

    def standing(self) -> list[tuple[object, ...]]:
        """All that maintenance writes into files, and where they lie."""
        return [
            (one.path, one.status, one.weight, one.base_weight, one.access_count, one.last_accessed)
            for one in self.memories.values()
        ]
