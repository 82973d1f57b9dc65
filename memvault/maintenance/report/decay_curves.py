"""How memories fade: the true curve of each, from 30 days back to 90 days on, as if nobody used it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, tzinfo
from math import ceil, floor
from typing import NamedTuple

from memvault.core.weight import DAY, effective_weight
from memvault.maintenance.report.charts import short_date
from memvault.maintenance.report.figures import WeighedMemory
from memvault.maintenance.report.html import (
    CELL,
    LONGEST_TITLE,
    Drawing,
    Markup,
    PlotScale,
    PlotSheet,
    draw_line,
    draw_text,
    escape_text,
    join_markup,
    make_element,
)

MOST_CURVES = 8
DAYS_BACK, DAYS_AHEAD = 30, 90
_STEP_DAYS = 1.5
_LEFT, _TOP, _BOTTOM, _LABEL = 40.0, 24.0, 34.0, 252.0
_LINE = 21.0


class CurveSettings(NamedTuple):
    """Who fades, by which model, below what, and the moment at which one looks."""

    rows: Sequence[WeighedMemory]
    model: str
    threshold: float
    now: datetime
    zone: tzinfo


def choose_spread(rows: Sequence[WeighedMemory]) -> list[WeighedMemory]:
    """Return as many of some memories as can be drawn, their days far apart: neighbours would cover each other."""
    left = sorted((row for row in rows if row.falls), key=_falls_at)
    if len(left) <= MOST_CURVES:
        return left
    first, step = _falls_at(left[0]), (_falls_at(left[-1]) - _falls_at(left[0])) / (MOST_CURVES - 1)
    chosen = []
    for number in range(MOST_CURVES):
        place = first + number * step
        nearest = min(left, key=lambda row, place=place: abs(_falls_at(row) - place))  # type: ignore[misc]
        left.remove(nearest)
        chosen.append(nearest)
    return sorted(chosen, key=_falls_at)


def _falls_at(row: WeighedMemory) -> float:
    return row.falls.timestamp() if row.falls else 0.0


def weight_at(row: WeighedMemory, fate: CurveSettings, days: float) -> float:
    """Return what a memory weighs so many days from now if it is not used again."""
    return effective_weight(row.memory, row.use, fate.now + timedelta(days=days), model=fate.model)


def draw_curves(sheet: PlotSheet, fate: CurveSettings) -> Drawing:
    """Return the curves, the threshold, and today; each with its number and, where there is room, its name."""
    height = 300.0 if sheet.is_narrow else 380.0
    curves = [list(_curve_points(row, fate)) for row in fate.rows]
    values = [weight for curve in curves for _, weight in curve]
    x = PlotScale(-DAYS_BACK, DAYS_AHEAD, _LEFT, sheet.width - (22 if sheet.is_narrow else _LABEL))
    low, high = _weight_range(values, fate.threshold)
    y = PlotScale(low, high, height - _BOTTOM, _TOP)
    return Drawing(
        height,
        join_markup(
            *_curve_grid(fate, x, y, height),
            *(_draw_curve(n, curve, x, y) for n, curve in enumerate(curves)),
            *_crossings(fate, x, y),
            *_curve_labels(sheet, fate, [curve[-1][1] for curve in curves], x, y),
        ),
    )


def _curve_points(row: WeighedMemory, fate: CurveSettings) -> Iterator[tuple[float, float]]:
    """Yield days from now and weights, from the last use on: before it, the curve was another."""
    idle = (fate.now - row.use.last).total_seconds() / DAY
    start = -min(float(DAYS_BACK), max(0.0, idle))
    count = int((DAYS_AHEAD - start) / _STEP_DAYS)
    for number in range(count + 1):
        days = start + (DAYS_AHEAD - start) * number / count
        yield days, weight_at(row, fate, days)


def _weight_range(values: Sequence[float], threshold: float) -> tuple[float, float]:
    """Return a range in steps of 0.1 that holds all curves and the threshold."""
    low, high = min([*values, threshold]), max([*values, threshold])
    return max(0, floor(low * 10 + 1e-9)) / 10, min(10, ceil(high * 10 + 0.2)) / 10


def _curve_grid(fate: CurveSettings, x: PlotScale, y: PlotScale, height: float) -> Iterator[Markup]:
    for tenth in range(round(y.low * 10), round(y.high * 10) + 1):
        yield draw_line(x.start, y(tenth / 10), x.end, y(tenth / 10))
        yield draw_text(x.start - 8, y(tenth / 10) + 4, f"{tenth / 10:.1f}", "small", anchor="end")
    for days in range(-DAYS_BACK, DAYS_AHEAD + 1, 30):
        label = "today" if days == 0 else _day_label(fate.now + timedelta(days=days), fate)
        yield draw_text(x(days), height - _BOTTOM + 20, label, "small" if days else "small strong", anchor="middle")
    yield draw_line(x(0), y.end - 6, x(0), y.start, "today")
    yield draw_line(x.start, y(fate.threshold), x.end, y(fate.threshold), "threshold")
    # Whatever is drawn here has fallen by the right end, so above the line there it is quiet.
    yield draw_text(x.end, y(fate.threshold) - 8, f"stale below {fate.threshold:.2f}", "small halo", anchor="end")


def _day_label(moment: datetime, fate: CurveSettings) -> str:
    return short_date(moment.astimezone(fate.zone).date())


def _draw_curve(number: int, curve: Sequence[tuple[float, float]], x: PlotScale, y: PlotScale) -> Markup:
    """Return the past as a thin line, the future as a strong one."""
    past = [(days, weight) for days, weight in curve if days <= 0]
    future = [(days, weight) for days, weight in curve if days >= 0]
    if past and future and past[-1][0] < 0:
        past.append(future[0])
    parts = ((past, "curve past"), (future, "curve"))
    return join_markup(
        *(
            make_element(
                "path",
                d="M" + "L".join((f"{x(days):.1f} {y(weight):.1f}" for days, weight in part)),
                class_=f"{kind} hue-{number % MOST_CURVES}",
            )
            for part, kind in parts
            if len(part) > 1
        )
    )


def _crossings(fate: CurveSettings, x: PlotScale, y: PlotScale) -> Iterator[Markup]:
    for number, row in enumerate(fate.rows):
        if row.falls is None:
            continue
        days = (row.falls - fate.now).total_seconds() / DAY
        tooltip = make_element(
            "title", escape_text(row.memory.title, LONGEST_TITLE), f": {_day_label(row.falls, fate)}"
        )
        yield make_element(
            "circle", tooltip, cx=x(days), cy=y(fate.threshold), r=4.5, class_=f"crossing hue-{number % MOST_CURVES}"
        )


def _curve_labels(
    sheet: PlotSheet, fate: CurveSettings, ends: Sequence[float], x: PlotScale, y: PlotScale
) -> Iterator[Markup]:
    """Yield numbers (and names) at the right ends, spread so that none covers another, with a thread to each curve."""
    order = sorted(range(len(ends)), key=lambda number: (-ends[number], number))
    places = _spread_labels([y(ends[number]) for number in order], y.end, y.start)
    for number, place in zip(order, places, strict=True):
        at = x.end
        thread = f"M{at:.1f} {y(ends[number]):.1f}L{at + 14:.1f} {place:.1f}"
        yield make_element("path", d=thread, class_=f"thread hue-{number % MOST_CURVES}")
        yield draw_text(at + 18, place + 4, f"{number + 1}", f"small strong ink-{number % MOST_CURVES}")
        if not sheet.is_narrow:
            name = escape_text(fate.rows[number].memory.title, int((_LABEL - 40) / CELL))
            yield draw_text(at + 34, place + 4, name, "small name")


def _spread_labels(places: Sequence[float], top: float, bottom: float) -> list[float]:
    """Return the places from the top down, moved as little as need be to be a line apart and within the sheet."""
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + _LINE if found else top))
    limit = bottom
    for number in range(len(found) - 1, -1, -1):
        found[number] = min(found[number], limit)
        limit = found[number] - _LINE
    return found
