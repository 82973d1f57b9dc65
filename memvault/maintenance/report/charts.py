"""The vault as a picture: four layers, a dot for each memory, the fainter the less it weighs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memvault.maintenance.report.drawing import Drawn, Sheet, rule, text
from memvault.maintenance.report.figures import TIERS, Figures, Weighed
from memvault.maintenance.report.markup import LONGEST_TITLE, NOTHING, Markup, element, join, words
from memvault.text.figures import size

_PITCHES = (24.0, 20.0, 17.0, 14.0, 12.0, 10.0)
_PAD = 20.0
_AIRY, _MOST_ROWS = 8, 14
_FAINTEST = 0.16
_UNITS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)


class Grid(NamedTuple):
    """How the dots lie: how far apart, how many in a line, and how many memories each stands for."""

    pitch: float
    columns: int
    unit: int

    @property
    def radius(self) -> float:
        """Half as wide as a dot is."""
        return self.pitch * 0.36


def grid(rows: Sequence[Weighed], sheet: Sheet) -> Grid:
    """Dots as large as there is room for, each one memory; only where that is too many, each several."""
    fullest = max(Counter(row.memory.tier for row in rows).values(), default=0)
    width = sheet.width - _left(sheet)
    for pitch in _PITCHES:
        columns = int(width // pitch)
        if fullest <= columns * _AIRY:
            return Grid(pitch, columns, 1)
    room = columns * _MOST_ROWS
    return Grid(pitch, columns, next((unit for unit in _UNITS if fullest <= unit * room), _UNITS[-1]))


def _left(sheet: Sheet) -> float:
    return 0.0 if sheet.is_narrow else 190.0


def draw(sheet: Sheet, rows: Sequence[Weighed], figures: Figures) -> Drawn:
    """The layers from the top, identity, down to what is archived."""
    laid = grid(rows, sheet)
    parts, y = [], 0.0
    for tier, name in enumerate(TIERS):
        mine = sorted((row for row in rows if row.memory.tier == tier), key=lambda row: (-row.weight, row.memory.path))
        dots = list(_dots(mine, laid.unit))
        height = _height(sheet, laid, len(dots))
        if tier:
            parts.append(rule(0, y, sheet.width, y))
        parts.append(_label(sheet, y, name, len(mine), _room(tier, figures)))
        parts.extend(_placed(sheet, laid, y, name, dots))
        y += height
    return Drawn(y, join(*parts))


def _height(sheet: Sheet, laid: Grid, dots: int) -> float:
    lines = -(-dots // laid.columns)
    head = 24.0 if sheet.is_narrow else 0.0
    return max(2 * _PAD + head + lines * laid.pitch, 84.0 if not sheet.is_narrow else 0.0)


def _dots(rows: Sequence[Weighed], unit: int) -> Iterator[tuple[float, str]]:
    """What each dot weighs, and what it is called where it stands for one memory."""
    for start in range(0, len(rows), unit):
        some = rows[start : start + unit]
        weight = sum(row.weight for row in some) / len(some)
        name = join(words(some[0].memory.title, LONGEST_TITLE), f" · weight {weight:.2f}")
        yield weight, name if unit == 1 else ""


def _placed(sheet: Sheet, laid: Grid, y: float, name: str, dots: Sequence[tuple[float, str]]) -> Iterator[Markup]:
    left, top = _left(sheet) + laid.radius, y + _PAD + (24 if sheet.is_narrow else 0) + laid.radius
    for number, (weight, told) in enumerate(dots):
        line, column = divmod(number, laid.columns)
        yield element(
            "circle",
            *([element("title", told)] if told else []),
            cx=left + column * laid.pitch,
            cy=top + line * laid.pitch,
            r=laid.radius,
            class_=f"fill-{name}",
            fill_opacity=_FAINTEST + (1 - _FAINTEST) * weight,
        )


def _label(sheet: Sheet, y: float, name: str, count: int, room: str) -> Markup:
    if sheet.is_narrow:
        facts = f"{count:,}{f' · {room}' if room else ''}"
        return join(text(0, y + _PAD + 8, name, "label"), text(sheet.width, y + _PAD + 8, facts, "small", anchor="end"))
    return join(
        text(0, y + _PAD + 10, name, "label"),
        text(0, y + _PAD + 28, f"{count:,}", "small"),
        text(0, y + _PAD + 45, room, "small") if room else NOTHING,
    )


def _room(tier: int, figures: Figures) -> str:
    """How full a tier with a budget is."""
    sizes = figures.sizes
    if tier == 0:
        return _filled(sizes.identity, f"{sizes.identity_budget // 1024}", sizes.identity_budget)
    low, high = sizes.hot_budget
    return _filled(sizes.hot, f"{low // 1024}-{high // 1024}", high) if tier == 1 else ""


def _filled(held: int, budget: str, most: int) -> str:
    return f"{size(held)}, over its {budget} KB" if held > most else f"{size(held)} of {budget} KB"
