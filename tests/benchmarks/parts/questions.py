"""What finding costs beside other engines, which answer the same questions over the same notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.benchmarks import search
from tests.benchmarks.parts.size import Size
from tests.benchmarks.searchers import BULK, PURE, YARDSTICK
from tests.benchmarks.table import Row, against

COMMON = "common 3"
KINDS = {
    COMMON: "3 common words",
    "prompt 3": "3 words of a prompt",
    "prompt 8": "8 words of a prompt",
    "selective 3": "3 rare words",
}
OURS = {PURE: "", BULK: ", numpy"}
WARM_BAR = {PURE: 0.1, BULK: 0.05}
LATE = 1.0, 0.5  # the slowest, and the first time

Found = Mapping[str, Mapping[str, float]]


def measured(size: Size) -> list[Row]:
    """Ratios to each engine that is installed."""
    found = search.run([size.notes], size.engines, each=size.questions)[str(size.notes)]
    return [*_against_the_yardstick(found, size), *_against_others(found, size)]


def _against_the_yardstick(found: Found, size: Size) -> Iterator[Row]:
    for engine, suffix in OURS.items():
        for label, words in KINDS.items():
            for when, part in (("warm", "p50"), ("warm", "p95"), ("first", "p50"), ("first", "p95")):
                bar, aim = _marks(engine, label, when, part)
                name = f"{words}, {'again' if when == 'warm' else 'first time'}, {part}{suffix}"
                yield from _ratio(found, size, engine, YARDSTICK, f"{label} {when} {part}, ms", name, bar, aim)
    yield from _ratio(found, size, PURE, YARDSTICK, "update p50, ms", "one note changed, words alone, p50", None, None)


def _marks(engine: str, label: str, when: str, part: str) -> tuple[float | None, float | None]:
    """What it must be and should be; a median asked again is held to something for common words alone."""
    if (when, part) != ("warm", "p50"):
        return LATE
    return (WARM_BAR[engine] if label == COMMON else None), None


def _against_others(found: Found, size: Size) -> Iterator[Row]:
    for other in (each for each in found if each not in (*OURS, YARDSTICK)):
        for label, words in KINDS.items():
            aim = 1.0 if (other, label) == ("tantivy", COMMON) else None
            yield from _ratio(found, size, PURE, other, f"{label} warm p50, ms", f"{words}, again, p50", None, aim)


def _ratio(
    found: Found, size: Size, ours: str, other: str, figure: str, name: str, bar: float | None, aim: float | None
) -> Iterator[Row]:
    mine, theirs = found.get(ours, {}).get(figure), found.get(other, {}).get(figure)
    if mine and theirs:
        engines = " ".join(f'"{each}"' if " " in each else each for each in (ours, other))
        command = (
            f"python -m tests.benchmarks.search --notes {size.notes} --questions {size.questions} --engines {engines}"
        )
        bar, aim = (bar, aim) if size.is_held else (None, None)
        yield against(name, mine, theirs, other, bar=bar, aim=aim, command=command)
