"""One vault on three machines that all work at the same time and sync by git: nothing is lost, all end alike.

Run it as `python -m tests.stress.clones --rounds 40 --seeds 20`; with `--plugin 0.3`, a plugin commits, pulls and pushes
by git alone in so many rounds of each machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import memvault
from memvault.api import Memvault
from memvault.errors import MemvaultError
from tests.stress.trials import report

_TOPICS = ("boat", "quay", "viola", "gauge", "river", "letter", "garden", "train")


class _Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@dataclass
class Figures:
    """What a run came to."""

    rounds: int = 0
    syncs: int = 0
    merged: int = 0
    contested: int = 0
    pulls: int = 0  # by git alone
    stopped: int = 0  # of which git could not end
    troubles: list[str] = field(default_factory=list)


class _Machine:
    """One clone with a home, and a device id, of its own."""

    def __init__(self, folder: Path, name: str, clock: _Clock) -> None:
        home = folder / f"home-{name}"
        home.mkdir()
        self.root = folder / name
        self.clock = clock
        self.environment = {
            **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "STATE")},
            "HOME": str(home),
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(Path(memvault.__file__).parents[1]),  # git calls it from the vault
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": f"{name}@example.org",
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": f"{name}@example.org",
        }

    def open(self, session: str = "") -> Memvault:
        return Memvault(self.root, clock=self.clock, zone=UTC, environment=self.environment, session=session)


class Clones:
    """Three machines at work on one vault."""

    def __init__(self, folder: Path, seed: int, *, plugin: float = 0) -> None:
        self._chance = random.Random(seed)
        self._plugin = plugin  # how often it is at work
        self._clock = _Clock()
        self.machines = [_Machine(folder, name, self._clock) for name in ("a", "b", "c")]
        self.figures = Figures()
        self._lines: set[str] = set()  # every line that was ever written, and that nobody took out
        self._ids: set[str] = set()
        self._touches: Counter[str] = Counter()
        self._number = 0
        self._begin(folder / "hub.git")

    def _begin(self, hub: Path) -> None:
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(hub)], check=True)
        first = self.machines[0]
        Memvault.init(first.root, clock=self._clock)
        with first.open() as vault:
            vault.sync_init(remote=str(hub))
            for topic in _TOPICS:
                self._remember(vault, topic)
            vault.sync_run()
        for machine in self.machines[1:]:
            subprocess.run(["git", "clone", "--quiet", str(hub), str(machine.root)], check=True)
            with machine.open() as vault:
                vault.sync_init()

    # -- what people and memvault do

    def round(self) -> None:
        """Every machine does a few things, and maybe syncs."""
        for machine in self.machines:
            for _ in range(self._chance.randrange(1, 4)):
                self._number += 1
                with machine.open(session=f"session-{self._number}") as vault:
                    self._act(vault)
            if self._plugin and self._chance.random() < self._plugin:
                self._back_up(machine)
            if self._chance.random() < 0.6:
                self._sync(machine)
        self.figures.rounds += 1

    def _act(self, vault: Memvault) -> None:
        memories = [row.memory for row in vault.list().rows if row.memory.id in self._ids]
        acts = (self._remember_new, self._edit_by_hand, self._append, self._tag, self._pin, self._touch, self._move)
        act = self._chance.choice((*acts, self._edit_by_hand, self._archive))
        try:
            act(vault, self._chance.choice(sorted(memories, key=lambda memory: memory.id)).id if memories else "")
        except MemvaultError as error:
            if type(error).__name__ not in {"NothingToDo", "ChangedMeanwhile", "NotFound", "AlreadyThere"}:
                raise

    def _line(self) -> str:
        self._number += 1
        line = f"Line {self._number} of {self._chance.choice(_TOPICS)} {self._chance.random():.9f}."
        self._lines.add(line)
        return line

    def _remember(self, vault: Memvault, topic: str) -> None:
        text = "\n\n".join((self._line(), self._line(), self._line()))
        self._ids.add(
            vault.remember(text, title=f"{topic} {self._number}", kind="semantic", again=True, near="ignore").memory.id
        )

    def _remember_new(self, vault: Memvault, _id: str) -> None:
        self._remember(vault, self._chance.choice(_TOPICS))

    def _edit_by_hand(self, vault: Memvault, id_: str) -> None:
        path = vault.root / self._path(vault, id_)
        text = path.read_text()
        line = self._line()
        own = [each for each in text.splitlines() if each in self._lines and each != line]
        place = self._chance.choice(own) if own else ""
        if place and self._chance.random() < 0.3:  # a line is rewritten: then the old one is nobody's loss
            self._lines.discard(place)
            path.write_text(text.replace(place, line))
        elif place:
            path.write_text(text.replace(place, f"{place}\n\n{line}"))
        else:
            path.write_text(f"{text}\n{line}\n")

    @staticmethod
    def _path(vault: Memvault, id_: str) -> str:
        return next(row.memory.path for row in vault.list().rows if row.memory.id == id_)

    def _append(self, vault: Memvault, id_: str) -> None:
        vault.edit(id_, append=self._line())

    def _tag(self, vault: Memvault, id_: str) -> None:
        vault.edit(id_, fields={"tags": (self._chance.choice(_TOPICS), f"t{self._number}")})

    def _pin(self, vault: Memvault, id_: str) -> None:
        vault.pin(id_)

    def _touch(self, vault: Memvault, id_: str) -> None:
        vault.show(id_)
        self._touches[id_] += 1

    def _move(self, vault: Memvault, id_: str) -> None:
        vault.move(id_, self._chance.choice(["hot", "memories"]))

    def _archive(self, vault: Memvault, id_: str) -> None:
        vault.move(id_, "archived")

    # -- syncing, and what must hold

    def _sync(self, machine: _Machine) -> None:
        with machine.open() as vault:
            done = vault.sync_run()
        self.figures.syncs += 1
        self.figures.merged += done.pulled
        self.figures.contested += len(done.contested)

    def _back_up(self, machine: _Machine) -> None:
        """Commit all, pull and push, as a plugin of an editor's does; a pull that stops is left to the next run."""

        def git(*words: str) -> bool:
            ran = subprocess.run(
                ["git", *words], cwd=machine.root, env=machine.environment, capture_output=True, check=False
            )
            return ran.returncode == 0

        git("add", "--all")
        git("commit", "--quiet", "-m", "vault backup")
        self.figures.pulls += 1
        if git("pull", "--quiet", "--no-rebase", "--no-edit"):
            git("push", "--quiet")
        else:
            self.figures.stopped += 1

    def settle(self) -> Figures:
        """Sync until nobody has anything new, and look whether all is there."""
        for machine in (*self.machines, *self.machines, *self.machines):
            self._sync(machine)
        trees = [_tree(machine.root) for machine in self.machines]
        for tree in trees[1:]:
            self.figures.troubles += [
                f"{name} differs" for name in trees[0].keys() | tree.keys() if trees[0].get(name) != tree.get(name)
            ]
        whole = "\n".join(text.decode() for name, text in trees[0].items() if name.endswith(".md"))
        self.figures.troubles += [f"{line!r} is lost" for line in sorted(self._lines) if line not in whole]
        self.figures.troubles += [f"{id_} is lost" for id_ in sorted(self._ids) if f"id: {id_}" not in whole]
        self.figures.troubles += [
            f"{id_} is there twice" for id_ in sorted(self._ids) if whole.count(f"\nid: {id_}") > 1
        ]
        with self.machines[0].open() as vault:
            self.figures.troubles += self._miscounted(vault)
        return self.figures

    def _miscounted(self, vault: Memvault) -> list[str]:
        """Uses that were journaled on any machine are known on each, once."""
        journals = sorted((vault.root / ".memvault" / "journal").glob("*/*.jsonl"))
        entries = [json.loads(line) for path in journals for line in path.read_text().splitlines()]
        found = Counter(entry["id"] for entry in entries if entry["e"] == "touch" and entry["why"] == "show")
        return [
            f"{id_}: {found[id_]} instead of {times}" for id_, times in self._touches.items() if found[id_] != times
        ]


def _tree(root: Path) -> dict[str, bytes]:
    """What travels of a vault: every file that git knows."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True).stdout
    return {name: (root / name).read_bytes() for name in names.split("\0") if name}


def run(folder: Path, *, rounds: int, seed: int, plugin: float = 0) -> Figures:
    """One history of three machines."""
    clones = Clones(folder, seed, plugin=plugin)
    for _ in range(rounds):
        clones.round()
    return clones.settle()


def main() -> None:
    """Run some histories, and say what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--plugin", type=float, default=0.0)
    given = parser.parse_args()
    report(_tell(seed, given.rounds, given.plugin) for seed in range(given.first, given.first + given.seeds))


def _tell(seed: int, rounds: int, plugin: float) -> tuple[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), rounds=rounds, seed=seed, plugin=plugin)
    pulls = f"{found.pulls} pulls by git alone ({found.stopped} stopped)"
    told = f"seed {seed}: {found.syncs} syncs, {found.merged} commits merged, {found.contested} contested, {pulls}"
    return told, found.troubles


if __name__ == "__main__":
    main()
