"""Of many memories and turns those that answer the question, by the model; where it does not answer, by likeness."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from memvault.core.secrets.scan import found as leaks
from memvault.recall.llm_filter import WIDE, Shown, named_irrelevant
from memvault.recall.recall import Ask, Hit, Sifted
from memvault.storage.vault.context import Bench
from memvault.text.terms import query_terms
from memvault.transcripts.search import Spoken, Together, answered_together, found_together, recall_with_talk

if TYPE_CHECKING:
    from memvault.models.llm.ask import Ask as AskModel


class SiftedTogether(Sifted, kw_only=True):
    """As `Together`, with what a model took out: ids of memories, and references of turns."""

    ranked: tuple[Hit | Spoken, ...] = ()


def recall_relevant_talk(bench: Bench, ask: Ask, ask_model: AskModel) -> Together | SiftedTogether:
    """As `recall_with_talk`, with many hits looked through by a model; where it does not answer, exactly as that."""
    if not query_terms(ask.query):
        return recall_with_talk(bench, ask)  # conditions alone leave nothing to judge by
    limit = ask.limit or bench.settings.whole("recall.limit")
    demanded = ask.min_similarity if ask.min_similarity is not None else 0.0
    least = bench.settings.number("recall.min_similarity") if ask.min_similarity is None else demanded
    wide = found_together(bench, ask, max(limit, WIDE), least=demanded)
    shown = [_shown(each) for each in wide if not leaks(_whole(bench, each))][:WIDE]
    seconds = bench.settings.number("model.recall_seconds")
    named = named_irrelevant(ask.query, shown, ask_model, seconds) if shown else frozenset[str]()
    if not isinstance(named, frozenset):
        return _sifted(recall_with_talk(bench, ask), unsifted=named.reason)
    judged = {one.key for one in shown}
    stay = [each for each in wide if _key(each) not in named and (_key(each) in judged or each.similarity >= least)]
    taken = tuple(one.key for one in shown if one.key in named)
    return _sifted(answered_together(bench, ask, stay[:limit]), irrelevant=taken)


def _key(each: Hit | Spoken) -> str:
    return each.memory.id if isinstance(each, Hit) else each.ref


def _shown(each: Hit | Spoken) -> Shown:
    title = each.memory.title if isinstance(each, Hit) else f"{each.turn.speaker} said"
    return Shown(_key(each), title, each.text)


def _whole(bench: Bench, each: Hit | Spoken) -> str:
    """All of it: a passage can be half of a secret, which no pattern knows."""
    if isinstance(each, Spoken):
        return each.turn.text
    return "\n\n".join((each.memory.title, each.text, bench.text(each.memory)))


def _sifted(found: Together, *, irrelevant: tuple[str, ...] = (), unsifted: str = "") -> SiftedTogether:
    own = {row.name: getattr(found, row.name) for row in fields(found)}
    return SiftedTogether(**own, irrelevant=irrelevant, unsifted=unsifted)
