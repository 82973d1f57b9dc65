"""A question put to the catalogue: its words, how much each says, and the days of which it speaks."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from memvault.core.memory import Memory
from memvault.core.query import Filters, Word
from memvault.core.value import Frozen, field, replace
from memvault.recall.ranking import question as notes
from memvault.recall.similarity import Told, reach, told_by
from memvault.storage.index.query import Enough, Found
from memvault.storage.index.rows import WHOLE
from memvault.storage.index.search import Said
from memvault.storage.vault.context import Bench
from memvault.text.terms import terms_in

_ROUNDED = 1e-4  # similarities are told with so many digits


class Asked(Frozen):
    """A question as it is looked for in this vault."""

    words: tuple[Word, ...]
    rarity: Mapping[str, float]
    days: tuple[tuple[int, int], ...]
    terms: frozenset[str] = frozenset()  # all that are looked for
    met: dict[Hashable, tuple[Told, ...]] = field(default_factory=dict)  # what memories say of it that hold the same


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
    terms = frozenset([term for word in question.words for term in word.terms])
    return Asked(question.words, rarity, tuple(notes.stretches(question.days)), terms)


def candidates(
    bench: Bench, question: Asked, filters: Filters, *, limit: int, least: float = 0.0
) -> Iterator[Candidate]:
    """What the catalogue finds, best first, what was made on the days of which the question speaks further up.

    What cannot be as alike as `least` is left out, as far as the index tells.
    """
    enough = _enough(question, least, on_day=False)
    found = bench.catalogue.search(question.words, filters=filters, limit=limit, enough=enough)
    if not question.days:
        yield from map(Candidate, found)
        return
    stamps = notes.as_stamps(question.days, bench.now.astimezone(bench.zone))
    enough = _enough(question, least, on_day=True)
    dated = bench.catalogue.search(question.words, filters=replace(filters, made=stamps), limit=limit, enough=enough)
    ahead = notes.extra(question.days)
    rows = [Candidate(each._replace(score=each.score + ahead), dated=True) for each in dated]
    known = {row.found.memory.path for row in rows}
    rows += [Candidate(each) for each in found if each.memory.path not in known]
    yield from sorted(rows, key=lambda row: -round(row.found.score, 9))


def _enough(question: Asked, least: float, *, on_day: bool) -> Enough | None:
    """Whether a memory that holds some terms can be as alike as that."""
    if least <= 0:
        return None

    known: dict[frozenset[str], bool] = {}  # many memories hold the same few of the terms

    def is_enough(held: frozenset[str]) -> bool:
        if held not in known:
            known[held] = reach(question.words, question.rarity, held, on_day=on_day) >= least - _ROUNDED
        return known[held]

    return is_enough


# What a memory that was found says of a question, told by the index: no text is read for that.

_KILO = 1024
_LABELS = ("title", "tags", "triggers", "heading", "text")
_NONE: frozenset[str] = frozenset()


def said(bench: Bench, match: Candidate, question: Asked) -> tuple[Told, ...] | None:
    """How far a memory says each word of a question, as when it was catalogued; None where the index does not tell."""
    found = match.found
    if found.said is None or found.span is WHOLE or _is_clipped(bench, found):
        return None
    held = _held(found.memory, found.said, found.span[2], question.terms)
    key = (*held, found.said.passages, match.dated)
    known = question.met.get(key)
    if known is None:  # most hits hold the same few of the words in the same places
        by_term = _by_term(dict(zip(_LABELS, held, strict=True)))
        told = told_by(question.words, question.rarity, by_term, found.said.passages, on_day=match.dated)
        known = question.met[key] = tuple(told)
    return known


def labels(memory: Memory) -> Mapping[str, str]:
    """What is written over a memory's text, by the name of each part."""
    return {"title": memory.title, "tags": names(memory), "triggers": "\n".join(memory.triggers)}


def names(memory: Memory) -> str:
    """A memory's tags, topics, people and aliases, a line each."""
    aliases = (alias for alias in memory.aliases if alias != memory.title)
    return "\n".join((*memory.tags, *memory.topics, *memory.people, *aliases))


def _held(memory: Memory, said: Said, heading: str, terms: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Which terms the parts of a memory hold, in the order of their labels."""
    context = said.context
    # Among its names the index has that of the file, and leaves out what the title says.
    named = terms_in(names(memory), terms) if context["names"] or context["title"] else _NONE
    above = terms_in(heading, terms) if heading else _NONE
    return context["title"], named, context["triggers"], above, said.passage


def _by_term(parts: Mapping[str, frozenset[str]]) -> Mapping[str, tuple[str, ...]]:
    """Which parts hold each term."""
    held: dict[str, tuple[str, ...]] = {}
    for label, some in parts.items():
        for term in some:
            held[term] = (*held.get(term, ()), label)
    return held


def _is_clipped(bench: Bench, found: Found) -> bool:
    """Whether the index has only the beginning of a text."""
    return found.key is None or found.key[0] > _KILO * bench.settings.whole("index.max_kilobytes")
