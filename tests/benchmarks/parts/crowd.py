"""Many callers of one daemon at once while notes change.

Every answer counts with the time until it was there: where the daemon leaves a question to its caller, with the
time of the command that then does the work. Half of the questions are for a note that was saved just before, which has
to be there, or for what one said before it was written over, which must not.
"""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields

from memvault.system import daemon_client
from memvault.system import daemon_protocol as protocol
from tests.benchmarks.corpus import COMMON
from tests.benchmarks.measuring import late
from tests.benchmarks.parts.size import Size
from tests.benchmarks.processes import Stage
from tests.benchmarks.table import Row, against

CHANGES_A_SECOND = 10
_FILES = 50  # written over in turn: what one says holds for five seconds
_WITHIN = 3.0  # seconds that a command waits before it does the work itself


def measured_on(stage: Stage, size: Size) -> list[Row]:
    """How steadily they are answered, and whether rightly."""
    seen, saved = crowd(stage, callers=size.callers, seconds=size.seconds)
    what = f"{size.callers} callers"
    p50, p99 = (late(seen.times, share) * 1000 for share in (0.5, 0.99))
    return [
        against(f"{what}, p99", p99, p50, "p50", bar=10),
        Row(f"{what}, notes saved meanwhile", saved.pace, "a second", bar=CHANGES_A_SECOND * 0.95, more=True),
        *(
            Row(f"{what}, {name}", float(count), "", bar=bar)
            for name, count, bar in (
                ("answers that lack what was just saved, or hold what was written over", seen.stale, 0.0),
                ("answers of which that can be told", seen.judged, None),
                ("errors", seen.failed, 0.0),
                ("left to the caller", seen.left_alone, None),
                ("answers", len(seen.times), None),
            )
        ),
    ]


@dataclass
class Seen:
    """What came of it; times in seconds, from the question to its answer, whoever gave it."""

    times: list[float] = field(default_factory=list)
    left_alone: int = 0
    failed: int = 0
    judged: int = 0  # answers of which was known what must be in them
    stale: int = 0

    def add(self, other: Seen) -> None:
        """Take in what another caller met with."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass
class Saved:
    """The notes that are saved while others ask: how many so far, and in which time."""

    stage: Stage
    count: int = 0
    seconds: float = 0.0

    def save(self, until: float) -> None:
        """Save note after note, at the same pace whatever becomes of them."""
        began = due = time.monotonic()
        while due < until:
            time.sleep(max(0.0, due - time.monotonic()))
            path = self.stage.vault / "2-memories" / f"changing-{self.count % _FILES}.md"
            path.write_text(f"The {word(self.count)} blows over {hill(self.count)}.\n", encoding="utf-8")
            self.count += 1
            due += 1 / CHANGES_A_SECOND
        self.seconds = time.monotonic() - began

    def holds(self, number: int) -> bool:
        """Whether the file of a note that was saved still says what it said then; not sure while it is written."""
        return number + _FILES > self.count

    @property
    def pace(self) -> float:
        """Notes saved in a second."""
        return self.count / max(self.seconds, 1e-9)


def word(number: int) -> str:
    """What a note is asked for by."""
    return f"zephyr{number:06}q"


def hill(number: int) -> str:
    """What stands in that note and in no question."""
    return f"hill{number:06}x"


def ask(stage: Stage, seen: Seen, *words: str) -> bytes:
    """What is printed in answer: the daemon does the work or, where it does not, a process of its own."""
    began = time.perf_counter()
    command = ["--vault", str(stage.vault), "recall", *words]
    try:
        told = daemon_client.send_request(protocol.RUN, command, within=_WITHIN, environment=stage.environment)
    except daemon_client.NoReply:
        told = None
    if told is None:
        seen.left_alone += 1
        call = stage.call("recall", *words, alone=True)
        ran = subprocess.run(call.words, env=dict(call.environment), cwd=stage.folder, check=False, capture_output=True)
        told = [str(ran.returncode).encode(), ran.stdout, ran.stderr]
    seen.times.append(time.perf_counter() - began)
    seen.failed += int(told[0]) != 0
    return told[1]


def call(seen: Seen, saved: Saved, until: float, seed: int) -> None:
    """Ask one question after the other, of three kinds in turn."""
    made = random.Random(seed)
    kinds: tuple[Callable[[], None], ...] = (
        lambda: ask_anything(seen, saved, made),
        lambda: ask_for_last(seen, saved),
        lambda: ask_anything(seen, saved, made),
        lambda: ask_for_gone(seen, saved),
    )
    turn = seed
    while time.monotonic() < until:
        try:
            kinds[turn % len(kinds)]()
        except Exception as error:  # whatever it is, a caller has met with it
            print(f"{type(error).__name__}: {error}")
            seen.failed += 1
        turn += 1


def ask_anything(seen: Seen, saved: Saved, made: random.Random) -> None:
    """Other words each time."""
    ask(saved.stage, seen, *made.sample(COMMON[60:], 3))


def ask_for_last(seen: Seen, saved: Saved) -> None:
    """The note that was saved last has to be there, unless it was written over while the answer was made."""
    number = saved.count - 1
    if number >= 0:
        found = ask(saved.stage, seen, word(number))
        if saved.holds(number):
            seen.judged += 1
            seen.stale += hill(number).encode() not in found


def ask_for_gone(seen: Seen, saved: Saved) -> None:
    """What was written over last must not be there any more."""
    number = saved.count - 1 - _FILES
    if number >= 0:
        found = ask(saved.stage, seen, word(number))
        seen.judged += 1
        seen.stale += hill(number).encode() in found


def crowd(stage: Stage, *, callers: int, seconds: float) -> tuple[Seen, Saved]:
    """What so many callers meet with in so many seconds, and what was saved meanwhile."""
    until, saved = time.monotonic() + seconds, Saved(stage)
    each = [Seen() for _ in range(callers)]
    threads = [threading.Thread(target=call, args=(seen, saved, until, seed)) for seed, seen in enumerate(each)]
    threads.append(threading.Thread(target=saved.save, args=(until,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = Seen()
    for seen in each:
        together.add(seen)
    return together, saved
