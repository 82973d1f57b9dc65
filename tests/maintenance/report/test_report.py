"""The report: whole without a network or a script, harmless whatever a memory says, the same bytes each time."""

from __future__ import annotations

import re
import shutil
import subprocess
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
from memvault.maintenance.report import figures
from memvault.maintenance.report.figures import Figures, ReportEvent, ReportHistory, TierSizes, WeighedMemory
from memvault.maintenance.report.html import STYLE, escape_text, make_element
from memvault.maintenance.report.page import ReportData, count_by_weight, render_page

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
        tiers=figures.group_memories(rows, lambda row: figures.TIERS[row.memory.tier], figures.TIERS),
        kinds=figures.group_memories(rows, lambda row: row.memory.kind),
        statuses=figures.group_memories(rows, lambda row: row.memory.status),
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
        "html head meta title style body header main section footer div p h1 h2 h3 ul ol li b i bdi span meter "
        "details summary table caption thead tbody tr th td".split()
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
        row(
            "open <private>unspoken</private> end",
            weight=0.33,
            tags=("<private>unspoken</private>x", "y<PRIVATE>unspoken"),
        )
    ]
    events = (
        ReportEvent(
            NOW, "archived", "id", "a <private>unspoken", "unspoken.md", "for <private>unspoken</private> reasons"
        ),
    )
    text = render_page(shown(rows, history=ReportHistory(faded=events)))
    assert "unspoken" not in text.partition("</style>")[2]
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


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_vaults_of_any_size_are_shown(count: int) -> None:
    outline = Outline(render_page(shown(many(count))))
    assert outline.open == []


# -- the parts


def test_every_memory_is_in_one_row_of_the_weights() -> None:
    rows = [replace(row(n=n, place=PLACES[n % 4]), weight=n / 100) for n in range(101)]
    steps = count_by_weight(rows)
    assert sum(map(sum, steps)) == 101
    assert sum(steps[-1]) == 11  # 0.90 to 1.00, both included


def test_what_fades_is_shown_with_its_weights_as_the_model_has_them() -> None:
    one = row(n=10, weight=0.36)
    text = render_page(shown([one]))
    for days in (0, 30, 60, 90):
        assert f"{effective_weight(one.memory, one.use, NOW + timedelta(days=days)):.3f}" in text
    assert one.falls
    assert f"{one.falls:%Y-%m-%d}" in text


def test_weeks_end_today_and_have_a_bar_for_their_uses() -> None:
    data = shown(many(3))
    text = render_page(data._replace(uses=[*data.uses, (NOW.date() + timedelta(days=7), 99)]))
    weeks = re.findall(r"<td>(2026-[-0-9]+)</td><td><meter[^>]* value=\"([0-9.]+)\"", text)
    assert weeks == [("2026-01-26", "1"), ("2026-01-19", "3")]


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
    for text in ("ink", "soft", "bar"):
        assert contrast(colours[text], colours["paper"]) >= 4.5, text


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
