"""A question put to the catalogue: its words, how much each says, and the days of which it speaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

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


NOTHING_ASKED = Asked((), {}, ())


def asked(bench: Bench, query: str) -> Asked:
    """What a question looks for, where people go by all the names that the settings give them."""
    aliases = bench.settings.texts("people.aliases")
    now = bench.now.astimezone(bench.zone)
    question = notes.asked(query, now=now, people=aliases, near=bench.catalogue.near)
    rarity = bench.catalogue.rarity([word.term for word in question.words])
    return Asked(question.words, rarity, tuple(notes.stretches(question.days)))


def candidates(bench: Bench, question: Asked, filters: Filters, *, limit: int) -> Iterator[tuple[Found, bool]]:
    """What the catalogue finds, best first, and whether it was made on the days of which the question speaks."""
    found = bench.catalogue.search(question.words, filters=filters, limit=limit)
    if not question.days:
        yield from ((each, False) for each in found)
        return
    stamps = notes.as_stamps(question.days, bench.now.astimezone(bench.zone))
    dated = bench.catalogue.search(question.words, filters=replace(filters, made=stamps), limit=limit)
    ahead = notes.extra(question.days)
    rows = [(each._replace(score=each.score + ahead), True) for each in dated]
    known = {each.memory.path for each, _ in rows}
    rows += [(each, False) for each in found if each.memory.path not in known]
    yield from sorted(rows, key=lambda row: -round(row[0].score, 9))
