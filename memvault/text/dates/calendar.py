"""Calculate days, weeks, months and seasons from a day, and the span that an expression of time means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from memvault.text.dates.tokens import DAYS, EARLY, FORTNIGHTS, LATE, MONTHS, NIGHTS, QUARTERS, WEEKENDS, WEEKS, YEARS

Tense = Literal["past", "future"]
# What was left unsaid, so that the day depends on the tense: "Friday" is one every week, "May" one every year.
Recurrence = Literal["", "week", "month", "year"]

DAY = timedelta(days=1)
WINTER = 3
_WEEK, _LONG = 7, 300
_MONTHS_IN = {MONTHS: 1, QUARTERS: 3, YEARS: 12}
_DAYS_IN = {DAYS: 1, NIGHTS: 1, WEEKS: 7, WEEKENDS: 7, FORTNIGHTS: 14}


@dataclass(frozen=True, slots=True)
class DateContext:
    """The day on which something is said, the tense, and what the verb tells of it."""

    today: date
    tense: Tense | None
    verb: Tense | None = None


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The days that an expression of time means."""

    first: date
    last: date
    due: date | None = None  # the day from which it is due, where it is something to come and that is certain
    recurrence: Recurrence = ""
    is_named: bool = False  # it names its year, so that it means the same on any day
    side: Literal["", "before", "after"] = ""  # what lies on one side of these days is meant, without an end
    limit: Literal["", "since", "until"] = ""  # they reach from then to now, or from now to then


def single_day(day: date, *, loose: Recurrence = "", is_named: bool = False) -> DateSpan:
    """Return the span of one day."""
    return DateSpan(day, day, day, loose, is_named)


def week_of(day: date) -> DateSpan:
    """Return the week of a day, from its Monday on."""
    monday = day - day.weekday() * DAY
    return DateSpan(monday, monday + 6 * DAY, monday)


def weekend_of(day: date) -> DateSpan:
    """Return the weekend of the week that a day lies in."""
    saturday = day + (5 - day.weekday()) * DAY
    return DateSpan(saturday, saturday + DAY, saturday)


def month_of(year: int, month: int, *, months: int = 1) -> DateSpan:
    """Return so many months, from the first day of one on."""
    first = date(year, month, 1)
    return DateSpan(first, last_of(add_months(first, months - 1)), first)


def year_of(year: int) -> DateSpan:
    """Return a whole year."""
    return DateSpan(date(year, 1, 1), date(year, 12, 31), date(year, 1, 1))


def season_of(year: int, season: int) -> DateSpan:
    """Return a season as the north counts it; a winter belongs to the year in which it begins."""
    found = month_of(year, 3 + 3 * season, months=3)
    return DateSpan(found.first, found.last)


def last_of(day: date) -> date:
    """Return the last day of a month."""
    return (day.replace(day=28) + 4 * DAY).replace(day=1) - DAY


def add_months(day: date, count: int) -> date:
    """Return the day so many months later, or the last of its month where there is no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    first = date(year, month + 1, 1)
    return first.replace(day=min(day.day, last_of(first).day))


def add_units(day: date, unit: int, count: int) -> date:
    """Return the day so many units later."""
    if unit in _MONTHS_IN:
        return add_months(day, count * _MONTHS_IN[unit])
    return day + count * _DAYS_IN[unit] * DAY


def span_of_unit(day: date, unit: int) -> DateSpan:
    """Return the whole day, week, month or year that a day lies in."""
    if unit in (WEEKS, FORTNIGHTS):
        return week_of(day)
    if unit == WEEKENDS:
        return weekend_of(day)
    if unit == MONTHS:
        return month_of(day.year, day.month)
    if unit == QUARTERS:
        return month_of(day.year, (day.month - 1) // 3 * 3 + 1, months=3)
    return year_of(day.year) if unit == YEARS else single_day(day)


def nearest_numbered_day(at: DateContext, number: int, *, months: int, weekday: int | None = None) -> date | None:
    """Return the latest or next day of a number, and maybe a weekday, in so many months; by the tense."""
    first, step = at.today.replace(day=1), 1 if at.tense == "future" else -1
    for _ in range(months if at.tense else 0):
        if number <= last_of(first).day:
            day = first.replace(day=number)
            if weekday in (None, day.weekday()) and (day - at.today).days * step >= 0:
                return day
        first = add_months(first, step)
    return None


def stage_of(days: DateSpan, stage: int) -> DateSpan:
    """Return the beginning, middle or end of a span; the end of a week begins with its Friday."""
    length = (days.last - days.first).days + 1
    third = length // 3
    if length > _LONG:
        part = month_of(days.first.year, (1, 5, 10)[stage], months=(3, 4, 3)[stage])
        first, last = part.first, part.last
    else:
        thirds = ((0, third - 1), (third, 2 * third - 1), (2 * third, length - 1))
        start, stop = (((0, 1), (2, 3), (4, 6)) if length == _WEEK else thirds)[stage]
        first, last = days.first + start * DAY, days.first + stop * DAY
    due = {EARLY: first, LATE: first if length == _WEEK else last}.get(stage)
    return DateSpan(first, last, due, days.recurrence, days.is_named)


def resolve_tense(found: DateSpan, step: Recurrence, at: DateContext, *, strictly: bool = False) -> DateSpan | None:
    """Return the latest such days that have begun, or the next that are not over, by the tense."""
    if at.tense is None:
        return None
    while at.tense == "past" and (found.first >= at.today if strictly else found.first > at.today):
        found = shift_span(found, step, -1)
    while at.tense == "future" and (found.last <= at.today if strictly else found.last < at.today):
        found = shift_span(found, step, 1)
    return found


def shift_span(found: DateSpan, step: Recurrence, count: int) -> DateSpan:
    """Return the same days of another week, month or year."""
    first, last, due = (_shift_day(day, step, count) for day in (found.first, found.last, found.due))
    assert first
    assert last
    if found.last == last_of(found.last) and step == "year":
        last = last_of(last)
    return DateSpan(first, last, due, found.recurrence, found.is_named)


def _shift_day(day: date | None, step: Recurrence, count: int) -> date | None:
    if day is None or not step:
        return day
    return add_units(day, {"week": WEEKS, "month": MONTHS, "year": YEARS}[step], count)
