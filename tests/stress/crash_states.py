"""A power cut at every moment of every way of writing, and all that the disk may have by then: nothing is lost.

Every operation on files that a verb makes is written down. Then every state is laid out that a disk may be in after it
went dark at that moment: bytes that were not synced are missing, torn or zeros; names that were not synced are missing,
all of them, one of them, or all but one ("weak"), or those from some moment on ("ordered"). Each is opened by memvault.
Run it as `python -m tests.stress.crash_states`; `--ways remember move` for some of them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from tests.stress.disks import Model, Record, State, states
from tests.stress.judging import repeated, troubles
from tests.stress.trials import Trials, report, unsynced
from tests.stress.ways import BY_NAME, WAYS, Way


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of one way under one model."""

    deeds: int
    states: int
    opened: int
    wrong: tuple[str, ...]


def run(trials: Trials, way: Way, model: Model, *, at_most: int = 0) -> Figures:
    """Open every state, or so many of them spread evenly, and say what was wrong in which."""
    record = trials.record(way)
    found = list(states(record, model))
    step = max(1, len(found) // at_most) if at_most else 1
    chosen = found[::-step]  # from the end, where all has been said to be done
    wrong = [
        f"{way.name}, {state.told}: {trouble}" for state in chosen for trouble in _opened(trials, way, record, state)
    ]
    return Figures(len(record.deeds), len(found), len(chosen), tuple(wrong))


def _opened(trials: Trials, way: Way, record: Record, state: State) -> list[str]:
    expected, stage = trials.expected(way), trials.stage
    state.lay(stage.folder)
    told = troubles(stage, expected, acknowledged=state.cut == len(record.deeds))
    return told or (repeated(stage, expected) if way.may_be_repeated else [])


def main() -> None:
    """Print what came of every way under both models."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--ways", nargs="*", default=[way.name for way in WAYS if not way.over_git], choices=BY_NAME)
    ask.add_argument("--models", nargs="*", default=get_args(Model), choices=get_args(Model))
    ask.add_argument("--at-most", type=int, default=0, help="states to open of each way under each model")
    given = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder, unsynced():
        report(
            row
            for name in given.ways
            for row in _tell(Trials(Path(folder, name)), BY_NAME[name], given.models, given.at_most)
        )


def _tell(trials: Trials, way: Way, models: Sequence[Model], at_most: int) -> Iterator[tuple[str, Sequence[str]]]:
    for model in models:
        began = time.process_time()
        got = run(trials, way, model, at_most=at_most)
        took = f"{time.process_time() - began:.0f} s of CPU"
        counted = f"{got.deeds:4} operations, {got.states:5} states, {got.opened:5} opened"
        yield f"{way.name:17} {model:8} {counted}, {took}", got.wrong


if __name__ == "__main__":
    main()
