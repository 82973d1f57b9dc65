"""What a memory's status is by its dates alone, and since when: the same however often one asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from memvault.core.memory import Memory, Place
from memvault.core.weight import MemoryUse, UsageHistory, add_days, falls_below, never_decays, use_at, used_since
from memvault.maintenance.rules.policy import VaultSnapshot

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
