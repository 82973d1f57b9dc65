"""Days as the report says and draws them: names of months, and a year of uses, a square for each day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from memvault.maintenance.report.drawing import Drawn, Sheet, text
from memvault.maintenance.report.markup import Markup, element, join

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LEVELS = 4
_WEEKS = {"wide": 53, "narrow": 24}
_LEFT, _TOP, _GAP = 34, 22, 2.5


def said(day: date) -> str:
    """A day in words."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def brief(day: date) -> str:
    """A day in few letters."""
    return f"{day.day} {MONTHS[day.month - 1][:3]}"


def weeks_shown(sheet: Sheet) -> int:
    """How many weeks have room."""
    return _WEEKS[sheet.name]


def draw(sheet: Sheet, counts: Mapping[date, int], today: date) -> Drawn:
    """The last weeks up to today, a column for each, the darker the more uses."""
    weeks = weeks_shown(sheet)
    pitch = (sheet.width - _LEFT) / weeks
    monday = today - timedelta(days=today.weekday() + 7 * (weeks - 1))
    most = max(counts.values(), default=0)
    days = [monday + timedelta(days=number) for number in range(7 * weeks)]
    cells = [_cell(day, number, counts.get(day, 0), most, pitch) for number, day in enumerate(days) if day <= today]
    names = [text(0, _TOP + pitch * (row + 0.72), name, "small") for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri"))]
    bottom = _TOP + 7 * pitch
    legend = _legend(sheet, bottom + 12, pitch)
    return Drawn(bottom + 12 + pitch + 4, join(*_months(days, pitch), *names, *cells, legend))


def level(count: int, most: int) -> int:
    """How dark a day is: not at all without a use, else by its share of the most in a day."""
    return 0 if not count or not most else max(1, min(LEVELS, -(-count * LEVELS // most)))


def _cell(day: date, number: int, count: int, most: int, pitch: float) -> Markup:
    week, row = divmod(number, 7)
    told = f"{said(day)}: {count:,} {'use' if count == 1 else 'uses'}"
    return element(
        "rect",
        *([element("title", told)] if count else []),
        x=_LEFT + week * pitch,
        y=_TOP + row * pitch,
        width=pitch - _GAP,
        height=pitch - _GAP,
        rx=2,
        class_=f"day level-{level(count, most)}",
    )


def _months(days: Sequence[date], pitch: float) -> list[Markup]:
    """The name of a month above the week in which it begins; the first is left out where the next is close."""
    starts = [(number // 7, day) for number, day in enumerate(days) if day.day == 1]
    return [
        text(_LEFT + week * pitch, _TOP - 8, MONTHS[day.month - 1][:3], "small")
        for week, day in starts
        if week * 7 < len(days) - 14
    ]


def _legend(sheet: Sheet, y: float, pitch: float) -> Markup:
    size = pitch - _GAP
    start = sheet.width - (LEVELS + 1) * pitch - 36
    squares = (
        element("rect", x=start + n * pitch, y=y, width=size, height=size, rx=2, class_=f"day level-{n}")
        for n in range(LEVELS + 1)
    )
    return join(
        text(start - 6, y + size * 0.82, "fewer", "small", anchor="end"),
        *squares,
        text(sheet.width - 34, y + size * 0.82, "more", "small"),
    )
