"""Comparing all memories beside reading and parsing them: `python -m tests.benchmarks.consolidation --notes 1000 10000`.

Times are CPU time: another program on the machine must not decide the ratios.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from uuid import UUID

from memvault.core.memory import Memory, Place
from memvault.core.settings import Settings
from memvault.core.similarity.compare import compare_memories
from memvault.storage.vault import codec
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.vault import Vault
from memvault.storage.vault.vault_file import VaultFile
from tests.benchmarks.corpus import Corpus
from tests.benchmarks.measuring import peak

SEED = 20260129
MADE = datetime(2026, 1, 5, 12, tzinfo=UTC)
AGAIN = 0.05  # of the notes: an earlier one, changed a little
FROM_TEMPLATE, ONE_LINE = 0.12, 0.25
LONG_BODY = 800  # bytes, on average, of the rest
SHORT = 8  # words of a single line
REMEMBERED = 400  # the latest notes, of which some are said again

NAMES = "Ilse Noor Dov Sara Tom Maja Anselm Birte Ragna Oswin Fenna Pelle Quentin Yusra Wim Tilda".split()
THINGS = "gauge portal ledger ferry kiosk greenhouse choir archive boiler tractor loom canoe orchard kiln".split()
PARTS = "door engine roof filter queue index lamp pump battery screen handle cable fan sensor".split()
PLACES = "harbour cellar attic barn office station library workshop garden chapel".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass(frozen=True, slots=True)
class _Source:
    """What made-up notes are drawn from: chance, and sentences of the large vocabulary of the corpus."""

    made: random.Random
    prose: Iterator[str]

    def line(self) -> str:
        """A note of one sentence."""
        said = [sentence for sentence in re.split(r"(?<=\.)\s+", next(self.prose)) if sentence[-1:] == "."]
        sentence = said[0] if said else f"{self.made.choice(NAMES)} has no opinion on it."
        return " ".join([self.made.choice(NAMES), *sentence.split()[:SHORT]]).rstrip(".") + "."

    def server(self) -> str:
        """An entry of a register."""
        made = self.made
        return (
            f"Server: {made.choice(THINGS)}-{made.randrange(10_000)}\nOwner: {made.choice(NAMES)}\n"
            f"Place: {made.choice(PLACES)}\nMemory: {2 ** made.randrange(2, 9)} GB\nRestart: on {made.choice(DAYS)}"
        )

    def meeting(self) -> str:
        """The notes of a meeting."""
        items = "\n".join(f"- {self.line()}" for _ in range(self.made.randint(2, 5)))
        when = MADE + timedelta(days=self.made.randrange(2_000))
        return f"## Meeting of {when:%Y-%m-%d}\n\nPresent: {', '.join(self.made.sample(NAMES, 3))}\n\n{items}"

    def instructions(self) -> str:
        """Steps that are nearly the same for many things."""
        made = self.made
        return (
            f"# Instructions for the {made.choice(THINGS)} {made.randrange(3_000)}\n\n1. Open the {made.choice(PARTS)}.\n"
            f"2. Wait {made.randint(2, 90)} minutes.\n3. Replace the {made.choice(PARTS)}.\n"
            f"4. Call {made.choice(NAMES)} in the {made.choice(PLACES)}.\n5. {self.line()}"
        )


TEMPLATES = (_Source.server, _Source.meeting, _Source.instructions)


def bodies(count: int) -> Iterator[str]:
    """That many texts, always the same ones: prose, templates, single lines, and some said again."""
    made = random.Random(SEED)
    source = _Source(made, (note.body for note in Corpus(body_bytes=LONG_BODY).notes(8 * count)))
    latest: list[str] = []
    for _ in range(count):
        chance = made.random()
        if latest and chance < AGAIN:
            yield _again(made, made.choice(latest), source.line())
            continue
        if chance < AGAIN + FROM_TEMPLATE:
            body = made.choice(TEMPLATES)(source)
        elif chance < AGAIN + FROM_TEMPLATE + ONE_LINE:
            body = source.line()
        else:
            body = next(source.prose)
        latest = [*latest[-REMEMBERED:], body]
        yield body


def _again(made: random.Random, body: str, addition: str) -> str:
    """A text as it comes about a second time: word for word, with an addition, shuffled, or with something changed."""
    sentences = body.split(". ")
    match made.randrange(4):
        case 0:
            return body
        case 1:
            return f"{body}\n\n{addition}"
        case 2:
            return ". ".join(made.sample(sentences, len(sentences)))
        case _:
            place = made.randrange(len(sentences))
            words = sentences[place].split(" ")
            words[made.randrange(len(words))] = made.choice(PLACES)
            return ". ".join([*sentences[:place], " ".join(words), *sentences[place + 1 :]])


# -- the measurement


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured with one number of notes."""

    notes: int
    megabytes: float
    reading: float
    comparing: float
    peak: float
    found: tuple[int, int, int]

    @property
    def ratio(self) -> float:
        """The time of comparing beside that of reading."""
        return self.comparing / self.reading


