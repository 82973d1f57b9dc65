"""The figures of a vault: how much there is and what it weighs, what is used, what fades and what came back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType

from memvault.core.memory import Memory
from memvault.core.plan import Operation, OperationStep
from memvault.core.query import NO_FILTERS
from memvault.core.weight import DAY, NO_USAGE, MemoryUse, UsageHistory, current_use, falls_below
from memvault.errors import BadInput
from memvault.maintenance.rules.case import FADING_PLACES
from memvault.maintenance.rules.policy import MaintenancePolicy
from memvault.storage.index.rows import fold_name
from memvault.storage.vault.context import VaultContext
from memvault.text.dates.dates import read_moment

TIERS = ("identity", "hot", "memories", "archived")
AGES: tuple[tuple[float, str], ...] = (
    (7, "under a week"),
    (30, "a week to a month"),
    (90, "1 to 3 months"),
    (365, "3 months to a year"),
    (float("inf"), "over a year"),
)
HORIZON = 30
USUAL_DAYS, MOST_DAYS = 30, 36_500
IDENTITY_BUDGET = 3 * 1024
MOST = 10


@dataclass(frozen=True, slots=True)
class WeighedMemory:
    """One memory with its use, its exact weight, and the moment it falls below the threshold if it is not used."""

    memory: Memory
    use: MemoryUse
    weight: float
    falls: datetime | None


@dataclass(frozen=True, slots=True)
class WeightGroup:
    """How many memories share something, and what they weigh on average."""

    name: str
    count: int
    weight: float


@dataclass(frozen=True, slots=True)
class FadingMemory:
    """A memory that fades soon, and when it falls below the threshold, or fell."""

    id: str
    title: str
    path: str
    weight: float
    at: datetime


@dataclass(frozen=True, slots=True)
class ReportEvent:
    """What happened to a memory; one that is no longer in the vault has no name."""

    at: datetime
    what: str
    id: str
    title: str
    path: str
    why: str


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """A memory, and how often something is true of it."""

    id: str
    title: str
    path: str
    count: int


@dataclass(frozen=True, slots=True)
class DayUses:
    """A UTC day, and how many uses were counted on it."""

    day: date
    count: int


@dataclass(frozen=True, slots=True)
class UseFigures:
    """How much a vault is used: ever, in the period, and on each day of it that saw a use."""

    ever: int
    in_period: int
    per_day: float
    per_week: float
    days: tuple[DayUses, ...]


@dataclass(frozen=True, slots=True)
class TierSizes:
    """Bytes of what is loaded in every session, against what it should stay within, and of all notes."""

    identity: int
    hot: int
    all: int
    hot_budget: tuple[int, int]
    identity_budget: int = IDENTITY_BUDGET


@dataclass(frozen=True, slots=True)
class ReportHistory:
    """What came to pass in a period, the newest first."""

    faded: tuple[ReportEvent, ...] = ()
    returned: tuple[ReportEvent, ...] = ()
    merged: tuple[ReportEvent, ...] = ()
    forgotten: int = 0  # a number only: who forgets something does not want to read its name again


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All figures of a vault at a moment, and over some days before it."""

    vault: str
    at: datetime
    days: int
    memories: int
    weight: float
    threshold: float
    below: int  # of those that can go stale, how many are below the threshold now
    pinned: int
    tiers: tuple[WeightGroup, ...]
    kinds: tuple[WeightGroup, ...]
    statuses: tuple[WeightGroup, ...]
    ages: tuple[WeightGroup, ...]
    touches: UseFigures
    fading: tuple[FadingMemory, ...]
    history: ReportHistory
    most_used: tuple[RankedMemory, ...]
    most_linked: tuple[RankedMemory, ...]
    sizes: TierSizes


# -- gathering


def compute_stats(context: VaultContext, *, days: int = USUAL_DAYS) -> Figures:
    """Return the figures of the vault now, and of some days before."""
    return compute_figures(context, weigh_memories(context), days)


def weigh_memories(
    context: VaultContext,
    memories: Sequence[Memory] | None = None,
    pasts: Mapping[str, UsageHistory] | None = None,
) -> list[WeighedMemory]:
    """Return every memory with its exact weight, by path; whoever read them and their uses already passes them in."""
    context.refresh()
    policy = MaintenancePolicy.from_settings(context.settings)
    memories = context.index.memories(NO_FILTERS) if memories is None else memories
    pasts = context.index.all_usage_histories() if pasts is None else pasts
    rows = []
    for memory in sorted(memories, key=lambda memory: memory.path):
        use = current_use(memory, pasts.get(memory.id, NO_USAGE), context.now, decay=policy.decay)
        falls = falls_below(memory, use, policy.stale_below, decay=policy.decay)
        rows.append(WeighedMemory(memory, use, context.memory_weight(memory, use), falls))
    return rows


