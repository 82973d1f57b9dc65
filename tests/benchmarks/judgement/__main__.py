"""Print how well memvault judges texts: `python -m tests.benchmarks.judgement [PART ...]`.

Each part is a module of this folder with a function `measure(half)`, which is given a folder of labelled sets and returns
a figure for each name. The half that was not looked at while rules were made is in the table where it has been added.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

HALVES = Path(__file__).parents[2] / "labelled"
PARTS: tuple[str, ...] = ("capture", "commands", "given", "pairs", "parts", "poison", "recall", "reminders", "secrets")


def main() -> None:
    """Print a table of every figure, with a column for each half."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.judgement", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"one of: {', '.join(PARTS)}")
    halves = [HALVES / name for name in ("seen", "unseen") if (HALVES / name).is_dir()]
    print(f"{'':40}" + "".join(f"{half.name:>24}" for half in halves))
    for part in parser.parse_args().parts or PARTS:
        module = import_module(f"tests.benchmarks.judgement.{part}")
        columns = [module.measure(half) for half in halves]
        for name in columns[0]:
            print(f"{name:40}" + "".join(f"{column.get(name, '-'):>24}" for column in columns))


if __name__ == "__main__":
    main()
