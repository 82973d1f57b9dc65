"""The figures of a vault as a person reads them on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.maintenance.report.figures import HORIZON, Event, Fading, Figures, Group, Ranked
from memvault.text.display import plural, size

SHOWN = 10


def stats(found: Figures, paper: Paper) -> str:
    """All figures, those that are nothing left out."""
    parts = [
        _head(found, paper),
        _groups(found, paper),
        _use(found, paper),
        _fading(found.fading, paper),
        *_history(found, paper),
        _ranked("Used most", found.most_used, "USES", paper),
        _ranked("Linked most", found.most_linked, "LINKS", paper),
    ]
    return "\n\n".join(filter(None, parts))


def _head(found: Figures, paper: Paper) -> str:
    low, high = (bound // 1024 for bound in found.sizes.hot_budget)
    identity = f"identity {size(found.sizes.identity)} of about {found.sizes.identity_budget // 1024} KB"
    facts = [
        plural(found.memories, "memory", "memories"),
        f"mean weight {found.weight:.2f}" if found.memories else "",
        f"{found.below:,} below {found.threshold:.2f}" if found.below else "",
        f"{found.pinned:,} pinned" if found.pinned else "",
        identity,
        f"hot {size(found.sizes.hot)} of {low}-{high} KB",
        f"{size(found.sizes.all)} in all",
    ]
    return f"{paper.styles.title(found.vault)}\n{paper.facts(facts, '  ')}"


def _groups(found: Figures, paper: Paper) -> str:
    named = (("tier", found.tiers), ("kind", found.kinds), ("status", found.statuses), ("age", found.ages))
    rows = [row for label, groups in named for row in _rows(label, groups)]
    columns = (Column(""), Column(""), Column("MEMORIES", right=True), Column("WEIGHT", right=True))
    return table(columns, rows, paper) if rows else ""


def _rows(label: str, groups: Sequence[Group]) -> list[list[str]]:
    return [
        ["" if number else label, group.name, f"{group.count:,}", f"{group.weight:.2f}"]
        for number, group in enumerate(groups)
    ]


def _use(found: Figures, paper: Paper) -> str:
    used = found.touches
    if not used.ever:
        return ""
    counts = f"{plural(used.in_period, 'use', 'uses')} in {plural(found.days, 'day', 'days')}"
    return paper.block(f"{counts}: {used.per_day:.1f} a day, {used.per_week:.1f} a week. {used.ever:,} ever.")


def _fading(rows: Sequence[Fading], paper: Paper) -> str:
    columns = (
        Column("FADES"),
        Column("WEIGHT", right=True),
        Column("ID", may_go=True),
        Column("TITLE", gives_way=True),
    )
    lines = [[paper.day(row.at), f"{row.weight:.2f}", short(row.id), row.title] for row in rows[:SHOWN]]
    return _listed(f"About to fade, within {HORIZON} days", columns, lines, len(rows), paper)


def _history(found: Figures, paper: Paper) -> list[str]:
    told = found.history
    named = (("Faded", told.faded), ("Returned", told.returned), ("Merged", told.merged))
    parts = [_events(heading, events, found.days, paper) for heading, events in named]
    forgotten = f"Forgotten: {told.forgotten:,}." if told.forgotten else ""
    return [*parts, forgotten]


def _events(heading: str, events: Sequence[Event], days: int, paper: Paper) -> str:
    columns = (Column("DAY"), Column("WHAT"), Column("ID", may_go=True), Column("TITLE", gives_way=True))
    lines = [
        [paper.day(event.at), event.what, short(event.id), event.title or "(no longer in the vault)"]
        for event in events[:SHOWN]
    ]
    return _listed(f"{heading} in {plural(days, 'day', 'days')}", columns, lines, len(events), paper)


def _ranked(heading: str, rows: Sequence[Ranked], unit: str, paper: Paper) -> str:
    columns = (Column(unit, right=True), Column("ID", may_go=True), Column("TITLE", gives_way=True))
    lines = [[f"{row.count:,}", short(row.id), row.title] for row in rows]
    return _listed(heading, columns, lines, len(rows), paper)


def _listed(heading: str, columns: Sequence[Column], lines: list[list[str]], total: int, paper: Paper) -> str:
    if not lines:
        return ""
    head = paper.styles.title(
        heading if total <= len(lines) else f"{heading}: {total:,}, of them the first {len(lines)}"
    )
    return f"{head}\n{table(columns, lines, paper)}"
