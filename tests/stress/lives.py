"""Random lives of one vault on two machines beside a model of it that is a few lists: at every step the two agree.

Memories are made, edited, edited by hand, moved, moved by hand, archived, forgotten, merged and synced; upkeep runs,
commands are killed, indexes are thrown away. Run it as `python -m tests.stress.lives --seeds 0 1000 --steps 50`; a life
that goes wrong is told by its seed, and lived again by `--seeds 17 18 --told`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

from memvault import Memvault
from memvault.errors import MemvaultError, NothingToDo
from memvault.storage import frontmatter
from tests.stress.deaths import dying
from tests.stress.pictures import Picture
from tests.stress.trials import unsynced

MACHINES = ("desk", "laptop")
BEGAN = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
_LINE = re.compile(r"^Line \d+ of [a-z]+\.$", re.MULTILINE)
_OUTSIDE = (".git", ".memvault", "templates")
_ROUNDS = 6  # of both machines handing on what they have, until neither has anything new
_NO_TIDYING = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "gc.auto",
    "GIT_CONFIG_VALUE_0": "0",
    "GIT_CONFIG_KEY_1": "maintenance.auto",
    "GIT_CONFIG_VALUE_1": "false",
}


@dataclass(slots=True)
class Note:
    """What the model knows of one memory."""

    path: str
    lines: list[str]


@dataclass(slots=True)
class Copy:
    """What the model knows of one machine's copy: its memories by their ids, and the lines that were thrown away."""

    notes: dict[str, Note] = field(default_factory=dict)
    thrown: set[str] = field(default_factory=set)


