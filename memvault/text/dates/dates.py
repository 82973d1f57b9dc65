"""Read points in time as people and programs write them, and write them in one form."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache

from memvault.errors import BadInput

_LONGEST = 80
_SPAN = r"(\d{1,5})\s*(h|d|w|m|y)[a-z]*"
_UNIT_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_TH = "(?:st|nd|rd|th)?"

# 03/04/2026 is missing on purpose: nobody can tell which is the month.
_DAYS = (
    r"(?P<year>\d{4})(?P<mark>[-/._])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)",
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
    r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>\d{4})(?!\d)",
    rf"(?P<day>\d{{1,2}}){_TH}\.?[ -](?P<month>{_MONTH})\.?,?[ -](?P<year>\d{{4}})(?!\d)",
    rf"(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}}){_TH},? (?P<year>\d{{4}})(?!\d)",
)
_TIME = (
    r"(?P<between>[T_, ]*|-|,? at )(?P<hour>\d{1,2})"
    r"(?:(?P<mark>[:.h-]?)(?P<minute>\d\d)(?:(?P=mark)(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r" ?(?P<half>[ap]\.?m\.?)? ?(?P<zone>Z|(?:UTC|GMT)?(?P<sign>[-+−])(?P<east>\d\d?)(?::?(?P<south>\d\d))?|UTC|GMT)?"
    r"(?: ?\([a-z ]*\))?"
)

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_UNITS: dict[str, timedelta | int] = {  # a plain number stands for months
    **dict.fromkeys(("min", "mins", "minute", "minutes"), _HOUR / 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), _HOUR),
    **dict.fromkeys(("d", "day", "days"), _DAY),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks"), 7 * _DAY),
    **dict.fromkeys(("mo", "month", "months"), 1),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), 12),
}
_AGO = rf"(?:the )?(?:last |past )?(?P<count>\d{{1,5}}|an?|{'|'.join(_NUMBERS)}) ?(?P<unit>{'|'.join(_UNITS)})(?: ago)?"


class WholeDay(datetime):
    """A whole day, as its first moment in the zone it is meant in: written as a day alone."""


def read_moment(text: str, *, local: tzinfo = UTC) -> datetime | None:
    """Return the moment in UTC that a text names; local time without an offset, midnight without a time."""
    written = text.strip()
    try:
        if written[4:5] == "-" and (len(written) == 10 or len(written) >= 19):
            return _to_utc(datetime.fromisoformat(written), local)
    except ValueError:
        pass
    return _parse_loosely(written, local)


def write_moment(moment: datetime) -> str:
    """Write a moment as all are written: UTC, to the second, with a Z."""
    if moment.tzinfo is None:
        raise ValueError("a moment without a zone cannot be written")
    return moment.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


def parse_day(text: str) -> date | None:
    """Return the day that a text names, if it names a day and nothing else."""
    found = _day_at_start(_strip_decoration(text))
    return found[0] if found and not found[1].strip() else None


def parse_since(text: str, now: datetime, zone: tzinfo) -> datetime:
    """Return the moment that a date, a span of time back from now, or a word for a day means."""
    said = text.strip().casefold()
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    days = {"today": 0, "yesterday": 1}
    if said in days:
        return midnight - timedelta(days=days[said])
    span = re.fullmatch(_SPAN, said)
    found = _subtract_days(now, float(span[1]) * _UNIT_DAYS[span[2]]) if span else read_moment(text, local=zone)
    if found is None:
        reason = "it must be a date like 2026-01-31, or a span like 12h, 7d, 2w, 3m or 1y"
        raise BadInput(what="the time", value=text, reason=reason)
    return found


def _subtract_days(now: datetime, days: float) -> datetime | None:
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return None  # before there were dates


def read_since(text: str, *, now: datetime) -> datetime | None:
    """Return the moment in UTC from which `7d`, `2 weeks`, `yesterday`, `last month`, `2026-01` or a date counts.

    Days begin at midnight in the zone of `now`. `3m` is refused: it could be minutes or months.
    """
    written = " ".join(text.casefold().split()).removeprefix("since ")
    if len(written) > _LONGEST:
        return None
    zone = now.tzinfo or UTC
    try:
        ago = _compile_pattern(_AGO).fullmatch(written)
        if ago:
            return _subtract_units(now, ago["count"], ago["unit"]).astimezone(UTC)
        day = _named_day(written, now.date()) or _period_start(written, now.date())
        return _to_utc(_midnight_of(day), zone) if day else read_moment(written, local=zone)
    except (ValueError, OverflowError):
        return None


# -- a moment


def _to_utc(moment: datetime, local: tzinfo) -> datetime | None:
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=local)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _parse_loosely(written: str, local: tzinfo) -> datetime | None:
    text = _strip_decoration(written)
    if len(text) in (10, 13) and text.isascii() and text.isdigit():
        return datetime.fromtimestamp(int(text[:10]), UTC)
    found = _day_at_start(text)
    if not found:
        return None
    day, rest = found
    if not rest.strip():
        return _to_utc(_midnight_of(day), local)
    clock = _compile_pattern(_TIME).fullmatch(rest.rstrip())
    try:
        return _to_utc(_midnight_of(day) + _time_of_day(clock), _offset_zone(clock) or local) if clock else None
    except (ValueError, OverflowError):
        return None


def _strip_decoration(text: str) -> str:
    """Remove the link brackets, quotes and weekday names that people write around a date."""
    if len(text) > _LONGEST:
        return ""
    inner = text.strip(" \t\r\n[]<>\"'")
    return " ".join(_compile_pattern(rf"\(?\b{_WEEKDAY}\b\)?[.,]?").sub(" ", inner).split())


def _day_at_start(text: str) -> tuple[date, str] | None:
    for pattern in _DAYS:
        found = _compile_pattern(pattern).match(text)
        if found:
            try:
                day = date(int(found["year"]), _month_number(found["month"]), int(found["day"]))
            except ValueError:
                return None
            return day, text[found.end() :]
    return None


def _month_number(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.index(text[:3].casefold()) + 1


def _time_of_day(clock: re.Match[str]) -> timedelta:
    hour, minute, second = (int(clock[part] or 0) for part in ("hour", "minute", "second"))
    half = (clock["half"] or "")[:1].casefold()
    if not clock["minute"] and not half and "T" not in clock["between"].upper():
        raise ValueError("a lone number is not a time")
    if half:
        if not 1 <= hour <= 12:
            raise ValueError("no such hour on a twelve-hour clock")
        hour = hour % 12 + 12 * (half == "p")
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
        raise ValueError("no such time")
    micro = int((clock["fraction"] or "").ljust(6, "0")[:6])
    return timedelta(hours=hour, minutes=minute, seconds=min(second, 59), microseconds=micro)  # 60: a leap second


def _offset_zone(clock: re.Match[str]) -> tzinfo | None:
    if not clock["sign"]:
        return UTC if clock["zone"] else None
    offset = timedelta(hours=int(clock["east"]), minutes=int(clock["south"] or 0))
    return timezone(offset if clock["sign"] == "+" else -offset)


def _midnight_of(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 - its zone is added by _in_utc


# -- since


def _subtract_units(now: datetime, number: str, unit: str) -> datetime:
    count = int(number) if number.isdigit() else 1 if number in ("a", "an") else _NUMBERS.index(number)
    step = _UNITS[unit]
    if isinstance(step, timedelta):
        return now.astimezone(UTC) - count * step
    return datetime.combine(_months_before(now.date(), count * step), now.timetz())


def _months_before(day: date, count: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 - count, 12)
    first = date(year, month + 1, 1)
    last = (first + 31 * _DAY).replace(day=1) - _DAY
    return first.replace(day=min(day.day, last.day))


def _named_day(written: str, today: date) -> date | None:
    monday = today - today.weekday() * _DAY
    match written:
        case "today":
            return today
        case "yesterday":
            return today - _DAY
        case "this week":
            return monday
        case "last week":
            return monday - 7 * _DAY
        case "this month":
            return today.replace(day=1)
        case "last month":
            return _months_before(today.replace(day=1), 1)
        case "this year":
            return today.replace(month=1, day=1)
        case "last year":
            return date(today.year - 1, 1, 1)
        case _:
            return None


def _period_start(written: str, today: date) -> date | None:
    """Return the first day of a month or year, or the latest past weekday of that name."""
    weekday = _compile_pattern(f"(?:last )?({_WEEKDAY})").fullmatch(written)
    if weekday:
        back = (today.weekday() - _WEEKDAYS.index(weekday[1][:3]) - 1) % 7 + 1
        return today - back * _DAY
    dated = _compile_pattern(r"(?P<year>\d{4})(?:[-/](?P<month>\d\d?))?").fullmatch(written)
    if dated:
        return date(int(dated["year"]), int(dated["month"] or 1), 1)
    named = _compile_pattern(rf"(?:last )?(?P<month>{_MONTH})\.?(?: (?P<year>\d{{4}}))?").fullmatch(written)
    if not named:
        return None
    first = date(int(named["year"] or today.year), _month_number(named["month"]), 1)
    return first if named["year"] or first <= today else first.replace(year=first.year - 1)


@cache
def _compile_pattern(source: str) -> re.Pattern[str]:
    # Compiled on first use: what memvault itself writes never needs them.
    return re.compile(source, re.IGNORECASE | re.ASCII)
