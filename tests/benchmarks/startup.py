"""How long whole commands take, against `python -c pass` in the same run: `python -m tests.benchmarks.startup --notes 1000`.

Give `--python` the interpreter of an environment in which the wheel is installed, with its bytecode compiled.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.corpus import write

QUERY = "government system"


def machine(folder: Path) -> dict[str, str]:
    """An environment of its own, so that nothing of this person is read or written."""
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    return {**{name: str(folder / name.lower()) for name in names}, "PATH": os.environ.get("PATH", "")}


def seconds(command: list[str], environment: dict[str, str], folder: Path) -> float:
    """The wall time of one whole process."""
    started = time.perf_counter()
    subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment, vault = machine(folder), folder / "vault"
        write(vault, given.notes)
        memvault = [str(Path(given.python).with_name("memvault"))]
        seconds([*memvault, "init", str(vault)], environment, folder)
        at = [*memvault, "--vault", str(vault)]
        first = seconds([*at, "recall", QUERY], environment, folder)
        commands = {
            "python -c pass": [given.python, "-c", "pass"],
            "memvault --version": [*memvault, "--version"],
            "memvault recall": [*at, "recall", *QUERY.split()],
            "memvault recall --limit 5": [*at, "recall", QUERY, "--limit", "5"],
            "memvault list --limit 5": [*at, "list", "--limit", "5"],
        }
        # In turns, so that whatever else the machine does is shared alike.
        taken = {label: [0.0] * given.runs for label in commands}
        for run in range(given.runs):
            for label, command in commands.items():
                taken[label][run] = seconds(command, environment, folder)
    floor = taken["python -c pass"]
    print(f"{given.notes:,} notes; first recall, with the whole index to build: {first:.1f} s")
    print(f"{'':28}{'median ms':>10}{'ratio':>8}")
    for label, times in taken.items():
        ratio = statistics.median(mine / least for mine, least in zip(times, floor, strict=True))
        print(f"{label:28}{statistics.median(times) * 1000:10.1f}{ratio:8.1f}")


if __name__ == "__main__":
    main()
