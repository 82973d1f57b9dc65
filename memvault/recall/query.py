"""Parse a question, find candidates in the index, and match them word by word."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from memvault.core.memory import Memory
from memvault.core.query import Filters, Word
from memvault.core.value import Record, field, replace
from memvault.recall.ranking import question as notes
from memvault.recall.similarity import TermMatch, highest_similarity, match_indexed_terms
from memvault.storage.index.query import Enough, IndexHit
from memvault.storage.index.rows import WHOLE
from memvault.storage.index.search import TermHits
from memvault.storage.vault.context import VaultContext
from memvault.text.terms import find_terms

_ROUNDED = 1e-4  # similarities have so many digits


class ParsedQuestion(Record):
    """A question as it is looked for in this vault."""

    words: tuple[Word, ...]
    rarity: Mapping[str, float]
    days: tuple[tuple[int, int], ...]
    terms: frozenset[str] = frozenset()  # all that are looked for
    # The matches of memories that have the same terms in the same places.
    matched: dict[Hashable, tuple[TermMatch, ...]] = field(default_factory=dict)


class RecallCandidate(NamedTuple):
    """A possible hit, with what speaks for it besides its words."""

    found: IndexHit
    dated: bool = False  # made on the days that the question names
    meaning: float = 0.0  # the part of the score for meaning
    graph: float = 0.0  # the part of the score for links to the best hits


EMPTY_QUESTION = ParsedQuestion((), {}, ())


def parse_question(context: VaultContext, query: str) -> ParsedQuestion:
    """Return what to look for, with people under all the names that the settings give them."""
    aliases = context.settings.texts("people.aliases")
    now = context.now.astimezone(context.zone)
    question = notes.read_note_question(query, now=now, people=aliases, near=context.index.backend.near)
    rarity = context.index.backend.rarity([word.term for word in question.words])
    terms = frozenset([term for word in question.words for term in word.terms])
    return ParsedQuestion(question.words, rarity, tuple(notes.day_ranges(question.days)), terms)


def find_candidates(
    context: VaultContext, question: ParsedQuestion, filters: Filters, *, limit: int, least: float = 0.0
) -> Iterator[RecallCandidate]:
    """Yield what the index finds, best first, with memories of the days that the question names further up.

    What cannot be as alike as `least` is left out, as far as the index can say.
    """
    enough = _enough_test(question, least, on_day=False)
    found = context.index.search(question.words, filters=filters, limit=limit, enough=enough)
    if not question.days:
        yield from map(RecallCandidate, found)
        return
    stamps = notes.to_timestamps(question.days, context.now.astimezone(context.zone))
    enough = _enough_test(question, least, on_day=True)
    dated = context.index.search(question.words, filters=replace(filters, made=stamps), limit=limit, enough=enough)
    bonus = notes.day_bonus(question.days)
    rows = [RecallCandidate(each._replace(score=each.score + bonus), dated=True) for each in dated]
    known = {row.found.memory.path for row in rows}
    rows += [RecallCandidate(each) for each in found if each.memory.path not in known]
    yield from sorted(rows, key=lambda row: -round(row.found.score, 9))


def _enough_test(question: ParsedQuestion, least: float, *, on_day: bool) -> Enough | None:
    """Return a test whether a memory with some of the terms can be that similar."""
    if least <= 0:
        return None

    known: dict[frozenset[str], bool] = {}  # many memories hold the same few of the terms

    def is_enough(held: frozenset[str]) -> bool:
        if held not in known:
            known[held] = highest_similarity(question.words, question.rarity, held, on_day=on_day) >= least - _ROUNDED
        return known[held]

    return is_enough


# Matches from the index alone: no text is read.

_KILO = 1024
_LABELS = ("title", "tags", "triggers", "heading", "text")
_NONE: frozenset[str] = frozenset()


def matched_terms(
    context: VaultContext, match: RecallCandidate, question: ParsedQuestion
) -> tuple[TermMatch, ...] | None:
    """Return how a memory matches each word, from the index alone; None if the index cannot say."""
    found = match.found
    if found.terms is None or found.span is WHOLE or found.key is None:
        return None
    if found.key[0] > _KILO * context.settings.integer("index.max_kilobytes"):
        return None  # the index has only the beginning of the text
    held = _terms_by_label(found.memory, found.terms, found.span[2], question.terms)
    key = (*held, found.terms.passages, match.dated)
    known = question.matched.get(key)
    if known is None:  # most hits hold the same few of the words in the same places
        labels: dict[str, tuple[str, ...]] = {}
        for label, some in zip(_LABELS, held, strict=True):
            for term in some:
                labels[term] = (*labels.get(term, ()), label)
        matches = match_indexed_terms(question.words, question.rarity, labels, found.terms.passages, on_day=match.dated)
        known = question.matched[key] = tuple(matches)
    return known


def memory_labels(memory: Memory) -> Mapping[str, str]:
    """Return what is written over a memory's text, by the name of each part."""
    return {"title": memory.title, "tags": memory_names(memory), "triggers": "\n".join(memory.triggers)}


def memory_names(memory: Memory) -> str:
    """Return a memory's tags, topics, people and aliases, a line each."""
    aliases = (alias for alias in memory.aliases if alias != memory.title)
    return "\n".join((*memory.tags, *memory.topics, *memory.people, *aliases))


def _terms_by_label(memory: Memory, hits: TermHits, heading: str, terms: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Return which terms the parts of a memory contain, in the order of their labels."""
    context = hits.context
    # Among its names the index has that of the file, and leaves out what the title says.
    named = find_terms(memory_names(memory), terms) if context["names"] or context["title"] else _NONE
    above = find_terms(heading, terms) if heading else _NONE
    return context["title"], named, context["triggers"], above, hits.passage