def compute_figures(context: VaultContext, rows: Sequence[WeighedMemory], days: int) -> Figures:
    """Return the figures of weighed memories, and of what happened in some days."""
    if not 1 <= days <= MOST_DAYS:
        raise BadInput(what="the number of days", value=days, reason=f"it must lie between 1 and {MOST_DAYS:,}")
    now, policy = context.now, MaintenancePolicy.from_settings(context.settings)
    memories = [row.memory for row in rows]
    linked = Counter(target for memory in memories for target in context.index.links_from(memory.path))
    sizes = context.index.note_sizes()
    of = {tier: sum(sizes[memory.path][0] for memory in memories if memory.tier == tier) for tier in range(4)}
    return Figures(
        vault=context.vault.root.name,
        at=now,
        days=days,
        memories=len(rows),
        weight=mean_weight(rows),
        threshold=policy.stale_below,
        below=sum(row.weight < policy.stale_below and can_fade(row.memory) for row in rows),
        pinned=sum(memory.pinned for memory in memories),
        tiers=group_memories(rows, lambda row: TIERS[row.memory.tier], TIERS),
        kinds=group_memories(rows, lambda row: row.memory.kind),
        statuses=group_memories(rows, lambda row: row.memory.status),
        ages=by_age(rows, now),
        touches=count_uses(context.index.count_uses_by_day(), now, days=days),
        fading=list_fading(about_to_fade(rows, now)),
        history=list_history(context.vault.log.operations(), memories, now - timedelta(days=days)),
        most_used=most_used(rows),
        most_linked=most_linked(rows, lambda memory: linked[fold_name(memory.name)]),
        sizes=TierSizes(of[0], of[1], sum(of.values()), (policy.hot_fill, policy.hot_most)),
    )


# -- counts and weights


def mean_weight(rows: Sequence[WeighedMemory]) -> float:
    """Return what some memories weigh on average; 0 where there are none."""
    return round(sum(row.weight for row in rows) / len(rows), 6) if rows else 0.0


def by_age(rows: Iterable[WeighedMemory], now: datetime) -> tuple[WeightGroup, ...]:
    """Return memories by the time since they were made, the youngest first."""

    def age_name(row: WeighedMemory) -> str:
        days = (now - row.memory.created).total_seconds() / DAY
        return next(name for bound, name in AGES if days < bound)

    return group_memories(rows, age_name, [name for _, name in AGES])


def group_memories(
    rows: Iterable[WeighedMemory], key: Callable[[WeighedMemory], str], names: Sequence[str] = ()
) -> tuple[WeightGroup, ...]:
    """Return memories in groups: in the order of some names, or else the most frequent first."""
    members: defaultdict[str, list[WeighedMemory]] = defaultdict(list)
    for row in rows:
        members[key(row)].append(row)
    groups = {name: WeightGroup(name, len(group), mean_weight(group)) for name, group in members.items()}
    if names:
        return tuple(groups[name] for name in names if name in groups)
    return tuple(sorted(groups.values(), key=lambda group: (-group.count, group.name)))


# -- use


def count_uses(counts: Sequence[tuple[date, int]], now: datetime, *, days: int) -> UseFigures:
    """Return how much a vault was used; what is dated in the future counts among what was ever, and in no period."""
    today = now.astimezone(UTC).date()
    first = today - timedelta(days=days - 1)
    within = tuple(DayUses(day, count) for day, count in counts if first <= day <= today)
    total = sum(day.count for day in within)
    per_day = total / days
    return UseFigures(sum(count for _, count in counts), total, round(per_day, 3), round(per_day * 7, 3), within)


def most_used(rows: Iterable[WeighedMemory]) -> tuple[RankedMemory, ...]:
    """Return the memories used most often, those never used left out."""
    return _rank_memories((row.memory, row.use.count) for row in rows)


def most_linked(rows: Iterable[WeighedMemory], links: Callable[[Memory], int]) -> tuple[RankedMemory, ...]:
    """Return the memories that most others link to."""
    return _rank_memories((row.memory, links(row.memory)) for row in rows)


