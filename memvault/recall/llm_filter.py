"""Of many hits those that answer the question: by the model where there is one, else by likeness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from memvault.core.memory import Memory
from memvault.core.secrets.scan import found as leaks
from memvault.recall.recall import Ask, Hit, Recalled, Sifted, answered, best, recall_fresh
from memvault.storage.vault.context import Bench
from memvault.text.terms import query_terms

if TYPE_CHECKING:
    from memvault.models.llm.ask import Ask as AskModel
    from memvault.models.llm.ask import Failure

WIDE = 50
"""So many hits a model is shown, however few are wanted in the end."""

_QUESTION_SHOWN, _TITLE_SHOWN, _PASSAGE_SHOWN = 2_000, 200, 700

Whole = Callable[[Memory], str]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model sees of a hit, and by what the hit is known."""

    key: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Kept:
    """The hits that stay, in their order, the ids of those that the model took out, and why it did not answer."""

    hits: tuple[Hit, ...]
    irrelevant: tuple[str, ...] = ()
    failure: Failure | None = None


def recall_relevant(bench: Bench, ask: Ask, ask_model: AskModel, *, fresh: bool = False) -> Recalled:
    """As `recall`, with many hits looked through by a model; where it does not answer, exactly as that."""
    if not fresh:
        bench.freshen()
    if not query_terms(ask.query):
        return recall_fresh(bench, ask)  # conditions alone leave nothing to judge by
    limit = ask.limit or bench.settings.whole("recall.limit")
    # What a person asks for holds whoever judges; the threshold of the settings is for where no model does.
    least = ask.min_similarity if ask.min_similarity is not None else 0.0
    wide = best(bench, replace(ask, min_similarity=least), max(limit, WIDE))
    kept = relevant(
        ask.query,
        wide,
        ask_model,
        least=bench.settings.number("recall.min_similarity") if ask.min_similarity is None else least,
        seconds=bench.settings.number("model.recall_seconds"),
        whole=bench.text,
    )
    if kept.failure is not None:
        return _sifted(recall_fresh(bench, ask), unsifted=kept.failure.reason)
    return _sifted(answered(bench, ask, list(kept.hits[:limit])), irrelevant=kept.irrelevant)


def relevant(
    question: str,
    hits: Sequence[Hit],
    ask: AskModel | None,
    *,
    least: float = 0.0,
    seconds: float = 5.0,
    whole: Whole | None = None,
) -> Kept:
    """The hits that stay, in their order: what the model does not name, or without one what is alike enough."""
    by_likeness = tuple(hit for hit in hits if hit.similarity >= least)
    # A passage can be half of a secret, which no pattern knows: a memory that has one anywhere is not shown at all.
    open_ = [] if ask is None else [hit for hit in hits if not leaks(_whole(hit, whole))][:WIDE]
    if ask is None or not open_:
        return Kept(by_likeness)
    named = named_irrelevant(question, [_shown(hit) for hit in open_], ask, seconds)
    if not isinstance(named, frozenset):
        return Kept(by_likeness, failure=named)
    judged = {hit.memory.id for hit in open_}
    stay = (judged - named) | {hit.memory.id for hit in by_likeness if hit.memory.id not in judged}
    irrelevant = tuple(hit.memory.id for hit in open_ if hit.memory.id in named)
    return Kept(tuple(hit for hit in hits if hit.memory.id in stay), irrelevant)


def _whole(hit: Hit, whole: Whole | None) -> str:
    return "\n\n".join((hit.memory.title, hit.text, whole(hit.memory) if whole else ""))


def _shown(hit: Hit) -> Shown:
    return Shown(hit.memory.id, hit.memory.title, hit.text)


def named_irrelevant(question: str, hits: Sequence[Shown], ask: AskModel, seconds: float) -> frozenset[str] | Failure:
    """The keys of those that the model names as beside the question, or why there is no answer."""
    from memvault.models.llm.ask import Failure
    from memvault.models.llm.prompts import prompt

    asked = _prompt(question, hits)
    found = ask(prompt("relevance"), asked, _form(len(hits)), seconds, purpose="recall filter")
    if isinstance(found, Failure):
        return found
    numbers = found.get("irrelevant") if isinstance(found, Mapping) else None
    if not isinstance(numbers, list):
        return Failure("malformed", "there is no list in it")
    return frozenset(hits[int(number) - 1].key for number in numbers)


def _form(count: int) -> dict[str, object]:
    """The form of the answer: numbers that were given out, and no others."""
    number = {"type": "integer", "minimum": 1, "maximum": count}
    rows = {"type": "array", "items": number, "maxItems": count}
    return {"type": "object", "properties": {"irrelevant": rows}, "required": ["irrelevant"]}


def _prompt(question: str, hits: Sequence[Shown]) -> str:
    """What is shown; ids are words of a file, so the memories go by numbers."""
    from memvault.core.secrets.scan import redacted
    from memvault.models.llm.ask import fenced  # it draws in the machine's cryptography

    shown = [
        (f"Memory {number}", f"{hit.title[:_TITLE_SHOWN]}\n\n{hit.text[:_PASSAGE_SHOWN]}")
        for number, hit in enumerate(hits, start=1)
    ]
    return fenced([("The question", redacted(question)[:_QUESTION_SHOWN]), *shown])


def _sifted(found: Recalled, *, irrelevant: tuple[str, ...] = (), unsifted: str = "") -> Sifted:
    own = {row.name: getattr(found, row.name) for row in fields(found)}
    return Sifted(**own, irrelevant=irrelevant, unsifted=unsifted)
