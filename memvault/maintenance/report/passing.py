"""What came and went: what returned above the line, what faded below it, day by day or week by week."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta, tzinfo
from math import ceil

from memvault.maintenance.report.calendar import brief
from memvault.maintenance.report.drawing import Drawn, Scale, Sheet, rule, steps, text
from memvault.maintenance.report.figures import Event, Figures
from memvault.maintenance.report.markup import Markup, element, join

_LEFT, _TOP, _BOTTOM = 40.0, 26.0, 30.0
_MOST_BARS = 62
_WORDS = {1: "day", 7: "week", 30: "month"}


def span(days: int) -> int:
    """How many days one bar stands for."""
    return next(span for span in (*_WORDS, 365, 36_500) if days <= span * _MOST_BARS)


def span_in_words(days: int) -> str:
    """What one bar stands for."""
    return _WORDS.get(span(days), "year")


def draw(sheet: Sheet, figures: Figures, zone: tzinfo) -> Drawn:
    """Bars up for what returned, bars down for what faded."""
    height = 190.0 if sheet.is_narrow else 230.0
    width, last = span(figures.days), figures.at.astimezone(zone).date()
    bars = -(-figures.days // width)
    returned, faded = (
        _binned(events, last, width, zone) for events in (figures.history.returned, figures.history.faded)
    )
    up, down = _ticks(max(returned.values(), default=0), max(faded.values(), default=0))
    y = Scale(-down[-1], up[-1], height - _BOTTOM, _TOP)
    x = Scale(bars, 0, _LEFT, sheet.width)
    grid = (
        join(
            rule(_LEFT, y(tick), sheet.width, y(tick)),
            text(_LEFT - 8, y(tick) + 4, f"{abs(tick):,.0f}", "small", anchor="end"),
        )
        for tick in sorted({*up, *(-tick for tick in down)})
    )
    drawn = (
        *_bars(returned, x, y, "returned", "fill-memories"),
        *_bars(faded, x, y, "faded", "fill-hot"),
        *_dates(sheet, last, bars * width, height),
        rule(_LEFT, y(0), sheet.width, y(0), "axis"),
        text(_LEFT, _TOP - 10, "↑ returned", "small"),
        text(sheet.width, _TOP - 10, "↓ faded", "small", anchor="end"),
    )
    return Drawn(height, join(*grid, *drawn))


def _ticks(high: int, low: int) -> tuple[list[float], list[float]]:
    """Ticks up and down from 0, of one size."""
    size = list(steps(max(high, low, 1), about=3))[1]
    return [n * size for n in range(max(1, ceil(high / size)) + 1)], [
        n * size for n in range(max(1, ceil(low / size)) + 1)
    ]


def _binned(events: Sequence[Event], last: date, width: int, zone: tzinfo) -> Counter[int]:
    """How many there were in each bar, counted back from the last."""
    return Counter(max(0, (last - event.at.astimezone(zone).date()).days) // width for event in events)


def _bars(counts: Counter[int], x: Scale, y: Scale, what: str, kind: str) -> Iterator[Markup]:
    pitch = abs(x(1) - x(0))
    for back, count in sorted(counts.items()):
        top, bottom = (y(count), y(0)) if what == "returned" else (y(0), y(-count))
        yield element(
            "rect",
            element("title", f"{count:,} {what}"),
            x=max(x.start, x(back + 1)) + pitch * 0.14,
            y=top,
            width=pitch * 0.72,
            height=bottom - top,
            rx=min(2.0, pitch * 0.2),
            class_=kind,
        )


def _dates(sheet: Sheet, last: date, days: int, height: float) -> Iterator[Markup]:
    first = last - timedelta(days=days - 1)
    middle = first + timedelta(days=days // 2)
    places = ((_LEFT, first, "start"), ((_LEFT + sheet.width) / 2, middle, "middle"), (sheet.width, last, "end"))
    for place, day, anchor in places:
        yield text(place, height - _BOTTOM + 22, brief(day), "small", anchor=anchor)
