"""Many callers of one warm process while notes change: `python -m tests.benchmarks.crowd --notes 10000 --seconds 60`.

It counts what is answered, what is left to the callers, and every answer that lacks a note saved before the question.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from memvault.resident import client, protocol
from tests.benchmarks.corpus import COMMON
from tests.benchmarks.measuring import late
from tests.benchmarks.processes import Stage

CHANGES_A_SECOND = 10


@dataclass
class Seen:
    """What the callers met with; times in seconds."""

    times: list[float] = field(default_factory=list)
    left_alone: int = 0
    failed: int = 0
    stale: int = 0
    changes: int = 0


def ask(stage: Stage, *words: str) -> list[bytes] | None:
    """The exit code and what is printed; None where it is left to the caller."""
    command = ["--vault", str(stage.vault), "recall", *words]
    try:
        return client.ask(protocol.RUN, command, within=10, environment=stage.environment)
    except client.Lost:
        return None


def call(seen: Seen, stage: Stage, until: float, seed: int) -> None:
    """Ask for other words each time."""
    made = random.Random(seed)
    while time.monotonic() < until:
        began = time.perf_counter()
        told = ask(stage, *made.sample(COMMON[60:], 3))
        seen.times.append(time.perf_counter() - began)
        seen.left_alone += told is None
        seen.failed += told is not None and int(told[0]) != 0


def change(seen: Seen, stage: Stage, until: float) -> None:
    """Save notes, and ask for every one of them at once."""
    number = 0
    while time.monotonic() < until:
        began = time.monotonic()
        number += 1
        word = f"zephyr{number}q"
        (stage.vault / "2-memories" / f"changing-{number % 50}.md").write_text(f"The {word} blows over the hills.\n")
        told = ask(stage, word)
        seen.changes += 1
        seen.stale += told is not None and word.encode() not in told[1]
        time.sleep(max(0.0, 1 / CHANGES_A_SECOND - (time.monotonic() - began)))


def crowd(stage: Stage, *, callers: int, seconds: float) -> Seen:
    """What so many callers meet with in so many seconds."""
    seen, until = Seen(), time.monotonic() + seconds
    threads = [threading.Thread(target=call, args=(seen, stage, until, seed)) for seed in range(callers)]
    threads.append(threading.Thread(target=change, args=(seen, stage, until)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(Path(name), given.notes)
        with stage.porter():
            seen = crowd(stage, callers=given.callers, seconds=given.seconds)
            told = stage.run("watch", "--status").decode()
    p50, p99 = (late(seen.times, share) * 1000 for share in (0.5, 0.99))
    answered = len(seen.times) - seen.left_alone
    print(f"{given.notes:,} notes, {given.callers} callers for {given.seconds:g} s, {seen.changes} notes changed")
    print(f"answered {answered:,}, left to the callers {seen.left_alone:,}, failed {seen.failed}, stale {seen.stale}")
    print(f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, {p99 / p50:.1f} times")
    print(told)


if __name__ == "__main__":
    main()
