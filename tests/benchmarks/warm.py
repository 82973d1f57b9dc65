"""How long hooks and recalls take with a daemon, against `python -c pass` in the same run: `python -m tests.benchmarks.warm --notes 1000`.

Give `--python` the interpreter of an environment in which the wheel is installed, with its bytecode compiled.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.benchmarks.processes import FLOOR, QUERY, Call, Stage, events, show, taken
from tests.benchmarks.wheel import OLDER

COLD = "recall, without it"
OLD_SCRIPT = "called by a script of an older pip"


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
        calls |= _by_an_older_script(stage, calls)
        for label, times in taken(calls, stage.folder, 1).items():
            found.setdefault(label, []).extend(times)
    return {label: times[1:] for label, times in found.items()}


def _by_an_older_script(stage: Stage, calls: Mapping[str, Call]) -> dict[str, Call]:
    """Some of the calls once more, by what an older pip writes, where that is there."""
    older = Path(stage.memvault[0]).with_name(OLDER)
    told = ("recall", "hook, a tool was used") if older.exists() else ()
    return {
        f"{label}, {OLD_SCRIPT}": replace(calls[label], words=(str(older), *calls[label].words[1:])) for label in told
    }


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
