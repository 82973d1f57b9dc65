"""Days and times as people write them ("next Friday", "in two weeks", "am 3. Juni um 9"): only what is certain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache

from memvault.core.dates import Day, read_moment

_READ = 2_000
_DAY = timedelta(days=1)
_EVENING = 12

_WEEKDAYS = tuple(
    names.split("|")
    for names in (
        "monday|mon|montag|lunes|lundi",
        "tuesday|tues|tue|dienstag|martes|mardi",
        "wednesday|wed|mittwoch|miércoles|miercoles|mercredi",
        "thursday|thurs|thu|donnerstag|jueves|jeudi",
        "friday|fri|freitag|viernes|vendredi",
        "saturday|samstag|sonnabend|sábado|sabado|samedi",
        "sunday|sonntag|domingo|dimanche",
    )
)
_MONTHS = tuple(
    names.split("|")
    for names in (
        "january|januar|jänner|enero|janvier|jan",
        "february|februar|febrero|février|feb",
        "march|märz|marzo|mars|mar",
        "april|abril|avril|apr",
        "may|mai|mayo",
        "june|juni|junio|juin|jun",
        "july|juli|julio|juillet|jul",
        "august|agosto|août|aug",
        "september|septiembre|septembre|sept|sep",
        "october|oktober|octubre|octobre|oct|okt",
        "november|noviembre|novembre|nov",
        "december|dezember|diciembre|décembre|dec|dez",
    )
)
_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "ein", "eine", "einem", "einer", "un", "una", "une"), 1),
    **dict.fromkeys(("two", "zwei", "dos", "deux"), 2),
    **dict.fromkeys(("three", "drei", "tres", "trois"), 3),
    **dict.fromkeys(("four", "vier", "cuatro", "quatre"), 4),
    **dict.fromkeys(("five", "fünf", "cinco", "cinq"), 5),
    **dict.fromkeys(("six", "sechs", "seis"), 6),
    **dict.fromkeys(("seven", "sieben", "siete", "sept"), 7),
    **dict.fromkeys(("eight", "acht", "ocho", "huit"), 8),
    **dict.fromkeys(("nine", "neun", "nueve", "neuf"), 9),
    **dict.fromkeys(("ten", "zehn", "diez", "dix"), 10),
    **dict.fromkeys(("twelve", "zwölf", "doce", "douze"), 12),
    **dict.fromkeys(("fourteen", "vierzehn", "catorce", "quatorze"), 14),
    **dict.fromkeys(("fifteen", "fünfzehn", "quince", "quinze"), 15),
}
_HOURS, _DAYS, _WEEKS, _MONTHS_ON, _YEARS = "hours", "days", "weeks", "months", "years"
_UNITS = {
    **dict.fromkeys(("hour", "hours", "stunde", "stunden", "hora", "horas", "heure", "heures"), _HOURS),
    **dict.fromkeys(
        ("day", "days", "tag", "tage", "tagen", "tages", "día", "días", "dia", "dias", "jour", "jours"), _DAYS
    ),
    **dict.fromkeys(("week", "weeks", "woche", "wochen", "semana", "semanas", "semaine", "semaines"), _WEEKS),
    **dict.fromkeys(("month", "months", "monat", "monate", "monaten", "monats", "mes", "meses", "mois"), _MONTHS_ON),
    **dict.fromkeys(
        ("year", "years", "jahr", "jahre", "jahren", "jahres", "año", "años", "an", "ans", "année"), _YEARS
    ),
}


def _any(words: object) -> str:
    """A pattern for one of several words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))  # type: ignore[call-overload]


_WEEKDAY = f"(?P<weekday>{_any([name for names in _WEEKDAYS for name in names])})"
_MONTH = f"(?P<month>{_any([name for names in _MONTHS for name in names])})"
_NUMBER = rf"(?P<number>\d{{1,3}}|{_any(_NUMBERS)})"
_UNIT = f"(?P<unit>{_any(_UNITS)})"
_NEXT = "next|nächste[nrsm]?|kommende[nrsm]?|próxim[oa]|proxim[oa]"
_DAY_NUMBER = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|°)?"
_OF = r"\.? ?(?:of |de |du )?"
_YEAR = r"(?:,? (?:de |del )?(?P<year>\d{4}))?"
# What comes again and again, and what is over, is nobody's due date.
_AGAIN = (
    r"(?:every|each|last|past|since|jede[nrs]?|letzte[nrs]?|vergangene[nrs]?|seit|cada|todos los|desde|tous les|chaque"
    r"|depuis)"
)


