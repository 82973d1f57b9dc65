"""Order hits by more than their words: by a weighted sum, or by what an extension returns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import exp, log1p
from typing import TYPE_CHECKING

from memvault.core.query import RankedHit

if TYPE_CHECKING:
    from memvault.core.settings import Settings
    from memvault.storage.vault.context import VaultContext

WEIGHTED = "weighted"
_USES = 10.0  # the logarithm of the uses is divided by this


def order_hits(context: VaultContext, question: str, hits: Sequence[RankedHit]) -> Sequence[str]:
    """Return the ids in the order of the chosen ranking; it may leave some out."""
    name = context.settings.text("recall.ranking")
    if name == WEIGHTED:
        return rank_by_weights(hits, context.settings, context.now)
    return context.rankings[name](question, hits, context.now)


def rank_by_weights(hits: Sequence[RankedHit], settings: Settings, now: datetime) -> list[str]:
    """Return the ids, highest sum first: meaning, words, recency, importance, use and the project, each weighted."""
    part = {
        name: settings.number(f"recall.weight_{name}") for name in ("meaning", "words", "recency", "importance", "use")
    }
    boost, rate = settings.number("recall.context_boost"), settings.number("recall.recency_rate")

    def sum_weights(hit: RankedHit) -> float:
        days = max(0.0, (now - max(hit.created, hit.last_used)).total_seconds() / 86_400)
        return (
            part["meaning"] * hit.meaning
            + part["words"] * hit.similarity
            + part["recency"] * exp(-rate * days)
            + part["importance"] * hit.weight
            + part["use"] * log1p(hit.uses) / _USES
            + boost * hit.own_project
        )

    return [hit.id for hit in sorted(hits, key=sum_weights, reverse=True)]
