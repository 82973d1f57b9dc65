"""The system refuses the n-th call of every way of writing, n = 1, 2, 3 … until none is refused any more.

Git fails at its n-th run. Whatever it is: old bytes stay, what is told is plain, nothing is left, and the next command is clean.
Run it as `python -m tests.stress.faults`; `--step 7` takes every seventh call, `--every-fault` each call with every error.
"""

from __future__ import annotations

import argparse
import errno
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from traceback import extract_tb
from typing import Any, Protocol
from unittest.mock import patch

from memvault.errors import MemvaultError
from memvault.system.git import Git, GitResult
from tests.stress.judging import repeated, troubles
from tests.stress.trials import Trials, report, unsynced
from tests.stress.ways import BY_NAME, WAYS, Way
from tests.system.files.tripwire import Call, Tripwire, fail

# What a system may say to each call; anything else is no error that it would give there.
_OF_NAMES = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES)
FAULTS: Mapping[str, tuple[int, ...]] = {
    "open": (errno.EMFILE, *_OF_NAMES),
    "scandir": (errno.EMFILE, errno.EIO, errno.EACCES),
    **dict.fromkeys(("stat", "lstat"), (errno.EACCES, errno.EIO)),
    **dict.fromkeys(("read", "fstat", "lseek", "close", "listxattr"), (errno.EIO,)),
    **dict.fromkeys(("write", "fsync"), (errno.ENOSPC, errno.EIO)),
    **dict.fromkeys(("ftruncate", "fchmod", "fchown"), (errno.EIO, errno.EROFS)),
    **dict.fromkeys(("link", "unlink", "rename", "replace", "mkdir", "renameat2"), _OF_NAMES),
}


class Wire(Protocol):
    """What trips at one call, and then says at which."""

    @property
    def tripped(self) -> str: ...

    def laid(self) -> AbstractContextManager[object]: ...


@dataclass(slots=True)
class Figures:
    """What came of one way."""

    faults: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class _Refusal:
    """An error that the system may give to whatever call it meets; which of them, goes by turns."""

    def __init__(self, turn: int) -> None:
        self.turn, self.code = turn, 0

    def __call__(self, name: str, real: Call, args: tuple[Any, ...]) -> None:
        self.code = FAULTS[name][self.turn % len(FAULTS[name])]
        fail(self.code)(name, real, args)


def run(
    trials: Trials, way: Way, *, step: int = 1, first: int = 1, git_step: int = 1, every_fault: bool = False
) -> Figures:
    """Let every call fail, or every so manieth, each with another error or with all of them."""
    figures, at = Figures(), first
    trials.expected(way)
    while name := _tried(trials, way, at, at // step, figures):
        for turn in range(at // step + 1, at // step + len(FAULTS[name])) if every_fault else ():
            _tried(trials, way, at, turn, figures)
        at += step
    if way.over_git:
        at = git_step
        while all(_tried(trials, way, at, turn, figures, lay=GitRefuses) for turn in (0, 1)):
            at += git_step
    return figures


class GitRefuses:
    """Git fails at its n-th run, as on a full disk or behind somebody's lock: at once, or when all was done."""

    def __init__(self, at: int, refusal: _Refusal) -> None:
        self.at, self.refusal, self.count, self.tripped = at, refusal, 0, ""

    @contextmanager
    def laid(self) -> Iterator[GitRefuses]:
        """Stand before git until the end of the block."""
        real = Git._run_once

        def run(git: Git, words: Any, given: bytes, also: Any) -> GitResult:
            self.count += 1
            if self.count != self.at:
                return real(git, words, given, also)
            self.tripped = f"git {next(word for word in words if not word.startswith('-'))}"
            if self.refusal.turn:
                real(git, words, given, also)
            return GitResult(128, b"", "fatal: No space left on device")

        with patch.object(Git, "_run_once", run):
            yield self


def _tried(
    trials: Trials, way: Way, at: int, turn: int, figures: Figures, *, lay: Callable[..., Wire] = Tripwire
) -> str:
    """Refuse one call, and give back its name; nothing where there were no more calls."""
    trials.begin(way)
    refusal = _Refusal(turn)
    wire = lay(at, refusal)
    outcome, wrong = _attempted(trials, way, wire)
    if wire.tripped:
        figures.faults += 1
        figures.outcomes[outcome] += 1
        where = f"{way.name}, call {at} ({wire.tripped}: {errno.errorcode.get(refusal.code, 'refused')})"
        figures.wrong += [f"{where}: {trouble}" for trouble in (*wrong, *_after(trials, way, wire, outcome))]
    return wire.tripped


def _attempted(trials: Trials, way: Way, wire: Wire) -> tuple[str, list[str]]:
    try:
        with wire.laid():
            trials.act(way)
    except MemvaultError as error:
        return "told", [f"not told plainly: {error}"] if "Errno" in str(error) else []
    except Exception as error:
        frames = [f"{Path(each.filename).stem}.{each.name}" for each in extract_tb(error.__traceback__)]
        return "raised", [f"raises {type(error).__name__}: {error} ({' > '.join(frames[4:-2])})"]
    return "done", []


def _after(trials: Trials, way: Way, wire: Wire, outcome: str) -> list[str]:
    left = [path.name for path in trials.stage.root.rglob(".mv-*.tmp")] if wire.tripped != "unlink" else []
    # What is done in many steps may leave one of them out, and say so; the next time, it is made up for.
    acknowledged = outcome == "done" and not way.may_be_repeated
    told = [f"{name} is left" for name in left]
    told += troubles(trials.stage, trials.expected(way), acknowledged=acknowledged)
    return told or (repeated(trials.stage, trials.expected(way)) if way.may_be_repeated else [])


def main() -> None:
    """Print how many calls were refused in every way, and what was wrong."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--ways", nargs="*", default=[way.name for way in WAYS], choices=BY_NAME)
    ask.add_argument("--step", type=int, default=1)
    ask.add_argument("--first", type=int, default=1)
    ask.add_argument("--every-fault", action="store_true")
    given = ask.parse_args()
    how = {"step": given.step, "first": given.first, "every_fault": given.every_fault}
    with tempfile.TemporaryDirectory() as folder, unsynced():
        trials = Trials(Path(folder))
        done = ((name, run(trials, BY_NAME[name], **how)) for name in given.ways)
        report((f"{name:17} {got.faults:5} calls refused {dict(got.outcomes)}", got.wrong) for name, got in done)


if __name__ == "__main__":
    main()
