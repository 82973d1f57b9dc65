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


def is_past(moment: datetime, now: datetime, zone: tzinfo) -> bool:
    """Return whether a moment is over; a whole day is over when it ends."""
    return moment.date() < now.astimezone(zone).date() if isinstance(moment, WholeDay) else moment < now


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


@cache
def _compile_pattern(source: str) -> re.Pattern[str]:
    # Compiled on first use: what memvault itself writes never needs them.
    return re.compile(source, re.IGNORECASE | re.ASCII)
