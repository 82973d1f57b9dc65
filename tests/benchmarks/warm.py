"""How long hooks and recalls take with a warm process, against `python -c pass` in the same run: `python -m tests.benchmarks.warm --notes 1000`.

Give `--python` the interpreter of an environment in which the wheel is installed, with its bytecode compiled.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.processes import FLOOR, QUERY, Stage, events, show, taken

COLD = "recall, without it"


def measured(stage: Stage, runs: int) -> dict[str, list[float]]:
    """The wall seconds of each command, the first of each left out; every run is a session of its own."""
    found: dict[str, list[float]] = {}
    for run in range(runs + 1):
        calls = {
            FLOOR: stage.floor(),
            "recall": stage.call("recall", *QUERY),
            "recall --limit 5": stage.call("recall", *QUERY, "--limit", "5"),
            COLD: stage.call("recall", *QUERY, alone=True),
        }
        told = events(stage.folder, f"session-{run}")
        calls |= {label: stage.call("hook", data=data) for label, data in told.items()}
        for label, times in taken(calls, stage.folder, 1).items():
            found.setdefault(label, []).extend(times)
    return {label: times[1:] for label, times in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--module", action="store_true", help="start it by `python -m memvault`")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(Path(name), given.notes, given.python, as_module=given.module)
        print(f"{given.notes:,} notes, called as {' '.join(Path(word).name for word in stage.memvault)}")
        with stage.porter():
            show(measured(stage, given.runs))
            print(stage.run("watch", "--status").decode())


if __name__ == "__main__":
    main()
