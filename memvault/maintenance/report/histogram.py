"""How weights are spread: a column for each step of 0.05, its parts the tiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memvault.maintenance.report.drawing import Drawn, Scale, Sheet, rule, steps, text
from memvault.maintenance.report.figures import TIERS, Weighed
from memvault.maintenance.report.markup import Markup, element, join

BINS = 20
_LEFT, _TOP, _BOTTOM = 40.0, 46.0, 34.0
Column = tuple[int, ...]  # how many of each tier


def columns(rows: Sequence[Weighed]) -> list[Column]:
    """How many memories of each tier have a weight within each step."""
    found = [[0] * len(TIERS) for _ in range(BINS)]
    for row in rows:
        found[min(BINS - 1, int(row.weight * BINS + 1e-9))][row.memory.tier] += 1
    return [tuple(column) for column in found]


def draw(sheet: Sheet, bins: Sequence[Column], threshold: float) -> Drawn:
    """The columns, with a mark where memories go stale."""
    height = 230.0 if sheet.is_narrow else 320.0
    ticks = list(steps(max(map(sum, bins), default=0) or 1))
    x = Scale(0, 1, _LEFT, sheet.width - 4)
    y = Scale(0, ticks[-1], height - _BOTTOM, _TOP)
    body = join(*_grid(sheet, ticks, x, y, height), *_bars(bins, x, y), _mark(x(threshold), threshold, y), _key(sheet))
    return Drawn(height, body)


def _grid(sheet: Sheet, ticks: Sequence[float], x: Scale, y: Scale, height: float) -> Iterator[Markup]:
    for tick in ticks:
        yield rule(_LEFT, y(tick), sheet.width, y(tick), "axis" if tick == 0 else "grid")
        yield text(_LEFT - 8, y(tick) + 4, f"{tick:,.0f}", "small", anchor="end")
    for tenth in range(0, 11, 2):
        anchor = "end" if tenth == 10 else "middle"
        yield text(x(tenth / 10), height - _BOTTOM + 20, f"{tenth / 10:.1f}", "small", anchor=anchor)


def _bars(bins: Sequence[Column], x: Scale, y: Scale) -> Iterator[Markup]:
    width = (x.end - x.start) / BINS
    for number, column in enumerate(bins):
        below = 0
        for tier, name in reversed(list(enumerate(TIERS))):
            count = column[tier]
            if not count:
                continue
            told = f"{count:,} in {name}, weight {number / BINS:.2f} to {(number + 1) / BINS:.2f}"
            yield element(
                "rect",
                element("title", told),
                x=x.start + number * width + 1,
                y=y(below + count),
                width=width - 2,
                height=y(below) - y(below + count),
                class_=f"fill-{name}",
            )
            below += count


def _mark(place: float, threshold: float, y: Scale) -> Markup:
    return join(
        rule(place, _TOP - 6, place, y.start, "threshold"),
        text(place + 7, _TOP + 4, f"stale below {threshold:.2f}", "small halo"),
    )


def _key(sheet: Sheet) -> Markup:
    pitch = 84.0 if sheet.is_narrow else 100.0
    return join(
        *(
            join(
                element("rect", x=n * pitch, y=4, width=11, height=11, rx=2, class_=f"fill-{name}"),
                text(n * pitch + 17, 14, name, "small"),
            )
            for n, name in enumerate(TIERS)
        )
    )
