"""Many callers at once while notes change."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.benchmarks.crowd import crowd
from tests.benchmarks.measuring import late
from tests.benchmarks.parts.size import Size
from tests.benchmarks.processes import Stage
from tests.benchmarks.table import Row, against


def measured(size: Size) -> list[Row]:
    """How steadily they are answered, and whether rightly."""
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(Path(name), size.notes)
        with stage.porter():
            return measured_on(stage, size)


def measured_on(stage: Stage, size: Size) -> list[Row]:
    """The same where a warm process is at work."""
    seen = crowd(stage, callers=size.callers, seconds=size.seconds)
    what = f"{size.callers} callers"
    command = (
        f"python -m tests.benchmarks.crowd --notes {size.notes} --callers {size.callers} --seconds {size.seconds:g}"
    )
    p50, p99 = (late(seen.times, share) * 1000 for share in (0.5, 0.99))
    counts = {
        f"{what}, answers without a note saved before": (float(seen.stale), 0.0),
        f"{what}, errors": (float(seen.failed), 0.0),
        f"{what}, left to the caller": (float(seen.left_alone), None),
        f"{what}, answers": (float(len(seen.times)), None),
    }
    rows = [against(f"{what}, p99", p99, p50, "p50", bar=10, command=command)]
    for name, (count, bar) in counts.items():
        rows.append(Row(name, count, "", bar=bar, command=command))
    return rows
