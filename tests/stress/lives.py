"""Random lives of one vault on two machines beside a model of it that is a few lists: at every step the two agree.

Memories are made, edited, edited by hand, moved, moved by hand, archived, forgotten, merged and synced; upkeep runs,
commands are killed, indexes are thrown away. Run it as `python -m tests.stress.lives --lives 1000 --steps 50`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from memvault import Memvault
from memvault.errors import MemvaultError, NothingToDo
from memvault.vault import frontmatter
from tests.stress.disks import overheard

MACHINES = ("desk", "laptop")
_LINE = re.compile(r"^Line \d+ of [a-z]+\.$", re.MULTILINE)
_OUTSIDE = (".git", ".memvault", "templates")
_OWN_ID = os.getpid

machines = st.sampled_from(MACHINES)
picks = st.integers(min_value=0, max_value=1_000)


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


class Life(RuleBasedStateMachine):
    """One vault on two machines, and the model of it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="life-"))
        self.copies = {name: Copy() for name in MACHINES}
        self.now = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
        self.number = 0

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, machine: str) -> Memvault:
        self.now += timedelta(seconds=1)
        moment = self.now
        home = self.folder / f"home-{machine}"
        names = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "STATE")}
        environment = {**names, "HOME": str(home), "PATH": os.environ.get("PATH", "")}
        own = {"index.backend": "scan"}
        return Memvault(self.folder / machine, clock=lambda: moment, zone=UTC, environment=environment, settings=own)

    # -- what is done

    @initialize()
    def begin(self) -> None:
        hub = self.folder / "hub.git"
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(hub)], check=True)
        Memvault.init(self.folder / "desk", clock=lambda: self.now)
        with self.open("desk") as vault:
            vault.sync_init(remote=str(hub))
            vault.sync_run()
        subprocess.run(["git", "clone", "--quiet", str(hub), str(self.folder / "laptop")], check=True)
        with self.open("laptop") as vault:
            vault.sync_init()

    @rule(machine=machines)
    def create(self, machine: str) -> None:
        lines = [self.line(), self.line()]
        with self.open(machine) as vault:
            made = vault.remember("\n\n".join(lines), title=f"Note {self.number}", kind="semantic", near="ignore")
        self.copies[machine].notes[made.memory.id] = Note(made.memory.path, lines)
        self.agree(machine)

    @rule(machine=machines, pick=picks)
    def edit(self, machine: str, pick: int) -> None:
        if id_ := self.chosen(machine, pick):
            line = self.line()
            with self.open(machine) as vault:
                vault.edit(id_, append=line)
            self.copies[machine].notes[id_].lines.append(line)
            self.agree(machine)

    @rule(machine=machines, pick=picks)
    def edit_by_hand(self, machine: str, pick: int) -> None:
        if id_ := self.chosen(machine, pick):
            note, line = self.copies[machine].notes[id_], self.line()
            path = self.folder / machine / note.path
            first = note.lines[0]
            path.write_text(path.read_text().replace(first, f"{line}\n\n{first}", 1))
            note.lines.insert(0, line)
            self.agree(machine)

    @rule(machine=machines, pick=picks, to=st.sampled_from(["hot", "memories", "archived"]))
    def move(self, machine: str, pick: int, to: str) -> None:
        if id_ := self.chosen(machine, pick):
            with self.open(machine) as vault:
                try:
                    moved = vault.move(id_, to)
                except NothingToDo:
                    return
            self.copies[machine].notes[id_].path = moved.memory.path
            self.agree(machine)

    @rule(machine=machines, pick=picks)
    def move_by_hand(self, machine: str, pick: int) -> None:
        if id_ := self.chosen(machine, pick):
            note = self.copies[machine].notes[id_]
            target = self.folder / machine / "2-memories" / f"By hand {self.number}" / f"moved {self.number}.md"
            self.number += 1
            target.parent.mkdir(exist_ok=True)
            (self.folder / machine / note.path).rename(target)
            note.path = target.relative_to(self.folder / machine).as_posix()
            self.agree(machine)

    @rule(machine=machines, pick=picks, back=st.booleans())
    def forget(self, machine: str, pick: int, back: bool) -> None:
        if id_ := self.chosen(machine, pick):
            copy = self.copies[machine]
            with self.open(machine) as vault:
                vault.forget(id_)
                if back:
                    copy.notes[id_].path = vault.restore(id_).memory.path
            if not back:
                copy.thrown |= set(copy.notes.pop(id_).lines)
            self.agree(machine)

    @rule(machine=machines, one=picks, other=picks)
    def merge(self, machine: str, one: int, other: int) -> None:
        ids = [self.chosen(machine, one), self.chosen(machine, other)]
        if all(ids) and ids[0] != ids[1]:
            with self.open(machine) as vault:
                try:
                    vault.merge(*ids)
                except MemvaultError:
                    self.agree(machine)
                    return
            self.read_again(machine)

    @rule(machine=machines, pick=picks)
    def undo(self, machine: str, pick: int) -> None:
        if id_ := self.chosen(machine, pick):
            with self.open(machine) as vault:
                vault.edit(id_, append=self.line())
                vault.undo()
            self.agree(machine)

    @rule(machine=machines, pick=picks, at=st.integers(min_value=1, max_value=45))
    def crash(self, machine: str, pick: int, at: int) -> None:
        """A command is killed at some step; the next one finds the note as it was or as it was to be."""
        if id_ := self.chosen(machine, pick):
            note, line = self.copies[machine].notes[id_], self.line()
            self.killed(machine, lambda vault: vault.edit(id_, append=line), at)
            with self.open(machine) as vault:
                vault.pin(id_)
                vault.unpin(id_)
            if line in self.on_disk(machine)[id_].lines:
                note.lines.append(line)
            self.agree(machine)

    @rule(machine=machines)
    def reindex(self, machine: str) -> None:
        with self.open(machine) as vault:
            vault.reindex()
        self.agree(machine)

    @rule(machine=machines, days=st.integers(min_value=0, max_value=40))
    def maintain(self, machine: str, days: int) -> None:
        self.now += timedelta(days=days)
        with self.open(machine) as vault:
            vault.maintain()
        self.read_again(machine)

    @rule()
    def sync(self) -> None:
        """Both machines hand on what they have until neither has anything new: then they are the same."""
        for machine in (*MACHINES, *MACHINES):
            with self.open(machine) as vault:
                vault.sync_run()
        thrown = self.copies["desk"].thrown | self.copies["laptop"].thrown
        had = {line for copy in self.copies.values() for note in copy.notes.values() for line in note.lines} - thrown
        for machine in MACHINES:
            assert had <= self.all_lines(machine), f"lost on {machine}: {had - self.all_lines(machine)}"
            self.copies[machine] = Copy(self.on_disk(machine), set())
        trees = [_files(self.folder / machine) for machine in MACHINES]
        assert trees[0] == trees[1], _differing(*trees)
        self.agree("desk")

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

    def chosen(self, machine: str, pick: int) -> str:
        ids = sorted(id_ for id_, note in self.copies[machine].notes.items() if note.lines)
        return ids[pick % len(ids)] if ids else ""

    def killed(self, machine: str, act: Callable[[Memvault], object], at: int) -> None:
        child = os.fork()
        if child == 0:
            try:
                with self.open(machine) as vault, overheard(_deadly(at)):
                    act(vault)
            finally:
                os._exit(0)
        self.now += timedelta(seconds=1)
        os.waitpid(child, 0)


