"""A vault that looks lived in, the same for the same seed: `python -m tests.maintenance.report.demo --out DIR`."""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from memvault.api import Memvault

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
SEED = 20260129

THEMES: dict[str, tuple[str, ...]] = {
    "portal": ("validation", "review", "release", "forms"),
    "database": ("postgres", "migration", "backup", "indexes"),
    "python": ("typing", "testing", "packaging", "async"),
    "garden": ("tomatoes", "compost", "seeds", "watering"),
    "travel": ("trains", "lisbon", "visa", "packing"),
    "reading": ("history", "essays", "library", "notes"),
    "health": ("sleep", "running", "allergies", "dentist"),
    "cooking": ("bread", "sourdough", "spices", "tea"),
    "design": ("typography", "colour", "accessibility", "print"),
    "family": ("birthdays", "school", "holidays", "grandparents"),
}
SAID = (
    "{A} goes wrong when {b} is left out",
    "What we settled on for {a} and {b}",
    "{A}: keep it simple, {b} last",
    "Sara prefers {a} over {b}",
    "How {a} was mended after {b}",
    "Before {a}, always check {b}",
    "A good source on {a}",
    "{A} takes two days longer with {b}",
    "Remind me of {a} when {b} comes up",
    "The first try at {a}, and what it taught",
)
OTHER = (
    "会議の議事録は金曜日までに共有する",
    "سارة تفضل الشاي على القهوة",
    "Überraschend: Zürich ↔ Genève dauert nur 2 h 40",
    "The night train 🚆 to Lisbon, berth 12 🛏️",
    "On " + "very " * 40 + "long titles",
)
KINDS = ("semantic", "semantic", "episodic", "procedural", "prospective", "episodic")
HOSTILE = (
    "<script>alert('a title')</script>",
    'a "quoted" <b>bold</b> & <img src=x onerror=alert(1)>',
    "turned \u202egnp.exe round",
    "kept <private>the secret word</private> out",
)


class Demo:
    """Memories of ten themes, their uses, and what upkeep did to them."""

    def __init__(self, *, count: int = 300, now: datetime = NOW, seed: int = SEED, hostile: bool = False) -> None:
        self.count, self.now = count, now
        self.random = random.Random(seed)
        self.titles = [*OTHER, *(HOSTILE if hostile else ())]
        self.journal: list[tuple[datetime, dict[str, object]]] = []
        self.names: list[str] = []

    def write(self, folder: Path) -> None:
        """Make the vault."""
        Memvault.init(folder, clock=lambda: self.now)
        for number in range(self.count):
            path, text = self._note(number)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        self._write_journal(folder / ".memvault" / "journal" / "demo")

    def _note(self, number: int) -> tuple[str, str]:
        rng = self.random
        theme = rng.choice(list(THEMES)[: 4 + number % 7])
        tags = [theme, *rng.sample(THEMES[theme], rng.choice((1, 1, 2)))]
        if rng.random() < 0.15:
            tags.append(rng.choice(list(THEMES)))
        said = rng.choice(SAID)
        title = said.format(a=tags[1], b=tags[-1] if tags[-1] != tags[1] else theme, A=tags[1].capitalize())
        title = self.titles[number // 9] if number % 9 == 0 and number // 9 < len(self.titles) else title
        age = min(rng.expovariate(1 / 110), 500.0)
        made = self.now - timedelta(days=age, hours=rng.random() * 9)
        place = rng.choices(("2-memories", "1-hot", "3-raw/archived", "0-identity"), (78, 7, 12, 3))[0]
        id_, name = UUID(int=rng.getrandbits(128), version=4), f"{made:%Y-%m-%d}-{number:04}"
        used = self._uses(str(id_), made, age, rng.random())
        weight = round(rng.triangular(0.35, 0.95, 0.6), 2)
        self._told(str(id_), f"{place}/{name}.md", place)
        fields = {
            "id": str(id_),
            "kind": rng.choice(KINDS),
            "title": json.dumps(title, ensure_ascii=False),
            "created": f"{made:%Y-%m-%dT%H:%M:%SZ}",
            "last_accessed": f"{made:%Y-%m-%dT%H:%M:%SZ}",
            "access_count": 0,
            "weight": weight,
            "pinned": str(rng.random() < 0.02).lower(),
            "status": "archived" if place.startswith("3") else "stale" if weight < 0.42 and not used else "active",
            "tags": f"[{', '.join(tags)}]",
        }
        front = "\n".join(f"{key}: {value}" for key, value in fields.items())
        links = "".join(f" See [[{rng.choice(self.names)}]]." for _ in range(rng.choice((0, 0, 1, 2))) if self.names)
        self.names.extend([name] * (5 if number < 9 else 1))
        return f"{place}/{name}.md", f"---\n{front}\n---\n\n{title}.{links} {' '.join(tags)}.\n"

    def _uses(self, id_: str, made: datetime, age: float, liking: float) -> int:
        """Some memories are used often, most hardly ever, all less at weekends."""
        wanted = int(14 * liking**5 + self.random.random() * 1.3)
        days = sorted(self.random.random() * age for _ in range(wanted))
        for day in days:
            at = made + timedelta(days=day)
            if at.weekday() < 5 or self.random.random() < 0.25:
                self.journal.append((at, {"e": "touch", "id": id_, "why": "show", "session": f"s{int(day)}"}))
        return wanted

    def _told(self, id_: str, path: str, place: str) -> None:
        """What upkeep noted of some memories in the last month."""
        rng, at = self.random, self.now - timedelta(days=self.random.random() * 29)
        if place.startswith("3") and rng.random() < 0.5:
            self._step(at, id_, path, "move", ("archive",), "below 0.3 for 30 days")
        elif place == "2-memories" and rng.random() < 0.1:
            rule, why = rng.choice(
                (("stale", "its weight fell to 0.29"), ("stale", "as above"), ("revive", "used again"))
            )
            self._step(at, id_, path, "rewrite", (rule,), why)
        elif place == "2-memories" and rng.random() < 0.02:
            self._step(at, id_, path, "create", ("consolidate",), "3 memories say the same")

    def _step(self, at: datetime, id_: str, path: str, do: str, rules: tuple[str, ...], why: str) -> None:
        op = f"{at:%Y%m%dT%H%M%SZ}-{self.random.getrandbits(24):06x}"
        self.journal.append((at, {"e": "op", "op": op, "verb": "maintain"}))
        step: dict[str, object] = {
            "e": "step",
            "op": op,
            "do": do,
            "path": path,
            "id": id_,
            "rules": list(rules),
            "why": why,
        }
        self.journal.append((at, step))
        self.journal.append((at, {"e": "done", "op": op}))

    def _write_journal(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for month, lines in self._by_month():
            (folder / f"{month}.jsonl").write_text("".join(lines), encoding="utf-8")

    def _by_month(self) -> Iterator[tuple[str, list[str]]]:
        months: dict[str, list[str]] = {}
        for at, entry in sorted(self.journal, key=lambda line: line[0]):  # stable: an operation's lines stay in order
            line = json.dumps({"t": f"{at:%Y-%m-%dT%H:%M:%SZ}", **entry}, ensure_ascii=False)
            months.setdefault(f"{at:%Y-%m}", []).append(f"{line}\n")
        yield from months.items()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--hostile", action="store_true")
    given = parser.parse_args()
    Demo(count=given.count, hostile=given.hostile).write(given.out)
