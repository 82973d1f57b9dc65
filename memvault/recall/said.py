"""What a memory that was found says of a question, told by the index: no text is read for that."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.core.memory import Memory
from memvault.recall.query import Asked, Candidate
from memvault.recall.similarity import Told, told_by
from memvault.storage.index.index import WHOLE, Found
from memvault.storage.index.search import Said
from memvault.storage.vault.context import Bench
from memvault.text.terms import terms_in

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
