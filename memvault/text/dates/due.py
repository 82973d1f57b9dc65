"""When something is due, as people write it ("next Friday", "am 3. Juni um 9"): only what is certain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from typing import Literal

from memvault.text.dates.clock import clock_beside
from memvault.text.dates.dates import Day, parse_day, read_moment
from memvault.text.dates.search import Place, expressions
from memvault.text.dates.words import NUMBERS

_READ = 2_000
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text that is meant to be a moment comes to, and why it may not be one that something can be due at."""

    moment: datetime | None
    trouble: Literal["", "empty", "unclear", "over"]


def read_due(text: str, *, now: datetime, zone: tzinfo) -> Reading:
    """The moment that a text names which is meant to be one, and what is wrong with it: that it is over, say."""
    if not text.strip():
        return Reading(None, "empty")
    moment = read_when(text, now=now, zone=zone)
    if moment is None:
        moment = next(_found(" ".join(text[:_READ].split()), now.astimezone(zone)), None)
    if moment is None:
        return Reading(None, "unclear")
    return Reading(moment, "over" if _is_over(moment, now, zone) else "")


def due_in(text: str, *, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment from which what a text speaks of is due: the first day in it that is certain, and not over."""
    here = now.astimezone(zone)
    for found in _found(" ".join(text[:_READ].split()), here):
        if found.astimezone(UTC) >= now - _DAY and (not isinstance(found, Day) or found.date() >= here.date()):
            return found
    return None


def read_when(text: str, *, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment that a text names which is meant to be one, also a date that is over; else None."""
    said, here = " ".join(text[:_READ].split()), now.astimezone(zone)
    if (day := parse_day(said)) is not None:
        return _whole(day, here)
    if (moment := read_moment(said, local=zone)) is not None:
        return moment
    return next(_found(said, here, is_date=True), None)


def _is_over(moment: datetime, now: datetime, zone: tzinfo) -> bool:
    if isinstance(moment, Day):
        return moment.date() < now.astimezone(zone).date()
    return moment < now


def _found(text: str, here: datetime, *, is_date: bool = False) -> Iterator[datetime]:
    """The days in a text, in the order in which they stand there; with `is_date` only dates may be over."""
    low = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    for place in _places(text, low, here):
        if isinstance(place, datetime):
            yield place
        elif place.days.due is not None and not (is_date and place.days.due < here.date() and not place.days.is_named):
            yield _moment(place.days.due, place, low, here)


def _places(text: str, low: str, here: datetime) -> Iterator[Place | datetime]:
    hours = [
        (found.start(), (here + timedelta(hours=_count(found))).astimezone(UTC)) for found in _in_hours().finditer(low)
    ]
    days = [(place.start, place) for place in expressions(text, here.date(), tense="future", always=True)]
    found: list[tuple[int, Place | datetime]] = [*hours, *days]
    for _, place in sorted(found, key=lambda row: row[0]):
        yield place


def _moment(due: date, place: Place, low: str, here: datetime) -> datetime:
    try:
        clock = clock_beside(low, place.start, place.end)
    except ValueError:  # "at 25" is no time
        clock = None
    if clock is None:
        return _whole(due, here)
    return datetime.combine(due, clock, here.tzinfo).astimezone(UTC)


def _whole(day: date, here: datetime) -> Day:
    return Day(day.year, day.month, day.day, tzinfo=here.tzinfo)


@cache
def _in_hours() -> re.Pattern[str]:
    # Compiled when a text is first asked for its day.
    return re.compile(
        rf"(?<![\w-])(?:in|within|dentro de|en|dans|innerhalb von) (?P<count>\d{{1,3}}|{'|'.join(NUMBERS)}) "
        r"(?:hours?|stunden?|horas?|heures?)(?![\w-])"
    )


def _count(found: re.Match[str]) -> int:
    return int(found["count"]) if found["count"].isdigit() else NUMBERS[found["count"]]
