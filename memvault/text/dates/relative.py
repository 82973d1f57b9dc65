"""Resolve spans that are counted from, or reach to, another expression of time."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from memvault.text.dates.calendar import (
    DAY,
    DateContext,
    DateSpan,
    Recurrence,
    add_months,
    add_units,
    month_of,
    nearest_numbered_day,
    resolve_tense,
    shift_span,
    single_day,
    span_of_unit,
    stage_of,
    week_of,
    weekend_of,
)
from memvault.text.dates.patterns import SlotValues
from memvault.text.dates.tokens import DAYS, HOURS, LAST, MORNING, NIGHTS, WEEKENDS, WEEKS, YEARS

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


def resolve_inner(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve to what an expression within this one means."""
    return got.days[0]


def resolve_stage(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve the beginning, middle or end of a span."""
    return stage_of(got.days[0], got["stage"])


def stage_of_unit(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "the end of the week": of the current one."""
    unit = got["unit"]
    if unit in (HOURS, NIGHTS):
        return None
    if unit == DAYS:
        return single_day(at.today)
    found = stage_of(span_of_unit(at.today, unit), got["stage"])
    is_over = found.due is not None and found.due < at.today
    return replace(found, due=None) if is_over else found


def week_with(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve the week or weekend that a day lies in."""
    days = got.days[0]
    found = weekend_of(days.first) if got["unit"] == WEEKENDS else week_of(days.first)
    return replace(found, recurrence=days.recurrence, is_named=days.is_named)


def week_ranked(got: SlotValues, _at: DateContext) -> DateSpan | None:
    """Resolve "the first week of March", counted from the beginning or end of the month."""
    days, rank = got.days[0], got["rank"]
    if got["unit"] == WEEKENDS:
        saturday = days.first + (5 - days.first.weekday()) % 7 * DAY
        count = (days.last - saturday).days // 7 if rank == LAST else rank - 1
        found = weekend_of(saturday + 7 * count * DAY)
    elif rank == LAST:
        found = DateSpan(days.last - 6 * DAY, days.last)
    else:
        found = DateSpan(days.first + 7 * (rank - 1) * DAY, days.first + (7 * rank - 1) * DAY)
    return (
        replace(found, due=None, recurrence=days.recurrence, is_named=days.is_named)
        if found.first <= days.last
        else None
    )


def units_from(got: SlotValues, _at: DateContext, *, sign: int) -> DateSpan | None:
    """Resolve "two weeks before" or "after" something: to the day, where that is one day."""
    days, unit = got.days[0], got["unit"]
    if unit == HOURS:
        return None
    anchor = days.first if sign < 0 else days.last
    low, high = got.numbers["count"]
    ends = sorted(add_units(anchor, unit, sign * count) for count in (low, high))
    due = ends[0] if low == high and days.due else None
    if unit == WEEKENDS:
        return _weekends_from(anchor, sign * low)
    if days.first == days.last or unit == DAYS:
        return DateSpan(ends[0], ends[1], due, days.recurrence, days.is_named)
    return DateSpan(
        span_of_unit(ends[0], unit).first, span_of_unit(ends[1], unit).last, due, days.recurrence, days.is_named
    )


def unit_beside(got: SlotValues, _at: DateContext, *, sign: int) -> DateSpan | None:
    """Resolve "the week before" or "after" something."""
    unit, days = got["unit"], got.days[0]
    if unit == HOURS:
        return None
    anchor = days.first if sign < 0 else days.last
    found = _weekends_from(anchor, sign) if unit == WEEKENDS else span_of_unit(add_units(anchor, unit, sign), unit)
    return replace(found, recurrence=days.recurrence, is_named=days.is_named)


def _weekends_from(anchor: date, count: int) -> DateSpan:
    """Return the weekend so many before or after a day, of those wholly on that side of it."""
    saturday = weekend_of(anchor).first
    if count < 0:
        nearest = saturday if saturday + DAY < anchor else saturday - 7 * DAY
        return weekend_of(nearest + 7 * (count + 1) * DAY)
    nearest = saturday if saturday > anchor else saturday + 7 * DAY
    return weekend_of(nearest + 7 * (count - 1) * DAY)


def resolve_since(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve from something up to today."""
    days = got.days[0]
    if days.first > at.today and days.recurrence:
        days = shift_span(days, days.recurrence, -1)
    if days.first > at.today:
        return replace(days, due=None, side="after")
    return DateSpan(days.first, at.today, is_named=days.is_named, limit="since")


def resolve_after(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve what comes after something: up to today, where it is over."""
    days = got.days[0]
    start = days.last + DAY
    if start <= at.today:
        return DateSpan(start, at.today, is_named=days.is_named, limit="since")
    return DateSpan(days.first, days.last, start if days.due else None, days.recurrence, days.is_named, "after")


def resolve_until(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve up to something: from today on, where it is still to come."""
    days = got.days[0]
    if days.last >= at.today:
        return DateSpan(at.today, days.last, days.due, is_named=days.is_named, limit="until")
    return replace(days, side="before")


def resolve_before(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve what comes before something; it is due on the day before it."""
    days = got.days[0]
    due = max(at.today, days.due - DAY) if days.due and days.due > at.today else None
    return replace(days, due=due, side="before")


def not_before(got: SlotValues, _at: DateContext) -> DateSpan:
    """Resolve from something on."""
    return replace(got.days[0], side="after")


def resolve_between(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve from one thing to another, which lends it its year."""
    first, last = got.days
    first = _align_start(first, last)
    step: Recurrence = last.recurrence or first.recurrence
    if step and first.first > last.last:
        last, first = (
            (shift_span(last, step, 1), first) if at.tense == "future" else (last, shift_span(first, step, -1))
        )
    if first.first > last.last:
        return None
    return DateSpan(first.first, last.last, first.due, is_named=last.is_named)


def month_to(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "from May to July" of a year."""
    first = month_of(got.days[0].first.year, got["month"])
    return resolve_between(SlotValues(days=(replace(first, recurrence="year"), got.days[0])), at)


def _align_start(first: DateSpan, last: DateSpan) -> DateSpan:
    """Give a month the year of the other end of a range, and a number its month."""
    if first.recurrence == "month" and first.first.day <= last.last.day:
        return replace(single_day(last.last.replace(day=first.first.day)), recurrence=last.recurrence)
    if first.recurrence != "year" or last.recurrence:
        return first
    count = last.first.year - first.first.year
    found = shift_span(first, "year", count)
    return found if found.first <= last.last else shift_span(found, "year", -1)


# Days, weeks, months and years counted from the day on which something is said.

_SEVERAL = 5  # "the last weeks" where nobody counts


def resolve_named(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "today", "yesterday", "the day after tomorrow"."""
    return single_day(at.today + got["named"] * DAY)


def part_of_named(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "yesterday evening", "tomorrow morning"."""
    return part_of_today(got, at) if not got["named"] else resolve_named(got, at)


def part_of_today(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve a part of this day; its morning is most often spoken of when it is over."""
    return DateSpan(at.today, at.today, None if got["part"] == MORNING else at.today)


def last_night(_got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve the night before this day."""
    return single_day(at.today - DAY)


def resolve_lately(_got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "the other day": within the last week."""
    return DateSpan(at.today - 7 * DAY, at.today - DAY)


def resolve_shifted(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve the week, month or year that is so many away from this one."""
    unit, count = got["unit"], got.offset
    if unit in (HOURS, DAYS) or got.numbers["unit"][1] or (unit == NIGHTS and count > 0):
        return None
    if unit == WEEKENDS and count < 0:
        return weekend_of(_last_saturday(at.today) + 7 * (count + 1) * DAY)
    found = span_of_unit(add_units(at.today, unit, count), unit)
    return found if count or unit == WEEKENDS else replace(found, due=None)


def last_weekend(_got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve the latest weekend that is over."""
    return weekend_of(_last_saturday(at.today))


def _last_saturday(today: date) -> date:
    """Return the Saturday of the latest weekend that is over."""
    return today - (today.weekday() + 2) * DAY


def the_weekend(_got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "the weekend", where only one can be meant."""
    if at.tense is None:
        return None
    return weekend_of(_last_saturday(at.today) if at.tense == "past" else at.today)


def resolve_ago(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "three weeks ago"; with longer units the whole one that lies so far back."""
    low, high = got.numbers["count"]
    unit = got["unit"]
    if unit == HOURS:
        return None
    if unit == WEEKENDS:
        return weekend_of(_last_saturday(at.today) - 7 * (high - 1) * DAY)
    first, last = (span_of_unit(add_units(at.today, unit, -count), unit) for count in (high, low))
    return DateSpan(first.first, last.last, first.first)


def half_a_year_ago(_got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve to the month that lies six months back."""
    back = add_months(at.today, -6)
    return month_of(back.year, back.month)


def ago_and_half(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve to the month that lies so many years and a half back."""
    if got["unit"] != YEARS:
        return None
    years = got["count"] if "count" in got.numbers else 1
    back = add_months(at.today, -12 * years - 6)
    return month_of(back.year, back.month)


def today_and_weeks(got: SlotValues, at: DateContext) -> DateSpan:
    """Resolve "today in two weeks", "a week tomorrow", "tomorrow week": to the day."""
    weeks = got["count"] if "count" in got.numbers else 1
    return single_day(at.today + (got["named"] + 7 * weeks) * DAY)


def ago_exactly(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "three weeks ago today": to the day."""
    return None if got["unit"] == HOURS else single_day(add_units(at.today, got["unit"], -got["count"]))


def resolve_ahead(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve "in three weeks"; with longer units the whole one that lies so far ahead."""
    low, high = got.numbers["count"]
    unit = got["unit"]
    if unit == HOURS or at.verb == "past":  # "we did it in two days" tells how long it took
        return None
    first, last = (span_of_unit(add_units(at.today, unit, count), unit) for count in (low, high))
    return DateSpan(first.first, last.last, add_units(at.today, unit, low) if low == high else None)


def resolve_lasting(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve the time up to today that reaches so far back."""
    back = _stretch_end(got, at, -1)
    return DateSpan(back, at.today) if back else None


def resolve_coming(got: SlotValues, at: DateContext) -> DateSpan | None:
    """Resolve the time from today on that reaches so far ahead."""
    on_to = _stretch_end(got, at, 1)
    return DateSpan(at.today, on_to) if on_to else None


def _stretch_end(got: SlotValues, at: DateContext, sign: int) -> date | None:
    count = got.numbers["count"][1] if "count" in got else _SEVERAL if got.numbers["unit"][1] else 1
    if got["unit"] == HOURS:
        return at.today + sign * -(-count // 24) * DAY
    return add_units(at.today, DAYS if got["unit"] == NIGHTS else got["unit"], sign * count)
