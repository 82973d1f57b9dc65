"""What was measured, row by row, held to what it must be and to an earlier run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

TIMES = "x"  # the unit of ratios: the only one that means the same on another machine
TOLERANCE, SLOWEST = 1.3, 2.0  # so much worse may a median be by chance, and the slowest of few
FORMAT = 1
_WIDTH = 64


class Verdict(StrEnum):
    """How a figure stands to what it must be."""

    AIM = "aim met"
    MET = "met"
    MISSED = "MISSED"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: against what, what it must be, what it should be, and the command that measures it alone."""

    name: str
    value: float
    unit: str
    against: str = ""
    bar: float | None = None
    aim: float | None = None
    more: bool = False  # more is better
    shown: str = ""  # the times that make a ratio
    command: str = ""
    part: str = ""
    notes: int = 0

    @property
    def verdict(self) -> Verdict:
        """Whether it is as it must be, or even as it should be."""
        if self.aim is not None and self._reaches(self.aim):
            return Verdict.AIM
        if self.bar is None:
            return Verdict.NONE
        return Verdict.MET if self._reaches(self.bar) else Verdict.MISSED

    @property
    def key(self) -> str:
        """What it is known by from run to run."""
        return f"{self.notes} {self.name}, {self.against}"

    @property
    def cost(self) -> float:
        """The value turned so that less is better."""
        return 1 / max(self.value, 1e-9) if self.more else self.value

    def _reaches(self, mark: float) -> bool:
        return self.value >= mark if self.more else self.value <= mark


def against(name: str, ours: float, theirs: float, other: str, *, unit: str = "ms", **more: Any) -> Row:
    """A ratio and the two figures that it is made of."""
    shown = f"{figure_of(ours)} of {figure_of(theirs)} {unit}"
    return Row(name, ours / max(theirs, 1e-9), TIMES, other, shown=shown, **more)


def growth(rows: Sequence[Row], allowed: Mapping[str, float]) -> list[Row]:
    """How much more some figures are with the most notes than with the fewest; nothing where one number was measured."""
    least, most = (pick((row.notes for row in rows if row.notes), default=0) for pick in (min, max))
    found: list[Row] = []
    if least == most:
        return found
    for few in (row for row in rows if row.notes == least and row.unit != TIMES and row.name in allowed):
        many = next((row for row in rows if row.notes == most and (row.name, row.unit) == (few.name, few.unit)), None)
        if many:
            grown = against(few.name, many.value, few.value, f"{least:,} notes", unit=few.unit, bar=allowed[few.name])
            found.append(replace(grown, part=many.part, notes=most, command=many.command))
    return found


# -- shown


def show(rows: Iterable[Row]) -> str:
    """The table as text, with the commands below it."""
    rows = list(rows)
    lines = [f"{'':>8} {'':{_WIDTH}}{'':>10} {'':16}{'must':>9}{'aim':>9}"]
    for row in rows:
        count = f"{row.notes:,}" if row.notes else ""
        value = f"{figure_of(row.value)} {row.unit}"
        marks = "".join(f"{'' if mark is None else mark_of(row, mark):>9}" for mark in (row.bar, row.aim))
        lines.append(
            f"{count:>8} {row.name:{_WIDTH}}{value:>10} {row.against:16}{marks} {row.verdict:8} {row.shown}".rstrip()
        )
    counted = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    held = counted[Verdict.AIM] + counted[Verdict.MET]
    lines.append(f"\nas it must be {held}, as it should be {counted[Verdict.AIM]}, missed {counted[Verdict.MISSED]}")
    commands = dict.fromkeys(row.command for row in rows if row.command)
    return "\n".join([*lines, "\neach by itself:", *(f"  {command}" for command in commands)])


def mark_of(row: Row, mark: float) -> str:
    """What it is held to, as it is shown."""
    return f"{'>=' if row.more else '<='} {figure_of(mark)}"


def figure_of(value: float) -> str:
    """A figure with as many digits as mean something."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == round(value) else f"{value:.3g}"


# -- kept, and compared


def written(rows: Iterable[Row], about: Mapping[str, object]) -> str:
    """The rows as JSON, with what is known of the machine."""
    kept = [asdict(row) | {"verdict": str(row.verdict)} for row in rows]
    return json.dumps({"format": FORMAT, "about": dict(about), "rows": kept}, indent=1, ensure_ascii=False) + "\n"


def read(text: str) -> list[Row]:
    """The rows of an earlier run."""
    return [
        Row(**{name: value for name, value in row.items() if name != "verdict"}) for row in json.loads(text)["rows"]
    ]


def checked(now: Iterable[Row], before: Iterable[Row]) -> tuple[list[str], int]:
    """What got worse by more than chance may do, and how many ratios there were to compare."""
    known = {row.key: row for row in before if row.unit == TIMES}
    pairs = [(row, known[row.key]) for row in now if row.unit == TIMES and row.key in known]
    worse = [
        f"{row.key}: {figure_of(row.value)} times, {figure_of(old.value)} before"
        for row, old in pairs
        if row.cost > old.cost * _tolerance(row)
    ]
    return worse, len(pairs)


def _tolerance(row: Row) -> float:
    return SLOWEST if row.name.endswith(("p95", "p99")) else TOLERANCE
