"""How a made-up person and two agents use a vault: what they write down, look up, pin, edit, retype and move."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import accumulate
from pathlib import Path

from memvault.api import Memvault
from memvault.core.kinds.infer_tags import PREFERENCE, infer_tags
from memvault.core.memory import FieldValue, Memory, Place
from memvault.storage.journal.journal import Journal
from memvault.storage.journal.runs import MaintenanceChange
from memvault.storage.vault import codec
from memvault.text.file_names import free_file_name
from memvault.text.markdown import guess_title
from tests.benchmarks.phrases import PROJECTS
from tests.benchmarks.sayings import KINDS, START, Saying, sessions_of_day

DEVICES = ("desk", "laptop")
WEIGHTS = {"user": 0.8, "agent": 0.6, "import": 0.5}
NEWEST = 5.0  # how much likelier one looks up what was written today than what was written long ago
ARCHIVE, HOT = "3-raw/archived/", "1-hot/"
TICKED_OFF = 0.7  # of the reminders, on their day
HAND_WORK = 0.35  # how often a day sees some work by hand


@dataclass
class Known:
    """A memory as the person knows it: what it is called now, and how much they like to look it up."""

    saying: Saying
    appeal: float
    id: str
    used: list[datetime] = field(default_factory=list)
    by_hand: bool = False  # pinned, retyped, or put into Tier 1


class Person:
    """Everything that happens in a vault between two runs of upkeep."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self._made = random.Random(f"person {seed}")
        self._interests = self._made.sample(PROJECTS, len(PROJECTS))
        self._names: set[str] = set()
        self.known: dict[str, Known] = {}  # by the id that each was written down with
        self.gone: set[str] = set()  # ids that are archived
        self.sentences: set[str] = set()
        self.did: Counter[str] = Counter()
        self._journals = [Journal(root / ".memvault" / "journal", device) for device in DEVICES]

    # -- writing down

    def write(self, sayings: Iterable[Saying]) -> None:
        """Make the files that `remember` would make."""
        for saying in sayings:
            memory = self._memory(saying)
            (self.root / memory.path).write_bytes(codec.encode_new(memory))
            self.known[saying.id] = Known(saying, self._made.paretovariate(0.9), saying.id)
            self.sentences.update(sentences(saying.text))

    def _memory(self, saying: Saying) -> Memory:
        title, tags = guess_title(saying.text), infer_tags(saying.text)
        name = free_file_name(saying.at.date(), title, taken=self._names.__contains__)
        self._names.add(name)
        said = {"source": saying.source, "agent": saying.agent, "session": saying.session}
        more: dict[str, FieldValue] = {name: value for name, value in said.items() if value}
        if saying.due:
            more |= {"due": saying.due, "state": "pending"}
        return Memory(
            id=saying.id,
            path=f"2-memories/{name}",
            place=Place.MEMORIES,
            title=title,
            kind=KINDS[saying.sort],
            created=saying.at,
            last_accessed=saying.at,
            weight=WEIGHTS[saying.source],
            decay_eligible=PREFERENCE not in tags,
            tags=tags,
            aliases=(title,),
            more=more,
            body=saying.text,
        )

    # -- using

    def use(self, day: int) -> None:
        """Look things up in the conversations of a day: mostly what is new, liked, and about this month's projects."""
        if day % 30 == 0:
            self._turn_to_others()
        pools: dict[str, list[Known]] = {project: [] for project in PROJECTS}
        for known in self.known.values():
            if known.id not in self.gone:
                pools[known.saying.project].append(known)
        for number, (session, agent) in enumerate(sessions_of_day(day)):
            at = START + timedelta(days=day, hours=8 + 3 * number, minutes=self._made.randrange(60))
            (project,) = self._made.choices(self._interests, [1 / rank for rank in range(1, len(PROJECTS) + 1)])
            found = list(self._drawn(pools[project], at))
            entries = [{"e": "touch", "id": known.id, "why": "recall", "session": session} for known in found]
            self._made.choice(self._journals).append(
                [{**entry, "agent": agent} if agent else entry for entry in entries], at
            )
            for known in found:
                known.used.append(at)
            self.did["used"] += len(found)

    def _turn_to_others(self) -> None:
        """Every month some projects become less important, and others more."""
        moved = self._made.sample(self._interests, 4)
        rest = [project for project in self._interests if project not in moved]
        self._interests = [*moved[:2], *rest, *moved[2:]]

    def _drawn(self, pool: list[Known], at: datetime) -> Iterator[Known]:
        if not pool:
            return
        odds = accumulate(known.appeal * (1 + NEWEST * 0.9 ** max(0, (at - known.saying.at).days)) for known in pool)
        count = self._made.randint(1, 7)
        chosen = self._made.choices(pool, cum_weights=list(odds), k=count)
        yield from {known.id: known for known in chosen if known.saying.at <= at}.values()

    # -- by hand

    def work_by_hand(self, vault: Memvault, at: datetime) -> None:
        """Now and then: pin, edit, type a weight, move a file, tick a reminder off, bring something back."""
        self._tick_off(vault, at)
        if self._made.random() < HAND_WORK:
            act = self._made.choice(
                (self._pin, self._edit, self._edit, self._retype, self._raise, self._lower, self._bring_back)
            )
            act(vault)

    def _tick_off(self, vault: Memvault, at: datetime) -> None:
        for known in self.known.values():
            due = known.saying.due
            is_due = due is not None and at - timedelta(days=1) < due <= at
            is_there = known.id == known.saying.id and known.id not in self.gone
            if is_due and is_there and self._made.random() < TICKED_OFF:
                vault.edit(known.id, fields={"state": "completed", "completed_at": at})
                self.did["ticked off"] += 1

    def _one(self) -> Known | None:
        """A memory that is used, more likely one that is used much."""
        live = [known for known in self.known.values() if known.used and known.id not in self.gone]
        return self._made.choices(live, [len(known.used) for known in live])[0] if live else None

    def _file(self, vault: Memvault, known: Known | None) -> Path | None:
        return None if known is None else vault.path_of(known.id)

    def _pin(self, vault: Memvault) -> None:
        if (known := self._one()) and self.did["pinned"] * 200 < len(self.known):
            vault.pin(known.id)
            known.by_hand = True
            self.did["pinned"] += 1

    def _edit(self, vault: Memvault) -> None:
        """As in an editor: a sentence is added at the end."""
        known = self._one()
        if path := self._file(vault, known):
            added = (
                f"Seen again in the {self._made.choice(('wiki', 'tracker', 'logs'))}, entry {self.did['edited'] + 1}."
            )
            path.write_bytes(path.read_bytes().rstrip(b"\n") + f"\n\n{added}\n".encode())
            self.sentences.add(added)
            self.did["edited"] += 1

    def _retype(self, vault: Memvault) -> None:
        known = self._one()
        if known and (path := self._file(vault, known)):
            typed = f"weight: {self._made.choice((0.4, 0.7, 0.95))}".encode()
            path.write_bytes(re.sub(rb"(?m)^weight: .*$", typed, path.read_bytes(), count=1))
            known.by_hand = True
            self.did["retyped"] += 1

    def _raise(self, vault: Memvault) -> None:
        """As in a file manager: into Tier 1; a person does not fill it up."""
        known = self._one()
        path = self._file(vault, known) if self.did["raised"] * 400 < len(self.known) else None
        if known and path and path.parent.name == "2-memories":
            path.rename(self.root / HOT / path.name)
            known.by_hand = True
            self.did["raised"] += 1

    def _lower(self, vault: Memvault) -> None:
        """As in a file manager: out of Tier 1."""
        if found := sorted((self.root / HOT).glob("*.md")):
            path = self._made.choice(found)
            path.rename(self.root / "2-memories" / path.name)
            self.did["lowered"] += 1

    def _bring_back(self, vault: Memvault) -> None:
        faded = [known for known in self.known.values() if known.id in self.gone]
        if faded:
            known = self._made.choice(faded)
            vault.restore(known.id)
            self.gone.discard(known.id)
            known.by_hand = True
            self.did["brought back"] += 1

    # -- hearing of what upkeep did

    def hear(self, done: Iterable[MaintenanceChange], vault: Memvault) -> None:
        """Learn what was archived, and which memories have become part of another."""
        for each in done:
            if "archive" in each.rules or "expire" in each.rules:
                self.gone.add(each.id)
            elif "revive" in each.rules:
                self.gone.discard(each.id)
        if any("consolidate" in each.rules for each in done):
            self._follow(row.memory for row in vault.list().rows)

    def _follow(self, memories: Iterable[Memory]) -> None:
        for memory in memories:
            sources = memory.more.get("merged_from", ())
            if isinstance(sources, tuple) and not memory.more.get("merged_into"):
                for source in sources:
                    self.known[str(source)].id = memory.id


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, without the marks of a list."""
    parts = (part for line in text.splitlines() for part in re.split(r"(?<=[.!?:])\s+", line))
    stripped = (" ".join(re.sub(r"^\s*(?:[-*+]|\d+[.)])(?:\s+|$)", "", part).split()) for part in parts)
    return [part for part in stripped if part]
