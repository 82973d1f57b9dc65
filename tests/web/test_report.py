"""The report: whole without a network or a script, harmless whatever a memory says, the same bytes each time."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import date, timedelta
from hashlib import sha256

import pytest

from memvault.api import Memvault
from memvault.core.memory import Memory, Place
from memvault.core.weight import MemoryUse, effective_weight
from memvault.maintenance.report import WeighedMemory
from memvault.web.report import (
    STEPS,
    collect_report,
    count_by_week,
    count_by_weight,
    render_report,
    report_style,
    write_report,
)
from tests.conftest import START, Clock
from tests.hostile import TITLES
from tests.web.visitor import Outline, Visitor

TAGS = "html head meta title style body main details summary div p h1 h2 h3 ul li b bdi span time meter table caption thead tbody tr th td"


def test_nothing_that_a_memory_says_becomes_markup(vault: Memvault) -> None:
    for title in TITLES:
        vault.remember("x", title=title, tags=[title[:40]], near="ignore", weight=0.33)
    text = render_report(vault.run(collect_report))
    outline = Outline(text)
    assert {tag for tag, _ in outline.tags} <= set(TAGS.split())
    assert not [
        name for _, given in outline.tags for name in given if name.startswith("on") or name in ("style", "src", "href")
    ]
    assert "unspoken" not in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f]", text.replace("\t", ""))


def test_the_page_allows_nothing_but_its_own_style(sample: Memvault) -> None:
    text = write_report(sample, write=False).page
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert policy
    assert style
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert policy[1] == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "<script" not in text
    assert not re.search(r"url\(|@import|https?:", text)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_vaults_of_any_size_are_shown(vault: Memvault, count: int) -> None:
    for number in range(count):
        vault.remember(f"Fact {number} about the harbor.", near="ignore")
    Outline(write_report(vault, write=False).page)


def test_parts_without_anything_in_them_are_folded(vault: Memvault, clock: Clock) -> None:
    vault.remember("Sara prefers tea.")
    clock.pass_(days=40)
    text = write_report(vault, write=False).page
    parts = dict(re.findall(r'<details class="part" id="(\w+)"( open)?>', text))
    assert parts["new"] == parts["due"] == parts["waiting"] == ""
    assert parts["tiers"] == " open"


def test_what_is_new_due_and_waiting_stands_first(vault: Memvault) -> None:
    vault.remember("Call the plumber.", kind="prospective", more={"due": START - timedelta(hours=1)})
    vault.remember("The wiki says that tea is out.", source="web", near="ignore")
    text = write_report(vault, write=False).page
    headings = re.findall(r"<h2>([^<]+)</h2>", text)
    assert headings[:3] == ["New", "To do", "Waiting"]
    assert "Call the plumber" in text
    assert "The wiki says that tea is out" in text


def test_titles_are_links_in_the_page_and_none_in_the_file(visitor: Visitor, vault: Memvault) -> None:
    id_ = vault.remember("Sara prefers tea.").memory.id
    assert Outline(write_report(vault, write=False).page).links() == []
    assert f"/memory?id={id_}" in Outline(visitor.get("/health").text).links()


# -- the parts


def weighed(number: int, place: Place) -> WeighedMemory:
    memory = Memory(
        id=f"{number:08x}", path=f"{number}.md", place=place, title="tea", created=START, last_accessed=START
    )
    return WeighedMemory(memory, MemoryUse(0, START), number / 100, None)


def test_every_memory_is_in_one_row_of_the_weights() -> None:
    places = (Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.ARCHIVED)
    steps = count_by_weight([weighed(number, places[number % 4]) for number in range(101)])
    assert len(steps) == STEPS
    assert sum(map(sum, steps)) == 101
    assert sum(steps[-1]) == 11  # 0.90 to 1.00, both included


def test_weeks_end_today() -> None:
    uses = [(date(2026, 1, 20), 3), (date(2026, 1, 29), 1), (date(2026, 2, 5), 99)]
    assert count_by_week(uses, date(2026, 1, 29)) == [(date(2026, 1, 26), 1), (date(2026, 1, 19), 3)]
    assert count_by_week([], date(2026, 1, 29)) == []


def test_what_fades_is_shown_with_its_weights_as_the_model_has_them(vault: Memvault) -> None:
    memory = vault.remember("Sara prefers water.", weight=0.36, near="ignore").memory
    memory = replace_eligible(vault, memory.id)
    text = write_report(vault, write=False).page
    use = MemoryUse(0, START)
    for days in (30, 60, 90):
        assert f"{effective_weight(memory, use, START + timedelta(days=days)):.3f}" in text


def replace_eligible(vault: Memvault, id_: str) -> Memory:
    vault.edit(id_, fields={"decay_eligible": True})
    return vault.find(id_)


# -- colours


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1, 2])
def test_text_and_shapes_stand_out_in_light_and_in_dark(scheme: int) -> None:
    roots = re.findall(r":root[^{]*\{(.*?)\}", report_style(), re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", roots[scheme]))
    for text in ("ink", "soft", "accent", "warn", "bad"):
        for ground in ("paper", "tint"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
    assert contrast(colours["edge"], colours["paper"]) >= 3
    for ground in ("mark", "more", "less"):
        assert contrast(colours["ink"], colours[ground]) >= 4.5


def test_the_dark_colours_are_the_same_whoever_asks_for_them() -> None:
    _, dark, auto = re.findall(r":root[^{]*\{(.*?)\}", report_style(), re.DOTALL)
    assert dark == auto
