"""The vault as a picture: four layers, a dot for each memory, the fainter the less it weighs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta, tzinfo
from math import ceil
from typing import NamedTuple

from memvault.maintenance.report.figures import TIERS, Figures, WeighedMemory
from memvault.maintenance.report.html import (
    LONGEST_TITLE,
    NOTHING,
    Drawing,
    Markup,
    PlotScale,
    PlotSheet,
    draw_line,
    draw_text,
    escape_text,
    join_markup,
    make_element,
    round_steps,
)
from memvault.text.display import format_size

_PITCHES = (24.0, 20.0, 17.0, 14.0, 12.0, 10.0)
_PAD = 20.0
_AIRY, _MOST_ROWS = 8, 14
_FAINTEST = 0.16
_UNITS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)


class DotGrid(NamedTuple):
    """How the dots lie: how far apart, how many in a line, and how many memories each stands for."""

    pitch: float
    columns: int
    unit: int

    @property
    def radius(self) -> float:
        """Return half the width of a dot."""
        return self.pitch * 0.36


def fit_grid(rows: Sequence[WeighedMemory], sheet: PlotSheet) -> DotGrid:
    """Return dots as large as there is room for, each one memory; only where that is too many, each several."""
    fullest = max(Counter(row.memory.tier for row in rows).values(), default=0)
    width = sheet.width - _label_width(sheet)
    for pitch in _PITCHES:
        columns = int(width // pitch)
        if fullest <= columns * _AIRY:
            return DotGrid(pitch, columns, 1)
    room = columns * _MOST_ROWS
    return DotGrid(pitch, columns, next((unit for unit in _UNITS if fullest <= unit * room), _UNITS[-1]))


def _label_width(sheet: PlotSheet) -> float:
    return 0.0 if sheet.is_narrow else 190.0


def draw_tiers(sheet: PlotSheet, rows: Sequence[WeighedMemory], figures: Figures) -> Drawing:
    """Return the layers from the top, identity, down to what is archived."""
    grid = fit_grid(rows, sheet)
    parts, y = [], 0.0
    for tier, name in enumerate(TIERS):
        mine = sorted((row for row in rows if row.memory.tier == tier), key=lambda row: (-row.weight, row.memory.path))
        dots = list(_dot_weights(mine, grid.unit))
        height = _tier_height(sheet, grid, len(dots))
        if tier:
            parts.append(draw_line(0, y, sheet.width, y))
        parts.append(_tier_label(sheet, y, name, len(mine), _tier_budget(tier, figures)))
        parts.extend(_draw_dots(sheet, grid, y, name, dots))
        y += height
    return Drawing(y, join_markup(*parts))


def _tier_height(sheet: PlotSheet, grid: DotGrid, dots: int) -> float:
    lines = -(-dots // grid.columns)
    head = 24.0 if sheet.is_narrow else 0.0
    return max(2 * _PAD + head + lines * grid.pitch, 84.0 if not sheet.is_narrow else 0.0)


def _dot_weights(rows: Sequence[WeighedMemory], unit: int) -> Iterator[tuple[float, str]]:
    """Yield what each dot weighs, and what it is called where it stands for one memory."""
    for start in range(0, len(rows), unit):
        some = rows[start : start + unit]
        weight = sum(row.weight for row in some) / len(some)
        name = join_markup(escape_text(some[0].memory.title, LONGEST_TITLE), f" · weight {weight:.2f}")
        yield weight, name if unit == 1 else ""


def _draw_dots(
    sheet: PlotSheet, grid: DotGrid, y: float, name: str, dots: Sequence[tuple[float, str]]
) -> Iterator[Markup]:
    left, top = _label_width(sheet) + grid.radius, y + _PAD + (24 if sheet.is_narrow else 0) + grid.radius
    for number, (weight, tooltip) in enumerate(dots):
        line, column = divmod(number, grid.columns)
        yield make_element(
            "circle",
            *([make_element("title", tooltip)] if tooltip else []),
            cx=left + column * grid.pitch,
            cy=top + line * grid.pitch,
            r=grid.radius,
            class_=f"fill-{name}",
            fill_opacity=_FAINTEST + (1 - _FAINTEST) * weight,
        )


def _tier_label(sheet: PlotSheet, y: float, name: str, count: int, room: str) -> Markup:
    if sheet.is_narrow:
        facts = f"{count:,}{f' · {room}' if room else ''}"
        return join_markup(
            draw_text(0, y + _PAD + 8, name, "label"),
            draw_text(sheet.width, y + _PAD + 8, facts, "small", anchor="end"),
        )
    return join_markup(
        draw_text(0, y + _PAD + 10, name, "label"),
        draw_text(0, y + _PAD + 28, f"{count:,}", "small"),
        draw_text(0, y + _PAD + 45, room, "small") if room else NOTHING,
    )


def _tier_budget(tier: int, figures: Figures) -> str:
    """Return how full a tier with a budget is."""
    sizes = figures.sizes
    if tier == 0:
        return _describe_fill(sizes.identity, f"{sizes.identity_budget // 1024}", sizes.identity_budget)
    low, high = sizes.hot_budget
    return _describe_fill(sizes.hot, f"{low // 1024}-{high // 1024}", high) if tier == 1 else ""


def _describe_fill(held: int, budget: str, most: int) -> str:
    return f"{format_size(held)}, over its {budget} KB" if held > most else f"{format_size(held)} of {budget} KB"


# Days as the report says and draws them: names of months, and a year of uses, a square for each day.

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LEVELS = 4
_WEEKS = {"wide": 53, "narrow": 24}
_CALENDAR_LEFT, _CALENDAR_TOP, _GAP = 34, 22, 2.5


def long_date(day: date) -> str:
    """Return a day in words."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def short_date(day: date) -> str:
    """Return a day in few letters."""
    return f"{day.day} {MONTHS[day.month - 1][:3]}"


