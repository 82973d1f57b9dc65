"""Indexing that is killed, and an index that is damaged."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from memvault.api import Memvault
from tests.benchmarks.corpus import Corpus, write
from tests.benchmarks.parts.size import Size
from tests.benchmarks.processes import machine
from tests.benchmarks.table import Row

NOTES = 120
QUESTIONS = 4
SLICE = 512
CACHE = "xdg_cache_home"

Answers = tuple[object, ...]
Damage = Callable[[bytes, int, random.Random], bytes]

DAMAGES: Mapping[str, Damage] = {
    "one bit": lambda data, at, chance: data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :],
    "cut off": lambda data, at, chance: data[:at],
    "zeros": lambda data, at, chance: data[:at] + bytes(min(SLICE, len(data) - at)) + data[at + SLICE :],
    "noise": lambda data, at, chance: data[:at] + chance.randbytes(64) + data[at + 64 :],
}


class Patient:
    """A small vault, what it answers when its index is sound, and that index."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache, self._sound = folder / "vault", folder / CACHE, folder / "sound"
        self.environment = machine(folder)
        Memvault.init(self.root)
        write(self.root, NOTES)
        self.right = self.answers()
        shutil.copytree(self.cache, self._sound)

    def answers(self) -> Answers:
        """What a person can see of the whole vault."""
        with Memvault(self.root, environment=self.environment) as vault:
            hits = [vault.recall(each, min_similarity=0.0).hits for each in Corpus().selective(QUESTIONS)]
            rows = vault.list(order="path").rows
            return (
                [[(hit.memory.path, hit.text) for hit in found] for found in hits],
                [(row.memory.id, row.memory.path, row.memory.title) for row in rows],
            )

    def is_right(self) -> bool:
        """Whether it answers as before, with no error."""
        try:
            return self.answers() == self.right
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            return False

    def heal(self) -> None:
        """The sound index is back, whatever was there."""
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self._sound, self.cache)


def wrong_after_kills(patient: Patient, kills: int) -> int:
    """After how many kills in the middle of building the index the next answers are wrong."""
    command = [sys.executable, "-m", "memvault", "--vault", str(patient.root), "reindex"]
    environment = {**patient.environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    whole = time.perf_counter() - began
    wrong = 0
    for turn in range(kills):
        child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(whole * (turn + 0.5) / kills)
        child.kill()
        child.wait()
        wrong += not patient.is_right()
    return wrong


def wrong_after_damages(patient: Patient, damages: int) -> int:
    """After how many random damages to a file of the index the answers are wrong."""
    wrong = 0
    for seed in range(damages):
        patient.heal()
        chance = random.Random(seed)
        files = sorted(path for path in patient.cache.rglob("*") if path.is_file() and path.stat().st_size)
        path, name = chance.choice(files), chance.choice(list(DAMAGES))
        data = path.read_bytes()
        path.write_bytes(DAMAGES[name](data, chance.randrange(len(data)), chance))
        if not patient.is_right():
            print(f"wrong after {name} in {path.name} (seed {seed})", file=sys.stderr)
            wrong += 1
    return wrong


def measured(size: Size) -> list[Row]:
    """How often anything is wrong afterwards."""
    with tempfile.TemporaryDirectory() as name:
        patient = Patient(Path(name))
        damaged = wrong_after_damages(patient, size.damages)
        patient.heal()
        killed = wrong_after_kills(patient, size.kills)
    return [
        Row(f"wrong after one of {size.kills} kills while indexing", float(killed), "", bar=0),
        Row(f"wrong after one of {size.damages} damages to its files", float(damaged), "", bar=0),
    ]
