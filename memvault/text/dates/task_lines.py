"""Lines of the Tasks plug-in of Obsidian: `- [ ] Water the ferns 🔁 every week 📅 2026-11-30`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache
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


PRIORITIES = {"🔺": 5, "⏫": 4, "🔼": 3, "🔽": 2, "⏬": 1}
# Its signs, in the order in which the plug-in writes them: what they name, and what stands behind them.
_WORD = r"[a-zA-Z0-9-_]+"
_DAY = r"\d{4}-\d\d-\d\d"
_SIGNS: tuple[tuple[str, str, str], ...] = (
    ("id", "🆔", _WORD),
    ("depends", "⛔", rf"{_WORD}(?: *, *{_WORD})*"),
    ("priority", "🔺⏫🔼🔽⏬", ""),
    ("repeat", "🔁", r"[a-zA-Z0-9, !]+"),
    ("completion", "🏁", _WORD),
    ("created", "➕", _DAY),
    ("start", "🛫", _DAY),
    ("scheduled", "⏳⌛", _DAY),
    ("due", "📅📆🗓", _DAY),
    ("cancelled", "❌", _DAY),
    ("done", "✅", _DAY),
)
_TELLING = "".join(signs for name, signs, _ in _SIGNS if name in ("priority", "repeat", "scheduled", "due"))
_DATED = ("due", "scheduled", "start")  # that by which the next time is reckoned, the first that there is


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One line: what stands before its text, the text, its signs by name, and a link to it at the end."""

    head: str
    mark: str
    text: str
    signs: dict[str, str]
    tail: str = ""

    @property
    def is_open(self) -> bool:
        """Return whether it is still to be done."""
        return self.mark in (" ", "/")

    @property
    def due(self) -> date | None:
        """Return the day on which it is due, or for which it is planned."""
        return next((day for name in ("due", "scheduled") if (day := self._day(name)) is not None), None)

    @property
    def repeat(self) -> Recurrence | None:
        """Return the rule by which it comes again."""
        return parse_recurrence(self.signs.get("repeat", ""))

    @property
    def priority(self) -> int:
        """Return how urgent it is; 0 where it does not say."""
        return PRIORITIES.get(self.signs.get("priority", ""), 0)

    def _day(self, name: str) -> date | None:
        try:
            return date.fromisoformat(self.signs[name][-10:]) if name in self.signs else None
        except ValueError:
            return None

    def __str__(self) -> str:
        """Return the line as the plug-in writes it: its signs behind the text, in their order."""
        signs = "".join(
            f" {_sign_of(name)} {value}" if _sign_of(name) else f" {value}" for name, value in self._ordered()
        )
        return f"{self.head}[{self.mark}] {self.text}{signs}{self.tail}"

    def _ordered(self) -> list[tuple[str, str]]:
        return [(name, self.signs[name]) for name, _, _ in _SIGNS if name in self.signs]

    def _shifted(self, today: date) -> TaskLine | None:
        """Return the line of the next time; None where it does not come again."""
        rule, based_on = self.repeat, next((name for name in _DATED if self._day(name)), "")
        if rule is None:
            return None
        first = today if rule.when_done or not based_on else self._day(based_on)
        assert first is not None
        following = rule.next_day(first, since=first + DAY)
        gone = ("id", "depends", "created", "cancelled", "done")
        signs = {name: value for name, value in self.signs.items() if name not in gone}
        before = self._day(based_on) if based_on else None
        for name in _DATED:
            day = self._day(name)
            if day is not None and before is not None:
                signs[name] = (day + (following - before)).isoformat()
        return replace(self, mark=" ", signs=signs, tail="")


def _sign_of(name: str) -> str:
    return "" if name == "priority" else next(signs[0] for other, signs, _ in _SIGNS if other == name)


def may_hold_tasks(text: str) -> bool:
    """Return whether a line of the plug-in may stand in a text at all."""
    return not text.isascii() and any(sign in text for sign in _TELLING)


def find_tasks(body: str) -> list[tuple[int, str]]:
    """Return the open lines of the plug-in in a text, each with its number counted from 1; those in code are none."""
    found, fence = [], ""
    for number, line in enumerate(body.splitlines(), 1) if may_hold_tasks(body) else ():
        bare = line.lstrip(" >\t")
        if bare.startswith(("```", "~~~")):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
        elif not fence and any(sign in line for sign in _TELLING) and (task := read_task(line)) and task.is_open:
            found.append((number, line))
    return found


@lru_cache(maxsize=512)
def read_task(line: str) -> TaskLine | None:
    """Return what a line says; None where it is no task, or has none of the plug-in's signs."""
    found = _line_pattern().fullmatch(line)
    if found is None:
        return None
    text, signs, tags = found["text"].strip(), dict[str, str](), list[str]()
    while True:
        if tag := re.search(r"(?:^|\s)(#[^\s!@#$%^&*(),.?\":{}|<>]+)$", text):
            tags.insert(0, tag[1])
            text = text[: tag.start()].rstrip()
        elif sign := _sign_pattern().search(text):
            name = next(name for name, *_ in _SIGNS if sign[name] is not None)
            signs.setdefault(name, sign[name].strip())
            text = text[: sign.start()].rstrip()
        else:
            break
    if not signs:
        return None
    return TaskLine(found["head"], found["mark"], " ".join(filter(None, (text, *tags))), signs, found["tail"] or "")


def complete_task(line: str, today: date, *, cancel: bool = False) -> list[str]:
    """Return what stands in a line's place once it is done: its next time, if it comes again, and itself."""
    task = read_task(line)
    if task is None:
        return [line]
    name, mark = ("cancelled", "-") if cancel else ("done", "x")
    over = replace(task, mark=mark, signs={**task.signs, name: today.isoformat()})
    following = None if cancel else task._shifted(today)
    kept = [] if task.signs.get("completion") == "delete" and not cancel else [str(over)]
    return [*([str(following)] if following else []), *kept]


@cache
def _line_pattern() -> re.Pattern[str]:
    return re.compile(r"(?P<head>[\s\t>]*(?:[-*+]|\d+[.)]) +)\[(?P<mark>.)\] *(?P<text>.*?)(?P<tail> \^[a-zA-Z0-9-]+)?")


@cache
def _sign_pattern() -> re.Pattern[str]:
    ways = (
        rf"[{signs}]\ufe0f? *(?P<{name}>{value})" if value else rf"(?P<{name}>[{signs}])\ufe0f?"
        for name, signs, value in _SIGNS
    )
    return re.compile(rf"(?:{'|'.join(ways)})$", re.UNICODE)
