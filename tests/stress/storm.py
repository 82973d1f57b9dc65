"""A storm of files on a watched vault: `python -m tests.stress.storm --notes 20000`. All must be found within a minute."""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from pathlib import Path

from memvault.api import Memvault
from memvault.daemon.watcher import VaultWatcher
from tests.stress.vaults import environment

WITHIN = 60.0


def storm(root: Path, notes: int, *, folders: int) -> None:
    """Write notes as fast as they can be written, each in place, some of them twice, into folders made meanwhile."""
    for number in range(notes):
        folder = root / "2-memories" / f"storm {number % folders}"
        folder.mkdir(exist_ok=True)
        note = folder / f"drop {number}.md"
        note.write_text("")
        note.write_text(f"# Drop {number}\n\nOne of {notes} drops, and its mark is drop{number:07d}.\n")
        if number % 3 == 0:
            with note.open("a") as opened:
                opened.write("It was saved once more.\n")


def watched(folder: Path, notes: int, folders: int) -> tuple[float, float, int]:
    """Seconds that the storm took, seconds from its end until all is vouched for, and how many notes are missing."""
    machine, ready = environment(folder), threading.Event()
    Memvault.init(folder / "vault")
    lookout = VaultWatcher(lambda: Memvault(folder / "vault", environment=machine), ready=lambda _root: ready.set())
    lookout.start()
    assert ready.wait(WITHIN)
    assert lookout.is_current(WITHIN)
    began = time.perf_counter()
    storm(folder / "vault", notes, folders=folders)
    ended = time.perf_counter()
    is_current = False
    while not is_current and time.perf_counter() - ended < 10 * WITHIN:
        is_current = lookout.is_current(WITHIN)
    took = time.perf_counter() - ended
    with Memvault(folder / "vault", environment=machine, is_index_current=lambda _catalogue: True) as vault:
        missing = notes - vault.list(limit=1).total
        marks = (f"drop{number:07d}" for number in range(0, notes, max(1, notes // 100)))
        missing += sum(not vault.recall(mark, min_similarity=0.0, limit=1).hits for mark in marks)
    lookout.stop()
    return ended - began, took, missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--folders", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        lasted, took, missing = watched(Path(name), given.notes, given.folders)
    print(f"{given.notes:,} notes written in {lasted:.1f} s; all known {took:.1f} s later: {missing} missing")
    print(f"{time.process_time():.1f} s of CPU in all, of which most is the indexing")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if missing or took > WITHIN:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
