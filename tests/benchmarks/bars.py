"""Bars on a logarithmic scale, as an SVG: of each figure one bar for each engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.benchmarks.svg import Scale, page, text

SHOWN = (
    ("common 3 warm p50, ms", "3 common words"),
    ("common 3 first p50, ms", "3 common words, the first time"),
    ("prompt 8 warm p50, ms", "8 words of a prompt"),
    ("selective 3 warm p50, ms", "3 rare words"),
    ("update p50, ms", "one note changed"),
)
COLOURS = ("#1f77b4", "#6baed6", "#ff7f0e", "#2ca02c", "#9467bd", "#8c564b", "#7f7f7f")
_LEFT, _WIDTH, _BAR, _GAP, _TOP = 210, 560, 12, 16, 46

Figures = Mapping[str, Mapping[str, float]]


def drawn(found: Mapping[str, Figures]) -> str:
    """The chart of the run with the most notes."""
    count = max(found, key=int)
    figures = found[count]
    rows = [(name, label) for name, label in SHOWN if any(name in each for each in figures.values())]
    values = [each[name] for name, _ in rows for each in figures.values() if each.get(name)]
    scale = Scale.over(values, left=_LEFT, width=_WIDTH)
    group = _BAR * len(figures) + _GAP
    height = _TOP + group * len(rows) + 24
    title = f"Milliseconds of CPU time, {int(count):,} notes, logarithmic"
    parts = [text(_LEFT, 14, title), *_legend(figures), *scale.drawn(_TOP, height, "ms")]
    for number, (name, label) in enumerate(rows):
        top = _TOP + number * group
        parts.append(text(_LEFT - 8, top + group / 2, label, anchor="end"))
        parts += _bars(figures, name, top, scale)
    return page(_LEFT + _WIDTH + 70, height, parts)


def _bars(figures: Figures, name: str, top: float, scale: Scale) -> Iterable[str]:
    for place, (values, colour) in enumerate(zip(figures.values(), COLOURS, strict=False)):
        if value := values.get(name):
            end = scale.at(value)
            y = top + place * _BAR
            yield f'<rect x="{_LEFT}" y="{y}" width="{end - _LEFT:.1f}" height="{_BAR - 2}" fill="{colour}"/>'
            yield text(end + 4, y + _BAR - 3, f"{value:.2g}" if value < 100 else f"{value:.0f}")


def _legend(figures: Figures) -> Iterable[str]:
    for place, (engine, colour) in enumerate(zip(figures, COLOURS, strict=False)):
        x = _LEFT + place * 105
        yield f'<rect x="{x}" y="22" width="10" height="10" fill="{colour}"/>'
        yield text(x + 14, 31, engine)
