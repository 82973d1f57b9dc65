"""The report: one page of HTML about a vault, whole without a network or a script."""

from __future__ import annotations

import os
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from pathlib import Path
from typing import NamedTuple

from memvault import __version__
from memvault.core.weight import effective_weight
from memvault.errors import AlreadyThere, BadInput
from memvault.maintenance.report import figures as counting
from memvault.maintenance.report.figures import TIERS, Figures, ReportEvent, WeighedMemory, WeightGroup
from memvault.maintenance.report.html import (
    NOTHING,
    STYLE,
    Markup,
    escape_text,
    join_markup,
    make_bar,
    make_element,
    make_section,
    make_table,
    named_list,
    side_by_side,
    title_markup,
)
from memvault.recall.keywords import keywords_in, tally_keywords
from memvault.storage.vault.context import VaultContext
from memvault.storage.written_files import note_written
from memvault.system import files
from memvault.text.display import format_count, format_size

MARK = '<meta name="generator" content="memvault report">'
STEPS = 10  # of weights, from 0 to 1
_LISTED, _TABLED, _KEYWORDS, _WEEKS = 8, 200, 24, 26
_DAYS_AHEAD = (30, 60, 90)


@dataclass(frozen=True, slots=True)
class ReportResult:
    """A report, and where it was written."""

    page: str
    path: Path | None
    figures: Figures


def write_report(context: VaultContext, target: Path | None, *, days: int = counting.USUAL_DAYS) -> ReportResult:
    """Return one page that shows the vault, written to a file; without a target it is only given back."""
    if target is not None:
        # Refuse a target that is not an earlier report, or that would become a memory.
        real = target.parent.resolve() / target.name
        if context.vault.relative_path(real) is not None and target.suffix.casefold() not in (".html", ".htm"):
            reason = "it lies in the vault, where only a name that ends in .html is no memory"
            raise BadInput(what="the report's file", value=str(target), reason=reason)
        if os.path.lexists(target) and MARK.encode() not in files.read_file(target)[:4096]:
            raise AlreadyThere(path=target)
    rows = counting.weigh_memories(context)
    found = counting.compute_figures(context, rows, days)
    uses = context.index.count_uses_by_day()
    page = render_page(ReportData(found, rows, uses, context.settings.text("decay.model"), context.zone))
    if target is not None:
        files.overwrite_file(target, page.encode())
        note_written(context, target, page.encode())
    return ReportResult(page, target, found)


class ReportData(NamedTuple):
    """All that a report is made of."""

    figures: Figures
    rows: Sequence[WeighedMemory]
    uses: Sequence[tuple[date, int]]
    model: str
    zone: tzinfo


