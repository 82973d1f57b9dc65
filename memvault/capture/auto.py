"""Keep what nobody asked to be kept: picked up by itself, judged by the reviewers, and stored, added or let go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memvault.memories.draft import Draft
from memvault.memories.edit import remember_in
from memvault.memories.remember import Remembered, remember
from memvault.memories.reviewers import Reviewed, neighbours, review
from memvault.memories.verdict import consensus
from memvault.models.llm.ask import Ask
from memvault.storage.vault.context import Bench


def capture(
    bench: Bench, draft: Draft, ask: Ask | None, *, reviewers: Mapping[str, str], dry_run: bool = False
) -> Remembered:
    """Remember a text that was picked up, if it passes the screens and the reviewers; what is less is not stored.

    Without a model nobody is asked, and what passes the screens is stored with a middling weight.
    """
    draft = replace(draft, automatic=True)
    shown = remember(bench, draft, dry_run=True)
    if shown.outcome != "kept":
        return shown if dry_run else remember(bench, draft)
    if ask is None:
        return remember(bench, _weighed(draft, consensus(()).weight), dry_run=dry_run)
    text = draft.text if shown.memory.body is None else shown.memory.body
    nearest = neighbours(bench, text)
    found = review(bench, text, nearest, ask, reviewers=reviewers, dry_run=dry_run)
    return _as_judged(bench, draft, shown, found, dry_run=dry_run)


def _as_judged(bench: Bench, draft: Draft, shown: Remembered, found: Reviewed, *, dry_run: bool) -> Remembered:
    match found.outcome:
        case "reject":
            return replace(shown, outcome="rejected", why=found.verdict.reason)
        case "update" if found.updates:
            return remember_in(bench, found.updates, draft, dry_run=dry_run)
        case _:
            return remember(bench, _weighed(draft, found.verdict.weight), dry_run=dry_run)


def _weighed(draft: Draft, weight: float) -> Draft:
    """The draft with the weight that the verdict gives it, unless one was named."""
    return draft if draft.weight is not None else replace(draft, weight=weight)