def weeks_shown(sheet: PlotSheet) -> int:
    """Return how many weeks have room."""
    return _WEEKS[sheet.name]


def draw_calendar(sheet: PlotSheet, counts: Mapping[date, int], today: date) -> Drawing:
    """Return the last weeks up to today, a column for each, the darker the more uses."""
    weeks = weeks_shown(sheet)
    pitch = (sheet.width - _CALENDAR_LEFT) / weeks
    monday = today - timedelta(days=today.weekday() + 7 * (weeks - 1))
    most = max(counts.values(), default=0)
    days = [monday + timedelta(days=number) for number in range(7 * weeks)]
    cells = [_day_cell(day, number, counts.get(day, 0), most, pitch) for number, day in enumerate(days) if day <= today]
    names = [
        draw_text(0, _CALENDAR_TOP + pitch * (row + 0.72), name, "small")
        for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri"))
    ]
    bottom = _CALENDAR_TOP + 7 * pitch
    legend = _level_legend(sheet, bottom + 12, pitch)
    return Drawing(bottom + 12 + pitch + 4, join_markup(*_month_labels(days, pitch), *names, *cells, legend))


def use_level(count: int, most: int) -> int:
    """Return how dark a day is: not at all without a use, else by its share of the most in a day."""
    return 0 if not count or not most else max(1, min(LEVELS, -(-count * LEVELS // most)))


def _day_cell(day: date, number: int, count: int, most: int, pitch: float) -> Markup:
    week, row = divmod(number, 7)
    tooltip = f"{long_date(day)}: {count:,} {'use' if count == 1 else 'uses'}"
    return make_element(
        "rect",
        *([make_element("title", tooltip)] if count else []),
        x=_CALENDAR_LEFT + week * pitch,
        y=_CALENDAR_TOP + row * pitch,
        width=pitch - _GAP,
        height=pitch - _GAP,
        rx=2,
        class_=f"day level-{use_level(count, most)}",
    )


def _month_labels(days: Sequence[date], pitch: float) -> list[Markup]:
    """Return the name of a month above the week in which it begins; the first is left out where the next is close."""
    starts = [(number // 7, day) for number, day in enumerate(days) if day.day == 1]
    return [
        draw_text(_CALENDAR_LEFT + week * pitch, _CALENDAR_TOP - 8, MONTHS[day.month - 1][:3], "small")
        for week, day in starts
        if week * 7 < len(days) - 14
    ]


def _level_legend(sheet: PlotSheet, y: float, pitch: float) -> Markup:
    size = pitch - _GAP
    start = sheet.width - (LEVELS + 1) * pitch - 36
    squares = (
        make_element("rect", x=start + n * pitch, y=y, width=size, height=size, rx=2, class_=f"day level-{n}")
        for n in range(LEVELS + 1)
    )
    return join_markup(
        draw_text(start - 6, y + size * 0.82, "fewer", "small", anchor="end"),
        *squares,
        draw_text(sheet.width - 34, y + size * 0.82, "more", "small"),
    )


# What came and went: what returned above the line, what faded below it, day by day or week by week.

_CHANGES_LEFT, _CHANGES_TOP, _CHANGES_BOTTOM = 40.0, 26.0, 30.0
_MOST_BARS = 62
_WORDS = {1: "day", 7: "week", 30: "month"}


def days_per_bar(days: int) -> int:
    """Return how many days one bar stands for."""
    return next(span for span in (*_WORDS, 365, 36_500) if days <= span * _MOST_BARS)


def bar_name(days: int) -> str:
    """Return what one bar stands for."""
    return _WORDS.get(days_per_bar(days), "year")


def draw_changes(sheet: PlotSheet, figures: Figures, zone: tzinfo) -> Drawing:
    """Draw bars up for what returned and bars down for what faded."""
    height = 190.0 if sheet.is_narrow else 230.0
    width, last = days_per_bar(figures.days), figures.at.astimezone(zone).date()
    bars = -(-figures.days // width)
    returned, faded = (
        Counter(max(0, (last - event.at.astimezone(zone).date()).days) // width for event in events)
        for events in (figures.history.returned, figures.history.faded)
    )
    up, down = _two_way_ticks(max(returned.values(), default=0), max(faded.values(), default=0))
    y = PlotScale(-down[-1], up[-1], height - _CHANGES_BOTTOM, _CHANGES_TOP)
    x = PlotScale(bars, 0, _CHANGES_LEFT, sheet.width)
    grid = (
        join_markup(
            draw_line(_CHANGES_LEFT, y(tick), sheet.width, y(tick)),
            draw_text(_CHANGES_LEFT - 8, y(tick) + 4, f"{abs(tick):,.0f}", "small", anchor="end"),
        )
        for tick in sorted({*up, *(-tick for tick in down)})
    )
    shapes = (
        *_change_bars(returned, x, y, "returned", "fill-memories"),
        *_change_bars(faded, x, y, "faded", "fill-hot"),
        *_date_labels(sheet, last, bars * width, height),
        draw_line(_CHANGES_LEFT, y(0), sheet.width, y(0), "axis"),
        draw_text(_CHANGES_LEFT, _CHANGES_TOP - 10, "↑ returned", "small"),
        draw_text(sheet.width, _CHANGES_TOP - 10, "↓ faded", "small", anchor="end"),
    )
    return Drawing(height, join_markup(*grid, *shapes))


def _two_way_ticks(high: int, low: int) -> tuple[list[float], list[float]]:
    """Return ticks up and down from 0, of one size."""
    size = list(round_steps(max(high, low, 1), about=3))[1]
    return [n * size for n in range(max(1, ceil(high / size)) + 1)], [
        n * size for n in range(max(1, ceil(low / size)) + 1)
    ]


def _change_bars(counts: Counter[int], x: PlotScale, y: PlotScale, what: str, kind: str) -> Iterator[Markup]:
    pitch = abs(x(1) - x(0))
    for back, count in sorted(counts.items()):
        top, bottom = (y(count), y(0)) if what == "returned" else (y(0), y(-count))
        yield make_element(
            "rect",
            make_element("title", f"{count:,} {what}"),
            x=max(x.start, x(back + 1)) + pitch * 0.14,
            y=top,
            width=pitch * 0.72,
            height=bottom - top,
            rx=min(2.0, pitch * 0.2),
            class_=kind,
        )


def _date_labels(sheet: PlotSheet, last: date, days: int, height: float) -> Iterator[Markup]:
    first = last - timedelta(days=days - 1)
    middle = first + timedelta(days=days // 2)
    places = (
        (_CHANGES_LEFT, first, "start"),
        ((_CHANGES_LEFT + sheet.width) / 2, middle, "middle"),
        (sheet.width, last, "end"),
    )
    for place, day, anchor in places:
        yield draw_text(place, height - _CHANGES_BOTTOM + 22, short_date(day), "small", anchor=anchor)


# How weights are spread: a column for each step of 0.05, its parts the tiers.

BINS = 20
_HISTOGRAM_LEFT, _HISTOGRAM_TOP, _HISTOGRAM_BOTTOM = 40.0, 46.0, 34.0
TierCounts = tuple[int, ...]  # how many of each tier


def count_by_weight(rows: Sequence[WeighedMemory]) -> list[TierCounts]:
    """Return how many memories of each tier have a weight within each step."""
    found = [[0] * len(TIERS) for _ in range(BINS)]
    for row in rows:
        found[min(BINS - 1, int(row.weight * BINS + 1e-9))][row.memory.tier] += 1
    return [tuple(column) for column in found]


def draw_histogram(sheet: PlotSheet, bins: Sequence[TierCounts], threshold: float) -> Drawing:
    """Return the columns, with a mark where memories go stale."""
    height = 230.0 if sheet.is_narrow else 320.0
    ticks = list(round_steps(max(map(sum, bins), default=0) or 1))
    x = PlotScale(0, 1, _HISTOGRAM_LEFT, sheet.width - 4)
    y = PlotScale(0, ticks[-1], height - _HISTOGRAM_BOTTOM, _HISTOGRAM_TOP)
    body = join_markup(
        *_histogram_grid(sheet, ticks, x, y, height),
        *_histogram_bars(bins, x, y),
        _threshold_mark(x(threshold), threshold, y),
        _tier_legend(sheet),
    )
    return Drawing(height, body)


def _histogram_grid(
    sheet: PlotSheet, ticks: Sequence[float], x: PlotScale, y: PlotScale, height: float
) -> Iterator[Markup]:
    for tick in ticks:
        yield draw_line(_HISTOGRAM_LEFT, y(tick), sheet.width, y(tick), "axis" if tick == 0 else "grid")
        yield draw_text(_HISTOGRAM_LEFT - 8, y(tick) + 4, f"{tick:,.0f}", "small", anchor="end")
    for tenth in range(0, 11, 2):
        anchor = "end" if tenth == 10 else "middle"
        yield draw_text(x(tenth / 10), height - _HISTOGRAM_BOTTOM + 20, f"{tenth / 10:.1f}", "small", anchor=anchor)


def _histogram_bars(bins: Sequence[TierCounts], x: PlotScale, y: PlotScale) -> Iterator[Markup]:
    width = (x.end - x.start) / BINS
    for number, column in enumerate(bins):
        below = 0
        for tier, name in reversed(list(enumerate(TIERS))):
            count = column[tier]
            if not count:
                continue
            tooltip = f"{count:,} in {name}, weight {number / BINS:.2f} to {(number + 1) / BINS:.2f}"
            yield make_element(
                "rect",
                make_element("title", tooltip),
                x=x.start + number * width + 1,
                y=y(below + count),
                width=width - 2,
                height=y(below) - y(below + count),
                class_=f"fill-{name}",
            )
            below += count


def _threshold_mark(place: float, threshold: float, y: PlotScale) -> Markup:
    return join_markup(
        draw_line(place, _HISTOGRAM_TOP - 6, place, y.start, "threshold"),
        draw_text(place + 7, _HISTOGRAM_TOP + 4, f"stale below {threshold:.2f}", "small halo"),
    )


def _tier_legend(sheet: PlotSheet) -> Markup:
    pitch = 84.0 if sheet.is_narrow else 100.0
    return join_markup(
        *(
            join_markup(
                make_element("rect", x=n * pitch, y=4, width=11, height=11, rx=2, class_=f"fill-{name}"),
                draw_text(n * pitch + 17, 14, name, "small"),
            )
            for n, name in enumerate(TIERS)
        )
    )
