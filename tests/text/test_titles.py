"""A text is called by its heading, else by its first sentence; a title always fits on a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.markdown import LONGEST, clip_title, first_heading, guess_title, title_from_name


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Sara prefers tea. She always has.", "Sara prefers tea"),
        *(("# Going places\n\nWe went.", "Going places"), ("Intro first.\n\n# Later heading", "Intro first")),
        *(("Version 3.11 is out. Use it.", "Version 3.11 is out"), ("Who is it? Nobody knows.", "Who is it?")),
        *(("- [ ] call **Noor** about `tea`", "call Noor about tea"), ("> quoted words\nmore", "quoted words")),
        ("See [[2026-01-29-tea|the tea note]] first.", "See the tea note first"),
        *(("snake_case_name stays. Yes.", "snake_case_name stays"), ("潮が満ちる。次の行。", "潮が満ちる")),
        *(("1. Wash the rice", "1. Wash the rice"), ("\n\n   Spaces   around  \n", "Spaces around")),
        *(("# \n\ntext", "Untitled"), ("", "Untitled"), ("***", "Untitled")),
    ],
)
def test_a_new_memory_gets_its_title_from_its_text(text: str, title: str) -> None:
    assert guess_title(text) == title


@pytest.mark.parametrize(
    ("body", "heading"),
    [
        ("# One\n# Two", "One"),
        ("text\n\n### Deep *one* ###\n", "Deep one"),
        ("   # Three spaces", "Three spaces"),
        ("    # code", None),
        ("#tag is no heading", None),
        ("####### seven", None),
        ("plain", None),
        ("x" * 5_000 + "\n# Far away", None),
    ],
)
def test_the_heading_near_the_top(body: str, heading: str | None) -> None:
    assert first_heading(body) == heading


@pytest.mark.parametrize(
    ("name", "title"),
    [
        *(("2026-01-29-going-places", "going places"), ("2026-01-29 Going to-and-fro", "Going to-and-fro")),
        *(("2026-01-29", "2026 01 29"), ("tides_and_weirs", "tides and weirs")),
        *(("Two words-with hyphen", "Two words-with hyphen"), ("2026-01-29-", "2026-01-29-"), ("---", "---")),
    ],
)
def test_a_file_name_without_its_date_is_a_title(name: str, title: str) -> None:
    assert title_from_name(name) == title


def test_a_long_title_is_cut_at_a_word() -> None:
    cut = clip_title("word " * 30)
    assert cut == "word " * 13 + "word…"
    assert clip_title("x" * 200) == "x" * (LONGEST - 1) + "…"
    assert clip_title("y" * LONGEST) == "y" * LONGEST


@given(st.text(max_size=300))
def test_a_title_is_one_line_that_fits_and_is_not_cut_again(text: str) -> None:
    title = clip_title(text)
    assert len(title) <= LONGEST
    assert title == title.strip()
    assert len(title.splitlines()) <= 1
    assert clip_title(title) == title


@given(st.text(max_size=300))
def test_every_text_has_a_title(text: str) -> None:
    title = guess_title(text)
    assert title
    assert len(title) <= LONGEST
    assert "\n" not in title


@given(st.text(min_size=1, max_size=40))
def test_every_file_name_makes_a_title(name: str) -> None:
    assert title_from_name(name)
