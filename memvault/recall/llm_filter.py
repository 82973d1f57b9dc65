"""Filter hits: by a language model if there is one, else by similarity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from memvault.core.memory import Memory
from memvault.core.secrets.scan import find_secrets as leaks

if TYPE_CHECKING:
    from memvault.models.llm.ask import AskModel as AskModel
    from memvault.models.llm.ask import Failure

FILTER_WIDTH = 50
"""So many hits a model is shown, however few are wanted in the end."""

_QUESTION_SHOWN, _TITLE_SHOWN, _PASSAGE_SHOWN = 2_000, 200, 700

ReadWhole = Callable[[Memory], str]


@dataclass(frozen=True, slots=True)
class FilterEntry:
    """A hit as the model sees it, and the key by which it is known."""

    key: str
    title: str
    text: str


class FilterableHit(Protocol):
    """A hit of a memory, whatever else it tells."""

    @property
    def memory(self) -> Memory:
        """The memory that was found."""

    @property
    def text(self) -> str:
        """Its best passage."""

    @property
    def similarity(self) -> float:
        """How sure it is that it answers."""


Hit = TypeVar("Hit", bound=FilterableHit)


@dataclass(frozen=True, slots=True)
class FilterResult(Generic[Hit]):
    """The hits that stay, in order, the ids of those the model took out, and why it did not answer."""

    hits: tuple[Hit, ...]
    irrelevant: tuple[str, ...] = ()
    failure: Failure | None = None


def filter_hits(
    question: str,
    hits: Sequence[Hit],
    ask: AskModel | None,
    *,
    least: float = 0.0,
    seconds: float = 5.0,
    whole: ReadWhole | None = None,
) -> FilterResult[Hit]:
    """Return the hits that stay, in order: those the model does not name, or without one those alike enough."""
    by_likeness = tuple(hit for hit in hits if hit.similarity >= least)
    # A passage can be half of a secret, which no pattern knows: a memory that has one anywhere is not shown at all.
    open_ = [
        hit
        for hit in (hits if ask is not None else ())
        if not leaks("\n\n".join((hit.memory.title, hit.text, whole(hit.memory) if whole else "")))
    ][:FILTER_WIDTH]
    if ask is None or not open_:
        return FilterResult(by_likeness)
    named = ask_irrelevant(
        question, [FilterEntry(hit.memory.id, hit.memory.title, hit.text) for hit in open_], ask, seconds
    )
    if not isinstance(named, frozenset):
        return FilterResult(by_likeness, failure=named)
    judged = {hit.memory.id for hit in open_}
    stay = (judged - named) | {hit.memory.id for hit in by_likeness if hit.memory.id not in judged}
    irrelevant = tuple(hit.memory.id for hit in open_ if hit.memory.id in named)
    return FilterResult(tuple(hit for hit in hits if hit.memory.id in stay), irrelevant)


def ask_irrelevant(
    question: str, hits: Sequence[FilterEntry], ask: AskModel, seconds: float
) -> frozenset[str] | Failure:
    """Return the keys of the hits that the model names as irrelevant, or why there is no answer."""
    from memvault.models.llm.ask import Failure
    from memvault.models.llm.prompts import read_prompt

    asked = _build_prompt(question, hits)
    found = ask(read_prompt("relevance"), asked, _answer_schema(len(hits)), seconds, purpose="recall filter")
    if isinstance(found, Failure):
        return found
    numbers = found.get("irrelevant") if isinstance(found, Mapping) else None
    if not isinstance(numbers, list):
        return Failure("malformed", "there is no list in it")
    return frozenset(hits[int(number) - 1].key for number in numbers)


def _answer_schema(count: int) -> dict[str, object]:
    """Return the schema of the answer: numbers that were given out, and no others."""
    number = {"type": "integer", "minimum": 1, "maximum": count}
    rows = {"type": "array", "items": number, "maxItems": count}
    return {"type": "object", "properties": {"irrelevant": rows}, "required": ["irrelevant"]}


def _build_prompt(question: str, hits: Sequence[FilterEntry]) -> str:
    """Return the text for the model; ids are words of a file, so memories go by numbers."""
    from memvault.core.secrets.scan import redact_secrets
    from memvault.models.llm.ask import fence_texts  # it imports cryptography

    shown = [
        (f"Memory {number}", f"{hit.title[:_TITLE_SHOWN]}\n\n{hit.text[:_PASSAGE_SHOWN]}")
        for number, hit in enumerate(hits, start=1)
    ]
    return fence_texts([("The question", redact_secrets(question)[:_QUESTION_SHOWN]), *shown])
