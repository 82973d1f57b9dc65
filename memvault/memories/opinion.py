"""Hear what the reviewers say of a text, and store nothing."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.core.query import ANY
from memvault.core.secrets.private_spans import cleaned, without_private
from memvault.errors import BadInput
from memvault.memories.judges import Neighbour
from memvault.memories.reviewers import Reviewed, review
from memvault.models.llm.ask import Ask
from memvault.storage.vault.context import Bench
from memvault.text.terms import query_words

_NEAREST = 5


def opinion(bench: Bench, text: str, ask: Ask | None, *, reviewers: Mapping[str, str]) -> Reviewed:
    """What would become of a text that had been picked up by itself, and what each reviewer says of it."""
    said = cleaned(text).strip()
    if not said:
        raise BadInput(what="the text", value=text, reason="there is nothing in it to judge")
    bench.freshen()
    return review(bench, said, neighbours(bench, said), ask, reviewers=reviewers, dry_run=True)


def neighbours(bench: Bench, text: str) -> tuple[Neighbour, ...]:
    """The memories that are nearest to a text by their words."""
    found = bench.catalogue.search(query_words(text), filters=ANY, limit=_NEAREST)
    memories = (hit.memory for hit in found)
    return tuple(Neighbour(one.id, one.title, without_private(bench.text(one))) for one in memories)
