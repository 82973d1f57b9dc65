"""The report: whole without a network or a script, harmless whatever a memory says, the same bytes each time."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.memory import Memory, Place
from memvault.core.weight import MemoryUse, effective_weight, falls_below
from memvault.maintenance.report import charts, figures, network
from memvault.maintenance.report import (
    decay_curves as curves,
)
from memvault.maintenance.report.decay_curves import CurveSettings
from memvault.maintenance.report.figures import Figures, ReportEvent, ReportHistory, TierSizes, WeighedMemory
from memvault.maintenance.report.html import (
    NARROW,
    STYLE,
    WIDE,
    PlotSheet,
    escape_text,
    format_number,
    make_element,
    round_steps,
)
from memvault.maintenance.report.page import ReportData, render_page
from memvault.recall.keywords import KeywordCount, KeywordMap, map_keywords

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
PLACES = (Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.ARCHIVED)


def row(
    title: str = "tea",
    *,
    n: int = 0,
    weight: float = 0.5,
    place: Place = Place.MEMORIES,
    tags: tuple[str, ...] = ("a", "b"),
) -> WeighedMemory:
    made = NOW - timedelta(days=n % 90)
    memory = Memory(
        id=f"{n:08x}",
        path=f"{place.value}/{n:04}.md",
        place=place,
        title=title,
        created=made,
        last_accessed=made,
        weight=weight,
        tags=tags,
    )
    use = MemoryUse(n % 3, made)
    return WeighedMemory(memory, use, effective_weight(memory, use, NOW), falls_below(memory, use, 0.3))


def shown(rows: list[WeighedMemory], *, history: ReportHistory | None = None, days: int = 30) -> ReportData:
    counts = [(date(2026, 1, 20), 3), (date(2026, 1, 29), 1)] if rows else []
    found = Figures(
        vault="notebook",
        at=NOW,
        days=days,
        memories=len(rows),
        weight=figures.mean_weight(rows),
        threshold=0.3,
        below=0,
        pinned=0,
        tiers=figures.by_tier(rows),
        kinds=figures.by_kind(rows),
        statuses=figures.by_status(rows),
        ages=figures.by_age(rows, NOW),
        touches=figures.count_uses(counts, NOW, days=days),
        fading=figures.list_fading(figures.about_to_fade(rows, NOW)),
        history=history or ReportHistory(),
        most_used=figures.most_used(rows),
        most_linked=(),
        sizes=TierSizes(100, 200, 300, (10_240, 20_480)),
    )
    return ReportData(found, rows, counts, "weighted", UTC)


def many(count: int) -> list[WeighedMemory]:
    return [row(f"memory {n}", n=n, weight=0.3 + n % 7 / 10, place=PLACES[n % 4]) for n in range(count)]


class Outline(HTMLParser):
    """What a browser would see: every tag with its attributes, and whether all that was opened was closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></title></svg><iframe>",
    "turned \u202egnp.exe",
    "nul \x00 bell \x07 lone \ud800",
    "x" * 5_000,
    "会議の議事録" * 40,
    "🧑‍🚀 and 🇵🇹",
    "' & &lt; &#x3c;",
)


def test_nothing_that_a_memory_says_becomes_markup() -> None:
    rows = [row(title, n=n, weight=0.33, tags=(title, "b")) for n, title in enumerate(HOSTILE)]
    events = tuple(ReportEvent(NOW, title, "id", title, title, title) for title in HOSTILE)
    text = render_page(shown(rows, history=ReportHistory(events, events, events)))
    text.encode()
    outline = Outline(text)
    assert outline.open == []
    assert {tag for tag, _ in outline.tags} <= set(
        "html head meta title style body header main section footer div p h1 h2 h3 ul ol li b i bdi span figure svg desc g "
        "text line path rect circle details summary table caption thead tbody tr th td".split()
    )
    assert not [
        name for _, given in outline.tags for name in given if name.startswith("on") or name in ("style", "src", "href")
    ]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f]", text)


@given(st.text(max_size=60))
def test_text_reads_as_it_was_and_never_as_markup(text: str) -> None:
    made = make_element("b", text)
    assert made.count("<") == 2
    assert unescape(made[3:-4]) == unescape(escape_text(text))


