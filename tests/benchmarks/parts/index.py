"""Building the index, and one note changed in it: rows and words together, as they are used."""

from __future__ import annotations

from tests.benchmarks.index_build import measure
from tests.benchmarks.parts.size import Size
from tests.benchmarks.searchers import YARDSTICK
from tests.benchmarks.table import Row, against

UPDATE = "one note changed in the index, p50"
LOOKED = "one note changed, and found by comparing its whole folder, p50"
FEW = 20_000


def measured(size: Size) -> list[Row]:
    """Notes a second, megabytes and milliseconds, and their ratios to FTS5."""
    ours, theirs = (each.values for each in measure([size.notes]))
    command = f"python -m tests.benchmarks.index_build --notes {size.notes}"
    built, changed = "build notes/s", "update p50 ms"
    bar = 800.0 if size.notes <= FEW else 700.0

    def absolute(name: str, figure: str, unit: str, bar: float, aim: float | None, *, more: bool = False) -> Row:
        return Row(name, ours[figure], unit, bar=bar, aim=aim, more=more, command=command)

    return [
        absolute("bulk build", built, "notes/s", bar, 2 * bar, more=True),
        against("bulk build", ours[built], theirs[built], YARDSTICK, unit="notes/s", more=True, command=command),
        absolute("memory while building, over the start", "build memory +MB", "MB", 600, 300),
        absolute(UPDATE, changed, "ms", 10, None),
        against(UPDATE, ours[changed], theirs[changed], YARDSTICK, command=command),
        Row(LOOKED, ours["update by a look p50 ms"], "ms", command=command),
        against("index / text", ours["index / text"], theirs["index / text"], YARDSTICK, unit="", command=command),
    ]
