"""A busy day on one vault: editors, a watcher, hooks, edits, memories and upkeep, all at once, each in its process.

Run it as `python -m tests.stress.mixed_load --seconds 600`. Nothing may be lost, no index set aside, nothing crash.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from unittest.mock import patch

from memvault import Memvault, MemvaultError
from memvault.agents.hooks import handler
from memvault.daemon.watcher import VaultWatcher
from memvault.storage.index import index as index_module
from tests.stress import hooks

_EXPECTED = {"ChangedMeanwhile", "Busy", "MaintenanceUnderWay", "NothingSaid"}
_NOTES = 8  # that each editor has


@dataclass(frozen=True, slots=True)
class Ground:
    """The folder of a run: a vault, a machine, and what each worker writes down."""

    folder: Path
    environment: dict[str, str]

    @property
    def root(self) -> Path:
        """The vault."""
        return self.folder / "vault"

    def open(self) -> Memvault:
        """Open the vault as a new process does."""
        return Memvault(self.root, environment=self.environment)

    def note_said(self, who: str, sentence: str) -> None:
        """Note a sentence that must be somewhere at the end."""
        with (self.folder / f"said-{who}.txt").open("a") as file:
            file.write(f"{sentence}\n")

    def note_trouble(self, text: str) -> None:
        """Note what must not happen."""
        with (self.folder / "trouble.txt").open("a") as file:
            file.write(f"{text}\n")


# What each process does, once.


def remember(ground: Ground, who: str, turn: int) -> None:
    """Remember a sentence of its own."""
    sentence = f"Worker {who} says its sentence {turn}."
    with ground.open() as vault:
        vault.remember(sentence, title=f"Sentence {who} {turn}")
    ground.note_said(who, sentence)


def edit(ground: Ground, who: str, turn: int) -> None:
    """Add a line to a note that others add to."""
    line = f"line {who} {turn}."
    with ground.open() as vault:
        vault.edit("Shared note", append=line)
    ground.note_said(who, line)


def save(ground: Ground, who: str, turn: int) -> None:
    """Save notes as an editor does, in place or by renaming, without any lock."""
    note = ground.root / "2-memories" / f"editor {who} {turn % _NOTES}.md"
    line = f"save {who} {turn}."
    text = (note.read_text() if note.exists() else f"# Editor {who} {turn % _NOTES}\n\n") + f"{line}\n"
    if turn % 2:
        aside = note.with_name(f".{note.name}.swp")
        aside.write_text(text)
        aside.replace(note)
    else:
        note.write_text(text)
    ground.note_said(who, line)


def recall(ground: Ground, who: str, turn: int) -> None:
    """Ask for what others write."""
    with ground.open() as vault:
        vault.recall(f"sentence {turn} of worker {who}")


def maintain(ground: Ground, _who: str, _turn: int) -> None:
    """Do the upkeep."""
    with ground.open() as vault:
        vault.maintain()


def hear(ground: Ground, who: str, turn: int) -> None:
    """Answer the events of an agent's session."""
    event = {**hooks.EVENTS[turn % len(hooks.EVENTS)], "session_id": f"00000000-0000-4000-8000-00000000{who[-1]}000"}
    with patch("memvault.agents.hooks.session.start_save", lambda *_, **__: None):
        hooks.check(handler.answer_event(json.dumps(event).encode(), [], ground.environment))


WORKERS: dict[str, Callable[[Ground, str, int], None]] = {
    **{f"remember{number}": remember for number in range(2)},
    **{f"edit{number}": edit for number in range(2)},
    **{f"save{number}": save for number in range(2)},
    **{f"recall{number}": recall for number in range(1)},
    **{f"hear{number}": hear for number in range(2)},
    "maintain0": maintain,
}


# Running them.


@contextmanager
def telling_of_set_aside(ground: Ground) -> Iterator[None]:
    """Write down why an index is set aside."""
    real = index_module.set_aside

    def tell(folder: Path) -> None:
        ground.note_trouble(f"set aside: {folder.name}\n{''.join(traceback.format_exc())}")
        real(folder)

    with patch.object(index_module, "set_aside", tell), patch("memvault.open_vault.set_aside", tell):
        yield


def work(ground: Ground, who: str, seconds: float) -> None:
    """Do one thing again and again until the time is over."""
    until, turn, chance = time.monotonic() + seconds, 0, Random(who)
    with telling_of_set_aside(ground):
        while time.monotonic() < until:
            try:
                WORKERS[who](ground, who, turn)
            except MemvaultError as error:
                if error.code not in _EXPECTED:
                    ground.note_trouble(f"{who}: {error.code}: {error}\n{traceback.format_exc()}")
            except Exception:
                ground.note_trouble(f"{who}: traceback\n{traceback.format_exc()}")
            turn += 1
            time.sleep(chance.random() / 20)
    with (ground.folder / "turns.txt").open("a") as file:
        file.write(f"{who} {turn}\n")


def watch(ground: Ground, seconds: float) -> None:
    """Keep the index current, as `memvault vault watch` does."""
    with telling_of_set_aside(ground):
        watcher = VaultWatcher(ground.open, ready=lambda _root: None)
        watcher.start()
        threading.Event().wait(seconds)
        watcher.stop()


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run came to."""

    turns: int
    said: int
    lost: tuple[str, ...]
    trouble: str
    findings: tuple[str, ...]


def run(folder: Path, seconds: float) -> Figures:
    """Let all work at once, then look for everything that was written."""
    ground = Ground(folder, {**hooks.surroundings(folder)})
    with ground.open() as vault:
        vault.remember("It begins.", title="Shared note")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=work, args=(ground, who, seconds)) for who in WORKERS]
    processes.append(context.Process(target=watch, args=(ground, seconds)))
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        if process.exitcode:
            ground.note_trouble(f"a process ended with {process.exitcode}")
    return judge(ground)


def judge(ground: Ground) -> Figures:
    """Return what the run came to."""
    texts = "\n".join(path.read_text(errors="replace") for path in ground.root.rglob("*.md"))
    said = [line for path in ground.folder.glob("said-*.txt") for line in path.read_text().splitlines()]
    trouble = ground.folder / "trouble.txt"
    turns = (ground.folder / "turns.txt").read_text().split("\n")
    with telling_of_set_aside(ground), ground.open() as vault:
        findings = [f"{each.check}: {each.sentence}" for each in vault.doctor().findings if "ndex" in each.sentence]
    return Figures(
        sum(int(line.split()[1]) for line in turns if line),
        len(said),
        tuple(line for line in said if line not in texts),
        trouble.read_text() if trouble.exists() else "",
        tuple(findings),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        figures = run(Path(name), given.seconds)
    aside, crashes = figures.trouble.count("set aside:"), figures.trouble.count("Traceback")
    print(
        f"{given.seconds:.0f} s, {figures.turns:,} turns, {figures.said:,} sentences:"
        f" {len(figures.lost)} lost, {aside} set aside, {crashes} tracebacks"
    )
    print(figures.trouble, *figures.lost[:10], *figures.findings, sep="\n")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if figures.lost or figures.trouble or figures.findings:
        sys.exit(1)


if __name__ == "__main__":
    main()