def test_private_spans_never_appear() -> None:
    rows = [
        row("open <private>hidden</private> end", weight=0.33, tags=("<private>hidden</private>x", "y<PRIVATE>hidden"))
    ]
    events = (
        ReportEvent(NOW, "archived", "id", "a <private>hidden", "hidden.md", "for <private>hidden</private> reasons"),
    )
    text = render_page(shown(rows, history=ReportHistory(faded=events)))
    assert "hidden" not in text.partition("</style>")[2].replace("overflow:hidden", "")
    assert "for  reasons" in text or "for reasons" in text


def test_the_page_allows_nothing_but_its_own_style() -> None:
    text = render_page(shown(many(8)))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert policy
    assert style
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert policy[1] == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "<script" not in text
    assert not re.search(r"url\(|@import|https?:", text)


def test_the_same_vault_at_the_same_moment_gives_the_same_bytes() -> None:
    rows = many(80)
    assert render_page(shown(rows)) == render_page(shown(rows))


def test_every_plot_is_told_in_words_and_in_a_table() -> None:
    text = render_page(
        shown(many(40), history=ReportHistory(faded=(ReportEvent(NOW, "archived", "id", "tea", "tea.md", "old"),)))
    )
    svgs = [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]
    assert len(svgs) == 12
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    for svg in svgs:
        heading, told = svg.attrib["aria-labelledby"].split()
        assert svg.find(f"title[@id='{heading}']") is not None
        assert svg.find(f"desc[@id='{told}']") is not None
    assert text.count("<details>") == 6


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_vaults_of_any_size_are_shown(count: int) -> None:
    outline = Outline(render_page(shown(many(count))))
    assert outline.open == []


