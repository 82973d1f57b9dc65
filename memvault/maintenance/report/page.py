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
from memvault.maintenance.report.charts import brief, said
from memvault.maintenance.report.decay_curves import Fate
from memvault.maintenance.report.figures import TIERS, Event, Figures, Group, Weighed
from memvault.maintenance.report.html import (
    NOTHING,
    STYLE,
    WIDE,
    Markup,
    behind,
    element,
    figures,
    join,
    lists,
    named,
    paragraph,
    plot,
    section,
    table,
    title,
    words,
)
from memvault.recall.keywords import Keywords, keywords_of
from memvault.text.display import plural, size

MARK = '<meta name="generator" content="memvault report">'
_LISTED, _TABLED = 8, 200


class Shown(NamedTuple):
    """All that a report is made of."""

    figures: Figures
    rows: Sequence[Weighed]
    touches: Sequence[tuple[date, int]]
    model: str
    zone: tzinfo


def page(shown: Shown) -> str:
    """The whole page, the same bytes for the same vault and moment."""
    found = shown.figures
    body = join(_header(shown), element("main", *_sections(shown) if found.memories else [_empty()]), _footer(found))
    name = words(found.vault, 80)
    head = join(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">'),
        Markup(MARK),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        element("title", name, " · memvault report"),
        Markup(f"<style>{STYLE}</style>"),
        between="\n",
    )
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _policy() -> str:
    """Nothing may be loaded, run or sent; this one style sheet is allowed by its digest."""
    from hashlib import sha256  # deferred: loading OpenSSL takes longer than anything here but the drawing

    digest = b64encode(sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _sections(shown: Shown) -> list[Markup]:
    parts = (_tiers, _weights, _fading, _touches, _keywords, _passing, _use, _counts)
    return [part(shown) for part in parts]


# -- above and below


def _header(shown: Shown) -> Markup:
    found = shown.figures
    at = found.at.astimezone(shown.zone)
    when = f"As of {said(at.date())}, {at:%H:%M}, looking back on {plural(found.days, 'day', 'days')}."
    return element(
        "header",
        element("p", "memvault report", class_="over"),
        element("h1", element("bdi", words(found.vault, 120))),
        element("p", when, class_="lead"),
        figures(_headline(found)) if found.memories else NOTHING,
    )


def _period(found: Figures) -> str:
    return f"The last {found.days:,} days" if found.days > 1 else "The last day"


def _headline(found: Figures) -> list[tuple[str, str]]:
    touched = found.touches
    return [
        (f"{found.memories:,}", "memories" if found.memories > 1 else "memory"),
        (f"{found.weight:.2f}", "mean weight, 0 to 1"),
        (f"{touched.in_period:,}", f"uses, {touched.per_week:.1f} a week"),
        (f"{len(found.fading):,}", "about to fade, within 30 days"),
        (f"{len(found.history.faded):,}", "faded"),
        (f"{len(found.history.returned):,}", "returned"),
    ]


def _empty() -> Markup:
    return section(
        "empty", "Nothing here yet", "The vault holds no memory. Once it does, this page shows them.", NOTHING
    )


def _footer(found: Figures) -> Markup:
    text = (
        f"Made by memvault {__version__}. It loads nothing and sends nothing; it holds titles, so share it with care."
    )
    gone = found.history.forgotten
    told = f" {plural(gone, 'memory was', 'memories were')} forgotten on request." if gone else ""
    return element("footer", element("p", text, told))


# -- the parts


def _tiers(shown: Shown) -> Markup:
    found = shown.figures
    unit = charts.grid(shown.rows, WIDE).unit
    dot = "Each dot is a memory" if unit == 1 else f"Each dot stands for {unit:,} memories (more on a small screen)"
    told = f"{dot}: the fainter it is, the less it weighs today. Identity and hot are loaded in every session."
    counts = ", ".join(f"{group.name} {group.count:,}" for group in found.tiers)
    rows = _group_rows(found.tiers)
    return section(
        "tiers",
        "The vault in layers",
        told,
        plot("tiers", "Memories by tier", counts, lambda sheet: charts.draw_tiers(sheet, shown.rows, found)),
        behind("The numbers", table("Memories by tier", ("tier", "memories", "mean weight"), rows)),
    )


def _weights(shown: Shown) -> Markup:
    found = shown.figures
    bins = charts.columns(shown.rows)
    below = f"Below {found.threshold:.2f} memories go stale: {found.below:,} of those that can fade are there now."
    told = f"How much each memory matters now. {below}"
    rows = [
        [f"{n / charts.BINS:.2f} to {(n + 1) / charts.BINS:.2f}", *(f"{count:,}" for count in column)]
        for n, column in enumerate(bins)
    ]
    return section(
        "weights",
        "What matters now",
        told,
        plot(
            "weights",
            "Memories by weight and tier",
            told,
            lambda sheet: charts.draw_histogram(sheet, bins, found.threshold),
        ),
        behind("The numbers", table("Memories by weight", ("weight", *TIERS), rows)),
    )


def _fading(shown: Shown) -> Markup:
    found = shown.figures
    chosen = counting.about_to_fade(shown.rows, found.at)
    if not chosen:
        told = f"Nothing falls below {found.threshold:.2f} in the next 30 days."
        return section("fading", "About to fade", told, NOTHING)
    drawn = curves.spread(chosen)
    fate = Fate(drawn, shown.model, found.threshold, found.at, shown.zone)
    many = plural(len(chosen), "memory falls", "memories fall")
    some = f" {len(drawn)} of them are drawn, from the first to the last." if len(chosen) > len(drawn) else ""
    told = f"{many} below {found.threshold:.2f} within 30 days unless used: one use starts the curve anew.{some}"
    rows = [
        (title(row.memory.title), f"{row.weight:.3f}", day, f"{curves.weight_at(row, fate, curves.ON):.3f}")
        for row, day in _days(chosen[:_TABLED], shown.zone)
    ]
    headings = ("memory", "weight now", "falls on", "weight in 90 days")
    return section(
        "fading",
        "About to fade",
        told,
        plot("fading", "Decay curves", told, lambda sheet: curves.draw(sheet, fate)),
        named([(row.memory.title, day) for row, day in _days(drawn, shown.zone)], numbered=True),
        behind("The numbers", table("What falls below the threshold", headings, rows), _more(len(chosen))),
    )


def _days(rows: Sequence[Weighed], zone: tzinfo) -> list[tuple[Weighed, str]]:
    """Memories with the day on which each falls below the threshold."""
    return [(row, brief(row.falls.astimezone(zone).date())) for row in rows if row.falls]


def _touches(shown: Shown) -> Markup:
    found, counts = shown.figures.touches, dict(shown.touches)
    today = shown.figures.at.date()
    told = (
        f"Each square is a day (UTC), the darker the more memories were used. In the last {shown.figures.days} days: "
        f"{plural(found.in_period, 'use', 'uses')}, {found.per_day:.1f} a day."
    )
    weeks = Counter(day - timedelta(days=day.weekday()) for day in counts for _ in range(counts[day]) if day <= today)
    rows = [(week.isoformat(), f"{weeks[week]:,}") for week in sorted(weeks, reverse=True)[:53]]
    return section(
        "touches",
        "When it is used",
        told,
        plot("touches", "Uses by day", told, lambda sheet: charts.draw_calendar(sheet, counts, today)),
        behind("The numbers", table("Uses by week", ("week that began on", "uses"), rows)) if rows else NOTHING,
    )


def _keywords(shown: Shown) -> Markup:
    found = keywords_of((row.memory for row in shown.rows), most=max(network.MOST.values()))
    if not found.words:
        return section("keywords", "What it is about", "No memory bears a tag or a topic yet.", NOTHING)
    told = "The most frequent tags and topics. Threads join those that stand together, the thicker the oftener."
    pairs = [(found.words[pair.one].name, found.words[pair.other].name, f"{pair.count:,}") for pair in found.pairs[:40]]
    return section(
        "keywords",
        "What it is about",
        told,
        plot(
            "keywords", "Keywords and what they go with", _listed_words(found), lambda sheet: network.draw(sheet, found)
        ),
        behind(
            "The numbers",
            table("Keywords", ("keyword", "memories"), ((word.name, f"{word.count:,}") for word in found.words)),
            table("Together", ("keyword", "and", "memories"), pairs) if pairs else NOTHING,
        ),
    )


def _listed_words(found: Keywords) -> str:
    return ", ".join(f"{word.name} {word.count}" for word in found.words)


def _passing(shown: Shown) -> Markup:
    found, zone = shown.figures, shown.zone
    faded, returned, merged = found.history.faded, found.history.returned, found.history.merged
    if not (faded or returned or merged):
        told = f"{_period(found)}: nothing faded, returned or was merged."
        return section("passing", "What came and went", told, NOTHING)
    told = (
        f"{_period(found)}: {len(faded):,} faded (stale, archived, expired), "
        f"{len(returned):,} returned (revived, restored), "
        f"{len(merged):,} merged or promoted. Each bar is a {charts.span_in_words(found.days)}."
    )
    named_ = lists(
        *(
            (head, _events(events, zone))
            for head, events in (("Faded", faded), ("Returned", returned), ("Merged", merged))
        )
    )
    rows = [
        (event.at.astimezone(zone).date().isoformat(), event.what, title(event.title), event.why)
        for event in sorted((*faded, *returned, *merged), key=lambda event: -event.at.timestamp())[:_TABLED]
    ]
    drawn = plot("passing", "What returned and what faded", told, lambda sheet: charts.draw_changes(sheet, found, zone))
    return section(
        "passing",
        "What came and went",
        told,
        drawn if faded or returned else NOTHING,
        named_,
        behind(
            "All of it, with reasons",
            table("What happened", ("day", "what", "memory", "why"), rows),
            _more(len(faded) + len(returned) + len(merged)),
        ),
    )


def _events(events: Sequence[Event], zone: tzinfo) -> Markup:
    return named(
        (event.title, f"{event.what}, {brief(event.at.astimezone(zone).date())}") for event in events[:_LISTED]
    )


def _use(shown: Shown) -> Markup:
    found = shown.figures
    used = named((row.title, f"{row.count:,}") for row in found.most_used[:_LISTED])
    linked = named((row.title, f"{row.count:,}") for row in found.most_linked[:_LISTED])
    told = "What is used most fades last. What is linked most holds the rest together."
    if not (used or linked):
        return section("use", "What it leans on", "No memory was used or linked to yet.", NOTHING)
    return section("use", "What it leans on", told, lists(("Used most", used), ("Linked most", linked)))


def _counts(shown: Shown) -> Markup:
    found = shown.figures
    sizes = (
        f"Weights are means. All notes together take {size(found.sizes.all)}, "
        f"{plural(found.pinned, 'memory is', 'memories are')} pinned."
    )
    groups = (("kind", found.kinds), ("status", found.statuses), ("age", found.ages))
    tables = (
        element("div", table(f"By {name}", (name, "memories", "weight"), _group_rows(group))) for name, group in groups
    )
    return section("counts", "In numbers", sizes, element("div", *tables, class_="lists"))


def _group_rows(groups: Sequence[Group]) -> list[tuple[str, str, str]]:
    return [(group.name, f"{group.count:,}", f"{group.weight:.3f}") for group in groups]


def _more(count: int) -> Markup:
    left = count - _TABLED
    return paragraph(f"And {left:,} more: `memvault stats --json` names all.") if left > 0 else NOTHING
