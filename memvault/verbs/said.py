"""What a memory that was found says of a question, told by the index: no text is read for that."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.core.memory import Memory
from memvault.core.ranking.similarity import Told, told_by
from memvault.core.terms import terms_in
from memvault.index.catalogue import WHOLE, Found
from memvault.verbs.asked import Asked, Candidate
from memvault.verbs.bench import Bench

_KILO = 1024


def said(bench: Bench, match: Candidate, question: Asked) -> list[Told] | None:
    """How far a memory says each word of a question, as when it was catalogued; None where the index does not tell."""
    held = _held(match.found, question.terms)
    if match.found.said is None or held is None or _is_clipped(bench, match.found):
        return None
    return told_by(question.words, question.rarity, held, match.found.said.passages, on_day=match.dated)


def labels(memory: Memory) -> Mapping[str, str]:
    """What is written over a memory's text, by the name of each part."""
    return {"title": memory.title, "tags": names(memory), "triggers": "\n".join(memory.triggers)}


def names(memory: Memory) -> str:
    """A memory's tags, topics, people and aliases, a line each."""
    aliases = (alias for alias in memory.aliases if alias != memory.title)
    return "\n".join((*memory.tags, *memory.topics, *memory.people, *aliases))


def _held(found: Found, terms: frozenset[str]) -> Mapping[str, tuple[str, ...]] | None:
    """Which parts of a memory hold which terms."""
    if found.said is None or found.span is WHOLE:
        return None
    context, passage, _ = found.said
    # Among its names the index has that of the file, and leaves out what the title says.
    named = terms_in(names(found.memory), terms) if context["names"] or context["title"] else frozenset()
    parts = {
        "title": context["title"],
        "tags": named,
        "triggers": context["triggers"],
        "heading": terms_in(found.span[2], terms) if found.span[2] else frozenset(),
        "text": passage,
    }
    held: dict[str, tuple[str, ...]] = {}
    for label, some in parts.items():
        for term in some:
            held[term] = (*held.get(term, ()), label)
    return held


def _is_clipped(bench: Bench, found: Found) -> bool:
    """Whether the index has only the beginning of a text."""
    return found.key is None or found.key[0] > _KILO * bench.settings.whole("index.max_kilobytes")
