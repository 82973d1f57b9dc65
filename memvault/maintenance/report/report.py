"""The figures of a vault, and the page that shows them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memvault.core.memory import Memory
from memvault.core.query import ANY
from memvault.core.weight import NO_PAST, falls_below, present
from memvault.errors import AlreadyThere, BadInput
from memvault.maintenance.report import figures
from memvault.maintenance.report.figures import Figures, Weighed
from memvault.maintenance.report.page import MARK, Shown, page
from memvault.maintenance.rules.policy import Policy
from memvault.storage.index.rows import folded
from memvault.storage.vault.context import Bench
from memvault.system import files

USUAL_DAYS = 30
MOST_DAYS = 36_500


def stats(bench: Bench, *, days: int = USUAL_DAYS) -> Figures:
    """The figures of the vault now, and of some days before."""
    return _figures(bench, _weighed(bench), days)


@dataclass(frozen=True, slots=True)
class Reported:
    """A report, and where it was written."""

    page: str
    path: Path | None
    figures: Figures


def report(bench: Bench, target: Path | None, *, days: int = USUAL_DAYS) -> Reported:
    """One page that shows the vault, written to a file; without a target it is only given back."""
    if target is not None:
        _check(bench, target)
    rows = _weighed(bench)
    found = _figures(bench, rows, days)
    model = bench.settings.text("decay.model")
    made = page(Shown(found, rows, bench.catalogue.touches_by_day(), model, bench.zone))
    if target is not None:
        files.overwrite(target, made.encode())
    return Reported(made, target, found)


def _check(bench: Bench, target: Path) -> None:
    """A report takes the place of an earlier report and of nothing else, and never becomes a memory."""
    real = target.parent.resolve() / target.name
    if bench.vault.relative(real) is not None and target.suffix.casefold() not in (".html", ".htm"):
        reason = "it lies in the vault, where only a name that ends in .html is no memory"
        raise BadInput(what="the report's file", value=str(target), reason=reason)
    if os.path.lexists(target) and MARK.encode() not in files.read(target)[:4096]:
        raise AlreadyThere(path=target)


# -- gathering


def _weighed(bench: Bench) -> list[Weighed]:
    """Every memory with its exact weight, by path."""
    bench.freshen()
    policy, pasts = Policy.of(bench.settings), bench.catalogue.all_pasts()
    rows = []
    for memory in sorted(bench.catalogue.memories(ANY), key=lambda memory: memory.path):
        use = present(memory, pasts.get(memory.id, NO_PAST), bench.now, model=policy.model)
        falls = falls_below(memory, use, policy.stale_below, model=policy.model)
        rows.append(Weighed(memory, use, bench.weight(memory, use), falls))
    return rows


def _figures(bench: Bench, rows: Sequence[Weighed], days: int) -> Figures:
    if not 1 <= days <= MOST_DAYS:
        raise BadInput(what="the number of days", value=days, reason=f"it must lie between 1 and {MOST_DAYS:,}")
    now, policy = bench.now, Policy.of(bench.settings)
    return Figures(
        vault=bench.vault.root.name,
        at=now,
        days=days,
        memories=len(rows),
        weight=figures.mean_weight(rows),
        threshold=policy.stale_below,
        below=sum(row.weight < policy.stale_below and figures.fades(row.memory) for row in rows),
        pinned=sum(row.memory.pinned for row in rows),
        tiers=figures.by_tier(rows),
        kinds=figures.by_kind(rows),
        statuses=figures.by_status(rows),
        ages=figures.by_age(rows, now),
        touches=figures.touches(bench.catalogue.touches_by_day(), now, days=days),
        fading=figures.fading(figures.about_to_fade(rows, now)),
        history=figures.history(bench.vault.log.operations(), [row.memory for row in rows], now - timedelta(days=days)),
        most_used=figures.most_used(rows),
        most_linked=_most_linked(bench, rows),
        sizes=_sizes(bench, [row.memory for row in rows], policy),
    )


def _most_linked(bench: Bench, rows: Sequence[Weighed]) -> tuple[figures.Ranked, ...]:
    linked = Counter(target for row in rows for target in bench.catalogue.links_from(row.memory.path))
    return figures.most_linked(rows, lambda memory: linked[folded(memory.name)])


def _sizes(bench: Bench, memories: Sequence[Memory], policy: Policy) -> figures.Sizes:
    sizes = bench.catalogue.files()
    of = {tier: sum(sizes[memory.path][0] for memory in memories if memory.tier == tier) for tier in range(4)}
    return figures.Sizes(of[0], of[1], sum(of.values()), (policy.hot_fill, policy.hot_most))
