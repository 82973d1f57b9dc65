"""A question put to the catalogue: its words, how much each says, and the days of which it speaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from memvault.core.query import Filters, Word
from memvault.core.ranking import notes
from memvault.index.catalogue import Found
from memvault.verbs.bench import Bench


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is looked for in this vault."""

    words: tuple[Word, ...]
    rarity: Mapping[str, float]
    days: tuple[tuple[int, int], ...]


class Candidate(NamedTuple):
    """What may be a hit, with what speaks for it besides its words."""

    found: Found
    dated: bool = False  # it was made on the days of which the question speaks
    meaning: float = 0.0  # what is added for lying near in meaning
    ties: float = 0.0  # what is added for hanging together with the best


NOTHING_ASKED = Asked((), {}, ())


def asked(bench: Bench, query: str) -> Asked:
    """What a question looks for, where people go by all the names that the settings give them."""
    aliases = bench.settings.texts("people.aliases")
    now = bench.now.astimezone(bench.zone)
    question = notes.asked(query, now=now, people=aliases, near=bench.catalogue.near)
    rarity = bench.catalogue.rarity([word.term for word in question.words])
    return Asked(question.words, rarity, tuple(notes.stretches(question.days)))


def candidates(bench: Bench, question: Asked, filters: Filters, *, limit: int) -> Iterator[Candidate]:
    """What the catalogue finds, best first, what was made on the days of which the question speaks further up."""
    found = bench.catalogue.search(question.words, filters=filters, limit=limit)
    if not question.days:
        yield from map(Candidate, found)
        return
    stamps = notes.as_stamps(question.days, bench.now.astimezone(bench.zone))
    dated = bench.catalogue.search(question.words, filters=replace(filters, made=stamps), limit=limit)
    ahead = notes.extra(question.days)
    rows = [Candidate(each._replace(score=each.score + ahead), dated=True) for each in dated]
    known = {row.found.memory.path for row in rows}
    rows += [Candidate(each) for each in found if each.memory.path not in known]
    yield from sorted(rows, key=lambda row: -round(row.found.score, 9))