def render_page(data: ReportData) -> str:
    """Return the whole page, the same bytes for the same vault and moment."""
    found = data.figures
    nothing = ("empty", "Nothing here yet", "The vault holds no memory. Once it does, this page shows them.")
    parts = [section(data) for section in _SECTIONS] if found.memories else [make_section(*nothing)]
    text = (
        f"Made by memvault {__version__}. It loads nothing and sends nothing; it holds titles, so share it with care."
    )
    gone = found.history.forgotten
    forgotten = f" {format_count(gone, 'memory was', 'memories were')} forgotten on request." if gone else ""
    body = join_markup(
        _page_header(data), make_element("main", *parts), make_element("footer", make_element("p", text, forgotten))
    )
    head = join_markup(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_security_policy()}">'),
        Markup(MARK),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        make_element("title", escape_text(found.vault, 80), " · memvault report"),
        Markup(f"<style>{STYLE}</style>"),
        between="\n",
    )
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _security_policy() -> str:
    """Return a policy under which nothing is loaded, run or sent; it allows this one style sheet by its digest."""
    from hashlib import sha256  # deferred: loading OpenSSL takes longer than writing the page

    digest = b64encode(sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


# -- above and below


def _page_header(data: ReportData) -> Markup:
    found = data.figures
    at = found.at.astimezone(data.zone)
    when = f"As of {at:%Y-%m-%d}, {at:%H:%M}, looking back on {format_count(found.days, 'day', 'days')}."
    headline = (
        make_element("li", make_element("b", value), make_element("span", meaning))
        for value, meaning in (_headline_rows(found) if found.memories else ())
    )
    return make_element(
        "header",
        make_element("p", "memvault report", class_="over"),
        make_element("h1", make_element("bdi", escape_text(found.vault, 120))),
        make_element("p", when, class_="lead"),
        make_element("ul", *headline, class_="figures"),
    )


def _headline_rows(found: Figures) -> list[tuple[str, str]]:
    return [
        (f"{found.memories:,}", "memories" if found.memories > 1 else "memory"),
        (f"{found.weight:.2f}", "mean weight, 0 to 1"),
        (f"{found.touches.in_period:,}", f"uses, {found.touches.per_week:.1f} a week"),
        (f"{len(found.fading):,}", "about to fade, within 30 days"),
        (f"{len(found.history.faded):,}", "faded"),
        (f"{len(found.history.returned):,}", "returned"),
    ]


# -- the parts


def _tier_section(data: ReportData) -> Markup:
    found = data.figures
    most = max(group.count for group in found.tiers)
    rows = (
        (group.name, make_bar(group.count, most), f"{group.count:,}", f"{group.weight:.3f}", _tier_fill(group, found))
        for group in found.tiers
    )
    return make_section(
        "tiers",
        "The vault in layers",
        "Identity and hot are loaded in every session, so they have a budget.",
        make_table("Memories by tier", ("tier", "", "memories", "mean weight", "size"), rows),
    )


def _tier_fill(group: WeightGroup, figures: Figures) -> str:
    """Return how full a tier with a budget is."""
    sizes, (low, high) = figures.sizes, figures.sizes.hot_budget
    if group.name == "identity":
        return _describe_fill(sizes.identity, f"{sizes.identity_budget // 1024}", sizes.identity_budget)
    return _describe_fill(sizes.hot, f"{low // 1024}-{high // 1024}", high) if group.name == "hot" else ""


def _describe_fill(held: int, budget: str, most: int) -> str:
    return f"{format_size(held)}, over its {budget} KB" if held > most else f"{format_size(held)} of {budget} KB"


def _weight_section(data: ReportData) -> Markup:
    found = data.figures
    steps = count_by_weight(data.rows)
    most = max(map(sum, steps))
    rows = (
        (f"{n / STEPS:.1f} to {(n + 1) / STEPS:.1f}", make_bar(sum(step), most), *(f"{count:,}" for count in step))
        for n, step in enumerate(steps)
    )
    below = f"Below {found.threshold:.2f} memories go stale: {found.below:,} of those that can fade are there now."
    return make_section(
        "weights",
        "What matters now",
        f"How much each memory matters now. {below}",
        make_table("Memories by weight", ("weight", "", *TIERS), rows),
    )


def count_by_weight(rows: Sequence[WeighedMemory]) -> list[list[int]]:
    """Return how many memories of each tier have a weight within each step."""
    found = [[0] * len(TIERS) for _ in range(STEPS)]
    for row in rows:
        found[min(STEPS - 1, int(row.weight * STEPS + 1e-9))][row.memory.tier] += 1
    return found


def _fading_section(data: ReportData) -> Markup:
    found = data.figures
    chosen = counting.about_to_fade(data.rows, found.at)
    if not chosen:
        description = f"Nothing falls below {found.threshold:.2f} in the next 30 days."
        return make_section("fading", "About to fade", description)
    many = format_count(len(chosen), "memory falls", "memories fall")
    headings = ("memory", "", "weight now", "falls on", *(f"in {days} days" for days in _DAYS_AHEAD))
    return make_section(
        "fading",
        "About to fade",
        f"{many} below {found.threshold:.2f} within 30 days unless used: one use starts the decay anew.",
        make_table("What falls below the threshold", headings, (_fading_row(row, data) for row in chosen[:_TABLED])),
        _count_more(len(chosen)),
    )


def _fading_row(row: WeighedMemory, data: ReportData) -> tuple[str, ...]:
    ahead = (data.figures.at + timedelta(days=days) for days in _DAYS_AHEAD)
    later = (effective_weight(row.memory, row.use, moment, model=data.model) for moment in ahead)
    falls = f"{row.falls.astimezone(data.zone):%Y-%m-%d}" if row.falls else ""
    bar = make_bar(row.weight, 1)
    return title_markup(row.memory.title), bar, f"{row.weight:.3f}", falls, *(f"{weight:.3f}" for weight in later)


def _use_section(data: ReportData) -> Markup:
    found, today = data.figures.touches, data.figures.at.date()
    description = (
        f"Uses by week, of UTC days. In the last {data.figures.days} days: "
        f"{format_count(found.in_period, 'use', 'uses')}, {found.per_day:.1f} a day."
    )
    weeks = Counter[date]()
    for day, count in data.uses:
        if day <= today:
            weeks[day - timedelta(days=day.weekday())] += count
    if not weeks:
        return make_section("touches", "When it is used", description)
    last = today - timedelta(days=today.weekday())
    count = min(_WEEKS, (last - min(weeks)).days // 7 + 1)
    mondays = [last - timedelta(weeks=n) for n in range(count)]
    most = max(weeks[monday] for monday in mondays)
    rows = ((monday.isoformat(), make_bar(weeks[monday], most), f"{weeks[monday]:,}") for monday in mondays)
    table = make_table("Uses by week", ("week that began on", "", "uses"), rows)
    return make_section("touches", "When it is used", description, table)


def _keyword_section(data: ReportData) -> Markup:
    words = list(tally_keywords((keywords_in(row.memory) for row in data.rows), ()).values())[:_KEYWORDS]
    if not words:
        return make_section("keywords", "What it is about", "No memory bears a tag or a topic yet.")
    rows = ((escape_text(word.name, 40), make_bar(word.total, words[0].total), f"{word.total:,}") for word in words)
    return make_section(
        "keywords",
        "What it is about",
        "The most frequent tags and topics.",
        make_table("Keywords", ("keyword", "", "memories"), rows),
    )


def _change_section(data: ReportData) -> Markup:
    found, zone = data.figures, data.zone
    faded, returned, merged = found.history.faded, found.history.returned, found.history.merged
    period = f"The last {found.days:,} days" if found.days > 1 else "The last day"
    if not (faded or returned or merged):
        return make_section("passing", "What came and went", f"{period}: nothing faded, returned or was merged.")
    description = (
        f"{period}: {len(faded):,} faded (stale, archived, expired), "
        f"{len(returned):,} returned (revived, restored), {len(merged):,} merged or promoted."
    )
    events = sorted((*faded, *returned, *merged), key=lambda event: -event.at.timestamp())
    rows = ((_event_day(event, zone), event.what, title_markup(event.title), event.why) for event in events[:_TABLED])
    return make_section(
        "passing",
        "What came and went",
        description,
        side_by_side(
            *(
                (head, named_list((one.title, f"{one.what}, {_event_day(one, zone)}") for one in some[:_LISTED]))
                for head, some in (("Faded", faded), ("Returned", returned), ("Merged", merged))
            )
        ),
        make_element(
            "details",
            make_element("summary", "All of it, with reasons"),
            make_table("What happened", ("day", "what", "memory", "why"), rows),
            _count_more(len(events)),
        ),
    )


def _event_day(event: ReportEvent, zone: tzinfo) -> str:
    return f"{event.at.astimezone(zone):%Y-%m-%d}"


def _ranking_section(data: ReportData) -> Markup:
    used, linked = (
        named_list((row.title, f"{row.count:,}") for row in ranked[:_LISTED])
        for ranked in (data.figures.most_used, data.figures.most_linked)
    )
    if not (used or linked):
        return make_section("use", "What it leans on", "No memory was used or linked to yet.")
    description = "What is used most fades last. What is linked most holds the rest together."
    lists = side_by_side(("Used most", used), ("Linked most", linked))
    return make_section("use", "What it leans on", description, lists)


def _count_section(data: ReportData) -> Markup:
    found = data.figures
    sizes = (
        f"Weights are means. All notes together take {format_size(found.sizes.all)}, "
        f"{format_count(found.pinned, 'memory is', 'memories are')} pinned."
    )
    groups = (("kind", found.kinds), ("status", found.statuses), ("age", found.ages))
    tables = (
        make_table(
            f"By {name}",
            (name, "memories", "weight"),
            ((group.name, f"{group.count:,}", f"{group.weight:.3f}") for group in some),
        )
        for name, some in groups
    )
    return make_section("counts", "In numbers", sizes, make_element("div", *tables, class_="lists"))


def _count_more(count: int) -> Markup:
    left = count - _TABLED
    text = f"And {left:,} more: `memvault vault stats --json` names all."
    return make_element("p", text, class_="soft") if left > 0 else NOTHING


_SECTIONS = (
    _tier_section,
    _weight_section,
    _fading_section,
    _use_section,
    _keyword_section,
    _change_section,
    _ranking_section,
    _count_section,
)
