"""The report: what a vault holds and what came of it, for the page and for one file that can be sent to somebody."""

from __future__ import annotations

import os
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta, tzinfo
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memvault import __version__
from memvault.api import Memvault
from memvault.core.memory import Memory
from memvault.core.weight import effective_weight
from memvault.errors import AlreadyThere, BadInput
from memvault.maintenance import report as counting
from memvault.maintenance.report import TIERS, Figures, ReportEvent, WeighedMemory
from memvault.memories.open_items import Reminder, is_open_reminder, list_reminders
from memvault.recall.keywords import KeywordTally, keywords_in, tally_keywords
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import list_waiting
from memvault.storage.vault.vault_file import read_vault_file
from memvault.storage.written_files import note_written
from memvault.system import files, paths
from memvault.text.file_names import slugify
from memvault.web.page import HERE, load_templates

MARK = '<meta name="generator" content="memvault report">'
STEPS = 10  # of weights, from 0 to 1
DAYS_AHEAD = (30, 60, 90)
_LISTED, _TABLED, _KEYWORDS, _WEEKS = 8, 200, 24, 26


class FadingRow(NamedTuple):
    """A memory that is about to fade, with its weights ahead."""

    memory: Memory
    weight: float
    falls: date
    ahead: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """All that a report shows: figures, and lists that are ready to be drawn."""

    figures: Figures
    steps: Sequence[Sequence[int]]  # memories by weight, and in each step by tier
    weeks: Sequence[tuple[date, int]]  # uses, the latest week first
    fading: Sequence[FadingRow]
    keywords: Sequence[KeywordTally]
    events: Sequence[ReportEvent]
    new: Sequence[Memory]
    due: Sequence[Reminder]
    waiting: Sequence[Memory]
    zone: tzinfo = UTC

    @property
    def tiers(self) -> tuple[str, ...]:
        """Return the names of the tiers, in their order."""
        return TIERS


@dataclass(frozen=True, slots=True)
class ReportResult:
    """A report, and where it was written."""

    page: str
    path: Path | None
    figures: Figures


def collect_report(context: VaultContext, *, days: int = counting.USUAL_DAYS) -> ReportData:
    """Return all that a report on some days shows."""
    rows = counting.weigh_memories(context)
    found = counting.compute_figures(context, rows, days)
    history = found.history
    events = sorted((*history.faded, *history.returned, *history.merged), key=lambda event: -event.at.timestamp())
    since = found.at - timedelta(days=days)
    new = sorted((row.memory for row in rows if row.memory.created >= since), key=lambda memory: memory.created)
    words = tally_keywords((keywords_in(row.memory) for row in rows), ()).values()
    fading = counting.about_to_fade(rows, found.at)[:_TABLED]
    return ReportData(
        figures=found,
        steps=count_by_weight(rows),
        weeks=count_by_week(context.index.count_uses_by_day(), found.at.date()),
        fading=[_look_ahead(row, found, context) for row in fading],
        keywords=list(words)[:_KEYWORDS],
        events=events[:_TABLED],
        new=new[::-1][:_TABLED],
        due=[reminder for reminder in list_reminders(context) if is_open_reminder(reminder)][:_TABLED],
        waiting=list_waiting(context)[:_TABLED],
        zone=context.zone,
    )


def count_by_weight(rows: Sequence[WeighedMemory]) -> list[list[int]]:
    """Return how many memories of each tier have a weight within each step."""
    found = [[0] * len(TIERS) for _ in range(STEPS)]
    for row in rows:
        found[min(STEPS - 1, int(row.weight * STEPS + 1e-9))][row.memory.tier] += 1
    return found


def count_by_week(uses: Sequence[tuple[date, int]], today: date) -> list[tuple[date, int]]:
    """Return the uses of each week, this one first, back to the first that saw any."""
    weeks = Counter[date]()
    for day, count in uses:
        if day <= today:
            weeks[day - timedelta(days=day.weekday())] += count
    if not weeks:
        return []
    last = today - timedelta(days=today.weekday())
    reach = min(_WEEKS, (last - min(weeks)).days // 7 + 1)
    return [(monday, weeks[monday]) for monday in (last - timedelta(weeks=n) for n in range(reach))]


def _look_ahead(row: WeighedMemory, found: Figures, context: VaultContext) -> FadingRow:
    assert row.falls is not None
    decay = context.settings.decay
    moments = (found.at + timedelta(days=days) for days in DAYS_AHEAD)
    ahead = tuple(effective_weight(row.memory, row.use, moment, decay=decay) for moment in moments)
    return FadingRow(row.memory, row.weight, row.falls.astimezone(context.zone).date(), ahead)


# -- one file


def write_report(
    vault: Memvault, path: str | Path | None = None, *, days: int = counting.USUAL_DAYS, write: bool = True
) -> ReportResult:
    """Return one page that shows the vault, written to a file; without a path, to one in the user's cache."""
    if not write:
        return vault.run(_write_page, None, days)
    if path is None:  # a report can be made again at any time, and is nobody else's business
        folder = paths.cache_folder(vault.environment) / "reports" / read_vault_file(vault.root).id[:8]
        files.make_folder(folder)
        path = folder / f"{slugify(vault.root.name)}.html"
    return vault.run(_write_page, Path(path), days)


def _write_page(context: VaultContext, target: Path | None, days: int) -> ReportResult:
    if target is not None:
        _check_target(context, target)
    data = collect_report(context, days=days)
    page = render_report(data)
    if target is not None:
        files.overwrite_file(target, page.encode())
        note_written(context, target, page.encode())
    return ReportResult(page, target, data.figures)


def _check_target(context: VaultContext, target: Path) -> None:
    """Refuse a target that is not an earlier report, or that would become a memory."""
    real = target.parent.resolve() / target.name
    if context.vault.relative_path(real) is not None and target.suffix.casefold() not in (".html", ".htm"):
        reason = "it lies in the vault, where only a name that ends in .html is no memory"
        raise BadInput(what="the report's file", value=str(target), reason=reason)
    if os.path.lexists(target) and MARK.encode() not in files.read_file(target)[:4096]:
        raise AlreadyThere(path=target)


def render_report(data: ReportData) -> str:
    """Return the whole page, the same bytes for the same vault and moment; it loads nothing and runs nothing."""
    style = report_style()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    page = load_templates(data.zone).get_template("report.html")
    given = {
        "report": data,
        "style": style,
        "mark": MARK,
        "policy": f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        "version": __version__,
        "days": data.figures.days,
    }
    return f"{page.render(given)}\n"


def report_style() -> str:
    """Return the style sheet of the page, which the report carries."""
    return (HERE / "static" / "style.css").read_text("utf-8")
