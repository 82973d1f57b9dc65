"""Ask a language model which hits are irrelevant to a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memvault.core.secrets.scan import find_secrets, redact_secrets

if TYPE_CHECKING:
    from memvault.models.llm.ask import AskModel as AskModel
    from memvault.models.llm.ask import Failure

FILTER_WIDTH = 50
"""So many hits a model is shown, however few are wanted in the end."""

_QUESTION_SHOWN, _TITLE_SHOWN, _PASSAGE_SHOWN = 2_000, 200, 700


@dataclass(frozen=True, slots=True)
class FilterEntry:
    """A hit as the model sees it, the key by which it is known, its similarity, and all that it says."""

    key: str
    title: str
    text: str
    similarity: float
    read_whole: Callable[[], str]


class FilterVerdict(NamedTuple):
    """The keys of the hits that stay, of those the model took out, and why it did not answer."""

    staying: frozenset[str]
    irrelevant: tuple[str, ...] = ()
    failure: Failure | None = None


def filter_entries(
    question: str, entries: Sequence[FilterEntry], ask: AskModel, *, least: float, seconds: float
) -> FilterVerdict:
    """Return which hits the model does not name as irrelevant; if it fails, those that are alike enough."""
    alike = frozenset(entry.key for entry in entries if entry.similarity >= least)
    # A passage can be half of a secret, which no pattern knows: a hit that has one anywhere is not shown at all.
    shown = [entry for entry in entries if not find_secrets(entry.read_whole())][:FILTER_WIDTH]
    if not shown:
        return FilterVerdict(alike)
    named = ask_irrelevant(question, shown, ask, seconds)
    if not isinstance(named, frozenset):
        return FilterVerdict(alike, failure=named)
    judged = frozenset(entry.key for entry in shown)
    irrelevant = tuple(entry.key for entry in shown if entry.key in named)
    return FilterVerdict((judged - named) | (alike - judged), irrelevant)


def ask_irrelevant(
    question: str, hits: Sequence[FilterEntry], ask: AskModel, seconds: float
) -> frozenset[str] | Failure:
    """Return the keys of the hits that the model names as irrelevant, or why there is no answer."""
    from memvault.models.llm.ask import Failure, read_prompt

    # The numbers that were given out, and no others.
    number = {"type": "integer", "minimum": 1, "maximum": len(hits)}
    rows = {"irrelevant": {"type": "array", "items": number, "maxItems": len(hits)}}
    schema = {"type": "object", "properties": rows, "required": ["irrelevant"]}
    found = ask(read_prompt("relevance"), _build_prompt(question, hits), schema, seconds, purpose="recall filter")
    if isinstance(found, Failure):
        return found
    numbers = found.get("irrelevant") if isinstance(found, Mapping) else None
    if not isinstance(numbers, list):
        return Failure("malformed", "there is no list in it")
    return frozenset(hits[int(number) - 1].key for number in numbers)


def _build_prompt(question: str, hits: Sequence[FilterEntry]) -> str:
    """Return the text for the model; ids are words of a file, so memories go by numbers."""
    from memvault.models.llm.ask import fence_texts  # it imports cryptography

    shown = [
        (f"Memory {number}", f"{hit.title[:_TITLE_SHOWN]}\n\n{hit.text[:_PASSAGE_SHOWN]}")
        for number, hit in enumerate(hits, start=1)
    ]
    return fence_texts([("The question", redact_secrets(question)[:_QUESTION_SHOWN]), *shown])
