"""Hooks and recalls as whole processes, against Python that does nothing."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from tests.benchmarks.measuring import late
from tests.benchmarks.parts.size import Size
from tests.benchmarks.processes import FLOOR, QUERY, Stage, events, ratio, taken
from tests.benchmarks.table import TIMES, Row

COLD = "recall, without it"
HOOK, RECALL, ALONE, ALONE_IN_MANY = (1.5, 1.2), (2.0, 1.4), (12.0, 9.0), (55.0, 42.0)
FEW = 10_000


def measured_on(stage: Stage, size: Size) -> list[Row]:
    """Medians of the ratios within each turn, and ratios of the slowest, where a daemon is at work."""
    return list(_rows(_times(stage, size.runs), size.notes))


def _times(stage: Stage, runs: int) -> dict[str, list[float]]:
    """The wall seconds of each command, the first of each left out; every run is a session of its own."""
    found: dict[str, list[float]] = {}
    for run in range(runs + 1):
        calls = {
            FLOOR: stage.floor(),
            "recall": stage.call("recall", *QUERY),
            "recall --limit 5": stage.call("recall", *QUERY, "--limit", "5"),
            COLD: stage.call("recall", *QUERY, alone=True),
        }
        told = events(stage.folder, f"session-{run}")
        calls |= {label: stage.call("hook", data=data) for label, data in told.items()}
        for label, times in taken(calls, stage.folder, 1).items():
            found.setdefault(label, []).extend(times)
    return {label: times[1:] for label, times in found.items()}


def _rows(found: dict[str, list[float]], notes: int) -> Iterator[Row]:
    floor = found.pop(FLOOR)
    for label, times in found.items():
        bar, aim = _marks(label, notes)
        slow = late(times), late(floor)
        shown = ", ".join(
            f"{part} {mine * 1000:.1f} of {least * 1000:.1f} ms"
            for part, mine, least in (("p50", statistics.median(times), statistics.median(floor)), ("p95", *slow))
        )
        yield Row(f"{label}, p50", ratio(times, floor), TIMES, FLOOR, bar, aim, shown=shown)
        yield Row(f"{label}, p95", slow[0] / slow[1], TIMES, FLOOR)


def _marks(label: str, notes: int) -> tuple[float, float]:
    if label == COLD:
        return ALONE if notes <= FEW else ALONE_IN_MANY
    return HOOK if label.startswith("hook") else RECALL
