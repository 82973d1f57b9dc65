"""The charts of the one run that measures everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.benchmarks.svg import Bar, chart
from tests.benchmarks.table import TIMES, Row, Verdict

LOOKS: Mapping[Verdict, str] = {
    Verdict.AIM: "good",
    Verdict.MET: "fair",
    Verdict.MISSED: "bad",
    Verdict.NONE: "plain",
}
PARTS = {
    "questions": ("engines", "Our time for the same questions, as a multiple of each engine's"),
    "recalls": ("recalls", "Our time for a whole recall, as a multiple of a bare query's"),
    "commands": ("commands", "Whole processes, as a multiple of Python that does nothing"),
}


def drawn(rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """The name of each chart and its image, for each number of notes."""
    rows = list(rows)
    for notes in dict.fromkeys(row.notes for row in rows if row.notes):
        some = [row for row in rows if row.notes == notes]
        yield f"held-to-{notes}.svg", _held([row for row in some if row.bar], notes)
        for part, (name, title) in PARTS.items():
            if shown := [row for row in some if row.part == part and row.unit == TIMES and "p50" in row.name]:
                yield f"{name}-{notes}.svg", chart(f"{title}; {notes:,} notes, medians", [*map(_bar, shown)], "x")


def save(rows: Iterable[Row], folder: Path) -> list[Path]:
    """Write the charts into a folder; says where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = []
    for name, image in drawn(rows):
        (folder / name).write_text(image, encoding="utf-8")
        saved.append(folder / name)
    return saved


def _held(rows: list[Row], notes: int) -> str:
    """Everything as a share of what it must be at most; what is better when it is more, the other way round."""
    bars = []
    for row in rows:
        must = row.bar or 1.0
        share, aim = row.value / must, None if row.aim is None else row.aim / must
        if row.more:
            share, aim = 1 / max(share, 1e-9), None if not aim else 1 / aim
        bars.append(Bar(_label(row), share, LOOKS[row.verdict], 1.0, aim))
    return chart(f"What was measured as a share of what it must be at most; {notes:,} notes", bars, "")


def _bar(row: Row) -> Bar:
    return Bar(_label(row), row.value, LOOKS[row.verdict], row.bar, row.aim)


def _label(row: Row) -> str:
    return f"{row.name.replace(', p50', '')}, of {row.against}" if row.against else row.name
