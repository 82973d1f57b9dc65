"""Bars on a logarithmic scale, as an SVG: of each figure one bar for each engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from math import ceil, floor, log10

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
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    group = _BAR * len(figures) + _GAP
    height = _TOP + group * len(rows) + 24
    parts = [*_legend(figures), *_scale(low, high, height)]
    for number, (name, label) in enumerate(rows):
        top = _TOP + number * group
        parts.append(_text(_LEFT - 8, top + group / 2, label, anchor="end"))
        parts += _bars(figures, name, top, low, high)
    title = f"Milliseconds of CPU time, {int(count):,} notes, logarithmic"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 70} {height}" font-family="sans-serif"'
    )
    body = "\n".join((_text(_LEFT, 14, title), *parts))
    return f'{head} font-size="11">\n<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n'


def _bars(figures: Figures, name: str, top: float, low: int, high: int) -> Iterable[str]:
    for place, (values, colour) in enumerate(zip(figures.values(), COLOURS, strict=False)):
        if value := values.get(name):
            width = _WIDTH * (log10(value) - low) / (high - low)
            y = top + place * _BAR
            yield f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="{_BAR - 2}" fill="{colour}"/>'
            yield _text(_LEFT + width + 4, y + _BAR - 3, f"{value:.2g}" if value < 100 else f"{value:.0f}")


def _legend(figures: Figures) -> Iterable[str]:
    for place, (engine, colour) in enumerate(zip(figures, COLOURS, strict=False)):
        x = _LEFT + place * 105
        yield f'<rect x="{x}" y="22" width="10" height="10" fill="{colour}"/>'
        yield _text(x + 14, 31, engine)


def _scale(low: int, high: int, height: float) -> Iterable[str]:
    for power in range(low, high + 1):
        x = _LEFT + _WIDTH * (power - low) / (high - low)
        yield f'<path d="M{x:.1f} {_TOP - 6}V{height - 18}" stroke="#ddd"/>'
        yield _text(x, height - 6, f"{10.0**power:g} ms", anchor="middle")


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
