"""Days, weeks, months and years counted from the day on which something is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from memvault.text.dates.calendar import DAY, At, Days, month_of, months_on, moved, on, weekend_of, whole
from memvault.text.dates.patterns import Got
from memvault.text.dates.words import DAYS, HOURS, MORNING, NIGHTS, WEEKENDS, YEARS

_SEVERAL = 5  # "the last weeks" where nobody counts


def named(got: Got, at: At) -> Days:
    """Today, yesterday, the day after tomorrow."""
    return on(at.today + got["named"] * DAY)


def part_of_named(got: Got, at: At) -> Days:
    """Yesterday evening, tomorrow morning."""
    return part_of_today(got, at) if not got["named"] else named(got, at)


def part_of_today(got: Got, at: At) -> Days:
    """Some part of this day; its morning is most often spoken of when it is over."""
    return Days(at.today, at.today, None if got["part"] == MORNING else at.today)


def last_night(_got: Got, at: At) -> Days:
    """The night before this day."""
    return on(at.today - DAY)


def lately(_got: Got, at: At) -> Days:
    """One of the days of the week that is behind."""
    return Days(at.today - 7 * DAY, at.today - DAY)


def shifted(got: Got, at: At) -> Days | None:
    """The week, month or year that is so many away from this one."""
    unit, count = got["unit"], got.away
    if unit in (HOURS, DAYS) or got.numbers["unit"][1] or (unit == NIGHTS and count > 0):
        return None
    if unit == WEEKENDS and count < 0:
        return weekend_of(_last_saturday(at.today) + 7 * (count + 1) * DAY)
    found = whole(moved(at.today, unit, count), unit)
    return found if count or unit == WEEKENDS else replace(found, due=None)


def last_weekend(_got: Got, at: At) -> Days:
    """The latest weekend that is over."""
    return weekend_of(_last_saturday(at.today))


def _last_saturday(today: date) -> date:
    """The Saturday of the latest weekend that is over."""
    return today - (today.weekday() + 2) * DAY


def the_weekend(_got: Got, at: At) -> Days | None:
    """The weekend, when there is only one that can be meant."""
    if at.tense is None:
        return None
    return weekend_of(_last_saturday(at.today) if at.tense == "past" else at.today)


def ago(got: Got, at: At) -> Days | None:
    """So many days ago; with longer units the whole one that lies so far back."""
    low, high = got.numbers["count"]
    unit = got["unit"]
    if unit == HOURS:
        return None
    if unit == WEEKENDS:
        return weekend_of(_last_saturday(at.today) - 7 * (high - 1) * DAY)
    first, last = (whole(moved(at.today, unit, -count), unit) for count in (high, low))
    return Days(first.first, last.last, first.first)


def half_a_year_ago(_got: Got, at: At) -> Days:
    """The month that lies six months back."""
    back = months_on(at.today, -6)
    return month_of(back.year, back.month)


def ago_and_half(got: Got, at: At) -> Days | None:
    """The month that lies so many years and a half back."""
    if got["unit"] != YEARS:
        return None
    years = got["count"] if "count" in got.numbers else 1
    back = months_on(at.today, -12 * years - 6)
    return month_of(back.year, back.month)


def today_and_weeks(got: Got, at: At) -> Days:
    """Today in two weeks, tomorrow in a week: to the day."""
    return on(at.today + (got["named"] + 7 * got["count"]) * DAY)


def ago_exactly(got: Got, at: At) -> Days | None:
    """A day so many weeks ago, to the day."""
    return None if got["unit"] == HOURS else on(moved(at.today, got["unit"], -got["count"]))


def ahead(got: Got, at: At) -> Days | None:
    """In so many days; with longer units the whole one that lies so far ahead."""
    low, high = got.numbers["count"]
    unit = got["unit"]
    if unit == HOURS or at.verb == "past":  # "we did it in two days" tells how long it took
        return None
    first, last = (whole(moved(at.today, unit, count), unit) for count in (low, high))
    return Days(first.first, last.last, moved(at.today, unit, low) if low == high else None)


def lasting(got: Got, at: At) -> Days | None:
    """The time up to today that reaches so far back."""
    back = _stretch(got, at, -1)
    return Days(back, at.today) if back else None


def coming(got: Got, at: At) -> Days | None:
    """The time from today on that reaches so far ahead."""
    on_to = _stretch(got, at, 1)
    return Days(at.today, on_to) if on_to else None


def _stretch(got: Got, at: At, sign: int) -> date | None:
    count = got.numbers["count"][1] if "count" in got else _SEVERAL if got.numbers["unit"][1] else 1
    if got["unit"] == HOURS:
        return at.today + sign * -(-count // 24) * DAY
    return moved(at.today, DAYS if got["unit"] == NIGHTS else got["unit"], sign * count)
