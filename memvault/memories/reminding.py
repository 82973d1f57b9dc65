"""When, how urgently and on what condition something is to be done, as it is given on a command line."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo

from memvault.core.memory import FieldValue
from memvault.errors import BadInput
from memvault.text.dates.dates import Day

LOWEST, HIGHEST = 1, 5


def to_do(
    due: str | None, priority: int | None, condition: str, *, now: datetime, zone: tzinfo
) -> dict[str, FieldValue]:
    """The fields that the options stand for; none where none was given."""
    found: dict[str, FieldValue] = {}
    if due is not None:
        found["due"] = moment(due, now=now, zone=zone)
    if priority is not None:
        if not LOWEST <= priority <= HIGHEST:
            raise BadInput(what="the priority", value=priority, reason=f"it must lie between {LOWEST} and {HIGHEST}")
        found["priority"] = priority
    if condition.strip():
        found["condition"] = condition.strip()
    return found


def moment(text: str, *, now: datetime, zone: tzinfo) -> datetime:
    """The moment that somebody means by a date or a few words."""
    from memvault.text.dates.when import read_when  # deferred: few texts are reminders

    found = read_when(text, now=now, zone=zone)
    if found is None:
        reason = "it is no date that is certain: 2026-01-31, `tomorrow at 9`, `in two weeks`, `by the end of June`"
        raise BadInput(what="the day", value=text, reason=reason)
    return found


def passed(given: Mapping[str, object], *, now: datetime, zone: tzinfo) -> tuple[str, ...]:
    """What is said of a day that is over already; a whole day is over when it ends."""
    due = given.get("due")
    if not isinstance(due, datetime):
        return ()
    is_over = due.date() < now.astimezone(zone).date() if isinstance(due, Day) else due < now
    return ("That day has passed, so it is due at once.",) if is_over else ()
