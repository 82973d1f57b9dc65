"""kill -9 at every step of every way of writing: nothing is lost or torn, and the next command is clean.

Run it as `python -m tests.stress.deaths`; `--ways remember sync` for some of them. A way over git is killed before and
after each run of git, too.
"""

from __future__ import annotations

import argparse
import os
import signal
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from memvault.system.git import Git
from tests.stress.disks import overheard
from tests.stress.judging import not_taken_back, repeated, troubles
from tests.stress.trials import Trials, report, unsynced
from tests.stress.ways import BY_NAME, WAYS, Way

TAKEN_BACK = ("remember", "edit", "move", "forget", "restore", "restore-archived", "merge", "link", "significant")


def run(trials: Trials, way: Way, *, step: int = 1) -> tuple[int, list[str]]:
    """Kill it at each step, or at every so manieth; how often that was, and what was wrong afterwards."""
    kills, wrong = 0, []
    at = 1
    while _killed_at(trials, way, at):
        kills += 1
        wrong += [f"{way.name}, killed at step {at}: {trouble}" for trouble in _judged(trials, way)]
        at += step
    return kills, wrong


def _judged(trials: Trials, way: Way) -> list[str]:
    expected = trials.expected(way)
    told = troubles(trials.stage, expected, acknowledged=False)
    if told or way.name in TAKEN_BACK:
        return told or not_taken_back(trials.stage, expected)
    return repeated(trials.stage, expected) if way.may_be_repeated else []


def _killed_at(trials: Trials, way: Way, at: int) -> bool:
    """Whether a child was killed at this step; False where it had come to its end by then."""
    trials.expected(way)
    trials.begin(way)
    child = _forked(lambda: _act_dying(trials, way, at))
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"{way.name} failed by itself before step {at}"
    return os.WIFSIGNALED(status)


def _act_dying(trials: Trials, way: Way, at: int) -> None:
    with dying(at):
        trials.act(way)


def _forked(act: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        os.setpgid(0, 0)
        act()
        os._exit(0)
    finally:
        os._exit(1)


@contextmanager
def dying(at: int) -> Iterator[None]:
    """Be killed at a step, a write in the middle of it; a run of git has a step before and one after it."""
    steps = 0

    def heard(name: str, args: tuple[Any, ...], _options: dict[str, Any], go: Callable[[], Any]) -> Any:
        nonlocal steps
        steps += 1
        if steps == at:
            if name == "write" and stat.S_ISREG(os.fstat(args[0]).st_mode):
                os.pwrite(args[0], bytes(args[1])[: len(args[1]) // 2], os.fstat(args[0]).st_size)
            os.kill(_OWN(), signal.SIGKILL)
        return go()

    def git(self: Git, words: Any, given: bytes, also: Any) -> Any:
        heard("before git", (), {}, lambda: None)
        ran = real(self, words, given, also)
        heard("after git", (), {}, lambda: None)
        return ran

    real = Git._run_once
    with patch.object(Git, "_run_once", git), overheard(heard):
        yield


_OWN = os.getpid  # as it is before anybody pretends to be another process


def main() -> None:
    """Print how often each way was killed, and what was wrong afterwards."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--ways", nargs="*", default=[way.name for way in WAYS], choices=BY_NAME)
    ask.add_argument("--step", type=int, default=1)
    given = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder, unsynced():
        trials = Trials(Path(folder))
        done = ((name, run(trials, BY_NAME[name], step=given.step)) for name in given.ways)
        report((f"{name:17} {kills:5} kills", wrong) for name, (kills, wrong) in done)


if __name__ == "__main__":
    main()
