"""Many processes on one vault, through the API: `python -m tests.stress.vaults --processes 8 --remember 50 --updates 200`."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memvault import Memvault, MemvaultError


def environment(folder: Path) -> dict[str, str]:
    """A machine of its own, so that nothing of this one is touched."""
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    return {name: str(folder / "machine" / name) for name in names}


def rememberer(folder: Path, who: int, count: int) -> None:
    """One process that remembers things, half of them under the same title as everybody else's."""
    with Memvault(folder / "vault", environment=environment(folder)) as vault:
        for number in range(count):
            title = "The same title" if number % 2 else f"Title {who} {number}"
            vault.remember(f"Process {who} says its sentence number {number}.", title=title)


def updater(folder: Path, who: int, count: int) -> None:
    """One process that adds a line to one and the same note, again and again."""
    with Memvault(folder / "vault", environment=environment(folder)) as vault:
        for number in range(count):
            vault.edit("Shared note", append=f"line {who}.{number}")


def racer(folder: Path, who: int, count: int) -> None:
    """One process that reads a note, counts in it, and writes it only if it still is what was read."""
    with Memvault(folder / "vault", environment=environment(folder)) as vault:
        for number in range(count, 2 * count):
            _insist(partial(_add, vault, f"{who}.{number}"))


def _add(vault: Memvault, mark: str) -> None:
    read = vault.source("Shared note")[0]
    vault.edit(
        "Shared note", append=f"line {mark}", fields={"access_count": read.access_count + 1}, version=read.version
    )


def _insist(act: Callable[[], object]) -> None:
    """A lost race is an error that says so; whoever wants to, looks again and repeats."""
    while True:
        try:
            act()
        except MemvaultError as error:
            if error.code != "ChangedMeanwhile":
                raise
        else:
            return


def all_at_once(work: Callable[[Path, int, int], None], folder: Path, processes: int, count: int) -> float:
    """Let several processes work at the same time, and say how long they took."""
    context = multiprocessing.get_context("spawn")
    started = time.perf_counter()
    workers = [context.Process(target=work, args=(folder, who, count)) for who in range(processes)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(worker.exitcode == 0 for worker in workers), [worker.exitcode for worker in workers]
    return time.perf_counter() - started


def lost_memories(folder: Path, processes: int, count: int) -> int:
    """How many of the remembered sentences are nowhere in the vault."""
    text = "\n".join(path.read_text() for path in (folder / "vault").rglob("*.md"))
    said = (f"Process {who} says its sentence number {number}." for who in range(processes) for number in range(count))
    return sum(sentence not in text for sentence in said)


def lost_updates(folder: Path, processes: int, count: int) -> int:
    """How many of the added lines are missing."""
    with Memvault(folder / "vault", environment=environment(folder)) as vault:
        memory = vault.source("Shared note")[0]
    lines = set((memory.body or "").split("\n"))
    return sum(f"line {who}.{number}" not in lines for who in range(processes) for number in range(count))


def lost_counts(folder: Path, processes: int, count: int) -> int:
    """How far the number in the note is off."""
    with Memvault(folder / "vault", environment=environment(folder)) as vault:
        return abs(vault.source("Shared note")[0].access_count - processes * count)


def killed(folder: Path, after: float) -> int:
    """A rememberer killed at a random moment beside another writer; its notes are whole, the next command is clean."""
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=rememberer, args=(folder, 99, 1_000))
    other = context.Process(target=updater, args=(folder, round(after * 1_000), 5))
    for each in (worker, other):
        each.start()
    time.sleep(after)
    os.kill(worker.pid or 0, signal.SIGKILL)
    worker.join()
    other.join()
    assert other.exitcode == 0
    with Memvault(folder / "vault", environment=environment(folder)) as vault:
        vault.remember("The next command is clean.")
        added = set((vault.source("Shared note")[0].body or "").split("\n"))
        lost = sum(f"line {round(after * 1_000)}.{number}" not in added for number in range(5))
        return lost + sum(bool(row.memory.problem) for row in vault.list().rows)


def new_vault(folder: Path) -> Path:
    """A vault with one note that everybody will write to."""
    Memvault.init(folder / "vault")
    with Memvault(folder / "vault", environment=environment(folder)) as vault:
        vault.remember("It begins.", title="Shared note")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--remember", type=int, default=50)
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--races", type=int, default=10)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = new_vault(Path(name))
        seconds = all_at_once(rememberer, folder, given.processes, given.remember)
        lost = lost_memories(folder, given.processes, given.remember)
        print(f"{given.processes} x {given.remember} remembered in {seconds:.1f} s: {lost} lost")
        seconds = all_at_once(updater, folder, given.processes, given.updates)
        lost = lost_updates(folder, given.processes, given.updates)
        print(f"{given.processes} x {given.updates} updates of one note in {seconds:.1f} s: {lost} lost")
        seconds = all_at_once(racer, folder, given.processes, given.races)
        lost = lost_counts(folder, given.processes, given.races)
        print(f"{given.processes} x {given.races} races for one note in {seconds:.1f} s: {lost} lost")
        torn = sum(killed(folder, 0.4 + 0.05 * number) for number in range(given.kills))
        print(f"{given.kills} writers killed: {torn} notes torn or lines of others lost")


if __name__ == "__main__":
    main()
