"""Weights, uses and statuses: what becomes of one memory by its dates."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from math import floor

from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.weight import (
    NO_USAGE,
    MemoryUse,
    UsageHistory,
    add_days,
    decay_base,
    effective_weight,
    falls_below,
    last_use_by,
    use_at,
)
from memvault.maintenance.rules.case import Case, RuleState, last_status_change

STEP = 0.1
_LEEWAY = 1e-9  # so that a weight on an edge belongs to the cell above, whatever floats make of it
_OWN = (Place.HOT, Place.MEMORIES)  # whose files upkeep writes to


def round_to_grid(weight: float) -> float:
    """Return the point of the grid that stands for a weight."""
    return round(floor(weight / STEP + 0.5 + _LEEWAY) * STEP, 1)


def _format_day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


# -- uses


def fold_uses(case: Case, state: RuleState) -> None:
    """Write how often and when a memory was last used into its file, where it says so."""
    memory, numbers = case.memory, _numbers_to_write(case, state)
    if numbers is None:
        return
    use, values = numbers[1], dict[str, FieldValue | None]()
    if "access_count" in memory.stated and use.count > memory.access_count:
        values["access_count"] = use.count
    last = last_use_by(
        memory, state.snapshot.pasts.get(memory.id, NO_USAGE), numbers[0]
    )  # what is dated ahead waits for its day
    if "last_accessed" in memory.stated and last > memory.last_accessed:
        values["last_accessed"] = last
    if not values:
        return
    if "access_count" in values and case.id not in state.snapshot.decided.counted:
        case.add_note({"e": "count", "id": case.id, "value": memory.access_count})
    more = use.count - memory.access_count
    case.set_fields(
        "touches",
        f"used {more} more times, last on {_format_day(use.last)}" if more > 1 else _describe_use(use.last),
        **values,
    )


def _describe_use(last: datetime) -> str:
    return f"used on {_format_day(last)}"


def adopt_weight(case: Case, state: RuleState) -> None:
    """Start decay from a weight that a person typed, from that day on."""
    memory, numbers = case.memory, _numbers_to_write(case, state)
    if numbers is not None and numbers[1].base is not None and abs(numbers[1].base - memory.base) > 1e-6:
        case.set_fields("adopt", f"you set its weight to {memory.weight:g}", base_weight=round(numbers[1].base, 4))


# -- the number in the file


def update_weight(case: Case, state: RuleState) -> None:
    """Bring the number in the file onto the grid where the exact weight has left its cell."""
    memory, numbers = case.memory, _numbers_to_write(case, state)
    if "weight" not in memory.stated or numbers is None:
        return
    moment, use = numbers
    if use.base is not None:  # what a person typed stays as typed; it fades from there all the same
        return
    exact = effective_weight(memory, use, moment, decay=state.policy.decay)
    if round_to_grid(exact) == round_to_grid(memory.weight) and not _left_its_cell(case, state):
        _note_crossing(case, state)
        return
    base = round(decay_base(memory, use), 4)
    values: dict[str, FieldValue | None] = {"weight": round_to_grid(exact)}
    if memory.base_weight is None or abs(memory.base_weight - base) > 1e-6:
        values["base_weight"] = base
    verb = "fell" if exact < memory.weight else "rose"
    why = "pinned: its weight is 1" if memory.pinned else f"its weight {verb} to {exact:.2f}"
    case.set_fields("decay", why, **values)
    _note_crossing(case, state)


def _numbers_to_write(case: Case, state: RuleState) -> tuple[datetime, MemoryUse] | None:
    """Return the moment and the use that a file's numbers should tell of; None where the numbers stay.

    They follow always, with the status (then they tell of the moment it last changed), or never, as the settings say.
    """
    memory, judged = case.memory, case.dated_status
    if case.is_new or memory.place not in _OWN or memory.status == "archived" == judged.status:
        return None
    if state.policy.write == "grid":
        return judged.moment, judged.use
    past = state.snapshot.pasts.get(memory.id, NO_USAGE)
    turn = last_status_change(case.original, past, state.snapshot, judged) if state.policy.write == "status" else None
    return None if turn is None else (turn, use_at(case.original, past, turn, decay=state.policy.decay))


def _left_its_cell(case: Case, state: RuleState) -> bool:
    """Return whether a weight that is not ours yet was left for a while and came back to."""
    memory, decay = case.original, state.policy.decay
    is_on_grid = abs(round_to_grid(memory.weight) - memory.weight) < 1e-6
    if is_on_grid and memory.base_weight is not None:
        return False
    if state.policy.write == "status":
        return True  # the status has turned, and never does so within a cell
    past = state.snapshot.pasts.get(memory.id, NO_USAGE)
    weights = (
        effective_weight(memory, use_at(memory, past, start, decay=decay), end, decay=decay)
        for start, end in _weight_extremes(memory, past, case.dated_status.moment)
    )
    return any(round_to_grid(weight) != round_to_grid(memory.weight) for weight in weights)


def _weight_extremes(memory: Memory, past: UsageHistory, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield when a weight is lowest and highest: just before each use that is not in the file yet, and just after."""
    start = memory.last_accessed if past.weight is None else max(memory.last_accessed, past.weight.at)
    yield start, start
    for first, last in past.uses:
        if start < first <= until:
            yield start, first
            yield last, last
            start = last


