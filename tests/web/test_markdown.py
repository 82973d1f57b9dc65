"""A note's HTML never runs: markdown is rendered with raw HTML as text, and nothing is fetched from elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.web.markdown import mark_terms, render_markdown
from tests.hostile import MARKUP
from tests.web.visitor import Outline

TAGS = set(
    "p a em strong code pre img span table thead tbody tr th td s h1 h2 h3 h4 h5 h6 ul ol li blockquote hr br".split()
)
ATTRIBUTES = {
    "a": {"href", "rel", "title"},
    "img": {"src", "alt"},
    "span": {"class"},
    "ol": {"start"},
    "code": {"class"},
}


def check(text: str) -> None:
    """Everything is of the few tags that markdown has, with no attribute that runs or fetches."""
    for tag, attributes in Outline(str(render_markdown(text))).tags:
        assert tag in TAGS
        assert set(attributes) - {"style"} <= ATTRIBUTES.get(tag, set()), text
        assert attributes.get("style") in (None, "text-align:left", "text-align:center", "text-align:right")
        if tag == "img":
            assert str(attributes["src"]).startswith("/image?path=")
        if tag == "a":
            scheme, colon, _ = str(attributes["href"]).partition(":")
            assert not colon or scheme.lower() in ("http", "https", "mailto", "obsidian") or "/" in scheme


@pytest.mark.parametrize("text", MARKUP)
def test_nothing_that_a_note_says_runs_or_is_fetched(text: str) -> None:
    check(text)


@given(
    st.lists(st.sampled_from([*MARKUP, "\n", " ", "[", "](", ")", "<", ">", '"', "`", "!"]), max_size=8).map("".join)
)
def test_nor_does_any_mixture(text: str) -> None:
    check(text)


def test_raw_html_stands_there_as_it_was_written() -> None:
    assert "&lt;b&gt;bold&lt;/b&gt;" in render_markdown("<b>bold</b>")


def test_links_lead_to_memories_and_images_come_from_the_vault() -> None:
    made = render_markdown(
        "[[Going places|there]] ![[map.png]] ![plan](img/plan.jpg) [x](../a%20note.md#part)", "notes"
    )
    assert '<a href="/memory?id=Going%20places">there</a>' in made
    assert '<img src="/image?path=map.png&amp;from=notes" alt="map.png">' in made
    assert '<img src="/image?path=img%2Fplan.jpg&amp;from=notes" alt="plan">' in made
    assert '<a href="/memory?id=a%20note">x</a>' in made


def test_a_link_to_elsewhere_says_nothing_of_us() -> None:
    assert 'rel="noreferrer noopener"' in render_markdown("[x](https://example.org)")


def test_characters_that_deceive_are_spelled_out() -> None:
    assert "\u202e" not in render_markdown("invoice \u202egnp.exe")


def test_matches_are_marked_and_nothing_becomes_markup() -> None:
    assert mark_terms("<b>Portals</b> & gates", {"portal"}) == "&lt;b&gt;<mark>Portals</mark>&lt;/b&gt; &amp; gates"
