"""Whole recalls by a process that runs on, and the look at every file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.benchmarks import pipeline
from tests.benchmarks.measuring import spread
from tests.benchmarks.parts.size import Size
from tests.benchmarks.searchers import YARDSTICK
from tests.benchmarks.table import Row, against

WAYS = {pipeline.FILTERED: "with filters", pipeline.VOUCHED: "plain", pipeline.SCANNING: "with the look at every file"}


def measured(size: Size) -> list[Row]:
    """Ratios to the bare queries of others, and to a plain walk."""
    with tempfile.TemporaryDirectory() as name, pipeline.opened(Path(name), size.notes) as vault:
        looks = pipeline.looks(vault, Path(name) / pipeline.VAULT, size.looks)
        asks = pipeline.asks(vault, pipeline.others(Path(name), size.notes))
        taken = {kind: pipeline.times(asks, asked) for kind, asked in pipeline.questions(size.questions).items()}
    return [*_look(looks, size), *(row for kind, times in taken.items() for row in _recalls(kind, times, size))]


def _look(looks: Mapping[str, list[float]], size: Size) -> Iterator[Row]:
    for part, ours, plain in zip(
        ("p50", "p95"), spread(looks[pipeline.FRESHEN]), spread(looks[pipeline.WALK]), strict=True
    ):
        bar, aim = (1.3, 1.1) if part == "p50" else (None, None)
        yield against(f"no-change look, {part}", ours, plain, "scandir, stat", bar=bar, aim=aim, command=_command(size))


def _recalls(kind: str, times: Mapping[str, list[float]], size: Size) -> Iterator[Row]:
    for way, label in WAYS.items():
        bar, aim = (1.0, 0.2) if size.is_held and way == pipeline.FILTERED else (None, None)
        for part, ours, bare in zip(("p50", "p95"), spread(times[way]), spread(times[YARDSTICK]), strict=True):
            name = f"whole recall, {kind}, {label}, {part}"
            yield against(name, ours, bare, YARDSTICK, bar=bar, aim=aim, command=_command(size))
    ours, bare = spread(times[pipeline.FILTERED])[0], spread(times[pipeline.WHOOSH])[0]
    name = f"whole recall, {kind}, {WAYS[pipeline.FILTERED]}, p50"
    yield against(name, ours, bare, pipeline.WHOOSH, command=_command(size))


def _command(size: Size) -> str:
    return f"python -m tests.benchmarks.pipeline --notes {size.notes}"
