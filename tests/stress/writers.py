"""Many processes that count in one note: how many of their increments are lost.

Run it as `python -m tests.stress.writers --processes 8 --increments 500`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from memvault.system import files

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run came to."""

    counted: int
    longest_wait: float
    seconds: float


def run(folder: Path, *, processes: int, increments: int, durable: bool = True) -> Figures:
    """Let the processes count, and return what the note says in the end."""
    note = folder / "note.md"
    note.write_bytes(b"0")
    began = time.perf_counter()
    command = [sys.executable, "-m", "tests.stress.writers", "--increments", str(increments), "--note", str(note)]
    command += [] if durable else ["--no-fsync"]
    writers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    waits = []
    for writer in writers:
        said, _ = writer.communicate()
        assert writer.returncode == 0
        waits.append(float(said))
    return Figures(int(note.read_bytes()), max(waits), time.perf_counter() - began)


def count(note: Path, increments: int) -> float:
    """Add one to the number in the note again and again; return the longest wait for the lock, in seconds."""
    longest = 0.0
    for _ in range(increments):
        asked = time.perf_counter()
        with files.lock(note.with_name("lock"), wait=60):
            longest = max(longest, time.perf_counter() - asked)
            found = files.read_file(note)
            files.replace_note(note, b"%d" % (int(found) + 1), expected=found, hold=note.with_name("hold"))
            files.collect_late_writes(note.with_name("hold"), older_than_ns=0, now_ns=time.time_ns())
    return longest


def main() -> None:
    """Print what was counted and what was lost."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--processes", type=int, default=8)
    ask.add_argument("--increments", type=int, default=500)
    ask.add_argument("--no-fsync", action="store_true")
    ask.add_argument("--note", type=Path, help=argparse.SUPPRESS)
    given = ask.parse_args()
    if given.no_fsync:
        patch.object(os, "fsync", lambda descriptor: None).start()
    if given.note:
        print(count(given.note, given.increments))
        return
    with tempfile.TemporaryDirectory() as folder:
        got = run(Path(folder), processes=given.processes, increments=given.increments, durable=not given.no_fsync)
    wanted = given.processes * given.increments
    print(
        f"{given.processes} x {given.increments}: {wanted - got.counted} lost of {wanted}, longest wait "
        f"{got.longest_wait * 1000:.0f} ms, {got.seconds / wanted * 1000:.2f} ms each"
    )


if __name__ == "__main__":
    main()
