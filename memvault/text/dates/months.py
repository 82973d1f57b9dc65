"""Days of months, months, seasons, feasts and years, in the year that is said or in the one that the tense asks for."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from memvault.text.dates.calendar import (
    DAY,
    WINTER,
    At,
    Days,
    last_of,
    month_of,
    months_on,
    on,
    season_of,
    stepped,
    told,
    year_of,
)
from memvault.text.dates.patterns import Got


def written_date(got: Got, _at: At) -> Days:
    """A date in figures."""
    return on(date.fromordinal(got["date"]), is_named=True)


def day_of_month(got: Got, at: At) -> Days | None:
    """A day of a month, in the year that is said or in the one that the tense asks for."""
    month, day = got.numbers["day-month"] if "day-month" in got else (got["month"], got["day"])
    if "day-month" in got:
        month, day = day, month
    if got.days:
        return replace(on(date(got.days[0].first.year, month, day)), is_named=got.days[0].is_named)
    year = _year_with(at, month, day)
    return on(date(year, month, day), loose="year") if year else None


def day_of_month_shifted(got: Got, at: At) -> Days:
    """The third of last month."""
    return on(months_on(at.today.replace(day=1), got["which"]).replace(day=got["day"]))


def _year_with(at: At, month: int, day: int) -> int | None:
    """The nearest year that has such a day, on the side that the tense asks for."""
    if at.tense is None:
        return None
    step = 1 if at.tense == "future" else -1
    for year in range(at.today.year, at.today.year + 9 * step, step):
        if day <= last_of(date(year, month, 1)).day and (date(year, month, day) - at.today).days * step >= 0:
            return year
    return None


def days_of_month(got: Got, at: At) -> Days | None:
    """From one day of a month to another."""
    first, last = got.numbers["days"] if "days" in got else (got["day"], got["day-2"])
    month = got["month"]
    if last <= first:
        return None
    year = got.days[0].first.year if got.days else _year_with(at, month, first)
    if year is None:
        return None
    is_named = bool(got.days) and got.days[0].is_named
    return Days(date(year, month, first), date(year, month, last), date(year, month, first), "year", is_named)


def nth(got: Got, at: At) -> Days | None:
    """The latest or the next day of that number: of this month, or of the nearest that has one."""
    if at.tense is None:
        return None
    number, first, step = got["day"], at.today.replace(day=1), 1 if at.tense == "future" else -1
    for _ in range(3):
        if number <= last_of(first).day and (first.replace(day=number) - at.today).days * step >= 0:
            return on(first.replace(day=number), loose="month")
        first = months_on(first, step)
    return None


def month(got: Got, at: At) -> Days | None:
    """The latest month of that name that has begun, or the next that is not over."""
    found = told(_month_of_year(at.today.year, got["month"]), "year", at)
    is_now = found is not None and found.first <= at.today
    return replace(found, due=None) if found and is_now and at.tense == "future" else found


def month_alone(got: Got, at: At) -> Days | None:
    """As `month`, where nothing says that something is due then."""
    found = month(got, at)
    return replace(found, due=None) if found else None


def _month_of_year(year: int, number: int) -> Days:
    return replace(month_of(year, number), loose="year")


def month_shifted(got: Got, at: At) -> Days:
    """Last May is the latest that is over, next May the first that has not begun."""
    count, found = got.away, _month_of_year(at.today.year, got["month"])
    if count < 0:
        found = stepped(found, "year", -1) if found.last >= at.today else found
    elif count:
        found = stepped(found, "year", 1) if found.first <= at.today else found
    return replace(stepped(found, "year", count + 1 if count < 0 else max(count - 1, 0)), loose="")


def month_of_year(got: Got, _at: At) -> Days:
    """A month whose year is said."""
    if "year-month" in got:
        return replace(month_of(*got.numbers["year-month"]), is_named=True)
    return replace(month_of(got.days[0].first.year, got["month"]), is_named=got.days[0].is_named)


def season(got: Got, at: At) -> Days | None:
    """The latest season of that name that has begun, or the next that is not over."""
    start = at.today.year - (got["season"] == WINTER and at.today.month < 3)
    return told(replace(season_of(start, got["season"]), loose="year"), "year", at)


def season_shifted(got: Got, at: At) -> Days:
    """Last summer is the latest that is over, next summer the first that has not begun."""
    count, wanted = got.away, got["season"]
    year = at.today.year - (wanted == WINTER and at.today.month < 3)
    found = season_of(year, wanted)
    if count < 0 and found.last >= at.today:
        found = season_of(year - 1, wanted)
    elif count > 0 and found.first <= at.today:
        found = season_of(year + 1, wanted)
    return found


def season_of_year(got: Got, _at: At) -> Days:
    """A season whose year is said."""
    return replace(season_of(got.days[0].first.year, got["season"]), is_named=got.days[0].is_named)


def feast(got: Got, at: At) -> Days | None:
    """A feast that is on the same day of every year."""
    number, day = got.numbers["feast"]
    year = got.days[0].first.year if got.days else _year_with(at, number, day)
    if year is None:
        return None
    return Days(date(year, number, day), date(year, number, day), loose="year", is_named=bool(got.days))


def feast_shifted(got: Got, at: At) -> Days | None:
    """Last Christmas."""
    count = got.away
    if not count:
        return feast(got, at)
    return feast(got, At(at.today + DAY, "future") if count > 0 else At(at.today - DAY, "past"))


def year(got: Got, _at: At) -> Days:
    """A year by its number."""
    found = year_of(got["year"])
    return Days(found.first, found.last, is_named=True)


def decade(got: Got, _at: At) -> Days:
    """The ten years from one on."""
    first, last = got.numbers["decade"]
    return Days(date(first, 1, 1), date(last, 12, 31), is_named=True)


def year_shifted(got: Got, at: At) -> Days:
    """Last year, next year."""
    return year_of(at.today.year + (got.away))
