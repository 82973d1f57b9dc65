"""A made-up vault of notes, and questions whose answers are known: a part to tune by, and two that were held out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from tests.benchmarks.note_series import series

_FOLDER = Path(__file__).parent / "notes"
# The words that belong together were gathered by somebody who knew the questions of the first two, though no mistakes
# of the second were looked at; the third was written when everything was settled.
PARTS = ("development", "held_out", "afterwards")
NONE = "none"

# By these names people are spoken of in questions; the notes bear the first of each.
ALIASES = (
    "Philippa Zorn = Pip, PZ",
    "Tobias Lindqvist = Tobi",
    "Ingeborg Falk = Inge, mother",
    "Ruben Adeyemi-Falk = Ruby",
    "Adaeze Okonjo = Ada",
)

_DATED = (
    ("development", "what was said in the call of 5 November 2024", "call-2024-11-05"),
    ("development", "Tuesday call on 2025-02-18", "call-2025-02-18"),
    ("development", "my diary of October last year", "diary-2024-10"),
    ("development", "release notes of billing 2.5.1", "release-2-5-1"),
    ("development", "the release with migration 0702", "release-2-7-2"),
    ("development", "what did we talk about on 15.04.2025 in the weekly call", "call-2025-04-15"),
    ("held_out", "what was said in the call of 3 December 2024", "call-2024-12-03"),
    ("held_out", "Tuesday call on 2025-03-25", "call-2025-03-25"),
    ("held_out", "my diary of January", "diary-2025-01"),
    ("held_out", "release notes of billing 2.6.3", "release-2-6-3"),
    ("held_out", "the release with migration 0401", "release-2-4-1"),
    ("held_out", "what did we talk about on 13.05.2025 in the weekly call", "call-2025-05-13"),
)


@dataclass(frozen=True, slots=True)
class Note:
    """One note of the set."""

    name: str
    title: str
    day: date
    tags: tuple[str, ...]
    people: tuple[str, ...]
    kind: str
    body: str

    @property
    def id(self) -> str:
        """The id that it bears in a vault."""
        return str(uuid5(NAMESPACE_URL, self.name))

    @property
    def plain(self) -> str:
        """Everything that can be searched, as one text."""
        return "\n".join((self.title, " ".join((*self.tags, *self.people)), str(self.day), self.body))

    @property
    def file(self) -> str:
        """The file as it stands in a vault."""
        lists = {"tags": self.tags, "people": self.people}
        lines = [f"{name}: [{', '.join(values)}]" for name, values in lists.items() if values]
        kind = [f"kind: {self.kind}"] if self.kind else []
        head = [f"id: {self.id}", f'title: "{self.title}"', f"created: {self.day}T09:00:00Z", *kind, *lines]
        return "\n".join(("---", *head, "---", "", self.body, ""))


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of which sort it is, and which notes answer it: none, if nothing in the vault does."""

    part: str
    sort: str
    text: str
    gold: frozenset[str]


@cache
def notes() -> tuple[Note, ...]:
    """All notes of all parts, and the series."""
    written = [note for part in PARTS for note in _notes_of(part)]
    many = [Note(name, title, day, tags, (), "", body) for name, title, day, tags, body in series()]
    return (*written, *many)


@cache
def questions() -> tuple[Question, ...]:
    """The questions of all parts."""
    written = [question for part in PARTS for question in _questions_of(part)]
    return (*written, *(Question(part, "date", text, frozenset({name})) for part, text, name in _DATED))


def write(root: Path) -> None:
    """Put the notes into the second tier of a vault."""
    folder = root / "2-memories"
    folder.mkdir(parents=True, exist_ok=True)
    for note in notes():
        (folder / f"{note.day}-{note.name}.md").write_text(note.file, encoding="utf-8")


def _blocks(part: str) -> Iterator[list[str]]:
    text = (_FOLDER / f"{part}.txt").read_text(encoding="utf-8")
    for block in text.split("\n## "):
        yield block.removeprefix("## ").splitlines()


def _notes_of(part: str) -> Iterator[Note]:
    for head, *lines in _blocks(part):
        name, title, day, *rest = (part.strip() for part in head.split(" | "))
        fields = dict(part.strip().split("=", 1) for part in rest[0].split(";")) if rest else {}
        body = "\n".join(line for line in lines if not line.startswith("?? "))
        yield Note(
            name,
            title,
            date.fromisoformat(day),
            _list(fields.get("tags", "")),
            _list(fields.get("people", "")),
            fields.get("kind", ""),
            body,
        )


def _questions_of(part: str) -> Iterator[Question]:
    for _, *lines in _blocks(part):
        for line in lines:
            if line.startswith("?? "):
                sort, text, gold = (part.strip() for part in line.removeprefix("?? ").split("|"))
                yield Question(part, sort, text, frozenset(_list(gold)))


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
