"""Rules by which something comes again, as the Tasks plug-in of Obsidian writes them, and the days that they mean."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from memvault.text.dates.calendar import DAY, add_months, last_of, week_of

# Sessions and prompts read these, so nothing is imported here that searches a text for days.

Unit = Literal["day", "week", "month", "year"]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_UNITS: dict[str, tuple[Unit, int]] = {
    "day": ("day", 1),
    "week": ("week", 1),
    "fortnight": ("week", 2),
    "month": ("month", 1),
    "quarter": ("month", 3),
    "year": ("year", 1),
}
_WEEK = 7
LAST_DAY = 31  # of a month: the last that there is
_WHEN_DONE = " when done"
_GRACE: dict[Unit, int] = {"day": 0, "week": 2, "month": 7, "year": 14}  # days


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A rule: each so many units, on some days of the week, or on a day of the month."""

    unit: Unit
    count: int = 1
    weekdays: tuple[int, ...] = ()
    days: tuple[int, ...] = ()  # of the month, or which of its days of the week; that of the first time where none is
    when_done: bool = False  # counted from the day on which it was done

    def __str__(self) -> str:
        """Return the rule as the Tasks plug-in writes it."""
        said = f"every {self.unit}" if self.count == 1 else f"every {self.count} {self.unit}s"
        if self.weekdays == (0, 1, 2, 3, 4) and self.count == 1:
            said = "every weekday"
        elif self.weekdays and self.unit == "month":
            said += f" on the {_ranks(self.days)} {WEEKDAYS[self.weekdays[0]]}"
        elif self.weekdays:
            said += f" on {', '.join(WEEKDAYS[day] for day in self.weekdays)}"
        elif self.days:
            said += f" on the {_ranks(self.days)}"
        return said + (_WHEN_DONE if self.when_done else "")

    def next_day(self, first: date, *, since: date) -> date:
        """Return the first day on or after another on which it comes, counted from the first time."""
        if self.unit in ("month", "year"):
            return self._next_in_months(first, since)
        if self.unit == "day":
            ahead = max(0, (since - first).days)
            return first + -(-ahead // self.count) * self.count * DAY
        day, monday = max(first, since), week_of(first).first
        wanted = self.weekdays or (first.weekday(),)
        while day.weekday() not in wanted or (week_of(day).first - monday).days // _WEEK % self.count:
            day += DAY
        return day

    def missed_day(self, first: date, *, today: date) -> date | None:
        """Return the last day on which it came, where that was a few days ago: fewer, the more often it comes."""
        since, missed = today - _GRACE[self.unit] * self.count * DAY, None
        day = self.next_day(first, since=since)
        while day < today:
            missed, day = day, self.next_day(first, since=day + DAY)
        return missed

    def _next_in_months(self, first: date, since: date) -> date:
        step = self.count * (12 if self.unit == "year" else 1)
        numbers, start = self.days or (first.day,), first.replace(day=1)
        months = max(0, (since.year - first.year) * 12 + since.month - first.month)
        at = months // step * step
        while True:
            month = add_months(start, at)
            days = [day for number in numbers if (day := self._day_in(month, number)) >= max(first, since)]
            if days:
                return min(days)
            at += step

    def _day_in(self, month: date, number: int) -> date:
        """Return its day in a month: of a number that is not there, the last."""
        if not self.weekdays:
            return month.replace(day=min(number, last_of(month).day))
        first = month + (self.weekdays[0] - month.weekday()) % _WEEK * DAY
        days = [day for week in range(5) if (day := first + week * _WEEK * DAY).month == month.month]
        return days[min(number, len(days)) - 1]


def _ranks(numbers: tuple[int, ...]) -> str:
    return " and ".join("last" if number == LAST_DAY else ordinal(number) for number in numbers)


def ordinal(number: int) -> str:
    """Return a number as one of a row: 1st, 2nd, 11th."""
    last = 0 if number % 100 in (11, 12, 13) else number % 10
    return f"{number}{('th', 'st', 'nd', 'rd')[last] if last < 4 else 'th'}"


def parse_recurrence(text: str) -> Recurrence | None:
    """Return the rule that a text of the Tasks plug-in writes; None where it is none that is known."""
    low = " ".join(text.split()).lower().strip(" .")
    when_done = low.endswith(_WHEN_DONE)
    words = low.removesuffix(_WHEN_DONE).replace(",", " ").split()
    if len(words) < 2 or words[0] != "every":
        return None
    count, words = (int(words[1]), words[2:]) if words[1].isdecimal() and len(words) > 2 else (1, words[1:])
    if not 0 < count <= 999:
        return None
    head, rest = words[0], [word for word in words[1:] if word not in ("on", "the", "and", "day")]
    if head in ("weekday", "weekdays") and not rest:
        return Recurrence("week", count, (0, 1, 2, 3, 4), when_done=when_done)
    days = tuple(_weekday(word) for word in words if word not in ("on", "and"))
    if None not in days and days:
        return Recurrence("week", count, tuple(sorted({day for day in days if day is not None})), when_done=when_done)
    unit, times = _UNITS.get(head.removesuffix("s"), (None, 1))
    if unit is None:
        return None
    return _with_days(Recurrence(unit, count * times, when_done=when_done), rest)


def _with_days(rule: Recurrence, rest: list[str]) -> Recurrence | None:
    """Return a rule with the days that stand behind its unit; None where they do not go with it."""
    if not rest:
        return rule
    found = [_weekday(word) for word in rest]
    if rule.unit == "week" and None not in found:
        weekdays = tuple(sorted({day for day in found if day is not None}))
        return Recurrence("week", rule.count, weekdays, when_done=rule.when_done)
    numbers = tuple(LAST_DAY if word == "last" else int(word[:-2]) for word in rest if _is_number(word))
    days = tuple(day for day in found if day is not None)
    if rule.unit != "month" or not numbers or len(days) > 1 or len(numbers) + len(days) != len(rest):
        return None
    return Recurrence("month", rule.count, days, tuple(sorted(numbers)), rule.when_done)


def _is_number(word: str) -> bool:
    return word == "last" or (word[:-2].isdecimal() and 1 <= int(word[:-2]) <= LAST_DAY)


def _weekday(word: str) -> int | None:
    return next((at for at, name in enumerate(WEEKDAYS) if word.rstrip("s") in (name.lower(), name[:3].lower())), None)


def format_long_day(day: date) -> str:
    """Return a day as people say it: Friday, 4 December 2026."""
    return f"{WEEKDAYS[day.weekday()]}, {day.day} {_MONTHS[day.month - 1]} {day.year}"
