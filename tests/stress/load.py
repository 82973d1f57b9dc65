"""A vault at which several processes are at work, one of which is killed again and again at any moment.

Two others write and one reads all the time. What each of them was told to be done must be there, whole; and the next
command is clean. Run it as `python -m tests.stress.load --kills 1000`.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

from memvault import Memvault
from memvault.errors import Busy, ChangedMeanwhile, MemvaultError, NothingToDo
from memvault.storage import frontmatter
from memvault.system import files
from tests.stress.trials import unsynced
from tests.stress.vaults import environment

SHARED = "Shared note"
_MOST = 12  # notes of each writer: more would only make all of it slower
_LONGEST = 0.8  # seconds of one life


@dataclass(slots=True)
class Figures:
    """What a run came to."""

    kills: int = 0
    told: int = 0  # deeds of the killed that they were told to be done
    told_others: int = 0
    reads: int = 0
    wrong: list[str] = field(default_factory=list)


def run(folder: Path, *, kills: int, writers: int = 2, seed: int = 0) -> Figures:
    """Kill that many processes at work; say what was done, and everything that is wrong."""
    Memvault.init(folder / "vault")
    with _opened(folder) as vault:
        vault.remember("It begins.", title=SHARED)
    figures, chance = Figures(), Random(seed)
    others = [_Process(_writing(folder, f"w{number}", seed + number)) for number in range(writers)]
    reader = _Process(_reading(folder, seed))
    said: list[str] = []
    for round_ in range(kills):
        said += _one_life(folder, round_, chance, figures)
    figures.told = len(said)
    for each in others:
        said += (mine := each.end())
        figures.told_others += len(mine)
    figures.reads = len(reader.end())
    failed = [each.failure for each in (*others, reader) if each.failure]
    figures.wrong += [*(f"another process failed: {told}" for told in failed), *_problems(folder, said)]
    return figures


def _one_life(folder: Path, round_: int, chance: Random, figures: Figures) -> list[str]:
    victim = _Process(_writing(folder, "victim", chance.randrange(10**9), mark=f"{round_}-"))
    time.sleep(chance.random() * _LONGEST)
    said = victim.end()
    figures.kills += not victim.failure
    figures.wrong += [f"round {round_} failed by itself: {victim.failure}"] if victim.failure else []
    try:
        with _opened(folder) as vault:
            text = (vault.source(SHARED)[0].body or "") + "".join(_own_texts(folder))
            vault.edit(SHARED, append=f"After {round_}.")
    except MemvaultError as error:
        figures.wrong.append(f"the command after kill {round_} fails: {error}")
        return said
    figures.wrong += [f"{line!r} of round {round_} is lost" for line in said if line not in text]
    return said


# -- processes


class _Process:
    """A child at work that reports what it was told to be done, until it is killed."""

    def __init__(self, work: Callable[[Callable[[str], None]], None]) -> None:
        reader, writer = os.pipe()
        self.failure = ""
        self._pid = os.fork()
        if self._pid == 0:
            os.close(reader)
            _work(work, writer)
        os.close(writer)
        self._reports = reader

    def end(self) -> list[str]:
        """Kill it; what it had reported by then."""
        os.kill(self._pid, signal.SIGKILL)
        with os.fdopen(self._reports, "rb") as reports:
            lines = reports.read().decode().split("\n")[:-1]
        os.waitpid(self._pid, 0)
        self.failure = next((line.removeprefix("!") for line in lines if line.startswith("!")), "")
        return [line for line in lines if not line.startswith("!")]


def _work(work: Callable[[Callable[[str], None]], None], reports: int) -> None:
    try:
        work(lambda line: _report(reports, line))
    except BaseException as error:
        _report(reports, f"!{type(error).__name__}: {error}")
        time.sleep(3600)  # to be killed like all others
    finally:
        os._exit(1)


def _report(reports: int, line: str) -> None:
    os.write(reports, f"{line}\n".encode())


def _writing(folder: Path, who: str, seed: int, mark: str = "") -> Callable[[Callable[[str], None]], None]:
    def work(report: Callable[[str], None]) -> None:
        made = Random(seed)
        with _opened(folder) as vault:
            for number in count():
                line = f"Line {who} {mark}{number} stands."
                try:
                    if _DEEDS[made.choice(list(_DEEDS))](vault, who, line, made):
                        report(line)
                except (Busy, ChangedMeanwhile, NothingToDo):  # told so, and nothing was done
                    continue

    return work


def _reading(folder: Path, seed: int) -> Callable[[Callable[[str], None]], None]:
    def work(report: Callable[[str], None]) -> None:
        made = Random(seed)
        while True:
            with _opened(folder) as vault:
                vault.recall(f"line of w{made.randrange(2)}")
                vault.list(limit=20)
                vault.source(SHARED)
            report("read")

    return work


def _opened(folder: Path) -> Memvault:
    return Memvault(folder / "vault", environment=environment(folder))


# -- what is done


def _remember(vault: Memvault, who: str, line: str, made: Random) -> bool:
    number = made.randrange(_MOST)
    if _titled(vault, f"Of {who} {number}"):
        return False
    vault.remember(line, title=f"Of {who} {number}", near="ignore")
    return True


def _edit(vault: Memvault, who: str, line: str, made: Random) -> bool:
    own = [title for number in range(_MOST) if _titled(vault, title := f"Of {who} {number}")]
    if own:
        vault.edit(made.choice(own), append=line)
    return bool(own)


def _edit_shared(vault: Memvault, _who: str, line: str, _made: Random) -> bool:
    vault.edit(SHARED, append=line)
    return True


def _move(vault: Memvault, who: str, _line: str, made: Random) -> bool:
    title = f"Of {who} {made.randrange(_MOST)}"
    if _titled(vault, title):
        vault.move(title, made.choice(("hot", "memories", "archived")))
    return False


def _forget(vault: Memvault, who: str, _line: str, made: Random) -> bool:
    title = f"Of {who} {made.randrange(_MOST)}"
    if _titled(vault, title):
        vault.forget(title)
        vault.restore(title)
    return False


_Deed = Callable[[Memvault, str, str, Random], bool]
_DEEDS: Mapping[str, _Deed] = {
    "remember": _remember,
    "edit": _edit,
    "edit shared": _edit_shared,
    "move": _move,
    "forget": _forget,
}


def _titled(vault: Memvault, title: str) -> bool:
    return any(row.memory.title == title for row in vault.list(limit=10_000).rows)


# -- what must hold


def _own_texts(folder: Path) -> list[str]:
    found = []
    for path in (folder / "vault").rglob("*.md"):
        try:
            found.append(path.read_text())
        except FileNotFoundError:  # moved by another process meanwhile
            continue
    return found


def _problems(folder: Path, said: list[str]) -> list[str]:
    with _opened(folder) as vault:
        vault.edit(SHARED, append="The end.")
        wrong = [
            f"{row.memory.path}: {row.memory.problem}" for row in vault.list(limit=10_000).rows if row.memory.problem
        ]
        wrong += [f"{op.op} stands as begun" for op in vault.log() if op.state == "begun"]
    text = "".join(_own_texts(folder))
    wrong += [f"{line!r} is lost" for line in said if line not in text]
    for path in (folder / "vault").rglob("*.md"):
        block = frontmatter.parse(path.read_bytes())
        wrong += [f"{path.name} is torn: {block.problem}"] if block.problem else []
    left = [path for path in (folder / "vault").rglob("*.tmp") if path not in files.orphaned_files(path.parent)]
    return wrong + [f"{path.name} stays for good" for path in left]


def main() -> None:
    """Print how many processes were killed, what had been done by then, and what was wrong."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--kills", type=int, default=1000)
    ask.add_argument("--seed", type=int, default=0)
    given = ask.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, unsynced():
        got = run(Path(folder), kills=given.kills, seed=given.seed)
    print(
        f"{got.kills} kills under load, {got.told} deeds of the killed and {got.told_others} of two others told to be "
        f"done, {got.reads} rounds of reading, {time.perf_counter() - began:.0f} s: {len(got.wrong)} problems"
    )
    for problem in got.wrong[:20]:
        print(" ", problem[:300])
    raise SystemExit(1 if got.wrong else 0)


if __name__ == "__main__":
    main()
