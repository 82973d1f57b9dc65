"""Queries to the index: words to search for, and conditions that a memory must meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple, TypeAlias

from memvault.core.memory import Place
from memvault.core.value import Record


class Filters(Record, kw_only=True):
    """Conditions that a memory must meet; an empty one lets everything pass. All given conditions must hold."""

    kinds: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()  # all of them; a tag also stands for its sub-tags (work: work/acme)
    keywords: frozenset[str] = frozenset()  # all of them, as tags or topics, near spellings too
    people: frozenset[str] = frozenset()  # all of them, by the whole name or one of its words
    scopes: frozenset[str] = frozenset()  # one of them: `global`, or a project
    statuses: frozenset[str] = frozenset()
    tiers: frozenset[int] = frozenset()
    places: frozenset[Place] = frozenset()
    namesakes: tuple[frozenset[str], ...] = ()  # names that mean one person: each of them finds all
    made: tuple[tuple[float, float], ...] = ()  # created within one of these ranges, as time stamps
    since: datetime | None = None  # created or last accessed at or after this moment
    pinned: bool | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether every memory passes."""
        return self == NO_FILTERS


NO_FILTERS = Filters()


class Word(Record):
    """A term to search for, others that may stand for it, and how much of its rarity counts."""

    term: str
    others: tuple[tuple[str, float], ...] = ()
    weight: float = 1.0
    is_date: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """Return the word's own term and those that may stand for it."""
        return (self.term, *(term for term, _ in self.others))


class IndexDocument(Record):
    """A memory as a search backend sees it: context fields, and the passages of its body."""

    number: int
    title: str
    names: str  # tags, topics, people, aliases, file name, folders
    triggers: str
    headings: str
    passages: tuple[str, ...]


class Match(NamedTuple):
    """A memory that a backend found: its number, its best passage and a score that orders hits of one query."""

    number: int
    part: int
    score: float


# People by any of their names, as the settings give them: `Sara Uy = Sara, SU`.

Names = tuple[str, ...]


@cache
def read_people(rows: tuple[str, ...]) -> tuple[Names, ...]:
    """Return the names of each person, folded; a row without `=` continues the person of the row before."""
    found: list[list[str]] = []
    for row in rows:
        name, sign, others = row.partition("=")
        if sign:
            found.append([fold_name(name)])
            name = others
        if found:
            found[-1] += [fold_name(part) for part in name.split(",") if part.strip()]
    return tuple(tuple(dict.fromkeys(names)) for names in found)


def fold_name(name: str) -> str:
    """Return a name as names are compared."""
    return " ".join(name.split()).casefold()


def names_of_person(name: str, rows: tuple[str, ...]) -> Names:
    """Return this name, and all others of whoever has it as a whole name or as a word of the first one."""
    asked = fold_name(name)
    others = (names for names in read_people(rows) if asked in names or asked in names[0].split())
    return tuple(dict.fromkeys((asked, *(other for names in others for other in names))))


def other_names(words: Iterable[str], rows: tuple[str, ...]) -> dict[str, Names]:
    """Return, for each word of a text that belongs to a name given whole, that person's other names."""
    given = tuple(words)
    found: dict[str, Names] = {}
    for names in read_people(rows):
        for name in names:
            parts = name.split()
            if all(part in given for part in parts):
                others = tuple(other for other in names if other != name)
                found |= {part: (*found.get(part, ()), *others) for part in parts}
    return found


class RankedHit(Record, kw_only=True):
    """What a ranking is told of one hit of a recall."""

    id: str
    title: str
    text: str
    similarity: float
    meaning: float  # from 0 to 1, beside the hit nearest in meaning; 0 without a semantic model
    weight: float  # the weight now
    created: datetime
    last_used: datetime
    uses: int
    own_project: bool


# Of a question, the hits and the moment it returns the ids of the hits, best first.
Ranking: TypeAlias = Callable[[str, Sequence[RankedHit], datetime], Sequence[str]]
