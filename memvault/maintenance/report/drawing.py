"""What all plots are drawn with: two sizes of sheet, scales, axes, and the frame that a screen reader understands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from memvault.maintenance.report.markup import Markup, element, join, number

CELL = 6.6  # about as wide as one terminal cell of small text is on a plot


class Sheet(NamedTuple):
    """How wide a plot is drawn: a page is given each plot twice, for wide and for narrow screens."""

    name: str
    width: float

    @property
    def is_narrow(self) -> bool:
        """Whether this is the sheet for small screens."""
        return self.name == "narrow"


WIDE = Sheet("wide", 760)
NARROW = Sheet("narrow", 340)


class Drawn(NamedTuple):
    """A drawing on one sheet."""

    height: float
    body: Markup


class Scale(NamedTuple):
    """From values to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Where a value stands."""
        return self.start + (value - self.low) / ((self.high - self.low) or 1) * (self.end - self.start)


def plot(name: str, title: str, told: str, draw: Callable[[Sheet], Drawn]) -> Markup:
    """A drawing on both sheets, of which a screen shows the one that fits, with words for who cannot see it."""
    return join(*(_svg(name, title, told, sheet, draw(sheet)) for sheet in (WIDE, NARROW)))


def _svg(name: str, title: str, told: str, sheet: Sheet, drawn: Drawn) -> Markup:
    heading, text = f"{name}-{sheet.name}-title", f"{name}-{sheet.name}-told"
    return element(
        "svg",
        element("title", title, id=heading),
        element("desc", told, id=text),
        drawn.body,
        class_=f"plot {sheet.name}",
        view_box=f"0 0 {number(sheet.width)} {number(drawn.height)}",
        role="img",
        aria_labelledby=f"{heading} {text}",
    )


def text(x: float, y: float, said: str, kind: str = "", *, anchor: str | None = None) -> Markup:
    """Some words at a place."""
    return element("text", said, x=x, y=y, class_=kind or None, text_anchor=anchor)


def rule(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> Markup:
    """A line from here to there."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def steps(high: float, *, about: int = 4) -> Iterator[float]:
    """Round numbers from 0 up to the first that is at least `high`."""
    size = next(
        part * 10**power
        for power in range(-2, 12)
        for part in (1, 2, 5)
        if part * 10**power * about >= high and (part * 10**power >= 1 or high < 1)
    )
    count = 0
    while True:
        yield count * size
        if count * size >= high:
            return
        count += 1
