"""Queries to the index: words to search for, and conditions that a memory must meet."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from memvault.core.memory import Place
from memvault.core.value import Record


class Filters(Record, kw_only=True):
    """Conditions that a memory must meet; an empty one lets everything pass. All given conditions must hold."""

    kinds: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()  # all of them; a tag also stands for its sub-tags (work: work/acme)
    keywords: frozenset[str] = frozenset()  # all of them, as tags or topics, near spellings too
    people: frozenset[str] = frozenset()  # all of them, by the whole name or one of its words
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
    names: str  # tags, topics, people, aliases, file name
    triggers: str
    headings: str
    passages: tuple[str, ...]


class Match(NamedTuple):
    """A memory that a backend found: its number, its best passage and a score that orders hits of one query."""

    number: int
    part: int
    score: float
