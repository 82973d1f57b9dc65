"""Everything that speed and steadiness are held to, measured in one run: `python -m tests.benchmarks.everything --quick`.

Builds the wheel, installs it into an environment of its own, runs each part in a process of its own, and holds what was
measured to what it must be. `--json FILE` keeps the rows, `--check FILE` compares the ratios
with those of an earlier run and ends with 1 where one got much worse or nothing could be compared.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.benchmarks import table
from tests.benchmarks.parts import ONCE, PARTS, measured
from tests.benchmarks.parts.index import UPDATE
from tests.benchmarks.parts.saves import NAME
from tests.benchmarks.parts.size import QUICK, WHOLE, Size
from tests.benchmarks.table import Row
from tests.benchmarks.wheel import Installed, here, install

GROWTH = {UPDATE: 1.2, f"{NAME}, p50": 1.5}  # from the fewest notes to the most
OTHERS = ("Whoosh-Reloaded", "tantivy", "bm25s", "numpy", "pip")


class Failed(Exception):
    """A part ended with an error."""


def run(
    where: Installed, size: Size, counts: Sequence[int], parts: Sequence[str], folder: Path
) -> tuple[list[Row], int]:
    """The rows of all parts for each number of notes, and how many parts failed; one that fails does not stop the rest."""
    rows: list[Row] = []
    failed = 0
    for place, notes in enumerate(counts):
        for part in (part for part in parts if not (place and part in ONCE)):
            began = time.perf_counter()
            print(f"{notes:,} notes: {PARTS[part]} …", end=" ", flush=True)
            try:
                rows += in_child(where, part, size.of(notes), folder)
            except Failed as trouble:
                failed += 1
                print(f"failed\n{trouble}", flush=True)
            else:
                print(f"{time.perf_counter() - began:.0f} s", flush=True)
    return rows + table.growth(rows, GROWTH), failed


def in_child(where: Installed, part: str, size: Size, folder: Path) -> list[Row]:
    """The rows of one part, from a process that knows only what is installed there."""
    out = folder / f"{part}.json"
    words = [f"--{name}={value}" for name, value in asdict(size).items() if name != "engines"]
    words += ["--engines", *size.engines]
    quiet = ("-W", "ignore:resource_tracker:UserWarning")  # of what other engines leave behind
    command = [where.python, *quiet, "-m", "tests.benchmarks.everything", "--part", part, "--json", str(out), *words]
    done = subprocess.run(command, cwd=where.room, env=where.environment, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr.strip())
    print(done.stderr, end="", file=sys.stderr)
    return table.read(out.read_text(encoding="utf-8"))


def about(size: Size) -> Iterator[tuple[str, object]]:
    """What must be known of the machine and of the run to read the figures."""
    yield "python", f"{platform.python_implementation()} {platform.python_version()}"
    yield "system", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    yield "load", round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    yield "size", asdict(size)
    for name in OTHERS:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+")
    parser.add_argument("--quick", action="store_true", help="1,000 notes and few turns, to see that all is well")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--here", action="store_true", help="measure the checkout as it is, with no wheel")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", type=Path, help="the --json of an earlier run")
    parser.add_argument("--part", choices=list(PARTS), help=argparse.SUPPRESS)
    for name, value in asdict(WHOLE).items():
        if name not in ("notes", "engines"):
            parser.add_argument(f"--{name}", type=type(value), help=argparse.SUPPRESS)
    parser.add_argument("--engines", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    size = sized(given)
    if given.part:
        given.json.write_text(table.written(measured(given.part, size.of(size.notes)), {}), encoding="utf-8")
    else:
        sys.exit(finished(given, size))


def sized(given: argparse.Namespace) -> Size:
    """What was asked for; what was not said is as in a whole run, or in a quick one."""
    base = asdict(QUICK if given.quick else WHOLE)
    said = {name: getattr(given, name) for name in base if name != "notes" and getattr(given, name) is not None}
    notes = given.notes[0] if given.notes else 1_000 if given.quick else WHOLE.notes
    return Size(**{**base, **said, "notes": notes, "engines": tuple(given.engines or ())})


def finished(given: argparse.Namespace, size: Size) -> int:
    """Run, show, keep and compare; the exit code."""
    told = dict(about(size))
    with tempfile.TemporaryDirectory() as name:
        where = here() if given.here else install(Path(name))
        rows, failed = run(where, size, given.notes or [size.notes], given.parts, Path(name))
    print(f"\n{', '.join(f'{name} {value}' for name, value in told.items() if value and name != 'size')}\n")
    print(table.show(rows))
    if given.json:
        given.json.write_text(table.written(rows, told), encoding="utf-8")
    if not given.check:
        return int(bool(failed))
    return int(compared(rows, table.read(given.check.read_text(encoding="utf-8"))) or bool(failed))


def compared(now: Sequence[Row], before: Sequence[Row]) -> bool:
    """Tell which ratios got worse; whether any did, or there was none to compare."""
    worse, count = table.checked(now, before)
    if not count:
        print("nothing to compare: that run had other numbers of notes, other parts or other engines")
        return True
    print(*worse, sep="\n", end="\n" if worse else "")
    known = sum(row.unit == table.TIMES for row in before)
    allowed = f"{table.TOLERANCE:g} times as much, for the slowest of many {table.SLOWEST:g} times"
    print(f"compared {count} of {known} ratios of the earlier run: {len(worse)} worse (by more than {allowed})")
    return bool(worse)


if __name__ == "__main__":
    main()
