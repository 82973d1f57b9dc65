"""How long it takes to remember in a daemon: `python -m tests.benchmarks.remember --notes 10000`.

Each text is a new one in the words of the vault, so that the look for near-duplicates finds notes to hold it against.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from itertools import islice
from pathlib import Path

from memvault import Memvault
from tests.benchmarks.corpus import Corpus, write
from tests.benchmarks.measuring import wall_ms
from tests.benchmarks.processes import machine

_WORDS = 40


def texts(count: int, *, after: int) -> list[str]:
    """New texts about what the vault is about: three of four say what nobody knows, one what a note begins with."""
    notes = islice(Corpus().notes(after + count), after, None)
    known = [" ".join(note.body.split()[:_WORDS]) for note in notes]
    new = Corpus().prompts(2 * (after + count))[2 * after :]
    pairs = zip(new[::2], new[1::2], strict=True)
    fresh = [
        f"{first.capitalize()}. {second.capitalize()}, number {after + at}." for at, (first, second) in enumerate(pairs)
    ]
    return [begun if at % 4 == 0 else said for at, (begun, said) in enumerate(zip(known, fresh, strict=True))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--at", type=Path, help="a folder to keep the vault in for further runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.at or Path(name)
        environment = {**machine(folder), "PATH": os.environ.get("PATH", "")}
        root = folder / "vault"
        if not root.exists():
            write(root, given.notes)
            Memvault.init(root)
        with Memvault(root, environment=environment) as vault:
            vault.refresh()
            vault.remember("The first one opens the index and makes the folders.")
            wanted = texts(given.runs, after=vault.status().memories - given.notes)  # a vault that was kept knows some
            taken = [wall_ms(lambda text=text: vault.remember(text)) for text in wanted]  # type: ignore[misc]
            read = wall_ms(vault.refresh)
    taken.sort()
    print(
        f"{given.notes:,} notes, {len(taken)} texts remembered one after the other, near-duplicates and fsync included"
    )
    print(
        f"median {statistics.median(taken):.1f} ms, 90 % below {taken[int(len(taken) * 0.9)]:.1f} ms, most {taken[-1]:.1f}"
    )
    print(f"taking all of them into the index at the next read: {read:.0f} ms")


if __name__ == "__main__":
    main()
