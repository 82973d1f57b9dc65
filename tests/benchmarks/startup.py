"""How long whole commands take, against `python -c pass` in the same run: `python -m tests.benchmarks.startup --notes 1000`.

Give `--python` the interpreter of an environment in which the wheel is installed, with its bytecode compiled.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.processes import FLOOR, QUERY, Call, Stage, seconds, show, taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(Path(name), given.notes, given.python)
        first = seconds(stage.call("recall", *QUERY, alone=True), stage.folder)
        calls = {
            FLOOR: stage.floor(),
            "memvault --version": Call((*stage.memvault, "--version"), stage.environment),
            "memvault recall": stage.call("recall", *QUERY, alone=True),
            "memvault recall --limit 5": stage.call("recall", " ".join(QUERY), "--limit", "5", alone=True),
            "memvault list --limit 5": stage.call("list", "--limit", "5", alone=True),
        }
        print(f"{given.notes:,} notes; first recall, with the whole index to build: {first:.1f} s")
        show(taken(calls, stage.folder, given.runs))


if __name__ == "__main__":
    main()
