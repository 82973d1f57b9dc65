"""How long the hook takes as a whole process, with no warm one: `python -m tests.benchmarks.hooks --notes 1000`.

Give `--python` the interpreter of an environment in which the wheel is installed, with its bytecode compiled.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.processes import FLOOR, QUERY, Call, Stage, event, events, seconds, show

AT_ONCE = 10


def together(calls: Sequence[Call], folder: Path) -> float:
    """The wall time until all of some hooks that start at once have answered."""
    started = time.perf_counter()
    pipe = subprocess.PIPE
    running = [
        subprocess.Popen(call.words, env=dict(call.environment), cwd=folder, stdin=pipe, stdout=pipe) for call in calls
    ]
    for process, call in zip(running, calls, strict=True):
        assert process.stdin is not None
        process.stdin.write(call.data)
        process.stdin.close()
    for process in running:
        assert process.stdout is not None
        process.stdout.read()
        process.stdout.close()
        process.wait()
    return time.perf_counter() - started


def measured(stage: Stage, runs: int) -> dict[str, list[float]]:
    """The wall seconds of every event, each run in a session of its own, and of many prompts at once."""
    found: dict[str, list[float]] = {}
    for run in range(runs):
        told = events(stage.folder, f"session-{run}")
        told["hook, an event that is left alone"] = event("SubagentStop", stage.folder, f"session-{run}")
        calls = {label: stage.call("hook", data=data, alone=True) for label, data in told.items()}
        for label, call in {FLOOR: stage.floor(), **calls}.items():
            found.setdefault(label, []).append(seconds(call, stage.folder))
        prompts = [events(stage.folder, f"other-{run}-{turn}")["hook, a prompt that asks"] for turn in range(AT_ONCE)]
        many = [stage.call("hook", data=data, alone=True) for data in prompts]
        found.setdefault(f"{AT_ONCE} prompts at once", []).append(together(many, stage.folder))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(Path(name), given.notes, given.python)
        seconds(stage.call("recall", *QUERY, alone=True), stage.folder)
        print(f"{given.notes:,} notes")
        show(measured(stage, given.runs))


if __name__ == "__main__":
    main()