def _rank_memories(counted: Iterable[tuple[Memory, int]]) -> tuple[RankedMemory, ...]:
    found = sorted((-count, memory.path, memory) for memory, count in counted if count > 0)[:MOST]
    return tuple(RankedMemory(memory.id, memory.title, path, -count) for count, path, memory in found)


# -- what fades


def can_fade(memory: Memory) -> bool:
    """Return whether a memory can still go stale: it lies where memories fade, and was not archived."""
    return memory.place in FADING_PLACES and memory.status != "archived"


def about_to_fade(rows: Iterable[WeighedMemory], now: datetime, *, days: int = HORIZON) -> list[WeighedMemory]:
    """Return the memories that fade within some days unless used, the first to fall below the threshold first.

    One that fell already and is active still does so as soon as somebody maintains the vault.
    """
    end = now + timedelta(days=days)

    def fades(row: WeighedMemory) -> bool:
        falls = row.falls
        return falls is not None and falls <= end and (falls > now or row.memory.status == "active")

    found = [row for row in rows if fades(row) and can_fade(row.memory)]
    return sorted(found, key=lambda row: (row.falls or now, row.memory.path))


def list_fading(rows: Iterable[WeighedMemory]) -> tuple[FadingMemory, ...]:
    """Return the memories that are about to fade, with the moment."""
    return tuple(
        FadingMemory(row.memory.id, row.memory.title, row.memory.path, row.weight, row.falls)
        for row in rows
        if row.falls
    )


# -- what happened

_FADING_RULES = MappingProxyType({"stale": "went stale", "archive": "archived", "expire": "expired", "prune": "pruned"})
_RETURNING_RULES = MappingProxyType({"revive": "revived"})
_MERGING_RULES = MappingProxyType({"consolidate": "merged", "promote": "promoted"})
_EVENT_RULES: tuple[MappingProxyType[str, str], ...] = (_FADING_RULES, _RETURNING_RULES, _MERGING_RULES)
_IMPLIED_RULES = MappingProxyType({"archive": "stale", "prune": "archive"})  # who is archived went stale on the way


def list_history(operations: Iterable[Operation], memories: Iterable[Memory], since: datetime) -> ReportHistory:
    """Return what the operation log tells of a period; what was undone never happened."""
    named = _MemoryNames(memories)
    faded: dict[tuple[str, ...], ReportEvent] = {}
    returned: dict[tuple[str, ...], ReportEvent] = {}
    merged: dict[tuple[str, ...], ReportEvent] = {}
    forgotten = 0
    for operation in operations:
        at = read_moment(operation.at)
        if operation.state != "done" or at is None or at < since:
            continue
        forgotten += operation.verb == "forget"
        for step in operation.steps:
            for events, whats in zip((faded, returned, merged), _step_events(operation, step), strict=True):
                for what in whats:
                    event = named.build_event(at, what, step)
                    events.setdefault((operation.op, what, step.id or step.path), event)
    return ReportHistory(
        _newest_first(faded.values()), _newest_first(returned.values()), _newest_first(merged.values()), forgotten
    )


def _step_events(operation: Operation, step: OperationStep) -> tuple[list[str], list[str], list[str]]:
    """Return what one step did to its memory: how it faded, how it came back, what it became part of."""
    included = {_IMPLIED_RULES[rule] for rule in step.rules if rule in _IMPLIED_RULES}
    rules = [rule for rule in step.rules if rule not in included]
    faded, returned, merged = ([names[rule] for rule in rules if rule in names] for names in _EVENT_RULES)
    if operation.verb == "restore" and step.do == "move":
        returned.append("restored")
    # A merge makes one new memory and lays several by; it is told once, as what it made.
    return faded, returned, merged if step.do in ("create", "rewrite") else []


def _newest_first(events: Iterable[ReportEvent]) -> tuple[ReportEvent, ...]:
    return tuple(sorted(events, key=lambda event: (-event.at.timestamp(), event.what, event.path)))


class _MemoryNames:
    """The memories of a vault by id and by path."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._by_id: dict[str, Memory] = {}
        self._by_path: dict[str, Memory] = {}
        for memory in memories:
            self._by_id[memory.id] = self._by_path[memory.path] = memory

    def build_event(self, at: datetime, what: str, step: OperationStep) -> ReportEvent:
        """Return what a step did, under the name that its memory has today."""
        path = step.to or step.path
        memory = self._by_id.get(step.id) or self._by_path.get(path)
        if memory is None:
            return ReportEvent(at, what, step.id, "", "", "")  # a path and a reason would tell its name as well
        return ReportEvent(at, what, memory.id, memory.title, memory.path, step.why)
