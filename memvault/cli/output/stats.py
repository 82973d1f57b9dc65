"""The figures of a vault as a person reads them on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from memvault.cli.output.table import Column, format_table
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.ids import short_id
from memvault.maintenance.report.figures import HORIZON, FadingMemory, Figures, RankedMemory, ReportEvent, WeightGroup
from memvault.text.display import format_count, format_size

SHOWN = 10


def format_stats(found: Figures, paper: TerminalFormat) -> str:
    """All figures, those that are nothing left out."""
    parts = [
        _format_head(found, paper),
        _format_groups(found, paper),
        _format_use(found, paper),
        _format_fading(found.fading, paper),
        *_format_history(found, paper),
        _format_ranked("Used most", found.most_used, "USES", paper),
        _format_ranked("Linked most", found.most_linked, "LINKS", paper),
    ]
    return "\n\n".join(filter(None, parts))


def _format_head(found: Figures, paper: TerminalFormat) -> str:
    low, high = (bound // 1024 for bound in found.sizes.hot_budget)
    identity = f"identity {format_size(found.sizes.identity)} of about {found.sizes.identity_budget // 1024} KB"
    facts = [
        format_count(found.memories, "memory", "memories"),
        f"mean weight {found.weight:.2f}" if found.memories else "",
        f"{found.below:,} below {found.threshold:.2f}" if found.below else "",
        f"{found.pinned:,} pinned" if found.pinned else "",
        identity,
        f"hot {format_size(found.sizes.hot)} of {low}-{high} KB",
        f"{format_size(found.sizes.all)} in all",
    ]
    return f"{paper.styles.title(found.vault)}\n{paper.join_facts(facts, '  ')}"


def _format_groups(found: Figures, paper: TerminalFormat) -> str:
    named = (("tier", found.tiers), ("kind", found.kinds), ("status", found.statuses), ("age", found.ages))
    rows = [row for label, groups in named for row in _group_rows(label, groups)]
    columns = (Column(""), Column(""), Column("MEMORIES", right=True), Column("WEIGHT", right=True))
    return format_table(columns, rows, paper) if rows else ""


def _group_rows(label: str, groups: Sequence[WeightGroup]) -> list[list[str]]:
    return [
        ["" if number else label, group.name, f"{group.count:,}", f"{group.weight:.2f}"]
        for number, group in enumerate(groups)
    ]


def _format_use(found: Figures, paper: TerminalFormat) -> str:
    used = found.touches
    if not used.ever:
        return ""
    counts = f"{format_count(used.in_period, 'use', 'uses')} in {format_count(found.days, 'day', 'days')}"
    return paper.wrap_block(f"{counts}: {used.per_day:.1f} a day, {used.per_week:.1f} a week. {used.ever:,} ever.")


def _format_fading(rows: Sequence[FadingMemory], paper: TerminalFormat) -> str:
    columns = (
        Column("FADES"),
        Column("WEIGHT", right=True),
        Column("ID", may_go=True),
        Column("TITLE", may_shrink=True),
    )
    lines = [[paper.format_day(row.at), f"{row.weight:.2f}", short_id(row.id), row.title] for row in rows[:SHOWN]]
    return _format_table(f"About to fade, within {HORIZON} days", columns, lines, len(rows), paper)


def _format_history(found: Figures, paper: TerminalFormat) -> list[str]:
    told = found.history
    named = (("Faded", told.faded), ("Returned", told.returned), ("Merged", told.merged))
    parts = [_format_events(heading, events, found.days, paper) for heading, events in named]
    forgotten = f"Forgotten: {told.forgotten:,}." if told.forgotten else ""
    return [*parts, forgotten]


def _format_events(heading: str, events: Sequence[ReportEvent], days: int, paper: TerminalFormat) -> str:
    columns = (Column("DAY"), Column("WHAT"), Column("ID", may_go=True), Column("TITLE", may_shrink=True))
    lines = [
        [paper.format_day(event.at), event.what, short_id(event.id), event.title or "(no longer in the vault)"]
        for event in events[:SHOWN]
    ]
    return _format_table(f"{heading} in {format_count(days, 'day', 'days')}", columns, lines, len(events), paper)


def _format_ranked(heading: str, rows: Sequence[RankedMemory], unit: str, paper: TerminalFormat) -> str:
    columns = (Column(unit, right=True), Column("ID", may_go=True), Column("TITLE", may_shrink=True))
    lines = [[f"{row.count:,}", short_id(row.id), row.title] for row in rows]
    return _format_table(heading, columns, lines, len(rows), paper)


def _format_table(
    heading: str, columns: Sequence[Column], lines: list[list[str]], total: int, paper: TerminalFormat
) -> str:
    if not lines:
        return ""
    head = paper.styles.title(
        heading if total <= len(lines) else f"{heading}: {total:,}, of them the first {len(lines)}"
    )
    return f"{head}\n{format_table(columns, lines, paper)}"
