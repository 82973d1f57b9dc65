"""Capture statements automatically: screened, reviewed, and stored, added or rejected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memvault.memories.draft import MemoryDraft
from memvault.memories.edit import add_to_memory
from memvault.memories.remember import RememberResult, remember
from memvault.memories.reviewers import combine_answers, find_neighbors, review_text
from memvault.models.llm.ask import AskModel
from memvault.storage.pauses import check_not_paused
from memvault.storage.vault.context import VaultContext


def capture(context: VaultContext, draft: MemoryDraft, *, dry_run: bool = False) -> RememberResult:
    """Remember a text that was picked up, unless memvault is paused; the person's model reviews it."""
    assert context.state is not None
    actor, project = context.actor, str(draft.more.get("project", ""))
    check_not_paused(context.state, project, actor.session, context.now, context.environment)
    ask = context.ask_model()
    reviewers = {} if ask is None else context.reviewers()
    return capture_reviewed(context, draft, ask, reviewers=reviewers, dry_run=dry_run)


def capture_reviewed(
    context: VaultContext,
    draft: MemoryDraft,
    ask: AskModel | None,
    *,
    reviewers: Mapping[str, str],
    dry_run: bool = False,
) -> RememberResult:
    """Remember a text that was found automatically, if it passes the screens and, with a model, the reviewers."""
    draft = replace(draft, automatic=True)
    shown = remember(context, draft, dry_run=True)
    if shown.outcome != "kept":
        return shown if dry_run else remember(context, draft)
    if ask is None:
        return remember(context, _with_weight(draft, combine_answers(()).weight), dry_run=dry_run)
    text = draft.text if shown.memory.body is None else shown.memory.body
    nearest = find_neighbors(context, text)
    found = review_text(context, text, nearest, ask, reviewers=reviewers, dry_run=dry_run)
    match found.outcome:
        case "reject":
            return replace(shown, outcome="rejected", why=found.verdict.reason)
        case "update" if found.updates:
            return add_to_memory(context, found.updates, draft, dry_run=dry_run)
        case _:
            return remember(context, _with_weight(draft, found.verdict.weight), dry_run=dry_run)


def _with_weight(draft: MemoryDraft, weight: float) -> MemoryDraft:
    """Return the draft with the weight of the verdict, unless one was given."""
    return draft if draft.weight is not None else replace(draft, weight=weight)