def _note_crossing(case: Case, state: RuleState) -> None:
    """Note when the exact weight will leave its grid cell."""
    memory, use = case.memory, case.use
    low = (
        round_to_grid(effective_weight(memory, use, state.now, decay=state.policy.decay))
        - STEP / 2
        - 2 * _LEEWAY * STEP
    )
    if low > 0:
        state.note_due(falls_below(memory, use, low, decay=state.policy.decay))


# -- the status


def mark_stale(case: Case, state: RuleState) -> None:
    """Flag what fell below the threshold."""
    judged, memory = case.dated_status, case.memory
    state.note_due(judged.next)
    if judged.status != "stale" or memory.status == "stale" or not _may_change_status(case):
        return
    case.set_fields("stale", f"below {state.policy.stale_below:g} since {_format_day(judged.since)}", status="stale")


def mark_active(case: Case, state: RuleState) -> None:
    """Mark a memory active again that was used or weighs enough."""
    judged, memory = case.dated_status, case.memory
    if judged.status != "active" or memory.status == "active" or not _may_change_status(case):
        return
    exact = effective_weight(memory, judged.use, judged.moment, decay=state.policy.decay)
    case.set_fields("revive", f"{_describe_use(judged.use.last)}, weighs {exact:.2f} again", status="active")


def _may_change_status(case: Case) -> bool:
    memory = case.memory
    return memory.place in _OWN and not case.is_new and "status" not in memory.theirs and not case.is_frozen


def archive_stale(case: Case, state: RuleState) -> None:
    """Put away what has been stale for long; where links would break it stays in its place, marked."""
    judged, memory = case.dated_status, case.memory
    state.note_due(judged.next)
    if judged.status != "archived" or memory.status == "archived" or case.is_new or case.is_vetoed("stale"):
        return
    why = f"below {state.policy.stale_below:g} for {state.policy.archive_days:g} days until {_format_day(judged.since)}"
    if memory.place is Place.FOREIGN:
        case.add_note({"e": "archive", "id": case.id}, {"e": "lift", "of": "archive", "id": case.id})
        case.reasons.append(("archive", why))
        return
    if "status" not in memory.theirs:  # a status of somebody else's is left to them, and so is where the note lies
        state.archive_case(case, "archive", why)


# What one task needed is put away when its time is over; what was archived long ago may go.

MONTH = 30.44  # days
_AFTER_SESSION = timedelta(minutes=5)  # in which what a session needed can still be taken up


def expire_task(case: Case, state: RuleState) -> None:
    """Clear a memory that served one task, when its time or session is over or nobody used it for a day."""
    memory = case.memory
    over = _expires_at(memory, case, state)
    if over is None or memory.place not in (Place.HOT, Place.MEMORIES) or memory.status == "archived" or memory.pinned:
        return
    if over > state.now:
        state.note_due(over)
        return
    state.archive_case(case, "expire", f"its time was over on {over:%Y-%m-%d %H:%M}Z", cleared_at=over)


def _expires_at(memory: Memory, case: Case, state: RuleState) -> datetime | None:
    kind = state.policy.kinds.get(memory.kind)
    # What was only guessed to be of such a kind is never put away for it.
    if kind is None or not kind.idle_hours or "kind" not in memory.stated:
        return None
    ends = [case.use.last + timedelta(hours=kind.idle_hours)]
    if isinstance(expires_at := memory.more.get("expires_at"), datetime):
        ends.append(expires_at)
    over = state.snapshot.ended.get(str(memory.more.get("session", "")))
    # What was used elsewhere since, or is said to be for more than the session, outlives it.
    if over is not None and memory.more.get("scope", "session") == "session" and case.use.last <= over + _AFTER_SESSION:
        ends.append(over + _AFTER_SESSION)
    return min(ends)


def prune_archived(case: Case, state: RuleState) -> None:
    """Let a memory go that faded long ago and that nobody asked for since; never one that was merged."""
    memory, months = case.memory, state.policy.prune_months
    if not months or memory.place is not Place.ARCHIVED or memory.pinned or memory.more.get("merged_into"):
        return
    over = add_days(case.use.last, months * MONTH)
    if over > state.now:
        state.note_due(over)
        return
    why = f"archived, and not used since {case.use.last:%Y-%m-%d}"
    case.move_to("prune", why, state.claim_path(state.snapshot.trash, memory.path.rpartition("/")[2]), Place.ARCHIVED)
