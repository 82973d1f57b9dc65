"""A year with a vault, a run of upkeep every day: `python -m tests.benchmarks.year --memories 5000 --days 365`.

Made-up memories in a real vault on disk, under a clock that moves. Ends with 1 if a promise is broken. Times are CPU time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, timedelta
from itertools import groupby
from pathlib import Path
from unittest.mock import patch

from memvault.api import Memvault
from memvault.core.similarity.compare import ComparisonResult, compare_memories
from memvault.maintenance.rules import merge_duplicates as consolidation
from memvault.storage.journal.runs import MaintainResult
from tests.benchmarks.measuring import late, size_of
from tests.benchmarks.person import HOT, Person
from tests.benchmarks.processes import machine
from tests.benchmarks.quality import Heard, Tier, judge_facts, judge_fading, judge_tier, lost_sentences
from tests.benchmarks.sayings import START, Saying, Sayings

MONTH = 30
RUN_AT = timedelta(days=1, hours=4, minutes=17)  # the night after a day
BY_HAND_AT = timedelta(hours=21)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of upkeep: what it cost, and what it did."""

    day: int
    cpu: float
    wall: float
    files: int
    refused: int
    rules: Counter[str]
    up: tuple[str, ...]
    down: tuple[str, ...]


class Year:
    """The vault, the person, the clock, and all that was seen on the way."""

    def __init__(
        self, root: Path, environment: dict[str, str], sayings: list[Saying], *, seed: int, backend: str
    ) -> None:
        self.now = START
        self.root = root
        Memvault.init(root, clock=lambda: self.now)
        settings = {"index.backend": backend}
        self.vault = Memvault(root, clock=lambda: self.now, zone=UTC, environment=environment, settings=settings)
        self.person = Person(root, seed)
        self.heard = Heard()
        self.runs: list[Run] = []
        self.last = MaintainResult()
        self.before_last: dict[str, tuple[bytes, int]] = {}
        self._by_day = {day: list(some) for day, some in groupby(sayings, lambda saying: (saying.at - START).days)}

    def live(self, days: int) -> None:
        """Day after day: things are said, looked up and worked on, and at night the vault is kept in order."""
        show_heading()
        for day in range(days):
            self.person.write(self._by_day.get(day, ()))
            self.person.use(day)
            self.now = START + timedelta(days=day) + BY_HAND_AT
            self.person.work_by_hand(self.vault, self.now)
            self.now = START + timedelta(days=day) + RUN_AT
            if day == days - 1:
                self.before_last = tree(self.root)
            self.runs.append(self._run(day))
            if (day + 1) % MONTH == 0 or day == days - 1:
                show_month(self, day)

    def _run(self, day: int) -> Run:
        cpu, wall = time.process_time(), time.perf_counter()
        with listening(self.heard):
            self.last = found = self.vault.maintain()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        self.person.hear(found.done, self.vault)
        raised = [each for each in found.done if "hot" in each.rules]
        return Run(
            day=day,
            cpu=cpu,
            wall=wall,
            files=sum(bool(each.path) for each in found.done),
            refused=len(found.refused),
            rules=Counter(rule for each in found.done for rule in each.rules),
            up=tuple(each.id for each in raised if each.to.startswith(HOT)),
            down=tuple(each.id for each in raised if not each.to.startswith(HOT)),
        )