def due_in(text: str, *, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment from which what a text speaks of is due: the first day in it that is certain, and not over."""
    here = now.astimezone(zone)
    for found in _found(" ".join(text[:_READ].split()), here):
        if found.astimezone(UTC) >= now - _DAY and (not isinstance(found, Day) or found.date() >= here.date()):
            return found
    return None


def read_when(text: str, *, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment that a text names which is meant to be one, also in the past; None where it is not understood."""
    said = " ".join(text.split())
    moment = read_moment(said, local=zone)
    if moment is not None and len(said) > 10:
        return moment
    if moment is not None:
        return _whole(moment.astimezone(zone).date(), now.astimezone(zone))
    return next(_found(said, now.astimezone(zone)), None)


def _found(text: str, here: datetime) -> Iterator[datetime]:
    """The days in a text, in the order in which they stand there."""
    low = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    matches = [
        (found.start(), -found.end(), found, read) for pattern, read in _readers() for found in pattern.finditer(low)
    ]
    taken = 0
    for start, end, found, read in sorted(matches, key=lambda match: match[:2]):
        if start < taken or _is_again(low, start):
            continue
        moment = _moment(found, read, low, here)
        if moment is not None:
            taken = -end
            yield moment


def _is_again(low: str, start: int) -> bool:
    return re.search(rf"\b{_AGAIN} (?:on |am |el |le |the )?$", low[max(0, start - 24) : start]) is not None


Read = Callable[[re.Match[str], datetime], date | datetime | None]


def _moment(found: re.Match[str], read: Read, low: str, here: datetime) -> datetime | None:
    try:
        day = read(found, here)
        if day is None or isinstance(day, datetime):
            return None if day is None else day.astimezone(UTC)
        clock = _clock(low, found)
        if re.search(
            r"\b(?:before|vor|antes de|antes del|avant)(?: the| dem| der| le| la| el)? $", low[: found.start()]
        ):
            day = max(here.date(), day - _DAY)
        if clock is None:
            return _whole(day, here)
        return datetime.combine(day, clock, here.tzinfo).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _whole(day: date, here: datetime) -> Day:
    return Day(day.year, day.month, day.day, tzinfo=here.tzinfo)


# -- the time of day

_CLOCK = (
    r"(?:at|um|gegen|a las|a la|à|by|,)? ?(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d\d))?"
    r" ?(?P<half>[ap]\.?m\b|uhr\b|h\b|o'clock\b)?"
)
_NOON = r"(?:at |um |am |à )?(?P<noon>noon|midday|mittags?|mediodía|midi)\b"
_PART = r"(?:(?P<part>morning|afternoon|evening|night|früh|vormittag|nachmittag|abend|matin|après-midi|soir)\b ?)?"


def _clock(low: str, found: re.Match[str]) -> time | None:
    """The time of day that stands right behind a day, or right before it."""
    behind = re.match(rf",? ?{_PART}(?:{_NOON}|{_CLOCK})(?![\d.:/-]| ?[%€$])", low[found.end() :])
    before = re.search(
        rf"\b(?:{_CLOCK}|{_NOON}) (?:on |am |el |le )?$", low[max(0, found.start() - 20) : found.start()]
    )
    for clock in (behind, before):
        if clock is not None and (clock["noon"] or _is_said(clock)):
            return time(12) if clock["noon"] else _hour(clock, found[0])
    return None


def _is_said(clock: re.Match[str]) -> bool:
    """Whether a number is a time at all, and not so many of something."""
    return bool(clock["minute"] or clock["half"] or re.match(r",? ?(?:\w+ )?(?:at|um|gegen|a las?|à|by) ", clock[0]))


def _hour(clock: re.Match[str], said: str) -> time | None:
    hour, half = int(clock["hour"]), (clock["half"] or "")[:1]
    part = f"{said} {clock.groupdict().get('part') or ''}"
    is_late = half == "p" or any(
        word in part for word in ("night", "evening", "abend", "soir", "noche", "afternoon", "nachmittag")
    )
    if half == "a":
        hour %= _EVENING
    elif is_late and hour < _EVENING:
        hour += _EVENING
    elif not clock["minute"] and half != "u" and hour < 7:
        return None  # "at 3" may be either
    return time(hour, int(clock["minute"] or 0))


# -- the day


def _named(found: re.Match[str], here: datetime) -> date:
    return here.date() + {"t": 0, "m": 1, "o": 2}[found.lastgroup or "t"] * _DAY


def _after(found: re.Match[str], here: datetime) -> date | datetime | None:
    count = int(found["number"]) if found["number"].isdigit() else _NUMBERS[found["number"]]
    match _UNITS[found["unit"]]:
        case "hours":
            return here + timedelta(hours=count)
        case "days":
            return here.date() + count * _DAY
        case "weeks":
            return here.date() + 7 * count * _DAY
        case unit:
            return _months_on(here.date(), count * (12 if unit == _YEARS else 1))


def _months_on(day: date, count: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, min(day.day, _last_of(year, month + 1).day))


def _last_of(year: int, month: int) -> date:
    return (date(year, month, 28) + 4 * _DAY).replace(day=1) - _DAY


def _weekday(found: re.Match[str], here: datetime) -> date | None:
    """The coming day of that name; with "next" the one of next week."""
    wanted = next(number for number, names in enumerate(_WEEKDAYS) if found["weekday"] in names)
    today = here.date()
    if found["next"] or found["later"]:
        return today - today.weekday() * _DAY + (7 + wanted) * _DAY
    ahead = (wanted - today.weekday()) % 7
    return today + ahead * _DAY if ahead else None  # said on that very day it may mean today, or a week on


def _next_period(found: re.Match[str], here: datetime) -> date | None:
    """The first day of the next week, month or year."""
    today = here.date()
    match _UNITS.get(found["unit"]):
        case "weeks":
            return today - today.weekday() * _DAY + 7 * _DAY
        case "months":
            return _months_on(today.replace(day=1), 1)
        case "years":
            return date(today.year + 1, 1, 1)
        case _:
            return None


def _day_of_month(found: re.Match[str], here: datetime) -> date | None:
    month, day, year = _month(found), int(found["day"]), found["year"]
    if year:
        return date(int(year), month, day)
    return _coming(month, day, here.date())


def _month(found: re.Match[str]) -> int:
    said = found["month"]
    return int(said) if said.isdigit() else next(n for n, names in enumerate(_MONTHS, 1) if said in names)


def _coming(month: int, day: int, today: date) -> date:
    """The next day of that date, today included."""
    for year in range(today.year, today.year + 9):
        if day <= _last_of(year, month).day and date(year, month, day) >= today:
            return date(year, month, day)
    raise ValueError("there is no such day")


def _nth(found: re.Match[str], here: datetime) -> date | None:
    """The next day of that number: of this month, or of the next that has one."""
    day, month = int(found["day"]), here.date().replace(day=1)
    for _ in range(3):
        is_ahead = day >= here.day or month > here.date()
        if is_ahead and day <= _last_of(month.year, month.month).day:
            return month.replace(day=day)
        month = _months_on(month, 1)
    return None


def _end(found: re.Match[str], here: datetime) -> date | None:
    today = here.date()
    if found["month"]:
        last = _last_of(int(found["year"] or today.year), _month(found))
        return last if last >= today or found["year"] else _last_of(today.year + 1, _month(found))
    match _UNITS.get(found["unit"]):
        case "days":
            return today
        case "months":
            return _last_of(today.year, today.month)
        case "years":
            return date(today.year, 12, 31)
        case _:
            return None


def _in_month(found: re.Match[str], here: datetime) -> date | None:
    if found["year"]:
        return date(int(found["year"]), _month(found), 1)
    first = here.date().replace(month=_month(found), day=1)
    if first == here.date().replace(day=1):
        return None
    return first if first > here.date() else first.replace(year=first.year + 1)


def _iso(found: re.Match[str], _here: datetime) -> date | None:
    return date(int(found["year"]), int(found["month"]), int(found["day"]))


_TODAY = (
    r"today|tonight|this (?:afternoon|evening)|heute(?! morgen| früh)(?: abend)?|hoy|esta noche|aujourd'hui|ce soir"
)
_TOMORROW = (
    r"tomorrow|(?<!heute )(?<!am )(?<!guten )(?<!jeden )(?<!diesen )morgen"
    r"|(?<!la )(?<!esta )(?<!pasado )mañana|(?<!après-)demain"
)
_OVERMORROW = r"(?:the )?day after tomorrow|übermorgen|pasado mañana|après-demain"
_IN_A_MONTH = "in|by|before|until|im|bis|vor|en|antes de|hasta|avant"
_A_PERIOD = f"(?:(?:{_NEXT}) |(?:el |la )próxim[oa] )(?P<unit>{_any(_UNITS)})"


@cache
def _readers() -> tuple[tuple[re.Pattern[str], Read], ...]:
    # Compiled when a text is first asked for its day.
    return tuple(
        (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])"), read)
        for pattern, read in (
            (rf"(?P<o>{_OVERMORROW})|(?P<m>{_TOMORROW})|(?P<t>{_TODAY})", _named),
            (rf"(?:in|within|dentro de|en|dans|innerhalb von) {_NUMBER} {_UNIT}(?:'s?)?", _after),
            (rf"(?P<next>(?:{_NEXT}) )?(?:this )?{_WEEKDAY}(?P<later> (?:prochain|próximo|que viene))?", _weekday),
            (_A_PERIOD, _next_period),
            (
                r"(?:la |le |el )?(?P<unit>semaine|mois|année|semana|mes|año) (?:prochaine?|que viene|próxim[oa])",
                _next_period,
            ),
            (rf"{_DAY_NUMBER}{_OF}{_MONTH}\b\.?{_YEAR}", _day_of_month),
            (rf"{_MONTH}\.? {_DAY_NUMBER}(?![\d:]){_YEAR}", _day_of_month),
            (r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})?", _day_of_month),
            (r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)", _iso),
            (r"(?:on|by|until|before) the (?P<day>\d{1,2})(?:st|nd|rd|th)", _nth),
            (r"(?:am|bis zum|vor dem) (?P<day>\d{1,2})\.(?! ?\w)", _nth),
            (
                rf"(?:the )?(?:end of|ende|fin de|fin du|fin|finales de|a finales de) (?:the |des |de |del |du )?"
                rf"(?:{_MONTH}{_YEAR}|(?P<unit>{_any(_UNITS)}))",
                _end,
            ),
            (rf"(?:{_IN_A_MONTH}) (?:early )?{_MONTH}{_YEAR}", _in_month),
        )
    )
