"""The report put together: what it says in words, what it shows, and the page around it."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta, tzinfo
from typing import NamedTuple

from memvault import __version__
from memvault.maintenance.report import charts, network
from memvault.maintenance.report import (
    decay_curves as curves,
)
from memvault.maintenance.report import figures as counting
from memvault.maintenance.report.charts import long_date, short_date
from memvault.maintenance.report.decay_curves import CurveSettings
from memvault.maintenance.report.figures import TIERS, Figures, ReportEvent, WeighedMemory, WeightGroup
from memvault.maintenance.report.html import (
    NOTHING,
    STYLE,
    WIDE,
    Markup,
    escape_text,
    headline_figures,
    join_markup,
    make_details,
    make_element,
    make_paragraph,
    make_plot,
    make_section,
    make_table,
    named_list,
    side_by_side,
    title_markup,
)
from memvault.recall.keywords import map_keywords
from memvault.text.display import format_count, format_size

MARK = '<meta name="generator" content="memvault report">'
_LISTED, _TABLED = 8, 200


class ReportData(NamedTuple):
    """All that a report is made of."""

    figures: Figures
    rows: Sequence[WeighedMemory]
    touches: Sequence[tuple[date, int]]
    model: str
    zone: tzinfo


def render_page(data: ReportData) -> str:
    """Return the whole page, the same bytes for the same vault and moment."""
    found = data.figures
    body = join_markup(
        _page_header(data),
        make_element("main", *_page_sections(data) if found.memories else [_empty_section()]),
        _page_footer(found),
    )
    name = escape_text(found.vault, 80)
    head = join_markup(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_security_policy()}">'),
        Markup(MARK),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        make_element("title", name, " · memvault report"),
        Markup(f"<style>{STYLE}</style>"),
        between="\n",
    )
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _security_policy() -> str:
    """Return a policy under which nothing is loaded, run or sent; it allows this one style sheet by its digest."""
    from hashlib import sha256  # deferred: loading OpenSSL takes longer than anything here but the drawing

    digest = b64encode(sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _page_sections(data: ReportData) -> list[Markup]:
    parts = (
        _tier_section,
        _weight_section,
        _fading_section,
        _use_section,
        _keyword_section,
        _change_section,
        _ranking_section,
        _count_section,
    )
    return [part(data) for part in parts]


# -- above and below


def _page_header(data: ReportData) -> Markup:
    found = data.figures
    at = found.at.astimezone(data.zone)
    when = f"As of {long_date(at.date())}, {at:%H:%M}, looking back on {format_count(found.days, 'day', 'days')}."
    return make_element(
        "header",
        make_element("p", "memvault report", class_="over"),
        make_element("h1", make_element("bdi", escape_text(found.vault, 120))),
        make_element("p", when, class_="lead"),
        headline_figures(_headline_rows(found)) if found.memories else NOTHING,
    )


def _describe_period(found: Figures) -> str:
    return f"The last {found.days:,} days" if found.days > 1 else "The last day"


def _headline_rows(found: Figures) -> list[tuple[str, str]]:
    touched = found.touches
    return [
        (f"{found.memories:,}", "memories" if found.memories > 1 else "memory"),
        (f"{found.weight:.2f}", "mean weight, 0 to 1"),
        (f"{touched.in_period:,}", f"uses, {touched.per_week:.1f} a week"),
        (f"{len(found.fading):,}", "about to fade, within 30 days"),
        (f"{len(found.history.faded):,}", "faded"),
        (f"{len(found.history.returned):,}", "returned"),
    ]


def _empty_section() -> Markup:
    return make_section(
        "empty", "Nothing here yet", "The vault holds no memory. Once it does, this page shows them.", NOTHING
    )


def _page_footer(found: Figures) -> Markup:
    text = (
        f"Made by memvault {__version__}. It loads nothing and sends nothing; it holds titles, so share it with care."
    )
    gone = found.history.forgotten
    description = f" {format_count(gone, 'memory was', 'memories were')} forgotten on request." if gone else ""
    return make_element("footer", make_element("p", text, description))


# -- the parts


def _tier_section(data: ReportData) -> Markup:
    found = data.figures
    unit = charts.fit_grid(data.rows, WIDE).unit
    dot = "Each dot is a memory" if unit == 1 else f"Each dot stands for {unit:,} memories (more on a small screen)"
    description = f"{dot}: the fainter it is, the less it weighs today. Identity and hot are loaded in every session."
    counts = ", ".join(f"{group.name} {group.count:,}" for group in found.tiers)
    rows = _group_rows(found.tiers)
    return make_section(
        "tiers",
        "The vault in layers",
        description,
        make_plot("tiers", "Memories by tier", counts, lambda sheet: charts.draw_tiers(sheet, data.rows, found)),
        make_details("The numbers", make_table("Memories by tier", ("tier", "memories", "mean weight"), rows)),
    )


def _weight_section(data: ReportData) -> Markup:
    found = data.figures
    bins = charts.count_by_weight(data.rows)
    below = f"Below {found.threshold:.2f} memories go stale: {found.below:,} of those that can fade are there now."
    description = f"How much each memory matters now. {below}"
    rows = [
        [f"{n / charts.BINS:.2f} to {(n + 1) / charts.BINS:.2f}", *(f"{count:,}" for count in column)]
        for n, column in enumerate(bins)
    ]
    return make_section(
        "weights",
        "What matters now",
        description,
        make_plot(
            "weights",
            "Memories by weight and tier",
            description,
            lambda sheet: charts.draw_histogram(sheet, bins, found.threshold),
        ),
        make_details("The numbers", make_table("Memories by weight", ("weight", *TIERS), rows)),
    )


def _fading_section(data: ReportData) -> Markup:
    found = data.figures
    chosen = counting.about_to_fade(data.rows, found.at)
    if not chosen:
        description = f"Nothing falls below {found.threshold:.2f} in the next 30 days."
        return make_section("fading", "About to fade", description, NOTHING)
    drawn = curves.choose_spread(chosen)
    fate = CurveSettings(drawn, data.model, found.threshold, found.at, data.zone)
    many = format_count(len(chosen), "memory falls", "memories fall")
    some = f" {len(drawn)} of them are drawn, from the first to the last." if len(chosen) > len(drawn) else ""
    description = f"{many} below {found.threshold:.2f} within 30 days unless used: one use starts the curve anew.{some}"
    rows = [
        (
            title_markup(row.memory.title),
            f"{row.weight:.3f}",
            day,
            f"{curves.weight_at(row, fate, curves.DAYS_AHEAD):.3f}",
        )
        for row, day in _fall_days(chosen[:_TABLED], data.zone)
    ]
    headings = ("memory", "weight now", "falls on", "weight in 90 days")
    return make_section(
        "fading",
        "About to fade",
        description,
        make_plot("fading", "Decay curves", description, lambda sheet: curves.draw_curves(sheet, fate)),
        named_list([(row.memory.title, day) for row, day in _fall_days(drawn, data.zone)], numbered=True),
        make_details(
            "The numbers", make_table("What falls below the threshold", headings, rows), _count_more(len(chosen))
        ),
    )


def _fall_days(rows: Sequence[WeighedMemory], zone: tzinfo) -> list[tuple[WeighedMemory, str]]:
    """Return memories with the day on which each falls below the threshold."""
    return [(row, short_date(row.falls.astimezone(zone).date())) for row in rows if row.falls]


def _use_section(data: ReportData) -> Markup:
    found, counts = data.figures.touches, dict(data.touches)
    today = data.figures.at.date()
    description = (
        f"Each square is a day (UTC), the darker the more memories were used. In the last {data.figures.days} days: "
        f"{format_count(found.in_period, 'use', 'uses')}, {found.per_day:.1f} a day."
    )
    weeks = Counter(day - timedelta(days=day.weekday()) for day in counts for _ in range(counts[day]) if day <= today)
    rows = [(week.isoformat(), f"{weeks[week]:,}") for week in sorted(weeks, reverse=True)[:53]]
    return make_section(
        "touches",
        "When it is used",
        description,
        make_plot("touches", "Uses by day", description, lambda sheet: charts.draw_calendar(sheet, counts, today)),
        make_details("The numbers", make_table("Uses by week", ("week that began on", "uses"), rows))
        if rows
        else NOTHING,
    )


def _keyword_section(data: ReportData) -> Markup:
    found = map_keywords((row.memory for row in data.rows), most=max(network.MOST.values()))
    if not found.words:
        return make_section("keywords", "What it is about", "No memory bears a tag or a topic yet.", NOTHING)
    description = "The most frequent tags and topics. Threads join those that stand together, the thicker the oftener."
    pairs = [(found.words[pair.one].name, found.words[pair.other].name, f"{pair.count:,}") for pair in found.pairs[:40]]
    return make_section(
        "keywords",
        "What it is about",
        description,
        make_plot(
            "keywords",
            "Keywords and what they go with",
            ", ".join(f"{word.name} {word.count}" for word in found.words),
            lambda sheet: network.draw_keywords(sheet, found),
        ),
        make_details(
            "The numbers",
            make_table("Keywords", ("keyword", "memories"), ((word.name, f"{word.count:,}") for word in found.words)),
            make_table("Together", ("keyword", "and", "memories"), pairs) if pairs else NOTHING,
        ),
    )


def _change_section(data: ReportData) -> Markup:
    found, zone = data.figures, data.zone
    faded, returned, merged = found.history.faded, found.history.returned, found.history.merged
    if not (faded or returned or merged):
        description = f"{_describe_period(found)}: nothing faded, returned or was merged."
        return make_section("passing", "What came and went", description, NOTHING)
    description = (
        f"{_describe_period(found)}: {len(faded):,} faded (stale, archived, expired), "
        f"{len(returned):,} returned (revived, restored), "
        f"{len(merged):,} merged or promoted. Each bar is a {charts.bar_name(found.days)}."
    )
    named_ = side_by_side(
        *(
            (head, _event_list(events, zone))
            for head, events in (("Faded", faded), ("Returned", returned), ("Merged", merged))
        )
    )
    rows = [
        (event.at.astimezone(zone).date().isoformat(), event.what, title_markup(event.title), event.why)
        for event in sorted((*faded, *returned, *merged), key=lambda event: -event.at.timestamp())[:_TABLED]
    ]
    drawn = make_plot(
        "passing", "What returned and what faded", description, lambda sheet: charts.draw_changes(sheet, found, zone)
    )
    return make_section(
        "passing",
        "What came and went",
        description,
        drawn if faded or returned else NOTHING,
        named_,
        make_details(
            "All of it, with reasons",
            make_table("What happened", ("day", "what", "memory", "why"), rows),
            _count_more(len(faded) + len(returned) + len(merged)),
        ),
    )


def _event_list(events: Sequence[ReportEvent], zone: tzinfo) -> Markup:
    return named_list(
        (event.title, f"{event.what}, {short_date(event.at.astimezone(zone).date())}") for event in events[:_LISTED]
    )


def _ranking_section(data: ReportData) -> Markup:
    found = data.figures
    used = named_list((row.title, f"{row.count:,}") for row in found.most_used[:_LISTED])
    linked = named_list((row.title, f"{row.count:,}") for row in found.most_linked[:_LISTED])
    description = "What is used most fades last. What is linked most holds the rest together."
    if not (used or linked):
        return make_section("use", "What it leans on", "No memory was used or linked to yet.", NOTHING)
    return make_section(
        "use", "What it leans on", description, side_by_side(("Used most", used), ("Linked most", linked))
    )


def _count_section(data: ReportData) -> Markup:
    found = data.figures
    sizes = (
        f"Weights are means. All notes together take {format_size(found.sizes.all)}, "
        f"{format_count(found.pinned, 'memory is', 'memories are')} pinned."
    )
    groups = (("kind", found.kinds), ("status", found.statuses), ("age", found.ages))
    tables = (
        make_element("div", make_table(f"By {name}", (name, "memories", "weight"), _group_rows(group)))
        for name, group in groups
    )
    return make_section("counts", "In numbers", sizes, make_element("div", *tables, class_="lists"))


def _group_rows(groups: Sequence[WeightGroup]) -> list[tuple[str, str, str]]:
    return [(group.name, f"{group.count:,}", f"{group.weight:.3f}") for group in groups]


def _count_more(count: int) -> Markup:
    left = count - _TABLED
    return make_paragraph(f"And {left:,} more: `memvault stats --json` names all.") if left > 0 else NOTHING
