"""Many callers of one warm process while notes change: `python -m tests.benchmarks.crowd --notes 10000 --seconds 60`.

It counts what is answered, what is left to the callers, and every answer that lacks a note saved before the question.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from memvault.resident import client, protocol
from tests.benchmarks.corpus import COMMON, write
from tests.benchmarks.startup import machine
from tests.benchmarks.warm import porter

CHANGES_A_SECOND = 10


@dataclass
class Seen:
    """What the callers met with."""

    times: list[float] = field(default_factory=list)
    left_alone: int = 0
    stale: int = 0
    changes: int = 0


def ask(environment: dict[str, str], vault: Path, *words: str) -> bytes | None:
    try:
        told = client.ask(protocol.RUN, ["--vault", str(vault), "recall", *words], within=10, environment=environment)
    except client.Lost:
        return None
    return told[1] if told else None


def call(seen: Seen, environment: dict[str, str], vault: Path, until: float, seed: int) -> None:
    made = random.Random(seed)
    while time.monotonic() < until:
        began = time.perf_counter()
        told = ask(environment, vault, *made.sample(COMMON[60:], 3))
        seen.times.append(time.perf_counter() - began)
        seen.left_alone += told is None


def change(seen: Seen, environment: dict[str, str], vault: Path, until: float) -> None:
    """Save notes, and ask for every one of them at once."""
    number = 0
    while time.monotonic() < until:
        began = time.monotonic()
        number += 1
        word = f"zephyr{number}q"
        (vault / "2-memories" / f"changing-{number % 50}.md").write_text(f"The {word} blows over the hills.\n")
        told = ask(environment, vault, word)
        seen.changes += 1
        seen.stale += told is not None and word.encode() not in told
        time.sleep(max(0.0, 1 / CHANGES_A_SECOND - (time.monotonic() - began)))


def crowd(environment: dict[str, str], vault: Path, *, callers: int, seconds: float) -> Seen:
    """What so many callers meet with in so many seconds."""
    seen, until = Seen(), time.monotonic() + seconds
    threads = [threading.Thread(target=call, args=(seen, environment, vault, until, seed)) for seed in range(callers)]
    threads.append(threading.Thread(target=change, args=(seen, environment, vault, until)))
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
    memvault = [sys.executable, "-m", "memvault"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**machine(folder), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        (folder / "home").mkdir()
        vault = folder / "vault"
        write(vault, given.notes)
        subprocess.run([*memvault, "init", str(vault)], env=environment, check=True, capture_output=True)
        command = [*memvault, "--vault", str(vault), "recall", "government"]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        os.environ.update(environment)
        with porter(memvault, environment, folder):
            while ask(environment, vault, "government") is None:
                time.sleep(0.1)
            seen = crowd(environment, vault, callers=given.callers, seconds=given.seconds)
            told = subprocess.run([*memvault, "watch", "--status"], env=environment, check=True, capture_output=True)
    cuts = statistics.quantiles(seen.times, n=100)
    print(f"{given.notes:,} notes, {given.callers} callers for {given.seconds:g} s, {seen.changes} notes changed")
    print(
        f"answered {len(seen.times) - seen.left_alone:,}, left to the callers {seen.left_alone:,}, stale {seen.stale}"
    )
    print(f"p50 {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms, {cuts[98] / cuts[49]:.1f} times")
    print(told.stdout.decode())


if __name__ == "__main__":
    main()
