"""Many callers at once while notes change."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.benchmarks.crowd import CHANGES_A_SECOND, crowd
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
    """The same where a daemon is at work."""
    seen, saved = crowd(stage, callers=size.callers, seconds=size.seconds)
    what = f"{size.callers} callers"
    command = (
        f"python -m tests.benchmarks.crowd --notes {size.notes} --callers {size.callers} --seconds {size.seconds:g}"
    )
    p50, p99 = (late(seen.times, share) * 1000 for share in (0.5, 0.99))
    least_pace = CHANGES_A_SECOND * 0.95
    return [
        against(f"{what}, p99", p99, p50, "p50", bar=10, command=command),
        Row(f"{what}, notes saved meanwhile", saved.pace, "a second", bar=least_pace, more=True, command=command),
        *(
            Row(f"{what}, {name}", float(count), "", bar=bar, command=command)
            for name, count, bar in (
                ("answers that lack what was just saved, or hold what was written over", seen.stale, 0.0),
                ("answers of which that can be told", seen.judged, None),
                ("errors", seen.failed, 0.0),
                ("left to the caller", seen.left_alone, None),
                ("answers", len(seen.times), None),
            )
        ),
    ]