@pytest.mark.parametrize("days", [1, 30, 90, 400, 36_500])
def test_periods_of_any_length_are_shown(days: int) -> None:
    events = tuple(
        ReportEvent(NOW - timedelta(days=back), "archived", "i", "tea", "tea.md", "") for back in (0, 1, days // 2)
    )
    found = shown(many(3), history=ReportHistory(faded=events), days=days)
    assert charts.days_per_bar(days) * 62 >= days
    drawn = charts.draw_changes(NARROW, found.figures, UTC)
    assert drawn.body.count("faded</title>") >= 1


# -- the plots


def test_every_memory_is_a_dot_as_long_as_there_is_room() -> None:
    rows = many(300)
    assert charts.draw_tiers(WIDE, rows, shown(rows).figures).body.count("<circle") == 300
    assert charts.fit_grid(rows, WIDE).unit == 1


def test_a_dot_stands_for_several_memories_when_there_are_too_many() -> None:
    rows = [row(n=n) for n in range(5_000)]
    laid = charts.fit_grid(rows, WIDE)
    dots = charts.draw_tiers(WIDE, rows, shown(rows).figures).body.count("<circle")
    assert laid.unit > 1
    assert dots == -(-5_000 // laid.unit)


def test_every_memory_is_in_one_column_of_the_histogram() -> None:
    rows = [replace(row(n=n, place=PLACES[n % 4]), weight=n / 100) for n in range(101)]
    bins = charts.count_by_weight(rows)
    assert sum(map(sum, bins)) == 101
    assert sum(bins[-1]) == 6  # 0.95 to 1.00, both included


def test_a_curve_is_the_model_itself_and_ends_where_it_says() -> None:
    one = row(n=10, weight=0.36)
    fate = CurveSettings([one], "weighted", 0.3, NOW, UTC)
    assert curves.weight_at(one, fate, 0) == effective_weight(one.memory, one.use, NOW)
    assert curves.weight_at(one, fate, 90) == effective_weight(one.memory, one.use, NOW + timedelta(days=90))


def test_some_of_many_curves_are_drawn_from_the_first_to_the_last() -> None:
    rows = [replace(row(n=n), falls=NOW + timedelta(days=n)) for n in range(30)]
    chosen = curves.choose_spread(rows)
    assert len(chosen) == curves.MOST_CURVES
    assert chosen[0] is rows[0]
    assert chosen[-1] is rows[-1]
    assert curves.choose_spread(rows[:3]) == rows[:3]


def test_labels_of_curves_never_cover_each_other() -> None:
    rows = [row(f"memory {n}", n=20, weight=0.4) for n in range(8)]
    drawn = curves.draw_curves(WIDE, CurveSettings(rows, "weighted", 0.3, NOW, UTC))
    places = sorted(float(y) for y in re.findall(r'y="([\d.]+)" class="small name"', drawn.body))
    assert len(places) == 8
    assert all(after - before >= 20 for before, after in itertools.pairwise(places))
    assert places[0] > 0
    assert places[-1] < drawn.height


def test_the_calendar_ends_today_and_grows_darker_with_use() -> None:
    today = NOW.date()
    drawn = charts.draw_calendar(WIDE, {today: 9, today - timedelta(days=1): 1, today + timedelta(days=1): 99}, today)
    assert drawn.body.count("<rect") == 53 * 7 - (6 - today.weekday()) + charts.LEVELS + 1
    assert "9 uses" in drawn.body
    assert "99 uses" not in drawn.body
    assert [charts.use_level(count, 8) for count in (0, 1, 2, 3, 8, 99)] == [0, 1, 1, 2, 4, 4]


@pytest.mark.parametrize("sheet", [WIDE, NARROW])
@pytest.mark.parametrize("kinds", [3, 10, 40])
def test_no_keyword_covers_another_or_leaves_the_sheet(sheet: PlotSheet, kinds: int) -> None:
    tagged = [row(n=n, tags=(f"keyword {n % kinds}", f"word {n % 5}", f"{n % 7}")).memory for n in range(200)]
    nodes = network.make_nodes(sheet, map_keywords(tagged, most=32))
    pairs = [pair for pair in map_keywords(tagged, most=32).pairs if pair.other < len(nodes)]
    width, height = network.map_size(sheet, len(nodes))
    points = network.place_nodes(nodes, pairs, width, height)
    for one, (node, (x, y)) in enumerate(zip(nodes, points, strict=True)):
        assert node.half_width <= x <= width - node.half_width
        assert node.half_height <= y <= height - node.half_height
        for other in range(one):
            lap_x = node.half_width + nodes[other].half_width - abs(x - points[other][0])
            lap_y = node.half_height + nodes[other].half_height - abs(y - points[other][1])
            assert min(lap_x, lap_y) < 3


def test_a_keyword_alone_is_drawn_too() -> None:
    words_ = KeywordMap((KeywordCount("tea", 1),))
    assert network.draw_keywords(NARROW, words_).body.count("<circle") == 1


@given(st.floats(min_value=0.001, max_value=1e7))
def test_ticks_begin_at_0_and_reach_the_highest_value(high: float) -> None:
    found = list(round_steps(high))
    assert found[0] == 0
    assert found[-1] >= high
    assert len(found) <= 6


def test_numbers_are_short() -> None:
    assert [format_number(value) for value in (1.0, 1.50, -0.001, 12.345, 0.1 + 0.2)] == [
        "1",
        "1.5",
        "0",
        "12.35",
        "0.3",
    ]


# -- colours


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_shapes_stand_out_in_light_and_in_dark(scheme: str) -> None:
    roots = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", roots[("light", "dark").index(scheme)]))
    for text in ("ink", "soft", "memories", *(f"hue-{n}" for n in range(curves.MOST_CURVES))):
        assert contrast(colours[text], colours["paper"]) >= 4.5, text
    for shape in ("identity", "hot", "archived", "node"):
        assert contrast(colours[shape], colours["paper"]) >= 3, shape


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_a_browser_shows_the_page_without_complaint(tmp_path: Path) -> None:
    assert CHROMIUM
    target, picture = tmp_path / "report.html", tmp_path / "report.png"
    target.write_text(render_page(shown(many(60))), encoding="utf-8")
    words_ = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    words_ += ["--enable-logging=stderr", "--window-size=900,1200", f"--screenshot={picture}", target.as_uri()]
    done = subprocess.run(words_, capture_output=True, timeout=60, check=True, text=True)
    assert "CONSOLE" not in done.stderr
    assert picture.stat().st_size > 20_000
