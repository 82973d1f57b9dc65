"""What it costs to keep up with people who save notes: `python -m tests.benchmarks.live --notes 1000 10000`."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from memvault.api import Memvault
from memvault.daemon.watcher import VaultWatcher
from tests.benchmarks.corpus import write
from tests.benchmarks.measuring import late, wall_ms
from tests.benchmarks.processes import machine

SOON = 120.0
BUILT = 1_800.0  # seconds in which even the largest index is made

DEBOUNCE_MS = 50


class Bench:
    """A vault of made-up notes with a lookout at work."""

    def __init__(self, folder: Path, notes: int) -> None:
        self.root, self.environment = folder / "vault", machine(folder)
        Memvault.init(self.root)
        write(self.root, notes)
        self.took_in, ready = threading.Semaphore(0), threading.Event()
        self.lookout = VaultWatcher(
            self.opened, say=lambda said: self.took_in.release(), ready=lambda _root: ready.set()
        )
        self.lookout.start()
        assert ready.wait(SOON)
        assert self.lookout.is_current(BUILT)
        self.took_in.acquire()
        self.notes = sorted((self.root / "2-memories").glob("*.md"))
        self.vouched = Memvault(
            self.root,
            environment=self.environment,
            is_index_current=lambda catalogue: self.lookout.is_index_current(catalogue, SOON),
        )
        self.unvouched = self.opened()

    def opened(self) -> Memvault:
        settings = {"watch.debounce_ms": DEBOUNCE_MS}
        return Memvault(self.root, environment=self.environment, settings=settings)

    def save(self, turn: int) -> str:
        """Save one of the notes as many editors do, with a word that was never there before."""
        note, word = self.notes[turn * 7 % len(self.notes)], f"zq{turn}x{time.perf_counter_ns()}"
        beside = note.with_name(".saving.tmp")
        beside.write_bytes(note.read_bytes() + f"\n{word}\n".encode())
        beside.replace(note)
        return word

    def taken_in(self, turn: int) -> float:
        """Seconds from a save until it is in the catalogue, without anybody asking; debounce not counted."""
        self.save(turn)
        began = time.perf_counter()
        assert self.took_in.acquire(timeout=SOON)
        return time.perf_counter() - began - DEBOUNCE_MS / 1000

    def recalled(self, turn: int) -> float:
        """Seconds that a recall right after a save takes, which finds what was saved."""
        word = self.save(turn)
        began = time.perf_counter()
        assert self.vouched.recall(word, min_similarity=0.0).hits
        took = time.perf_counter() - began
        self.took_in.acquire()
        return took

    def close(self) -> None:
        """Watch no longer."""
        for vault in (self.vouched, self.unvouched):
            vault.close()
        self.lookout.stop()


@contextmanager
def bench(notes: int) -> Iterator[Bench]:
    """Such a vault for as long as the block lasts."""
    with tempfile.TemporaryDirectory() as name:
        made = Bench(Path(name), notes)
        try:
            yield made
        finally:
            made.close()


def show(what: str, seconds: list[float]) -> None:
    slow = late(seconds, 0.99)
    print(f"  {what:<58} {statistics.median(seconds) * 1000:8.1f} ms   p99 {slow * 1000:8.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--idle", type=float, default=30.0, help="seconds to do nothing in")
    given = parser.parse_args()
    for notes in given.notes:
        with bench(notes) as made:
            print(f"{notes:,} notes")
            show("saved -> in the catalogue, after the debounce", [made.taken_in(n) for n in range(given.rounds)])
            show("saved -> recalled at once, where the watch vouches", [made.recalled(n) for n in range(given.rounds)])
            vouch = statistics.median(wall_ms(partial(made.lookout.is_current, SOON)) for _ in range(200))
            scan = statistics.median(wall_ms(made.unvouched.refresh) for _ in range(15))
            print(f"  {'to vouch when nothing changed':<58} {vouch * 1000:8.1f} µs")
            print(f"  {'to look at every file, where nobody vouches':<58} {scan:8.1f} ms   x {scan / vouch:,.0f}")
            before = time.process_time()
            time.sleep(given.idle)
            spent = time.process_time() - before
            print(f"  {f'CPU of the watching process in {given.idle:g} idle seconds':<58} {spent * 1000:8.1f} ms")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
