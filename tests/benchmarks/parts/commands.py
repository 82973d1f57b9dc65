"""Hooks and recalls as whole processes, against Python that does nothing."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.benchmarks.measuring import late
from tests.benchmarks.parts.size import Size
from tests.benchmarks.processes import FLOOR, Stage, ratio
from tests.benchmarks.table import TIMES, Row
from tests.benchmarks.warm import COLD, OLD_SCRIPT
from tests.benchmarks.warm import measured as commands

HOOK, RECALL, ALONE, ALONE_IN_MANY = (1.5, 1.2), (2.0, 1.4), (12.0, 9.0), (55.0, 42.0)
FEW = 10_000


def measured(size: Size) -> list[Row]:
    """Medians of the ratios within each turn, and ratios of the slowest."""
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(Path(name), size.notes)
        with stage.porter():
            return measured_on(stage, size)


def measured_on(stage: Stage, size: Size) -> list[Row]:
    """The same where a daemon is at work."""
    return list(_rows(commands(stage, size.runs), size))


def _rows(found: Mapping[str, list[float]], size: Size) -> Iterator[Row]:
    command = f"python -m tests.benchmarks.warm --notes {size.notes} --runs {size.runs} --python VENV/bin/python"
    floor = found[FLOOR]
    for label, times in found.items():
        if label == FLOOR:
            continue
        bar, aim = _marks(label, size.notes)
        slow = late(times), late(floor)
        shown = ", ".join(
            f"{part} {mine * 1000:.1f} of {least * 1000:.1f} ms"
            for part, mine, least in (("p50", statistics.median(times), statistics.median(floor)), ("p95", *slow))
        )
        yield Row(f"{label}, p50", ratio(times, floor), TIMES, FLOOR, bar, aim, shown=shown, command=command)
        yield Row(f"{label}, p95", slow[0] / slow[1], TIMES, FLOOR, command=command)


def _marks(label: str, notes: int) -> tuple[float, float] | tuple[None, None]:
    if label.endswith(OLD_SCRIPT):
        return None, None  # told beside the others
    if label == COLD:
        return ALONE if notes <= FEW else ALONE_IN_MANY
    return HOOK if label.startswith("hook") else RECALL
