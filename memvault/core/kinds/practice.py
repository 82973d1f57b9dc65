"""How often a way of doing something was followed, and how often it worked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memvault.core.memory import FieldValue, Memory


@dataclass(frozen=True, slots=True)
class PracticeRecord:
    """How often a procedure was followed, and the part of the cases in which it worked, if known."""

    count: int = 0
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class PracticeHistory:
    """Each time a procedure was followed and whether it worked, and what the file said before."""

    followed: tuple[tuple[datetime, bool], ...] = ()
    before: PracticeRecord | None = None


NO_PRACTICE = PracticeHistory()


def stored_practice(memory: Memory) -> PracticeRecord:
    """Return what a memory's file says of its practice."""
    count, rate = memory.more.get("usage_count", 0), memory.more.get("success_rate")
    return PracticeRecord(count if isinstance(count, int) else 0, rate if isinstance(rate, int | float) else None)


def current_practice(memory: Memory, practice: PracticeHistory) -> PracticeRecord:
    """Return how often a memory was followed and worked: the file's count, plus the journals since."""
    stored = stored_practice(memory)
    start = practice.before or stored
    if not practice.followed:
        return stored
    count = start.count + len(practice.followed)
    if count < stored.count:
        return stored  # a person knows of more
    rated = start.count if start.rate is not None else 0
    worked = (start.rate or 0.0) * rated + sum(ok for _, ok in practice.followed)
    return PracticeRecord(count, round(worked / (rated + len(practice.followed)), 4))


def outdated_fields(memory: Memory, practice: PracticeHistory) -> Mapping[str, FieldValue]:
    """Return the fields whose numbers in the file are behind, with their right values."""
    if not practice.followed:
        return {}
    now, last = current_practice(memory, practice), practice.followed[-1][0]
    wanted: dict[str, FieldValue] = {"usage_count": now.count, "last_used_at": last}
    if now.rate is not None:
        wanted["success_rate"] = now.rate
    stored = memory.more.get("last_used_at")
    if isinstance(stored, datetime) and stored > last:
        del wanted["last_used_at"]
    return {name: value for name, value in wanted.items() if memory.more.get(name) != value}
