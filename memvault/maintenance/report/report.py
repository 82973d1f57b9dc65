"""The figures of a vault, and the page that shows them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memvault.core.memory import Memory
from memvault.core.query import NO_FILTERS
from memvault.core.weight import NO_USAGE, current_use, falls_below
from memvault.errors import AlreadyThere, BadInput
from memvault.maintenance.report import figures
from memvault.maintenance.report.figures import Figures, WeighedMemory
from memvault.maintenance.report.page import MARK, ReportData, render_page
from memvault.maintenance.rules.policy import MaintenancePolicy
from memvault.storage.index.rows import fold_name
from memvault.storage.vault.context import VaultContext
from memvault.system import files

USUAL_DAYS = 30
MOST_DAYS = 36_500


def compute_stats(context: VaultContext, *, days: int = USUAL_DAYS) -> Figures:
    """Return the figures of the vault now, and of some days before."""
    return _compute_figures(context, _weigh_memories(context), days)


@dataclass(frozen=True, slots=True)
class ReportResult:
    """A report, and where it was written."""

    page: str
    path: Path | None
    figures: Figures


def write_report(context: VaultContext, target: Path | None, *, days: int = USUAL_DAYS) -> ReportResult:
    """Return one page that shows the vault, written to a file; without a target it is only given back."""
    if target is not None:
        _check_target(context, target)
    rows = _weigh_memories(context)
    found = _compute_figures(context, rows, days)
    model = context.settings.text("decay.model")
    made = render_page(ReportData(found, rows, context.index.count_uses_by_day(), model, context.zone))
    if target is not None:
        files.overwrite_file(target, made.encode())
    return ReportResult(made, target, found)


def _check_target(context: VaultContext, target: Path) -> None:
    """Refuse a target that is not an earlier report, or that would become a memory."""
    real = target.parent.resolve() / target.name
    if context.vault.relative_path(real) is not None and target.suffix.casefold() not in (".html", ".htm"):
        reason = "it lies in the vault, where only a name that ends in .html is no memory"
        raise BadInput(what="the report's file", value=str(target), reason=reason)
    if os.path.lexists(target) and MARK.encode() not in files.read_file(target)[:4096]:
        raise AlreadyThere(path=target)


# -- gathering


def _weigh_memories(context: VaultContext) -> list[WeighedMemory]:
    """Return every memory with its exact weight, by path."""
    context.refresh()
    policy, pasts = MaintenancePolicy.from_settings(context.settings), context.index.all_usage_histories()
    rows = []
    for memory in sorted(context.index.memories(NO_FILTERS), key=lambda memory: memory.path):
        use = current_use(memory, pasts.get(memory.id, NO_USAGE), context.now, model=policy.model)
        falls = falls_below(memory, use, policy.stale_below, model=policy.model)
        rows.append(WeighedMemory(memory, use, context.memory_weight(memory, use), falls))
    return rows


def _compute_figures(context: VaultContext, rows: Sequence[WeighedMemory], days: int) -> Figures:
    if not 1 <= days <= MOST_DAYS:
        raise BadInput(what="the number of days", value=days, reason=f"it must lie between 1 and {MOST_DAYS:,}")
    now, policy = context.now, MaintenancePolicy.from_settings(context.settings)
    return Figures(
        vault=context.vault.root.name,
        at=now,
        days=days,
        memories=len(rows),
        weight=figures.mean_weight(rows),
        threshold=policy.stale_below,
        below=sum(row.weight < policy.stale_below and figures.can_fade(row.memory) for row in rows),
        pinned=sum(row.memory.pinned for row in rows),
        tiers=figures.by_tier(rows),
        kinds=figures.by_kind(rows),
        statuses=figures.by_status(rows),
        ages=figures.by_age(rows, now),
        touches=figures.count_uses(context.index.count_uses_by_day(), now, days=days),
        fading=figures.list_fading(figures.about_to_fade(rows, now)),
        history=figures.list_history(
            context.vault.log.operations(), [row.memory for row in rows], now - timedelta(days=days)
        ),
        most_used=figures.most_used(rows),
        most_linked=_most_linked(context, rows),
        sizes=_tier_sizes(context, [row.memory for row in rows], policy),
    )


def _most_linked(context: VaultContext, rows: Sequence[WeighedMemory]) -> tuple[figures.RankedMemory, ...]:
    linked = Counter(target for row in rows for target in context.index.links_from(row.memory.path))
    return figures.most_linked(rows, lambda memory: linked[fold_name(memory.name)])


def _tier_sizes(context: VaultContext, memories: Sequence[Memory], policy: MaintenancePolicy) -> figures.TierSizes:
    sizes = context.index.note_sizes()
    of = {tier: sum(sizes[memory.path][0] for memory in memories if memory.tier == tier) for tier in range(4)}
    return figures.TierSizes(of[0], of[1], sum(of.values()), (policy.hot_fill, policy.hot_most))
