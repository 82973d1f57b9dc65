"""How much a run does."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.benchmarks.searchers import BULK, ENGINES, PURE, YARDSTICK

HELD_FROM = 10_000  # with fewer notes everybody answers in no time, and what must be was not set for that
MANY = 20_000  # with more notes than that, engines that take minutes to build are left out


@dataclass(frozen=True, slots=True)
class Size:
    """Everything that makes a run long or short."""

    notes: int = 10_000
    questions: int = 60  # of each kind
    looks: int = 15
    runs: int = 31  # of each whole process
    saves: int = 60
    seconds: float = 60.0  # of many callers
    callers: int = 8
    storm: int = 20_000
    kills: int = 30
    damages: int = 300
    engines: tuple[str, ...] = ()

    @property
    def is_held(self) -> bool:
        """Whether there are so many notes that what finding costs is held to what it must."""
        return self.notes >= HELD_FROM

    def of(self, notes: int) -> Size:
        """The same with so many notes."""
        few = tuple(ENGINES) if notes <= MANY else (PURE, BULK, YARDSTICK, "tantivy")
        return replace(self, notes=notes, engines=self.engines or few)


WHOLE = Size()
QUICK = Size(questions=20, looks=9, runs=11, saves=20, seconds=10.0, storm=1_000, kills=6, damages=40)