@contextmanager
def listening(heard: Heard) -> Iterator[None]:
    """Note what upkeep finds alike or contradictory, which it keeps for a person and says only in numbers."""

    def noted(*given: object, **more: object) -> ComparisonResult:
        found = compare_memories(*given, **more)  # type: ignore[arg-type]
        heard.note(found)
        return found

    with patch.object(consolidation, "compare_memories", noted):
        yield


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    """All files of a vault but its journal, ledger and undo, with their bytes and times."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file() and ".memvault" not in path.relative_to(root).parts
    }


# -- what is shown


COLUMNS = (
    *("month", "known", "tier 1", "KB", "active", "stale", "archived"),
    *("| used", "fell stale", "revived", "put away", "in merges", "promoted", "up", "down"),
    *("| journal MB", "ledger MB", "undo MB", "| CPU s"),
)


def show_heading() -> None:
    """The names of the columns: how the vault stands, what happened in the month, what is kept beside it, a run."""
    print(" ".join(f"{name:>8}" for name in COLUMNS))


def show_month(year: Year, day: int) -> None:
    """One line of the table."""
    status, runs = year.vault.status(), year.runs[-(day % MONTH + 1) :]
    did: Counter[str] = sum((run.rules for run in runs), Counter())
    used = sum(year.now - at < timedelta(days=MONTH) for known in year.person.known.values() for at in known.used)
    moved = [sum(len(run.up) for run in runs), sum(len(run.down) for run in runs)]
    stands = [len(year.person.known), status.tiers.get("1", 0), status.hot_bytes / 1024]
    stands += [status.statuses.get(name, 0) for name in ("active", "stale", "archived")]
    sizes = [size_of(year.root / ".memvault" / name) / 1e6 for name in ("journal", "ledger", "undo")]
    happened = [used, *(did[name] for name in ("stale", "revive", "archive", "consolidate", "promote")), *moved]
    cells = [day // MONTH + 1, *stands, *happened, *sizes, median([run.cpu for run in runs])]
    shown = (
        f"{cell:{max(8, len(name))}.{2 * isinstance(cell, float)}f}" for name, cell in zip(COLUMNS, cells, strict=True)
    )
    print(" ".join(shown), flush=True)


def median(values: list[float]) -> float:
    return late(values, 0.5) if values else 0.0


def show_runs(year: Year) -> None:
    """What the runs cost."""
    runs = year.runs
    slowest = max(runs, key=lambda run: run.cpu)
    cpu, wrote = [run.cpu for run in runs], [float(run.files) for run in runs]
    moves = [float(len(run.up) + len(run.down)) for run in runs]
    print(f"\nby hand and by use: {', '.join(f'{name} {count}' for name, count in sorted(year.person.did.items()))}")
    print(
        f"a run: {median(cpu):.2f} s CPU in the median, {late(cpu, 0.95):.2f} s at p95, {slowest.cpu:.2f} s at most"
        f" (day {slowest.day}: {dict(slowest.rules)}); wall {median([run.wall for run in runs]):.2f} s in the median"
    )
    print(
        f"files changed in a run: {median(wrote):.0f} in the median, {late(wrote, 0.95):.0f} at p95, {max(wrote):.0f} at most"
    )
    total: Counter[str] = sum((run.rules for run in runs), Counter())
    print(f"changes by rule: {dict(total.most_common())}; refused {sum(run.refused for run in runs)}")
    print(
        f"Tier 1 moves in a run: {sum(moves) / len(moves):.2f} on average, {median(moves):.0f} in the median,"
        f" {late(moves, 0.95):.0f} at p95, {max(moves):.0f} at most"
    )


# -- what was promised


def broken_promises(year: Year) -> list[str]:
    """What did not hold: nothing lost, nothing done twice, everything undone; what differs never merged."""
    found = [f"a sentence is lost: {sentence!r}" for sentence in lost_sentences(year.person, year.root)]
    found += judge_facts(year.person, year.vault, year.heard)
    after = tree(year.root)
    again = year.vault.maintain()
    if again.op or again.done or tree(year.root) != after:
        found.append(f"a second run at the same time made {len(again.done)} changes: {again.done[:3]}")
    if not year.last.op:
        return [*found, "the last run changed nothing, so nothing could be undone"]
    year.vault.undo(year.last.op)
    found += differences(year.before_last, tree(year.root))
    redone = year.vault.maintain(dry_run=True)
    print(
        f"undo of the last run took {len(year.last.done)} changes back; of these the next run would make {len(redone.done)} again"
    )
    return found


def differences(before: dict[str, tuple[bytes, int]], after: dict[str, tuple[bytes, int]]) -> list[str]:
    """The files that undo did not give back byte for byte."""
    paths = sorted(before.keys() | after.keys())
    changed = [path for path in paths if before.get(path, (None, 0))[0] != after.get(path, (None, 0))[0]]
    return [f"not as before the run that was undone: {path}" for path in changed]


def run(*, memories: int, days: int, seed: int, backend: str) -> list[str]:
    """Live through it, show it, and say what was broken."""
    sayings = [
        saying for saying in Sayings(memories, days, seed).in_order() if saying.at < START + timedelta(days=days)
    ]
    print(
        f"{len(sayings):,} memories ({dict(Counter(one.how for one in sayings))}) over {days} days, seed {seed}, backend {backend}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        year = Year(folder / "vault", machine(folder), sayings, seed=seed, backend=backend)
        with year.vault:
            year.live(days)
            show_runs(year)
            judge_tier(year.person, year.vault, year.now, [Tier(run.day, run.up, run.down) for run in year.runs])
            judge_fading(year.person, year.vault, year.now)
            return broken_promises(year)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=5_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=20260129)
    parser.add_argument("--backend", default="scan", help="scan needs no index, so all of the time is upkeep's own")
    given = parser.parse_args()
    os.umask(0o077)
    broken = run(memories=given.memories, days=given.days, seed=given.seed, backend=given.backend)
    for promise in broken:
        print(f"BROKEN: {promise}")
    print("no sentence lost, no second change, every byte undone, nothing merged that differs" if not broken else "")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
