"""Days of the week: the latest, the coming one, and those that a week, a month or a number tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from memvault.text.dates.calendar import DAY, At, Days, last_of, months_on, on, told, week_of, whole
from memvault.text.dates.patterns import Got
from memvault.text.dates.words import LAST, WEEKS

_FURTHEST = 60  # months in which a Friday the 13th is looked for


def weekday(got: Got, at: At) -> Days | None:
    """The latest day of that name, or the coming one; said on that very day it is not certain when it is due."""
    found = told(_any_week(at.today, got["weekday"]), "week", at, strictly=True)
    return found if found is None or got["weekday"] != at.today.weekday() else replace(found, due=None)


def _any_week(today: date, weekday: int) -> Days:
    return on(today + (weekday - today.weekday()) * DAY, loose="week")


def latest(today: date, weekday: int) -> date:
    """The latest day of that name before a day."""
    return today - ((today.weekday() - weekday - 1) % 7 + 1) * DAY


def weekday_shifted(got: Got, at: At) -> Days:
    """Last Friday is the latest, next Friday that of the next week."""
    count, wanted = got.away, got["weekday"]
    if count < 0:
        return on(latest(at.today, wanted) + 7 * (count + 1) * DAY)
    if count:
        return weekday_of_week(got, at)
    back = at.tense == "past" and wanted <= at.today.weekday()
    day = at.today + (wanted - at.today.weekday()) % 7 * DAY if not back else _any_week(at.today, wanted).first
    return Days(day, day, None if day == at.today else day)


def weekday_of_week(got: Got, at: At) -> Days:
    """A day of the week that is so many away from this one."""
    return on(week_of(at.today).first + (7 * got.away + got["weekday"]) * DAY)


def weekday_past(got: Got, at: At) -> Days:
    """This past Friday."""
    return on(latest(at.today, got["weekday"]))


def weekday_ago(got: Got, at: At) -> Days | None:
    """A week ago on Friday: the one before the last."""
    if got["unit"] != WEEKS:
        return None
    return on(latest(at.today, got["weekday"]) - 7 * got["count"] * DAY)


def weekdays_ago(got: Got, at: At) -> Days:
    """Three Fridays ago: the third counted back."""
    return on(latest(at.today, got["weekdays"]) - 7 * (got["count"] - 1) * DAY)


def weekday_and_weeks(got: Got, at: At) -> Days | None:
    """Friday in two weeks, Friday week: so many after the coming one."""
    if got["weekday"] == at.today.weekday() or ("unit" in got and got["unit"] != WEEKS):
        return None
    weeks = (got["count"] if "count" in got.numbers else 1) + (got["weekday"] < at.today.weekday())
    return on(_any_week(at.today, got["weekday"]).first + 7 * weeks * DAY)


def weekday_ranked(got: Got, at: At) -> Days | None:
    """The first Monday in March, the last Friday of the month."""
    days = got.days[0] if got.days else whole(at.today, got["unit"])
    if got["rank"] == LAST:
        day = latest(days.last + DAY, got["weekday"])
    else:
        day = days.first + ((got["weekday"] - days.first.weekday()) % 7 + 7 * (got["rank"] - 1)) * DAY
    return on(day, loose=days.loose, is_named=days.is_named) if days.first <= day <= days.last else None


def weekday_with_number(got: Got, at: At) -> Days | None:
    """Friday the 13th: the month in which both agree."""
    if at.tense is None:
        return None
    number = got["day"]
    first, step = at.today.replace(day=1), 1 if at.tense == "future" else -1
    for _ in range(_FURTHEST):
        if number <= last_of(first).day:
            day = first.replace(day=number)
            if day.weekday() == got["weekday"] and (day - at.today).days * step >= 0:
                return on(day)
        first = months_on(first, step)
    return None


def weekday_before(got: Got, _at: At) -> Days:
    """The Friday before something."""
    days = got.days[0]
    return replace(on(latest(days.first, got["weekday"])), loose=days.loose, is_named=days.is_named)


def weekday_after(got: Got, _at: At) -> Days:
    """The Friday after something."""
    days = got.days[0]
    ahead = (got["weekday"] - days.last.weekday() - 1) % 7 + 1
    return replace(on(days.last + ahead * DAY), loose=days.loose, is_named=days.is_named)
