"""Pieces of charts as SVG, to be read on light and on dark ground."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

STYLE = (
    "<style>text{fill:#222}.quiet{fill:#666}.line{stroke:#ddd}.must{stroke:#222}.aim{stroke:#555;stroke-dasharray:2 2}"
    ".good{fill:#2a7f3f}.fair{fill:#4c8fd0}.bad{fill:#c8502f}.plain{fill:#8a8a8a}"
    "@media (prefers-color-scheme:dark){text{fill:#e6e6e6}.quiet{fill:#a8a8a8}.line{stroke:#444}.must{stroke:#f0f0f0}"
    ".aim{stroke:#ddd}.good{fill:#56b870}.fair{fill:#6fb0ee}.bad{fill:#ee7d5c}.plain{fill:#999}}</style>"
)
KEY = "Green: as it should be (broken line). Blue: as it must be (line). Red: missed. Grey: held to nothing."
_LEFT, _WIDTH, _RIGHT, _TOP, _STEP = 380, 420, 90, 58, 17


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale from one power of ten to another."""

    low: int
    high: int
    left: float
    width: float

    @classmethod
    def over(cls, values: Iterable[float], *, left: float, width: float) -> Scale:
        """The scale that holds all these values."""
        known = [value for value in values if value > 0] or [1.0]
        low = floor(log10(min(known)))
        return cls(low, max(low + 1, ceil(log10(max(known)))), left, width)

    def at(self, value: float) -> float:
        """Where a value stands."""
        share = (log10(max(value, 10.0**self.low)) - self.low) / (self.high - self.low)
        return self.left + self.width * min(share, 1.0)

    def drawn(self, top: float, height: float, unit: str) -> Iterable[str]:
        """A line for each power of ten."""
        for power in range(self.low, self.high + 1):
            x = self.at(10.0**power)
            yield f'<path class="line" d="M{x:.1f} {top - 6}V{height - 18}"/>'
            yield text(x, height - 6, f"{10.0**power:g} {unit}".rstrip(), anchor="middle")


@dataclass(frozen=True, slots=True)
class Bar:
    """One figure, with what it must be and should be."""

    label: str
    value: float
    look: str = "plain"  # good, fair, bad or plain
    must: float | None = None
    aim: float | None = None


def chart(title: str, bars: Sequence[Bar], unit: str) -> str:
    """Bars on a logarithmic scale, each with its marks: a line where it must end, a broken one where it should."""
    marks = [mark for bar in bars for mark in (bar.must, bar.aim) if mark]
    scale = Scale.over([*(bar.value for bar in bars), *marks], left=_LEFT, width=_WIDTH)
    height = _TOP + _STEP * len(bars) + 26
    parts = [text(12, 16, title), text(12, 32, KEY), *scale.drawn(_TOP, height, unit)]
    for place, bar in enumerate(bars):
        parts += _drawn(bar, _TOP + place * _STEP, scale)
    return page(_LEFT + _WIDTH + _RIGHT, height, parts)


def _drawn(bar: Bar, top: float, scale: Scale) -> Iterable[str]:
    end = scale.at(bar.value)
    yield text(_LEFT - 8, top + 10, bar.label, anchor="end")
    yield f'<rect class="{bar.look}" x="{_LEFT}" y="{top}" width="{max(1.0, end - _LEFT):.1f}" height="{_STEP - 5}"/>'
    for name, mark in (("must", bar.must), ("aim", bar.aim)):
        if mark:
            yield f'<path class="{name}" stroke-width="2" d="M{scale.at(mark):.1f} {top - 2}v{_STEP - 1}"/>'
    yield text(max([end, *(scale.at(mark) for mark in (bar.must, bar.aim) if mark)]) + 5, top + 10, f"{bar.value:.3g}")


def text(x: float, y: float, said: str, *, anchor: str = "start") -> str:
    """A line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}</text>'


def page(width: float, height: float, parts: Iterable[str]) -> str:
    """The whole image, on whatever ground it is shown."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif"'
    return "\n".join((f'{head} font-size="11">', STYLE, *parts, "</svg>", ""))
