"""What upkeep costs beside a walk over the files: `python -m tests.benchmarks.upkeep --notes 1000 10000`.

Times are CPU time of this process, or of whole ones: another program on the machine must not decide the ratios.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise, repeat
from multiprocessing import get_context
from pathlib import Path
from uuid import UUID

import memvault
from memvault.api import Memvault
from memvault.core.kinds import KINDS
from memvault.core.memory import Memory, Place
from memvault.core.settings import Settings
from memvault.storage.journal.journal import Journal
from memvault.storage.journal.runs import MaintainResult
from memvault.storage.vault import codec
from memvault.storage.vault.vault import Vault
from tests.benchmarks.corpus import Corpus
from tests.benchmarks.measuring import by_turns, cpu_ms, scanned
from tests.benchmarks.processes import machine

SEED = 20260129
MADE = datetime(2026, 1, 5, 12, tzinfo=UTC)
AGAIN = 0.05  # of the notes: an earlier one, changed a little
FROM_TEMPLATE, ONE_LINE = 0.12, 0.25
LONG_BODY = 800  # bytes, on average, of the rest
SHORT = 8  # words of a single line
REMEMBERED = 400  # the latest notes, of which some are said again

NAMES = "Ilse Noor Dov Sara Tom Maja Anselm Birte Ragna Oswin Fenna Pelle Quentin Yusra Wim Tilda".split()
THINGS = "gauge portal ledger ferry kiosk greenhouse choir archive boiler tractor loom canoe orchard kiln".split()
PARTS = "door engine roof filter queue index lamp pump battery screen handle cable fan sensor".split()
PLACES = "harbour cellar attic barn office station library workshop garden chapel".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

OLDEST = 400  # days since the last use of a note, at most
IN_PROCESS, WHOLE, DAYS = 31, 11, 3
TOUCHED, ADDED = 0.01, 20  # on an ordinary day
PACKAGE = Path(memvault.__file__).parent.parent

WALK = "import os,sys\nfor f,_,n in os.walk(sys.argv[1]):\n for x in n: os.stat(f+'/'+x)"


@dataclass(frozen=True, slots=True)
class _Source:
    """What made-up notes are drawn from: chance, and sentences of the large vocabulary of the corpus."""

    made: random.Random
    prose: Iterator[str]

    def line(self) -> str:
        """A note of one sentence."""
        said = [sentence for sentence in re.split(r"(?<=\.)\s+", next(self.prose)) if sentence[-1:] == "."]
        sentence = said[0] if said else f"{self.made.choice(NAMES)} has no opinion on it."
        return " ".join([self.made.choice(NAMES), *sentence.split()[:SHORT]]).rstrip(".") + "."

    def server(self) -> str:
        """An entry of a register."""
        made = self.made
        return (
            f"Server: {made.choice(THINGS)}-{made.randrange(10_000)}\nOwner: {made.choice(NAMES)}\n"
            f"Place: {made.choice(PLACES)}\nMemory: {2 ** made.randrange(2, 9)} GB\nRestart: on {made.choice(WEEKDAYS)}"
        )

    def meeting(self) -> str:
        """The notes of a meeting."""
        items = "\n".join(f"- {self.line()}" for _ in range(self.made.randint(2, 5)))
        when = MADE + timedelta(days=self.made.randrange(2_000))
        return f"## Meeting of {when:%Y-%m-%d}\n\nPresent: {', '.join(self.made.sample(NAMES, 3))}\n\n{items}"

    def instructions(self) -> str:
        """Steps that are nearly the same for many things."""
        made = self.made
        return (
            f"# Instructions for the {made.choice(THINGS)} {made.randrange(3_000)}\n\n1. Open the {made.choice(PARTS)}.\n"
            f"2. Wait {made.randint(2, 90)} minutes.\n3. Replace the {made.choice(PARTS)}.\n"
            f"4. Call {made.choice(NAMES)} in the {made.choice(PLACES)}.\n5. {self.line()}"
        )


TEMPLATES = (_Source.server, _Source.meeting, _Source.instructions)


def bodies(count: int) -> Iterator[str]:
    """That many texts, always the same ones: prose, templates, single lines, and some said again."""
    made = random.Random(SEED)
    source = _Source(made, (note.body for note in Corpus(body_bytes=LONG_BODY).notes(8 * count)))
    latest: list[str] = []
    for _ in range(count):
        chance = made.random()
        if latest and chance < AGAIN:
            yield _again(made, made.choice(latest), source.line())
            continue
        if chance < AGAIN + FROM_TEMPLATE:
            body = made.choice(TEMPLATES)(source)
        elif chance < AGAIN + FROM_TEMPLATE + ONE_LINE:
            body = source.line()
        else:
            body = next(source.prose)
        latest = [*latest[-REMEMBERED:], body]
        yield body


def _again(made: random.Random, body: str, addition: str) -> str:
    """A text as it comes about a second time: word for word, with an addition, shuffled, or with something changed."""
    sentences = body.split(". ")
    match made.randrange(4):
        case 0:
            return body
        case 1:
            return f"{body}\n\n{addition}"
        case 2:
            return ". ".join(made.sample(sentences, len(sentences)))
        case _:
            place = made.randrange(len(sentences))
            words = sentences[place].split(" ")
            words[made.randrange(len(words))] = made.choice(PLACES)
            return ". ".join([*sentences[:place], " ".join(words), *sentences[place + 1 :]])


# -- the vaults


@dataclass(slots=True)
class Figures:
    """What was measured with one number of notes; the names say the units."""

    notes: int
    values: dict[str, float] = field(default_factory=dict)


def write(root: Path, made: random.Random, texts: Iterable[str], moments: Iterator[datetime]) -> None:
    """Write notes with these texts, each last used at its moment."""
    for used, body in zip(moments, texts, strict=False):
        title = body.lstrip("# ").partition("\n")[0][:60]
        identity = UUID(int=made.getrandbits(128), version=4)
        memory = Memory(
            id=str(identity),
            path=f"2-memories/note-{identity}.md",
            place=Place.MEMORIES,
            title=title,
            kind=KINDS.guess_kind(body),
            created=used,
            last_accessed=used,
            weight=made.choice((0.5, 0.6, 0.8)),
            aliases=(title,),
            body=body,
        )
        (root / memory.path).write_bytes(codec.encode_new(memory))


def cpu_of(command: list[str], environment: dict[str, str]) -> tuple[float, str]:
    """CPU milliseconds of a whole process, and what it said."""
    before = children()
    said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return (children() - before) * 1_000, said


def children() -> float:
    """CPU seconds of all processes that were waited for, as finely as the system counts."""
    try:
        import resource
    except ImportError:
        return sum(os.times()[2:4])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# -- one vault


class Bench:
    """A vault of so many notes, and a clock that moves when told."""

    def __init__(self, folder: Path, count: int, backend: str) -> None:
        self.now = datetime.now(UTC).replace(microsecond=0)
        self.count = count
        self.root = folder / "vault"
        self.environment = {**machine(folder), "PYTHONPATH": str(PACKAGE)}
        Memvault.init(self.root, clock=lambda: self.now)
        self._made = random.Random(SEED)
        self._texts = bodies(count + DAYS * ADDED)
        ages = (self._made.uniform(0, OLDEST) for _ in range(count))
        write(self.root, self._made, self._texts, (self.now - timedelta(days=age) for age in ages))
        self.vault = Memvault(self.root, clock=lambda: self.now, zone=UTC, environment=self.environment)
        self.vault.set_config("index.backend", backend)
        self.vault.close()
        self.vault = Memvault(self.root, clock=lambda: self.now, zone=UTC, environment=self.environment)

    def first_run(self) -> dict[str, float]:
        """Everything is due: most notes are old."""
        took_in = cpu_ms(self.vault.refresh) / 1_000
        wall, done = time.perf_counter(), list[MaintainResult]()
        seconds = cpu_ms(lambda: done.append(self.vault.maintain())) / 1_000
        return {
            "taking notes in, s": took_in,
            "first run, s": seconds,
            "first run, notes/s": self.count / seconds,
            "first run, changes": len(done[0].done),
            "first run, wall s": time.perf_counter() - wall,
        }

    def settle(self) -> int:
        """Run until nothing is left to do; how many runs that took."""
        for turn in range(1, 10):
            if self.vault.maintain().skipped:
                return turn
        raise AssertionError("upkeep never comes to rest")

    def nothing_to_do(self) -> dict[str, float]:
        """In one process, by turns: a plain walk, our listing, and a run with nothing to do."""
        seen = Vault(self.root, Settings({}), device="here")
        acts: dict[str, Callable[[], object]] = {
            "walk and stat, ms": lambda: scanned(str(self.root)),
            "our listing, ms": lambda: deque(seen.list_folders(), maxlen=0),
            "no-op run, ms": self.vault.maintain,
        }
        taken = by_turns({name: partial(cpu_ms, act) for name, act in acts.items()}, IN_PROCESS)
        assert self.vault.maintain().skipped, "the runs that were measured had something to do"
        found = {name: statistics.median(times) for name, times in taken.items()}
        base = found["no-op run, ms"]
        return {
            **found,
            "no-op / walk": base / found["walk and stat, ms"],
            "no-op / listing": base / found["our listing, ms"],
        }

    def whole_processes(self) -> dict[str, float]:
        """Whole processes by turns: Python, Python with the walk, our program and no notes, upkeep with nothing to do."""
        program = [sys.executable, "-m", "memvault", "--vault", str(self.root)]
        upkeep = [*program, "maintain", "--json"]
        commands = {
            "python -c pass, ms": [sys.executable, "-c", "pass"],
            "python and the walk, ms": [sys.executable, "-c", WALK, str(self.root)],
            "start-up (memvault config), ms": [*program, "config", "index.backend", "--json"],
            "memvault maintain, ms": upkeep,
        }
        for _ in range(3):  # something may have come due meanwhile
            subprocess.run(upkeep, env=self.environment, check=True, capture_output=True)
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(WHOLE):
            for name, command in commands.items():
                milliseconds, said = cpu_of(command, self.environment)
                if command is not upkeep or "nothing has changed or come due" in said:
                    taken[name].append(milliseconds)
        return _against_the_bar({name: statistics.median(times) for name, times in taken.items()})

    def ordinary_days(self) -> dict[str, float]:
        """A few days, on each of which some notes are used and some are new."""
        times, changed = list[float](), list[float]()
        for day in range(DAYS):
            live = [row.memory.id for row in self.vault.list().rows if row.memory.status != "archived"]
            used = self._made.sample(live, min(len(live), round(self.count * TOUCHED)))
            entries = [{"e": "touch", "id": id_, "why": "recall", "session": f"day {day}"} for id_ in used]
            Journal(self.root / ".memvault" / "journal", "desk").append(entries, self.now + timedelta(hours=8))
            self.now += timedelta(days=1)
            write(self.root, self._made, self._texts, repeat(self.now - timedelta(hours=2), ADDED))
            done: list[MaintainResult] = []
            times.append(cpu_ms(lambda done=done: done.append(self.vault.maintain())) / 1_000)  # type: ignore[misc]
            changed.append(len(done[0].done))
        return {"ordinary day, s": statistics.median(times), "ordinary day, changes": statistics.median(changed)}


def _against_the_bar(found: dict[str, float]) -> dict[str, float]:
    """What a run with nothing to do takes beyond starting, beside the walk; and all of it beside Python and the walk."""
    walked = found["python and the walk, ms"] - found["python -c pass, ms"]
    beyond = found["memvault maintain, ms"] - found["start-up (memvault config), ms"]
    return {
        **found,
        "(maintain - start-up) / walk": beyond / walked,
        "maintain / (python + walk)": found["memvault maintain, ms"] / found["python and the walk, ms"],
    }


def measured(count: int, backend: str) -> Figures:
    """All figures of one vault."""
    with tempfile.TemporaryDirectory() as name:
        context = Bench(Path(name), count, backend)
        with context.vault:
            values = context.first_run()
            values["runs until nothing is left"] = context.settle()
            values |= context.nothing_to_do()
            values |= context.whole_processes()
            context.now = datetime.now(UTC).replace(microsecond=0)
            values |= context.ordinary_days()
        return Figures(count, values)


def measure(counts: list[int], backend: str) -> list[Figures]:
    """The figures for each number of notes, each in a process of its own."""
    found = []
    for count in counts:
        with get_context("spawn").Pool(1) as pool:
            found.append(pool.apply(measured, (count, backend)))
    return found


def show(found: list[Figures]) -> None:
    """A column for each number of notes, and how much each figure grew where the notes grew."""
    print(f"{'':34}" + "".join(f"{each.notes:>14,}" for each in found))
    for name in found[0].values:
        print(f"{name:34}" + "".join(f"{each.values[name]:14,.2f}" for each in found))
    for less, more in pairwise(found):
        grown = more.values["first run, s"] / less.values["first run, s"]
        print(
            f"{less.notes:,} -> {more.notes:,}: {more.notes / less.notes:.0f} times the notes, the first run took {grown:.1f} times as long"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--backend", default="scan", help="scan needs no index, so all of the time is upkeep's own")
    given = parser.parse_args()
    show(measure(given.notes, given.backend))


if __name__ == "__main__":
    main()
