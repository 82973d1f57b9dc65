"""What a memory's status is by its dates alone, and since when: the same however often one asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from memvault.core.memory import Memory, Place
from memvault.core.past import Past, at
from memvault.core.sweep.survey import Survey
from memvault.core.weight import Use, falls_below, later, never_decays

FADING = (Place.HOT, Place.MEMORIES, Place.FOREIGN)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A status, since when it is right, and the moment of which the file's numbers tell."""

    status: str
    since: datetime
    moment: datetime
    use: Use  # as it stood at that moment
    next: datetime | None = None  # when it will be another, if nothing happens


def judge(memory: Memory, past: Past, survey: Survey, use: Use) -> Judgement:
    """The status of a memory now."""
    now = survey.now
    if memory.place not in FADING or memory.status == "archived" or memory.pinned:
        return Judgement(_settled(memory, past, use), now, now, use)
    if held := _held(memory, past, survey, use):
        return Judgement(held, now, now, use)
    if faded := next(_faded(memory, past, survey, use), None):
        return faded
    return _current(memory, survey, use)


def _settled(memory: Memory, past: Past, use: Use) -> str:
    """What dates do not decide stays as it is; but pins wake, and what was archived a person may bring back by hand."""
    if memory.pinned and memory.status != "archived":
        return "active"
    is_back = memory.status == "archived" and memory.place in FADING
    brought_back = past.status is not None and past.status.value == "active" and use.last <= past.status.at
    return "active" if is_back and brought_back else memory.status


def _held(memory: Memory, past: Past, survey: Survey, use: Use) -> str:
    """A status that a person set by hand, which holds until the memory is used again."""
    wish = past.status
    if wish is not None and use.last <= wish.at:
        return str(wish.value)
    is_ours = (memory.id, "status") in survey.decided.written
    untouched = use.last <= memory.last_accessed
    return memory.status if memory.status != "active" and wish is None and not is_ours and untouched else ""


def _current(memory: Memory, survey: Survey, use: Use) -> Judgement:
    """The status since the last use."""
    policy, now = survey.policy, survey.now
    below = falls_below(memory, use, policy.stale_below, model=policy.model)
    if below is None or below > now:
        return Judgement("active", use.last, now, use, below)
    gone = _archived_at(memory, below, survey)
    return Judgement("stale", below, now, use, gone)


def _faded(memory: Memory, past: Past, survey: Survey, use: Use) -> Iterator[Judgement]:
    """The first time it lay below the threshold for as long as it takes, even if it was used later."""
    policy, settled = survey.policy, _settled_until(past, survey)
    for start, end in _idle_spells(memory, past, survey, use):
        then = use if start >= use.last else at(memory, past, start, model=policy.model)
        below = falls_below(memory, then, policy.stale_below, model=policy.model)
        gone = None if below is None else _archived_at(memory, below, survey)
        was_decided = end < use.last and gone is not None and gone <= settled
        if gone is not None and gone <= end and not was_decided:
            yield Judgement("archived", gone, gone, at(memory, past, gone, model=policy.model))


def _idle_spells(memory: Memory, past: Past, survey: Survey, use: Use) -> Iterator[tuple[datetime, datetime]]:
    """The times without use that are long enough to matter."""
    enough = timedelta(days=survey.policy.archive_days)
    start = min(memory.last_accessed, survey.now)
    for first, last in past.uses:
        if first - start > enough:
            yield start, min(first, survey.now)
        start = max(start, min(last, survey.now))
    yield max(start, use.last), survey.now


def _settled_until(past: Past, survey: Survey) -> datetime:
    """Until when earlier runs, or a person, have decided what it was."""
    moments = [wish.at for wish in (past.weight, past.status) if wish is not None]
    if survey.judged_until is not None and survey.judged_until <= survey.now:
        moments.append(survey.judged_until)
    return max(moments, default=datetime.min.replace(tzinfo=survey.now.tzinfo))


def _archived_at(memory: Memory, below: datetime, survey: Survey) -> datetime | None:
    """When a memory that is below the threshold goes into the archive; what never decays never does."""
    if never_decays(memory) or is_placed_by_hand(memory, survey):
        return None
    return later(below, survey.policy.archive_days)


def is_placed_by_hand(memory: Memory, survey: Survey) -> bool:
    """Whether a person put a memory into Tier 1: then it stays there until they take it out."""
    if memory.place is not Place.HOT:
        return False
    moving = survey.decided.moved.get(memory.id)
    return moving is None or not moving.by_keeper or moving.target != memory.path
