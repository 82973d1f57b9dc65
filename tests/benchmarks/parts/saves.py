"""From a save in an editor until it can be recalled, where the watch is at work."""

from __future__ import annotations

from statistics import median

from tests.benchmarks.live import SOON, bench
from tests.benchmarks.measuring import late, wall_ms
from tests.benchmarks.parts.size import Size
from tests.benchmarks.table import Row, against

NAME = "a save, until it is in the index, after the debounce"


def measured(size: Size) -> list[Row]:
    """Milliseconds, and the look at every file beside a word of the watch."""
    with bench(size.notes) as made:
        known = [made.taken_in(turn) * 1000 for turn in range(size.saves)]
        found = [made.recalled(turn) * 1000 for turn in range(size.saves)]
        vouched = median([wall_ms(lambda: made.lookout.is_current(SOON)) for _ in range(20 * size.looks)])
        looked = median([wall_ms(made.unvouched.refresh) for _ in range(size.looks)])
    rows = [against("to vouch that nothing has changed", vouched, looked, "a look at all")]
    for name, times in ((NAME, known), ("a recall right after a save, which finds it", found)):
        rows.append(Row(f"{name}, p50", max(0.0, median(times)), "ms", bar=500, aim=50))
        rows.append(Row(f"{name}, p99", max(0.0, late(times, 0.99)), "ms", bar=1000))
    return rows
