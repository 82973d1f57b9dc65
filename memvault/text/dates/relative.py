"""What is counted from, or reaches to, something that is itself an expression of time."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from memvault.text.dates.calendar import (
    DAY,
    At,
    Days,
    Loose,
    month_of,
    moved,
    on,
    stage_of,
    stepped,
    week_of,
    weekend_of,
    whole,
)
from memvault.text.dates.patterns import Got
from memvault.text.dates.words import DAYS, HOURS, LAST, NIGHTS, WEEKENDS


def same(got: Got, _at: At) -> Days:
    """What an expression within this one comes to."""
    return got.days[0]


def stage(got: Got, _at: At) -> Days:
    """The beginning, middle or end of a stretch."""
    return stage_of(got.days[0], got["stage"])


def stage_of_unit(got: Got, at: At) -> Days | None:
    """The end of the week: of the one that is going on."""
    unit = got["unit"]
    if unit in (HOURS, NIGHTS):
        return None
    if unit == DAYS:
        return on(at.today)
    found = stage_of(whole(at.today, unit), got["stage"])
    is_over = found.due is not None and found.due < at.today
    return replace(found, due=None) if is_over else found


def week_with(got: Got, _at: At) -> Days:
    """The week or weekend that a day lies in."""
    days = got.days[0]
    found = weekend_of(days.first) if got["unit"] == WEEKENDS else week_of(days.first)
    return replace(found, loose=days.loose, is_named=days.is_named)


def week_ranked(got: Got, _at: At) -> Days | None:
    """The first week or weekend of a month, counted from its own beginning or end."""
    days, rank = got.days[0], got["rank"]
    if got["unit"] == WEEKENDS:
        saturday = days.first + (5 - days.first.weekday()) % 7 * DAY
        count = (days.last - saturday).days // 7 if rank == LAST else rank - 1
        found = weekend_of(saturday + 7 * count * DAY)
    elif rank == LAST:
        found = Days(days.last - 6 * DAY, days.last)
    else:
        found = Days(days.first + 7 * (rank - 1) * DAY, days.first + (7 * rank - 1) * DAY)
    return replace(found, due=None, loose=days.loose, is_named=days.is_named) if found.first <= days.last else None


def units_before(got: Got, _at: At) -> Days | None:
    """Two weeks before something: to the day, where that is one day."""
    return _units_from(got, got.days[0].first, -1)


def units_after(got: Got, _at: At) -> Days | None:
    """Two weeks after something."""
    return _units_from(got, got.days[0].last, 1)


def _units_from(got: Got, anchor: date, sign: int) -> Days | None:
    days, unit = got.days[0], got["unit"]
    if unit == HOURS:
        return None
    low, high = got.numbers["count"]
    ends = sorted(moved(anchor, unit, sign * count) for count in (low, high))
    due = ends[0] if low == high and days.due else None
    if unit == WEEKENDS:
        return _weekends_from(anchor, sign * low)
    if days.first == days.last or unit == DAYS:
        return Days(ends[0], ends[1], due, days.loose, days.is_named)
    return Days(whole(ends[0], unit).first, whole(ends[1], unit).last, due, days.loose, days.is_named)


def unit_before(got: Got, _at: At) -> Days | None:
    """The day, week or weekend before something."""
    return _unit_beside(got, got.days[0].first, -1)


def unit_after(got: Got, _at: At) -> Days | None:
    """The day, week or weekend after something."""
    return _unit_beside(got, got.days[0].last, 1)


def _unit_beside(got: Got, anchor: date, sign: int) -> Days | None:
    unit, days = got["unit"], got.days[0]
    if unit == HOURS:
        return None
    found = _weekends_from(anchor, sign) if unit == WEEKENDS else whole(moved(anchor, unit, sign), unit)
    return replace(found, loose=days.loose, is_named=days.is_named)


def _weekends_from(anchor: date, count: int) -> Days:
    """The weekend so many before or after a day, of those that lie wholly on that side of it."""
    saturday = weekend_of(anchor).first
    if count < 0:
        nearest = saturday if saturday + DAY < anchor else saturday - 7 * DAY
        return weekend_of(nearest + 7 * (count + 1) * DAY)
    nearest = saturday if saturday > anchor else saturday + 7 * DAY
    return weekend_of(nearest + 7 * (count - 1) * DAY)


def since(got: Got, at: At) -> Days:
    """From something up to today."""
    days = got.days[0]
    if days.first > at.today and days.loose:
        days = stepped(days, days.loose, -1)
    if days.first > at.today:
        return replace(days, due=None, side="after")
    return Days(days.first, at.today, is_named=days.is_named, limit="since")


def after(got: Got, at: At) -> Days:
    """What comes after something: up to today, where it is over."""
    days = got.days[0]
    start = days.last + DAY
    if start <= at.today:
        return Days(start, at.today, is_named=days.is_named, limit="since")
    return Days(days.first, days.last, start if days.due else None, days.loose, days.is_named, "after")


def until(got: Got, at: At) -> Days:
    """Up to something: from today on, where it is still to come."""
    days = got.days[0]
    if days.last >= at.today:
        return Days(at.today, days.last, days.due, is_named=days.is_named, limit="until")
    return replace(days, side="before")


def before(got: Got, at: At) -> Days:
    """What comes before something; it is due on the day before it."""
    days = got.days[0]
    due = max(at.today, days.due - DAY) if days.due and days.due > at.today else None
    return replace(days, due=due, side="before")


def not_before(got: Got, _at: At) -> Days:
    """From something on."""
    return replace(got.days[0], side="after")


def between(got: Got, at: At) -> Days | None:
    """From one thing to another, which lends it its year."""
    first, last = got.days
    first = _aligned(first, last)
    step: Loose = last.loose or first.loose
    if step and first.first > last.last:
        last, first = (stepped(last, step, 1), first) if at.tense == "future" else (last, stepped(first, step, -1))
    if first.first > last.last:
        return None
    return Days(first.first, last.last, first.due, is_named=last.is_named)


def month_to(got: Got, at: At) -> Days | None:
    """From May to July of a year."""
    first = month_of(got.days[0].first.year, got["month"])
    return between(Got(days=(replace(first, loose="year"), got.days[0])), at)


def _aligned(first: Days, last: Days) -> Days:
    """A month without a year in the year that is said of the other, a number in its month."""
    if first.loose == "month" and first.first.day <= last.last.day:
        return replace(on(last.last.replace(day=first.first.day)), loose=last.loose)
    if first.loose != "year" or last.loose:
        return first
    count = last.first.year - first.first.year
    found = stepped(first, "year", count)
    return found if found.first <= last.last else stepped(found, "year", -1)
