"""Read when something is due, as people write it ("next Friday", "am 3. Juni um 9"): only what is certain."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from typing import Literal

from memvault.text.dates.dates import WholeDay, is_past, parse_day, read_moment
from memvault.text.dates.expressions import DateMatch, find_expressions
from memvault.text.dates.tokens import NUMBERS

# The time of day that stands beside a day: "at 9", "half past nine", "um halb zehn".

_TWELVE = 12
_EARLIEST = 7  # "at 3" may be either half of the day, "at 9" is the morning
_BEFORE = 40  # characters

_HOURS = (
    *("one ein eins una une", "two zwei dos deux", "three drei tres trois", "four vier cuatro quatre"),
    *("five fünf cinco cinq", "six sechs seis", "seven sieben siete sept", "eight acht ocho huit"),
    *("nine neun nueve neuf", "ten zehn diez dix", "eleven elf once onze", "twelve zwölf doce douze"),
)
_HOUR_OF = {word: hour for hour, words in enumerate(_HOURS, 1) for word in words.split()}
# Minutes past the hour that is named, in front of it or behind it.
_PAST = {
    **dict.fromkeys(("half past", "half", "y media", "et demie"), 30),
    **dict.fromkeys(("quarter past", "a quarter past", "viertel nach", "y cuarto", "et quart"), 15),
    **dict.fromkeys(("quarter to", "a quarter to", "viertel vor", "menos cuarto", "moins le quart"), -15),
    "halb": -30,
}
_AHEAD = "half past|half|a quarter past|quarter past|a quarter to|quarter to|viertel nach|viertel vor|halb"
_BEHIND = "y media|y cuarto|menos cuarto|et demie|et quart|moins le quart"
_CLOCK = (
    rf"(?P<at>at|um|gegen|a las|a la|à|by)?,? ?(?:(?P<ahead>{_AHEAD}) )?"
    rf"(?P<hour>\d{{1,2}}|(?:{'|'.join(sorted(_HOUR_OF))})\b)(?:[:.h](?P<minute>\d\d))?"
    rf"(?: ?(?P<half>[ap]\.?m\b|uhr\b|heures?\b|h\b|o'clock\b))?(?: (?P<behind>{_BEHIND})\b)?"
    r"(?: (?:(?:in the|at|de la|por la|du|de l')[ ]?)?(?P<daytime>morning|afternoon|evening|night|mañana"
    r"|tarde|noche|matin|soir|après-midi|morgens|vormittags|nachmittags|abends|nachts)\b)?"
)
_NOON = r"(?:at |um |am |à )?(?P<noon>noon|midday|mittags?|mediodía|midi)\b"
_PART = r"(?:(?P<part>morning|afternoon|evening|night|früh|vormittag|nachmittag|abend|matin|après-midi|soir)\b ?)?"
_CERTAIN = ("minute", "half", "ahead", "behind", "daytime")
_LATE = ("night", "evening", "abend", "soir", "noche", "afternoon", "nachmittag", "tarde")


def find_clock(low: str, start: int, end: int) -> time | None:
    """Return the time of day that stands right after a day, or right before it."""
    behind, before = _clock_patterns()
    for clock in (behind.match(low, end), before.search(low, max(0, start - _BEFORE), start)):
        if clock is not None and clock["noon"]:
            return time(_TWELVE)
        if clock is not None and any(clock[part] for part in (*_CERTAIN, "at")):
            return _read_hour(clock, low[start:end])
    # Elsewhere in the sentence it takes more than a number to be a time.
    first = max(low.rfind(stop, 0, start) for stop in (". ", "! ", "? ")) + 1
    rest = re.split(r"[.!?](?:\s|$)", low[end:], maxsplit=1)[0]
    return read_lone_clock(f"{low[first:start]} {rest}", low[start:end])


def read_lone_clock(sentence: str, said: str = "") -> time | None:
    """Return the one time of day in a sentence that is certain to be one; None where there is none, or several."""
    found = [
        clock
        for clock in _lone_clock_pattern().finditer(sentence)  # "14.03" may be a price
        if any(clock[part] for part in _CERTAIN) and (clock["half"] or not re.search(r"\d\.\d", clock[0]))
    ]
    return _read_hour(found[0], said) if len(found) == 1 else None


@cache
def _clock_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    # Compiled when a text first names a day.
    return (
        re.compile(rf",? ?{_PART}(?:{_NOON}|{_CLOCK})(?!\d|[.:/-]\d| ?[%€$])"),
        re.compile(rf"\b(?:{_CLOCK}|{_NOON}) (?:on |am |el |le )?\Z"),
    )


@cache
def _lone_clock_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,:/-])(?=at |um |a las |a la |à |\d){_CLOCK}(?!\d|[.:/-]\d| ?[%€$])")


def _read_hour(clock: re.Match[str], said: str) -> time | None:
    hour = int(clock["hour"]) if clock["hour"].isdigit() else _HOUR_OF[clock["hour"]]
    half, minutes = (clock["half"] or "")[:1], _PAST.get(clock["ahead"] or clock["behind"] or "", 0)
    part = f"{said} {clock.groupdict().get('part') or ''} {clock['daytime'] or ''}"
    is_late = half == "p" or any(word in part for word in _LATE)
    is_certain = clock["minute"] or clock["daytime"] or (half in ("u", "h") and clock["hour"].isdigit())
    if half == "a":
        hour %= _TWELVE
    elif is_late and hour < _TWELVE:
        hour += _TWELVE
    elif not is_certain and hour < _EARLIEST:
        return None
    hour, minute = divmod(60 * hour + int(clock["minute"] or minutes), 60)
    return time(hour, minute)


_READ = 2_000
_DAY = timedelta(days=1)
_REPEATED = (
    r"(?<!\w)(?:every|each|always|usually|daily|never|jeden|immer|täglich|cada|siempre|chaque|toujours|\w+days)(?!\w)"
)


@dataclass(frozen=True, slots=True)
class DueReading:
    """The moment that a text names, and what is wrong with it as a due date."""

    moment: datetime | None
    problem: Literal["", "empty", "unclear", "over"]


def read_due(text: str, *, now: datetime, zone: tzinfo) -> DueReading:
    """Return the moment that a text is meant to name, and what is wrong with it: that it is past, say."""
    if not text.strip():
        return DueReading(None, "empty")
    moment = read_when(text, now=now, zone=zone)
    if moment is None:
        moment = next(_find_moments(" ".join(text[:_READ].split()), now.astimezone(zone)), None)
    moment = moment or find_said(text, now=now, zone=zone)
    if moment is None:
        return DueReading(None, "unclear")
    return DueReading(moment, "over" if is_past(moment, now, zone) else "")


def find_due(text: str, *, now: datetime, zone: tzinfo) -> datetime | None:
    """Return when what a text speaks of is due: the first day in it that is certain and not past."""
    here = now.astimezone(zone)
    for found in _find_moments(" ".join(text[:_READ].split()), here):
        if found.astimezone(UTC) >= now - _DAY and (not isinstance(found, WholeDay) or found.date() >= here.date()):
            return found
    return _next_clock(text[:_READ].casefold(), here)


def _next_clock(low: str, here: datetime) -> datetime | None:
    """Return when an hour comes next that a text names without a day: today, or tomorrow where it is over."""
    try:
        clock = None if re.search(_REPEATED, low) else read_lone_clock(low)
    except ValueError:  # "at 25" is no time
        return None
    if clock is None or next(find_expressions(low, here.date(), tense="future", always=True), None):
        return None
    moment = datetime.combine(here.date(), clock, here.tzinfo)
    return (moment if moment > here else moment + _DAY).astimezone(UTC)


def read_when(text: str, *, now: datetime, zone: tzinfo) -> datetime | None:
    """Return the moment that a text is meant to name, past dates included; else None."""
    said, here = " ".join(text[:_READ].split()), now.astimezone(zone)
    if (day := parse_day(said)) is not None:
        return _whole_day(day, here)
    if (moment := read_moment(said, local=zone)) is not None:
        return moment
    return next(_find_moments(said, here, is_date=True), None)


def _find_moments(text: str, here: datetime, *, is_date: bool = False) -> Iterator[datetime]:
    """Yield the days in a text, in order; with `is_date` only dates may be past."""
    low = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    for place in _find_places(text, low, here):
        if isinstance(place, datetime):
            yield place
        elif place.days.due is not None and not (is_date and place.days.due < here.date() and not place.days.is_named):
            yield _moment_of(place.days.due, place, low, here)


def _find_places(text: str, low: str, here: datetime) -> Iterator[DateMatch | datetime]:
    hours = [(found.start(), (here + _span_of(found)).astimezone(UTC)) for found in _hours_pattern().finditer(low)]
    days = [(place.start, place) for place in find_expressions(text, here.date(), tense="future", always=True)]
    found: list[tuple[int, DateMatch | datetime]] = [*hours, *days]
    for _, place in sorted(found, key=lambda row: row[0]):
        yield place


def _moment_of(due: date, place: DateMatch, low: str, here: datetime) -> datetime:
    try:
        clock = find_clock(low, place.start, place.end)
    except ValueError:  # "at 25" is no time
        clock = None
    if clock is None:
        return _whole_day(due, here)
    return datetime.combine(due, clock, here.tzinfo).astimezone(UTC)


def _whole_day(day: date, here: datetime) -> WholeDay:
    return WholeDay(day.year, day.month, day.day, tzinfo=here.tzinfo)


@cache
def _hours_pattern() -> re.Pattern[str]:
    # Compiled when a text is first asked for its day.
    count = rf"(?P<count>\d{{1,3}}|half an|a quarter of an|a couple of|{'|'.join(NUMBERS)})"
    unit = r"(?:(?P<hours>hours?|hrs?|h|stunden?|horas?|heures?)|minutes?|mins?|minuten?|minutos?)"
    lead = "in|within|dentro de|en|dans|innerhalb von"
    return re.compile(
        rf"(?<![\w-])(?:(?P<lead>{lead}) )?{count}[ ]?{unit}"
        r"(?P<more> and a half)?(?(lead)|(?= (?:from now|hence|have passed)))(?: from now| hence)?(?![\w-])"
    )


def _span_of(found: re.Match[str]) -> timedelta:
    said = found["count"]
    told = {"half an": 0.5, "a quarter of an": 0.25, "a couple of": 2}
    count = (told.get(said) or (int(said) if said.isdigit() else NUMBERS[said])) + (0.5 if found["more"] else 0)
    return timedelta(hours=count) if found["hours"] else timedelta(minutes=count)


# A moment among the words of something to be done: "ring Anna tomorrow at nine" is to ring Anna.

_LEADS = r"\b(?:(?:first thing|on|at|by|for|am|um|el|le|the|this|until|before|from|again)\s+)*\Z"
_ANY_DAY = datetime(2024, 1, 3, tzinfo=UTC)


def split_moment(text: str) -> tuple[str, str]:
    """Return a text without the moment that it begins or ends with, and that moment; nothing else is a moment of it."""
    low = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    ends = [(found.start(), found.end()) for found in _hours_pattern().finditer(low)]
    places = [
        (place.start, place.end) for place in find_expressions(text, _ANY_DAY.date(), tense="future", always=True)
    ]
    for start, end in (*ends, *places):
        behind, before = _clock_patterns()
        if clock := behind.match(low, end):
            end = clock.end()
        if clock := before.search(low, max(0, start - _BEFORE), start):
            start = clock.start()
        lead = re.search(_LEADS, low[:start])
        start = lead.start() if lead else start
        if not low[end:].strip(" .!?") and low[:start].strip():
            return text[:start].strip(" ,"), text[start:end].strip()
        if not low[:start].strip() and low[end:].strip(" .!?"):
            return text[end:].strip(" ,"), text[start:end].strip()
    return text, ""


def find_said(text: str, *, now: datetime, zone: tzinfo) -> datetime | None:
    """Return the first day or hour that a text speaks of, past or to come, as seen from when it was said."""
    said, here = " ".join(text[:_READ].split()), now.astimezone(zone)
    low = said.casefold() if len(said.casefold()) == len(said) else said.lower()
    for place in find_expressions(said, here.date(), tense="future"):
        days = place.days
        day = days.due or (days.first if days.first == days.last else None)
        if day is not None:
            return _moment_of(day, place, low, here)
    return None


_ENDS = (
    r"\b(?:only|just|nur|seulement|uniquement|s[oó]lo|só|apenas|alleen) "
    r"(?:until|till?|bis|jusqu'(?:à|au|en)|hasta|fino al?|até|tot)(?: (?:zum|el|il|le|o))? ([^.,;!?\n]{2,30})"
    r"|\b(?:for|für|pour|por|per|voor) (?:this|diese[nsr]?|cett?e|est[ae]|quest[ao]|deze) "
    r"(?:(week|woche|semaine|semana|settimana)|(?:month|monat|mois|mes|mese|mês|maand))\b(?!['’])"
)


def find_end(text: str, *, now: datetime, zone: tzinfo) -> WholeDay | None:
    """Return the last day on which a text says that it holds: "only until Friday", "for this week"."""
    found = re.search(_ENDS, text[:_READ], re.IGNORECASE)
    if found is None:
        return None
    here = now.astimezone(zone)
    if found[1]:
        day = read_when(found[1], now=now, zone=zone)
        return None if day is None else _whole_day(day.astimezone(zone).date(), here)
    last = 6 - here.weekday() if found[2] else monthrange(here.year, here.month)[1] - here.day
    return _whole_day(here.date() + timedelta(days=last), here)
