"""Read a reminder as people say it: when it is due, how often it comes again, on what condition, how urgent it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, tzinfo
from functools import cache

from memvault.text.dates.dates import WholeDay
from memvault.text.dates.due import DueReading, find_clock, find_due, find_said, read_due, read_lone_clock
from memvault.text.dates.task_lines import LAST_DAY, WEEKDAYS, Recurrence, Unit, format_long_day, ordinal
from memvault.text.dates.tokens import DAYS, FORTNIGHTS, MONTHS, NIGHTS, QUARTERS, WEEKS, YEARS, DateToken, split_tokens

_LONGEST = 2_000  # characters of a text that are read
_EVERY = frozenset(
    (
        *("every", "each", "jede", "jeder", "jeden", "jedes", "jedem", "alle", "cada", "todos", "todas", "tous"),
        *("toutes", "chaque", "ogni", "elke", "iedere"),
    )
)
_OTHER = frozenset(
    ("other", "second", "2nd", "zweite", "zweiten", "zweites", "alternate", "segundo", "segunda", "deuxième")
)
_UNITS: dict[int, tuple[Unit, int]] = {
    DAYS: ("day", 1),
    NIGHTS: ("day", 1),
    WEEKS: ("week", 1),
    FORTNIGHTS: ("week", 2),
    MONTHS: ("month", 1),
    QUARTERS: ("month", 3),
    YEARS: ("year", 1),
}
_ALONE: dict[str, tuple[Unit, int]] = {
    **dict.fromkeys(("daily", "nightly", "täglich", "quotidiennement", "diariamente"), ("day", 1)),
    **dict.fromkeys(("weekly", "wöchentlich", "hebdomadaire", "semanalmente"), ("week", 1)),
    **dict.fromkeys(("fortnightly", "biweekly", "zweiwöchentlich", "vierzehntägig"), ("week", 2)),
    **dict.fromkeys(("monthly", "monatlich", "mensuel", "mensuellement", "mensualmente"), ("month", 1)),
    **dict.fromkeys(("quarterly", "vierteljährlich"), ("month", 3)),
    **dict.fromkeys(("yearly", "annually", "jährlich", "annuellement", "anualmente"), ("year", 1)),
}
_GERMAN_DAYS = {
    name: at
    for at, name in enumerate(("montags", "dienstags", "mittwochs", "donnerstags", "freitags", "samstags", "sonntags"))
}
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    "twentieth",
)
_ONES = {f"twenty-{name}": 20 + number for number, name in enumerate(_ORDINALS[:9], 1)}
_ORDINAL_OF = {
    **{name: number for number, name in enumerate(_ORDINALS, 1)},
    **_ONES,
    "thirtieth": 30,
    "thirty-first": 31,
    "last day": LAST_DAY,
}
_WEEKDAY_NAMES = rf"(?<!\w)(?:{'|'.join(name.lower() for name in WEEKDAYS)})s?(?!\w)"
_CONDITION = (
    r"(?<![\w'])(?P<condition>(?:(?:the )?next time|(?:any|every|each) ?time|as soon as|the (?:moment|minute|day)"
    r"|in case|^should|upon|once|when(?:ever)?|if|after|sobald|wenn|falls"
    r"|beim nächsten mal|dès que|quand|lorsque|si|la prochaine fois|cuando|en cuanto|la próxima vez)(?= )"
    r"(?:(?!,? (?:remind|nudge|ping|poke|prod|erinner|rappelle|recuérd)| to (?:be )?remind)[^.!?;:,\n]){3,90})"
)
# Behind one of these, "if" and "when" begin what is to be found out.
_ASKING = ("ask", "look", "see", "check", "know", "tell", "out", "say", "decide", "fragen", "schauen", "voir", "ver")
_URGENT = (
    r"(?<!\w)(?<!not )(?<!n't )(?:urgent(?:ly)?|asap|(?:most|very|really|super|so|extremely) important|important:"
    r"|(?:top|high(?:est)?) priority|above all|at all costs|whatever happens|without fail|no matter what|number one"
    r"|(?:at the )?top of (?:the|my) (?:list|pile)|more than anything|(?:not allowed to|mustn't|can't) slip|vital"
    r"|before any(?:thing)? other|priority (?:number )?(?:one|1)|life (?:and|or) death|crucial|utmost"
    r"|(?:can't|cannot|must not|mustn't) (?:be )?(?:miss(?:ed)?|forget|forgotten|slip)"
    r"|before (?:anything|everything) else|critical|dringend|sehr wichtig|eilig|très important|urgente|muy importante"
    r"|priorité absolue)(?!\w)|!!"
)
_IDLE = (
    r"(?<!\w)(?:low priority|no rush|no hurry|not urgent|isn't urgent|whenever (?:there's|you have|i have) time"
    r"|eilt nicht)(?!\w)"
)
URGENT, IDLE = 5, 2
# Parts of this day by which something is to be done.
_TODAY = (
    r"(?<!\w)(?:before|after|at|over|by) (?:lunch(?:time)?|dinner|supper|breakfast|tea|work|school|bed(?:time)?|noon"
    r"|midnight|close of business|the end of the day|i (?:leave|go home|finish|stop|log off))(?!\w)"
)


@dataclass(frozen=True, slots=True)
class ReminderReading:
    """What a text says of a reminder: its first day or hour, its rule, its condition, its priority where it has one."""

    due: datetime | None = None
    problem: str = ""  # with the day: unclear, or over
    repeat: Recurrence | None = None
    condition: str = ""
    priority: int = 0


def read_reminder(text: str, *, when: str = "", now: datetime, zone: tzinfo, certain: bool = False) -> ReminderReading:
    """Return what a text says of a reminder; `when` is the part that tells its day, if that is known.

    With `certain` the day is one to come that the text names without doubt; else the first that it speaks of.
    """
    whole = text if when in text else f"{when} {text}"  # the day may stand before what is to be done
    low = " ".join(whole[:_LONGEST].split()).casefold().replace("’", "'")
    low = re.sub(r"\b(day|week|month|year) (?:after|in and) (?:\1)\b", r"every \1", low)
    priority = URGENT if re.search(_URGENT, low) else IDLE if re.search(_IDLE, low) else 0
    rule = find_recurrence(low)
    if rule is not None:
        due, rule = _first_time(rule, low, now, zone)
        if due is not None:
            return ReminderReading(due, repeat=rule, priority=priority)
    found = DueReading(None, "unclear")
    for part in filter(None, (when, text)):
        found = _read_day(write_ordinals(part), now, zone, certain=certain)
        if found.moment is not None:
            return ReminderReading(found.moment, found.problem, priority=priority)
    if re.search(_TODAY, low):
        here = now.astimezone(zone)
        return ReminderReading(WholeDay(here.year, here.month, here.day, tzinfo=here.tzinfo), priority=priority)
    condition = _find_condition(when) or _find_condition(" ".join(text[:_LONGEST].split()))
    return ReminderReading(None, found.problem, None, condition, priority)


def _read_day(text: str, now: datetime, zone: tzinfo, *, certain: bool) -> DueReading:
    if not certain:
        return read_due(text, now=now, zone=zone)
    due = find_due(text, now=now, zone=zone)
    return DueReading(due, "" if due else "unclear")


def _find_condition(text: str) -> str:
    for found in re.finditer(_CONDITION, text, re.IGNORECASE):
        before = text[: found.start()].rsplit(maxsplit=1)[-1:]
        if before not in ([word] for word in _ASKING):
            return found["condition"].strip(" ,")
    return ""


def write_ordinals(text: str) -> str:
    """Return a text in which "the first of May" stands with a number."""
    return _ordinal_pattern().sub(lambda found: f"{ordinal(_ORDINAL_OF[found[1].casefold()])}{found[2]}", text)


@cache
def _ordinal_pattern() -> re.Pattern[str]:
    names = "|".join(sorted(_ORDINAL_OF, key=len, reverse=True))
    months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    behind = r"(?=,? (?:to|remind|every|each)\b|[,.;]|$)"
    months = rf" of (?:each|every|the|a|this|next) month| of (?:{months})[a-z]*"
    return re.compile(rf"(?<!\w)({names})({months}|{behind})", re.IGNORECASE)


# -- how often it comes again


def find_recurrence(text: str) -> Recurrence | None:
    """Return the rule that a text speaks of; None where it speaks of none."""
    row = split_tokens(write_ordinals(text))
    for place, token in enumerate(row):
        if token.key in _ALONE:
            return _with_number(Recurrence(*_ALONE[token.key]), row)
        if "weekdays" in token.meanings or token.key in _GERMAN_DAYS:
            return Recurrence("week", 1, _weekdays_from(row, place))
        if token.key in _EVERY and (found := _read_rule(row, place + 1)):
            return _with_number(found, row)
        is_once = token.key in ("once", "einmal") and row[place + 1 : place + 2]
        if (
            is_once
            and row[place + 1].key in ("a", "per", "every", "im", "pro")
            and (found := _read_rule(row, place + 2))
        ):
            return _with_number(found, row)
    return None


def _read_rule(row: list[DateToken], place: int) -> Recurrence | None:
    """Return the rule whose days or unit begin in a place, behind "every"."""
    count = 1
    while place < len(row) and (row[place].key in ("single", "los", "las", "les") or row[place].key in _OTHER):
        count, place = (2, place + 1) if row[place].key in _OTHER else (count, place + 1)
    if place >= len(row):
        return None
    meanings = row[place].meanings
    if count == 1 and "number" in meanings and place + 1 < len(row) and "unit" in row[place + 1].meanings:
        count, place = meanings["number"][0], place + 1
        meanings = row[place].meanings
    if row[place].key in ("weekday", "weekdays", "workday", "werktag", "morning", "evening", "abend", "morgen", "soir"):
        is_of_work = row[place].key in ("weekday", "weekdays", "workday", "werktag")
        return Recurrence("week", count, (0, 1, 2, 3, 4)) if is_of_work else Recurrence("day", count)
    if "weekday" in meanings or "weak-day" in meanings or "weekdays" in meanings:
        return Recurrence("week", count, _weekdays_from(row, place))
    if "unit" in meanings and meanings["unit"][0] in _UNITS:
        unit, times = _UNITS[meanings["unit"][0]]
        return Recurrence(unit, count * times)
    names = {name for token in row[place + 1 : place + 3] for name in token.meanings}
    is_dated = meanings.keys() & {"nth", "day"} and names & {"month", "weak-month"}
    if is_dated or meanings.keys() & {"month", "weak-month", "season", "feast"}:
        return Recurrence("year", count)
    rank = meanings.get("nth", meanings.get("rank", (0, 0)))[0]
    rank = LAST_DAY if "rank" in meanings and row[place].key in ("last", "letzten", "dernier", "último") else rank
    if rank and place + 1 < len(row) and "weekday" in row[place + 1].meanings:
        return Recurrence("month", count, _weekdays_from(row, place + 1)[:1], (rank,))
    return Recurrence("month", count, days=(rank,)) if rank else None


def _weekdays_from(row: list[DateToken], place: int) -> tuple[int, ...]:
    """Return the days of the week from a place on: "Monday and Thursday"."""
    found: set[int] = set()
    for token in row[place:]:
        day = next(
            (token.meanings[name][0] for name in ("weekday", "weak-day", "weekdays") if name in token.meanings), None
        )
        day = _GERMAN_DAYS.get(token.key, day)
        if day is not None:
            found.add(day)
        elif token.key not in (",", "and", "und", "et", "y", "&"):
            break
    return tuple(sorted(found))


def _with_number(rule: Recurrence, row: list[DateToken]) -> Recurrence:
    """Return a rule of each week or month with the days that stand elsewhere in the sentence."""
    if rule.unit == "week" and not rule.weekdays:
        places = [at for at, token in enumerate(row) if token.meanings.keys() & {"weekday", "weekdays"}]
        return replace(rule, weekdays=_weekdays_from(row, places[0])) if places else rule
    if rule.unit != "month" or rule.days:
        return rule
    for at, token in enumerate(row):
        ranked = token.key in ("last", "letzten", "dernier") or "nth" in token.meanings or "rank" in token.meanings
        if ranked and at + 1 < len(row) and "weekday" in row[at + 1].meanings:
            number = token.meanings.get("nth", token.meanings.get("rank", (LAST_DAY, 0)))[0]
            rank = LAST_DAY if token.key in ("last", "letzten", "dernier") else number
            return replace(rule, weekdays=_weekdays_from(row, at + 1)[:1], days=(rank,))
    numbers = {token.meanings["nth"][0] for token in row if "nth" in token.meanings}
    numbers = numbers or {(1, 15, LAST_DAY)[token.meanings["stage"][0]] for token in row if "stage" in token.meanings}
    return replace(rule, days=tuple(sorted(numbers)))


def _first_time(rule: Recurrence, low: str, now: datetime, zone: tzinfo) -> tuple[datetime | None, Recurrence]:
    """Return when a rule comes first, as seen from when it was said, and the rule without what that day says too."""
    here = now.astimezone(zone)
    # "Every 3 May" is a day of each year, and "every Thursday" no day that is named.
    plain = re.sub(rf"(?<!\w)(?:{'|'.join(sorted(_EVERY))})(?!\w)", " ", write_ordinals(low))
    plain = re.sub(_WEEKDAY_NAMES, " ", plain) if rule.weekdays else plain
    said = find_said(plain, now=now, zone=zone)
    today, named = here.date(), said.astimezone(zone).date() if said is not None else None
    if rule.unit == "year" and named is None and (named := _first_of_month(plain, today)) is None:
        return None, rule  # once a year, but nobody knows when
    start = named if named is not None and (named >= today or rule.unit == "year") else today
    if rule.unit == "month" and not rule.days and start.day > 28:
        rule = replace(rule, days=(start.day,))
    if rule.unit == "month" and rule.days:
        first = replace(rule, count=1).next_day(today.replace(day=1), since=max(start, today))
    elif rule.unit == "week" and rule.count > 1 and named is None:
        first = replace(rule, count=1).next_day(today, since=today)  # the weeks are counted from it
    else:
        first = rule.next_day(start, since=max(start, today))
    clock = _find_hour(low, said)
    if clock is not None:
        return datetime.combine(first, clock, here.tzinfo).astimezone(UTC), rule
    return WholeDay(first.year, first.month, first.day, tzinfo=here.tzinfo), rule


def _first_of_month(text: str, today: date) -> date | None:
    """Return the first day of the month or season that a text names, the next that there is."""
    for token in split_tokens(text):
        month = next((token.meanings[name][0] for name in ("month", "weak-month") if name in token.meanings), 0)
        month = 3 + 3 * token.meanings["season"][0] if "season" in token.meanings else month
        if month:
            day = today.replace(month=month, day=1)
            return day if day >= today else day.replace(year=day.year + 1)
    return None


def _find_hour(low: str, said: datetime | None) -> time | None:
    if said is not None and not isinstance(said, WholeDay):
        return said.timetz().replace(tzinfo=None)
    try:
        for found in re.finditer(rf"{_WEEKDAY_NAMES}|day|month|week|morning|evening", low):
            if (clock := find_clock(low, found.start(), found.end())) is not None:
                return clock
        return read_lone_clock(low)
    except ValueError:  # "at 25" is no time
        return None


# -- what was understood


def describe_due(due: datetime, repeat: Recurrence | None, *, zone: tzinfo) -> str:
    """Return a day, its hour and its rule as they were understood: Friday, 4 December 2026 at 15:00, every month."""
    here = due.astimezone(zone)
    is_whole = isinstance(due, WholeDay) or (here.hour, here.minute) == (0, 0)
    day = format_long_day(due.date() if isinstance(due, WholeDay) else here.date())
    day += "" if is_whole else f" at {here:%H:%M}"
    return f"{day}, then {repeat}" if repeat else day
