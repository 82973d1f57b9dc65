"""Lines of the Tasks plug-in of Obsidian: `- [ ] Water the ferns 🔁 every week 📅 2026-11-30`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache

from memvault.text.dates.calendar import DAY
from memvault.text.dates.recurrence import Recurrence, parse_recurrence

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
