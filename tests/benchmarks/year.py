"""A year of one vault: `python -m tests.benchmarks.year --notes 5000`. What it has at the end, and whether all can be undone.

Each week notes are written: most new, some that say an older one again in other words, some that say the contrary. Some
are used, upkeep runs once, and two thirds of the contradictions are settled for the newer. At the end every run is undone.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from memvault.api import Memvault
from memvault.core.memory import Memory, Place
from memvault.core.similarity.same_words import holds_all
from memvault.core.similarity.verdict import compare_texts
from memvault.storage.frontmatter import parse
from memvault.storage.journal.journal import Journal
from memvault.storage.vault import codec
from tests.benchmarks.processes import machine
from tests.benchmarks.upkeep import NAMES, PARTS, PLACES, SEED, THINGS, WEEKDAYS

WEEKS = 52
SAID_AGAIN, CONTRARY, USED = 0.1, 0.03, 0.03  # of the notes of a week, and of all that live
FILLED = 4  # notes in Tier 1 from which on its size is looked at
KILO = 1_024

Fact = tuple[str, str, str, str, str, int]  # who, what, which part, where, which day, how many


@dataclass(slots=True)
class Written:
    """A note that was written: its id, its text, and which one it says again or contradicts."""

    id: str
    body: str
    again: str = ""
    contrary: str = ""


class Year:
    """A vault, a clock, and what was written into it."""

    def __init__(self, folder: Path, notes: int) -> None:
        self.now = datetime(2025, 1, 6, 12, tzinfo=UTC)
        self.each_week = notes // WEEKS + 1
        self.root = folder / "vault"
        self.made = random.Random(SEED)
        self.notes: dict[str, Written] = {}
        self.facts: dict[str, Fact] = {}
        self.bytes: dict[str, bytes] = {}  # of each note as it was written, by its path
        self.ops: list[str] = []
        self.hot: list[float] = []
        Memvault.init(self.root, clock=lambda: self.now)
        self.vault = Memvault(self.root, clock=lambda: self.now, zone=UTC, environment=machine(folder))
        self.vault.set_config("undo.keep_days", 800)  # runs of a year ago are undone too
        self.vault.close()
        self.vault = Memvault(self.root, clock=lambda: self.now, zone=UTC, environment=machine(folder))

    def write(self) -> None:
        """Write the notes of a week."""
        taken = set(self.facts.values())
        for number in range(self.each_week):
            known = list(self.facts)
            chance = self.made.random()
            if known and chance < SAID_AGAIN + CONTRARY:
                old = self.made.choice(known)
                is_again = chance < SAID_AGAIN
                fact = self.facts[old] if is_again else (*self.facts[old][:5], self.facts[old][5] + 17)
                body = reword(fact, self.made)
                self._write(number, Written("", body, again=old if is_again else "", contrary="" if is_again else old))
                continue
            fact = self._draw()
            while fact in taken:
                fact = self._draw()
            taken.add(fact)
            id_ = self._write(number, Written("", state(fact)))
            self.facts[id_] = fact

    def _draw(self) -> Fact:
        made, letters = self.made, "bcdfghklmnprstvz"
        own = f"{made.choice(THINGS)} {made.choice(letters)}{made.choice('aeiou')}{made.choice(letters)}{made.choice('aeiou')}"
        return (
            made.choice(NAMES),
            own,
            made.choice(PARTS),
            made.choice(PLACES),
            made.choice(WEEKDAYS),
            made.randrange(2, 900),
        )

    def _write(self, number: int, note: Written) -> str:
        note.id = str(UUID(int=self.made.getrandbits(128), version=4))
        at = self.now - timedelta(days=6) + timedelta(minutes=number)
        memory = Memory(
            id=note.id, path=f"2-memories/{note.id}.md", place=Place.MEMORIES, title=note.body.partition(".")[0][:60],
            kind="semantic", created=at, last_accessed=at, weight=self.made.choice((0.5, 0.6, 0.8)), body=note.body,
        )  # fmt: skip
        self.bytes[memory.path] = codec.encode_new(memory)
        (self.root / memory.path).write_bytes(self.bytes[memory.path])
        self.notes[note.id] = note
        return note.id

    def live(self) -> list[Memory]:
        """Return the memories that count."""
        return [row.memory for row in self.vault.list().rows if row.memory.status != "archived"]

    def use(self) -> None:
        """Use some memories in the week, a favorite few often."""
        ids = [memory.id for memory in self.live()]
        used = self.made.sample(ids, round(len(ids) * USED)) + 3 * ids[:25]
        entries = [
            {"e": "touch", "id": id_, "why": "recall", "session": f"{self.now:%j}-{n}"} for n, id_ in enumerate(used)
        ]
        Journal(self.root / ".memvault" / "journal", "desk").append(entries, self.now)

    def keep_up(self) -> None:
        """Run upkeep once, and look at Tier 1."""
        done = self.vault.maintain()
        self.ops += [done.op] if done.op else []
        hot = [path.stat().st_size for path in (self.root / "1-hot").glob("*.md")]
        if len(hot) >= FILLED:
            self.hot.append(sum(hot) / KILO)

    def measure(self) -> dict[str, str]:
        """Return the figures at the end."""
        live = self.live()
        by_id = {memory.id: memory for memory in live}
        bodies = {memory.id: self.vault.show(memory.id).memory.body or "" for memory in live}
        sources = {id_: memory.id for memory in live for id_ in _sources(memory)}
        said = [note for note in self.notes.values() if note.id in sources or note.id in by_id]
        lost = sum(not _is_said(note.body, bodies[sources.get(note.id, note.id)]) for note in said)
        wrongly = [n for n in said if n.contrary and sources.get(n.id, n.id) == sources.get(n.contrary, n.contrary)]
        again = [note for note in said if note.again and (note.again in sources or note.again in by_id)]
        left = sum(sources.get(note.id, note.id) != sources.get(note.again, note.again) for note in again)
        told = sum(compare_texts(self.notes[n.contrary].body, n.body) == "contradiction" for n in said if n.contrary)
        return {
            "notes written": f"{len(self.notes)}",
            "notes that count at the end": f"{len(live)}",
            "Tier 1 in KB, least and most": f"{min(self.hot, default=0):.1f}, {max(self.hot, default=0):.1f}",
            "sentences lost": f"{lost}",
            "contradictions merged": f"{len(wrongly)}",
            "contradictions told": f"{told} of {sum(bool(n.contrary) for n in said)}",
            "duplicates left": f"{left} of {len(again)} ({100 * left / max(1, len(live)):.1f}% of what counts)",
        }

    def undo_all(self) -> str:
        """Undo every run, the last first; return how many notes are as they were written."""
        for op in reversed(self.ops):
            self.vault.undo(op)
        whole = sum(
            (self.root / path).is_file() and parse((self.root / path).read_bytes()).body == parse(data).body
            for path, data in self.bytes.items()
        )
        same = sum(
            (self.root / path).is_file() and (self.root / path).read_bytes() == data
            for path, data in self.bytes.items()
        )
        return f"{same} byte for byte, {whole} by their text, of {len(self.bytes)}"


def _sources(memory: Memory) -> Iterator[str]:
    given = memory.more.get("merged_from")
    yield from given if isinstance(given, tuple) else ()


def _is_said(text: str, body: str) -> bool:
    """Return whether each sentence of a text stands in another one, or is said there in equal words."""
    return holds_all(body, text) or all(
        sentence.strip(" .") in body or holds_all(body, sentence) for sentence in text.split(". ") if sentence.strip()
    )


def state(fact: Fact) -> str:
    """Return a note that says what is known."""
    who, what, part, where, day, count = fact
    return f"{who} checks the {part} of the {what} in the {where} every {day}. The {what} holds {count} litres."


def reword(fact: Fact, made: random.Random) -> str:
    """Return a note that says the same in another order, in the passive, or with more."""
    who, what, part, where, day, count = fact
    match made.randrange(4):
        case 0:
            return f"Every {day} {who} checks the {part} of the {what} in the {where}. The {what} holds {count} litres."
        case 1:
            return f"The {part} of the {what} in the {where} is checked by {who} every {day}. The {what} holds {count} litres."
        case 2:
            return f"The {what} holds {count} litres. In the {where}, {who} checks the {part} of the {what} each {day}."
        case _:
            return f"{state(fact)} Its lid is new."


def run(notes: int, weeks: int = WEEKS) -> dict[str, str]:
    """Return the figures of one year."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        year = Year(Path(name), notes)
        with year.vault:
            for _ in range(weeks):
                year.write()
                year.use()
                year.keep_up()
                year.now += timedelta(days=7)
            figures = year.measure()
            figures["undone"] = year.undo_all()
    return {**figures, "seconds": f"{time.perf_counter() - started:.0f}"}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=5_000)
    parser.add_argument("--weeks", type=int, default=WEEKS)
    given = parser.parse_args()
    for name, value in run(given.notes, given.weeks).items():
        print(f"{name:32}{value}")


if __name__ == "__main__":
    main()