def _deadly(at: int) -> Callable[..., Any]:
    steps = 0

    def heard(_name: str, _args: tuple[Any, ...], _options: dict[str, Any], go: Callable[[], Any]) -> Any:
        nonlocal steps
        steps += 1
        if steps == at:
            os.kill(_OWN_ID(), signal.SIGKILL)
        return go()

    return heard


def _files(root: Path) -> dict[str, bytes]:
    ran = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True)
    return {name: (root / name).read_bytes() for name in ran.stdout.split("\0") if name}


def _differing(one: dict[str, Any], other: dict[str, Any]) -> str:
    keys = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    return "; ".join(f"{key}: {one.get(key)!r} and {other.get(key)!r}" for key in keys[:3])


def run(*, lives: int, steps: int, derandomize: bool = False) -> None:
    """Live that many lives; the shortest that goes wrong is told by the error that comes of it."""
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=lives,
            stateful_step_count=steps,
            deadline=None,
            derandomize=derandomize,
            database=None,
            phases=[Phase.generate, Phase.shrink] if not derandomize else [Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


def main() -> None:
    """Say how many lives were lived, and how long that took."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--lives", type=int, default=1000)
    ask.add_argument("--steps", type=int, default=50)
    given = ask.parse_args()
    began = time.perf_counter()
    run(lives=given.lives, steps=given.steps)
    print(f"{given.lives} lives of up to {given.steps} steps: the model agrees ({time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main()