class Ground:
    """A hub and two machines with an empty vault on each, at one place for all lives of a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lay()
        self._picture = Picture.of(folder)

    def begin(self) -> None:
        """As it was before the first life."""
        self._picture.restore()

    def open(self, machine: str, now: datetime) -> Memvault:
        """The vault on one of the machines at some moment."""
        home = self.folder / f"home-{machine}"
        names = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "STATE")}
        environment = {**names, **_NO_TIDYING, "HOME": str(home), "PATH": os.environ.get("PATH", "")}
        own = {"index.backend": "scan"}
        return Memvault(self.folder / machine, clock=lambda: now, zone=UTC, environment=environment, settings=own)

    def _lay(self) -> None:
        hub = self.folder / "hub.git"
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(hub)], check=True)
        Memvault.init(self.folder / "desk", clock=lambda: BEGAN)
        with self.open("desk", BEGAN) as vault:
            vault.sync_init(remote=str(hub))
            vault.sync_run()
        subprocess.run(["git", "clone", "--quiet", str(hub), str(self.folder / "laptop")], check=True)
        with self.open("laptop", BEGAN) as vault:
            vault.sync_init()


class Life:
    """One vault on two machines, and the model of it."""

    def __init__(self, ground: Ground, made: Random) -> None:
        ground.begin()
        self.ground, self.folder, self.made = ground, ground.folder, made
        self.ids = Random(made.random())  # apart from what is done, as nobody knows how many are asked for
        self.copies = {name: Copy() for name in MACHINES}
        self.now = BEGAN
        self.number = 0
        self.lived: Counter[str] = Counter()

    def step(self) -> None:
        """Do one thing on one machine; where there is nothing to do it to, something is made."""
        machine = self.made.choice(MACHINES)
        name = self.made.choices(list(DEEDS), [weight for weight, _ in DEEDS.values()])[0]
        if name not in _OF_NOTHING and not any(note.lines for note in self.copies[machine].notes.values()):
            name = "create"
        self.lived[name] += 1
        DEEDS[name][1](self, machine)

    def open(self, machine: str) -> Memvault:
        self.now += timedelta(seconds=1)
        return self.ground.open(machine, self.now)

    # -- what is done

    def create(self, machine: str) -> None:
        lines = [self.line(), self.line()]
        with self.open(machine) as vault:
            made = vault.remember("\n\n".join(lines), title=f"Note {self.number}", kind="semantic", near="ignore")
        self.copies[machine].notes[made.memory.id] = Note(made.memory.path, lines)
        self.agree(machine)

    def edit(self, machine: str) -> None:
        id_, line = self.chosen(machine), self.line()
        with self.open(machine) as vault:
            vault.edit(id_, append=line)
        self.copies[machine].notes[id_].lines.append(line)
        self.agree(machine)

    def edit_by_hand(self, machine: str) -> None:
        note, line = self.copies[machine].notes[self.chosen(machine)], self.line()
        path = self.folder / machine / note.path
        first = note.lines[0]
        path.write_text(path.read_text().replace(first, f"{line}\n\n{first}", 1))
        note.lines.insert(0, line)
        self.agree(machine)

    def move(self, machine: str) -> None:
        id_, to = self.chosen(machine), self.made.choice(["hot", "memories", "archived"])
        with self.open(machine) as vault:
            try:
                moved = vault.move(id_, to)
            except NothingToDo:
                return
        self.copies[machine].notes[id_].path = moved.memory.path
        self.agree(machine)

    def move_by_hand(self, machine: str) -> None:
        note = self.copies[machine].notes[self.chosen(machine)]
        self.number += 1
        target = self.folder / machine / "2-memories" / f"By hand {self.number}" / f"moved {self.number}.md"
        target.parent.mkdir(exist_ok=True)
        (self.folder / machine / note.path).rename(target)
        note.path = target.relative_to(self.folder / machine).as_posix()
        self.agree(machine)

    def forget(self, machine: str) -> None:
        id_, copy = self.chosen(machine), self.copies[machine]
        with self.open(machine) as vault:
            vault.forget(id_)
        copy.thrown |= set(copy.notes.pop(id_).lines)
        self.agree(machine)

    def forget_and_restore(self, machine: str) -> None:
        id_ = self.chosen(machine)
        with self.open(machine) as vault:
            vault.forget(id_)
            self.copies[machine].notes[id_].path = vault.restore(id_).memory.path
        self.agree(machine)

    def merge(self, machine: str) -> None:
        ids = [self.chosen(machine), self.chosen(machine)]
        if ids[0] != ids[1]:
            with self.open(machine) as vault:
                try:
                    vault.merge(*ids)
                except MemvaultError:
                    self.agree(machine)
                    return
            self.read_again(machine)

    def undo(self, machine: str) -> None:
        with self.open(machine) as vault:
            vault.edit(self.chosen(machine), append=self.line())
            vault.undo()
        self.agree(machine)

    def crash(self, machine: str) -> None:
        """A command is killed at some step; the next one finds the note as it was or as it was to be."""
        id_, line, at = self.chosen(machine), self.line(), self.made.randint(1, 45)
        self.killed(machine, lambda vault: vault.edit(id_, append=line), at)
        with self.open(machine) as vault:
            vault.pin(id_)
            vault.unpin(id_)
        if line in self.on_disk(machine)[id_].lines:
            self.copies[machine].notes[id_].lines.append(line)
        self.agree(machine)

    def reindex(self, machine: str) -> None:
        with self.open(machine) as vault:
            vault.reindex()
        self.agree(machine)

    def maintain(self, machine: str) -> None:
        self.now += timedelta(days=self.made.randint(0, 40))
        with self.open(machine) as vault:
            vault.maintain()
        self.read_again(machine)

    def sync(self, machine: str) -> None:
        """The machines hand on what they have until neither has anything new: then they are the same."""
        other = MACHINES[machine == MACHINES[0]]
        trees: list[dict[str, bytes]] = [{}, {"": b""}]
        for turn in range(_ROUNDS):
            with self.open((machine, other)[turn % 2]) as vault:
                vault.sync_run()
            trees = [_files(self.folder / each) for each in MACHINES]
            if turn >= 2 and trees[0] == trees[1]:
                break
        assert trees[0] == trees[1], _differing(*trees)
        self.has_all()

    def sync_killed(self, machine: str) -> None:
        """A sync is killed at some step or run of git; the next one brings it to its end."""
        at = self.made.randint(1, 60)
        self.killed(machine, lambda vault: vault.sync_run(), at)
        self.sync(machine)

    def has_all(self) -> None:
        """After a sync: no line is gone from either machine that nobody threw away."""
        thrown = self.copies["desk"].thrown | self.copies["laptop"].thrown
        had = {line for copy in self.copies.values() for note in copy.notes.values() for line in note.lines} - thrown
        for machine in MACHINES:
            assert had <= self.all_lines(machine), f"lost on {machine}: {had - self.all_lines(machine)}"
            self.copies[machine] = Copy(self.on_disk(machine), set())
        for machine in MACHINES:
            self.agree(machine)

    # -- what must hold

    def agree(self, machine: str) -> None:
        """The files, the catalogue and the model say the same."""
        model, found = self.copies[machine].notes, self.on_disk(machine)
        assert found == model, f"on {machine}: {_differing(found, model)}"
        with self.open(machine) as vault:
            known = {row.memory.id: row.memory.path for row in vault.list(limit=10_000).rows}
        paths = {id_: note.path for id_, note in found.items() if "/archived/" not in note.path}
        listed = {id_: path for id_, path in known.items() if "/archived/" not in path}
        assert listed == paths, f"the catalogue of {machine}: {_differing(listed, paths)}"

    def read_again(self, machine: str) -> None:
        """What memvault decides for itself is taken over, but no line may have gone."""
        copy = self.copies[machine]
        had = {line for note in copy.notes.values() for line in note.lines}
        assert had <= self.all_lines(machine), f"lost on {machine}: {had - self.all_lines(machine)}"
        copy.notes = self.on_disk(machine)
        self.agree(machine)

    def on_disk(self, machine: str) -> dict[str, Note]:
        """Every memory outside the trash, as its file has it."""
        root = self.folder / machine
        found: dict[str, Note] = {}
        for path in sorted(root.rglob("*.md")):
            inside = path.relative_to(root)
            block = frontmatter.parse(path.read_bytes())
            id_ = str(block.fields.get("id", ""))
            if id_ and inside.parts[0] not in (*_OUTSIDE, ".trash"):
                assert id_ not in found, f"{id_} is there twice: {found[id_].path} and {inside}"
                found[id_] = Note(inside.as_posix(), _LINE.findall(block.text))
        return found

    def all_lines(self, machine: str) -> set[str]:
        """Every line that any memory has, outside the trash."""
        return {line for note in self.on_disk(machine).values() for line in note.lines}

    # -- how it is done

    def line(self) -> str:
        self.number += 1
        return f"Line {self.number} of {('boats', 'quays', 'violas', 'gauges')[self.number % 4]}."

    def chosen(self, machine: str) -> str:
        return self.made.choice(sorted(id_ for id_, note in self.copies[machine].notes.items() if note.lines))

    def killed(self, machine: str, act: Callable[[Memvault], object], at: int) -> None:
        child = os.fork()
        if child == 0:
            self.ids.seed(str(self.now))  # what the killed one made may be there
            try:
                with self.open(machine) as vault, dying(at):
                    act(vault)
            finally:
                os._exit(0)
        self.now += timedelta(seconds=1)
        os.waitpid(child, 0)


DEEDS: Mapping[str, tuple[int, Callable[[Life, str], None]]] = {
    "create": (5, Life.create),
    "edit": (3, Life.edit),
    "edit by hand": (3, Life.edit_by_hand),
    "move": (3, Life.move),
    "move by hand": (2, Life.move_by_hand),
    "forget": (2, Life.forget),
    "forget and restore": (2, Life.forget_and_restore),
    "merge": (2, Life.merge),
    "undo": (2, Life.undo),
    "crash": (3, Life.crash),
    "reindex": (1, Life.reindex),
    "maintain": (2, Life.maintain),
    "sync": (1, Life.sync),
    "sync killed": (1, Life.sync_killed),
}  # with how often each is done
_OF_NOTHING = ("create", "reindex", "maintain", "sync", "sync killed")


def live(ground: Ground, seed: int, *, steps: int) -> tuple[Counter[str], str]:
    """Live one life; what was done in it, and what went wrong, if anything did."""
    life = Life(ground, Random(seed))
    try:
        # The same ids each time: they decide to which memory something is done.
        with patch("uuid.uuid4", lambda: UUID(int=life.ids.getrandbits(128), version=4)):
            for _ in range(steps):
                life.step()
            life.sync(MACHINES[0])
    except (AssertionError, MemvaultError) as error:
        return life.lived, f"life {seed}, step {life.lived.total()}: {type(error).__name__}: {error}"
    return life.lived, ""


def _files(root: Path) -> dict[str, bytes]:
    ran = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True)
    return {name: (root / name).read_bytes() for name in ran.stdout.split("\0") if (root / name).is_file()}


def _differing(one: dict[str, Any], other: dict[str, Any]) -> str:
    keys = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    return "; ".join(f"{key}: {one.get(key)!r} and {other.get(key)!r}" for key in keys[:3])


def run(*, seeds: range, steps: int, told: bool = False) -> tuple[Counter[str], list[str]]:
    """Live a life for each seed; what was done in all of them, and what went wrong in which."""
    lived: Counter[str] = Counter()
    wrong = []
    with tempfile.TemporaryDirectory(prefix="life-") as folder, unsynced():
        ground = Ground(Path(folder))
        for number, seed in enumerate(seeds, 1):
            done, trouble = live(ground, seed, steps=steps)
            lived += done
            wrong += [trouble] if trouble else []
            if told and (trouble or number % 50 == 0):
                print(trouble or f"{number} lives", flush=True)
    return lived, wrong


def main() -> None:
    """Say how many lives were lived, of how many steps, and how long that took."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seeds", type=int, nargs=2, default=(0, 1000), metavar=("FIRST", "END"))
    ask.add_argument("--steps", type=int, default=50)
    given = ask.parse_args()
    began, seeds = time.perf_counter(), range(*given.seeds)
    lived, wrong = run(seeds=seeds, steps=given.steps, told=True)
    took = time.perf_counter() - began
    print(f"{len(seeds)} lives from {seeds.start} on, {lived.total():,} steps in {took:.0f} s: {len(wrong)} problems")
    print(", ".join(f"{count} × {name}" for name, count in lived.most_common()))
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