def write(root: Path, count: int) -> list[str]:
    """Write the notes into a new vault; their paths."""
    made = random.Random(SEED + 1)
    charter.write_vault_file(root, VaultFile(str(UUID(int=SEED, version=4))), MADE)
    (root / "2-memories").mkdir()
    paths = []
    for number, body in enumerate(bodies(count)):
        path = f"2-memories/note-{number:06}.md"
        memory = Memory(
            id=str(UUID(int=made.getrandbits(128), version=4)),
            path=path,
            place=Place.MEMORIES,
            title=body.lstrip("# ").partition("\n")[0][:60],
            created=MADE + timedelta(minutes=number),
            last_accessed=MADE + timedelta(days=number % 90),
            tags=(made.choice(THINGS), made.choice(PARTS)),
            body=body,
        )
        (root / path).write_bytes(codec.encode_new(memory))
        paths.append(path)
    return paths


def read(vault: Vault, paths: list[str]) -> list[Memory]:
    """All memories of a vault, parsed."""
    found = []
    for path in paths:
        note = vault.read_note(path)
        origin = codec.NoteOrigin(path, Place.MEMORIES, "", MADE, note.modified)
        found.append(codec.read_memory(note.block, origin, version=note.version))
    return found


def measured(root: str, paths: list[str]) -> Figures:
    """Read all notes of a vault, and compare them, each with nothing read before."""
    vault = Vault(Path(root), Settings({}), device="here")
    start = time.process_time()
    memories = read(vault, paths)
    between = time.process_time()
    before = peak()
    compared = compare_memories(memories)
    end = time.process_time()
    return Figures(
        notes=len(paths),
        megabytes=sum((Path(root) / path).stat().st_size for path in paths) / 1e6,
        reading=between - start,
        comparing=end - between,
        peak=peak() - before,
        found=(len(compared.groups), len(compared.proposals), len(compared.contradictions)),
    )


def measure(count: int) -> Figures:
    """The figures for a vault of that many notes, in a process of its own."""
    with tempfile.TemporaryDirectory() as spare:
        paths = write(Path(spare), count)
        with get_context("spawn").Pool(1) as pool:
            return pool.apply(measured, (spare, paths))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1_000, 10_000])
    given = parser.parse_args()
    last: Figures | None = None
    for count in given.notes:
        each = measure(count)
        groups, proposals, contradictions = each.found
        print(
            f"{each.notes:>7,} notes, {each.megabytes:6.1f} MB: read and parsed {each.reading:7.2f} s,"
            f" compared {each.comparing:7.2f} s, ratio {each.ratio:5.2f}, memory +{each.peak:.0f} MB;"
            f" {groups} groups, {proposals} proposals, {contradictions} contradictions"
        )
        if last:
            wanted, needed = each.notes / last.notes, each.comparing / last.comparing
            print(f"        {wanted:.0f} times the notes took {needed:.1f} times as long")
        last = each


if __name__ == "__main__":
    main()
