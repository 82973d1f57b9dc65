"""Resolve days of months, months, seasons, feasts and years, in the stated year or by the tense."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from memvault.text.dates.calendar import (
    DAY,
    WINTER,
    DateContext,
    DateSpan,
    add_months,
    last_of,
    month_of,
    nearest_numbered_day,
    resolve_tense,
    season_of,
    shift_span,
    single_day,
    year_of,
)
from memvault.text.dates.patterns import SlotValues


def written_date(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve a date in figures."""
    return single_day(date.fromordinal(got["date"]), is_named=True)


def day_of_month(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve a day of a month, in the stated year or the one that the tense asks for."""
    month, day = got.numbers["day-month"] if "day-month" in got else (got["month"], got["day"])
    if "day-month" in got:
        month, day = day, month
    if got.days:
        return replace(single_day(date(got.days[0].first.year, month, day)), is_named=got.days[0].is_named)
    year = _nearest_year(at, month, day)
    return single_day(date(year, month, day), loose="year") if year else None


def day_of_month_shifted(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "the third of last month"."""
    return single_day(add_months(at.today.replace(day=1), got["which"]).replace(day=got["day"]))


def _nearest_year(at: DateContext, month: int, day: int) -> int | None:
    """Return the nearest year that has such a day, on the side that the tense asks for."""
    if at.tense is None:
        return None
    step = 1 if at.tense == "future" else -1
    for year in range(at.today.year, at.today.year + 9 * step, step):
        if day <= last_of(date(year, month, 1)).day and (date(year, month, day) - at.today).days * step >= 0:
            return year
    return None


def days_of_month(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve a range from one day of a month to another."""
    first, last = got.numbers["days"] if "days" in got else (got["day"], got["day-2"])
    month = got["month"]
    if last <= first:
        return None
    year = got.days[0].first.year if got.days else _nearest_year(at, month, first)
    if year is None:
        return None
    is_named = bool(got.days) and got.days[0].is_named
    return DateSpan(date(year, month, first), date(year, month, last), date(year, month, first), "year", is_named)


def resolve_nth(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "the 14th": the latest or next day of that number, in the nearest month that has one."""
    day = nearest_numbered_day(at, got["day"], months=3)
    return single_day(day, loose="month") if day else None


def resolve_month(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "May": the latest that has begun, or the next that is not over."""
    found = resolve_tense(_month_of_year(at.today.year, got["month"]), "year", at)
    is_now = found is not None and found.first <= at.today
    return replace(found, due=None) if found and is_now and at.tense == "future" else found


def month_alone(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve a lone month, where nothing says that something is due then."""
    found = resolve_month(got, at)
    return replace(found, due=None) if found else None


def _month_of_year(year: int, number: int) -> DateSpan:
    return replace(month_of(year, number), recurrence="year")


def month_shifted(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "last May", the latest that is over, or "next May", the first that has not begun."""
    count, found = got.offset, _month_of_year(at.today.year, got["month"])
    if count < 0:
        found = shift_span(found, "year", -1) if found.last >= at.today else found
    elif count:
        found = shift_span(found, "year", 1) if found.first <= at.today else found
    return replace(shift_span(found, "year", count + 1 if count < 0 else max(count - 1, 0)), recurrence="")


def month_of_year(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve a month with its year."""
    if "year-month" in got:
        return replace(month_of(*got.numbers["year-month"]), is_named=True)
    return replace(month_of(got.days[0].first.year, got["month"]), is_named=got.days[0].is_named)


def resolve_season(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "summer": the latest that has begun, or the next that is not over."""
    start = at.today.year - (got["season"] == WINTER and at.today.month < 3)
    return resolve_tense(replace(season_of(start, got["season"]), recurrence="year"), "year", at)


def season_shifted(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "last summer", the latest that is over, or "next summer", the first that has not begun."""
    count, wanted = got.offset, got["season"]
    year = at.today.year - (wanted == WINTER and at.today.month < 3)
    found = season_of(year, wanted)
    if count < 0 and found.last >= at.today:
        found = season_of(year - 1, wanted)
    elif count > 0 and found.first <= at.today:
        found = season_of(year + 1, wanted)
    return found


def season_of_year(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve a season with its year."""
    return replace(season_of(got.days[0].first.year, got["season"]), is_named=got.days[0].is_named)


def resolve_feast(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve a feast that is on the same day of every year, or so many days from Easter."""
    number, day = got.numbers["feast"]
    if not number:
        return _resolve_easter(got, at, day)
    year = got.days[0].first.year if got.days else _nearest_year(at, number, day)
    return None if year is None else single_day(date(year, number, day), loose="year", is_named=bool(got.days))


def _resolve_easter(got: SlotValues, at: DateContext, offset: int) -> DateSpan | None:
    if got.days:
        return single_day(easter_of(got.days[0].first.year) + offset * DAY, is_named=True)
    days = [easter_of(at.today.year + count) + offset * DAY for count in (-1, 0, 1)]
    if at.tense == "past":
        return single_day(max(day for day in days if day <= at.today))
    return single_day(min(day for day in days if day >= at.today)) if at.tense else None


def easter_of(year: int) -> date:
    """Return Easter Sunday, as Gauss counted it."""
    century, golden = year // 100, year % 19
    full_moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (year % 100 // 4) - full_moon - year % 100 % 4) % 7
    late = (golden + 11 * full_moon + 22 * weekday) // 451
    month, day = divmod(full_moon + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def feast_shifted(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "last Christmas"."""
    count = got.offset
    if not count:
        return resolve_feast(got, at)
    return resolve_feast(
        got, DateContext(at.today + DAY, "future") if count > 0 else DateContext(at.today - DAY, "past")
    )


def resolve_year(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve a year by its number."""
    found = year_of(got["year"])
    return DateSpan(found.first, found.last, is_named=True)


def resolve_decade(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve "the 1990s"."""
    first, last = got.numbers["decade"]
    return DateSpan(date(first, 1, 1), date(last, 12, 31), is_named=True)


def year_shifted(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "last year" or "next year"."""
    return year_of(at.today.year + (got.offset))
