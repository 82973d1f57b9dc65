"""Resolve days of the week: the latest, the coming one, and those that a week, a month or a number tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from memvault.text.dates.calendar import (
    DAY,
    DateContext,
    DateSpan,
    nearest_numbered_day,
    resolve_tense,
    single_day,
    span_of_unit,
    week_of,
)
from memvault.text.dates.patterns import SlotValues
from memvault.text.dates.tokens import LAST, WEEKS

_FURTHEST = 60  # months in which a Friday the 13th is looked for


def resolve_weekday(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "Friday": the latest or the coming one; on that very day it is not certain when it is due."""
    found = resolve_tense(_weekday_this_week(at.today, got["weekday"]), "week", at, strictly=True)
    return found if found is None or got["weekday"] != at.today.weekday() else replace(found, due=None)


def _weekday_this_week(today: date, weekday: int) -> DateSpan:
    return single_day(today + (weekday - today.weekday()) * DAY, loose="week")


def latest_weekday(today: date, weekday: int) -> date:
    """Return the latest day of that name before a day."""
    return today - ((today.weekday() - weekday - 1) % 7 + 1) * DAY


def weekday_shifted(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "last Friday", the latest, or "next Friday", the coming one: in a week where today is one."""
    count, wanted = got.offset, got["weekday"]
    if count < 0:
        return single_day(latest_weekday(at.today, wanted) + 7 * (count + 1) * DAY)
    if count > 1:
        return weekday_of_week(got, at)
    if count:
        return single_day(at.today + ((wanted - at.today.weekday() - 1) % 7 + 1) * DAY)
    back = at.tense == "past" and wanted <= at.today.weekday()
    day = at.today + (wanted - at.today.weekday()) % 7 * DAY if not back else _weekday_this_week(at.today, wanted).first
    return DateSpan(day, day, None if day == at.today else day)


def weekday_of_week(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve a day of the week that is so many away from this one."""
    return single_day(week_of(at.today).first + (7 * got.offset + got["weekday"]) * DAY)


def weekday_past(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "this past Friday"."""
    return single_day(latest_weekday(at.today, got["weekday"]))


def weekday_ago(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "a week ago on Friday": the one before the last."""
    if got["unit"] != WEEKS:
        return None
    return single_day(latest_weekday(at.today, got["weekday"]) - 7 * got["count"] * DAY)


def weekdays_ago(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "three Fridays ago": the third counted back."""
    return single_day(latest_weekday(at.today, got["weekdays"]) - 7 * (got["count"] - 1) * DAY)


def weekday_and_weeks(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "Friday in two weeks" and "Friday week": so many after the coming one."""
    if got["weekday"] == at.today.weekday() or ("unit" in got and got["unit"] != WEEKS):
        return None
    weeks = (got["count"] if "count" in got.numbers else 1) + (got["weekday"] < at.today.weekday())
    return single_day(_weekday_this_week(at.today, got["weekday"]).first + 7 * weeks * DAY)


def weekday_ranked(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "the first Monday in March" and "the last Friday of the month"."""
    days = got.days[0] if got.days else span_of_unit(at.today, got["unit"])
    if got["rank"] == LAST:
        day = latest_weekday(days.last + DAY, got["weekday"])
    else:
        day = days.first + ((got["weekday"] - days.first.weekday()) % 7 + 7 * (got["rank"] - 1)) * DAY
    return single_day(day, loose=days.recurrence, is_named=days.is_named) if days.first <= day <= days.last else None


def weekday_with_number(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "Friday the 13th": in the month in which both agree."""
    day = nearest_numbered_day(at, got["day"], months=_FURTHEST, weekday=got["weekday"])
    return single_day(day) if day else None


def weekday_before(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve "the Friday before" something."""
    days = got.days[0]
    return replace(
        single_day(latest_weekday(days.first, got["weekday"])), recurrence=days.recurrence, is_named=days.is_named
    )


def weekday_after(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve "the Friday after" something."""
    days = got.days[0]
    ahead = (got["weekday"] - days.last.weekday() - 1) % 7 + 1
    return replace(single_day(days.last + ahead * DAY), recurrence=days.recurrence, is_named=days.is_named)
