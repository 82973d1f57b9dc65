"""Cells of a terminal: counted, cut, filled and wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.display import cell_width, clip_line, pad_text, wrap_text


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("tea", 3),
        ("日本語", 6),
        ("ｶﾅ", 2),  # half-width kana
        ("é", 1),
        ("e\u0301", 1),  # the same, composed of two
        ("👨‍👩‍👧", 2),
        ("👍🏽", 2),
        ("❤️", 2),
        ("🇫🇷🇩🇪", 4),
        ("한글", 4),
    ],
)
def test_cell_width_counts_terminal_cells(text: str, width: int) -> None:
    assert cell_width(text) == width


def test_a_cut_text_says_so_and_never_splits_what_looks_like_one_character() -> None:
    assert clip_line("a longer title", 8) == "a longe…"
    assert clip_line("日本語のテキスト", 8) == "日本語…"
    assert clip_line("👨‍👩‍👧👨‍👩‍👧", 3) == "👨‍👩‍👧…"
    assert clip_line("fits", 4) == "fits"
    assert clip_line("never cut in a pipe", 0) == "never cut in a pipe"


def test_padding_counts_cells_not_characters() -> None:
    assert pad_text("日本", 6) == "日本  "
    assert pad_text("0.5", 6, right=True) == "   0.5"
    assert pad_text("too long", 3) == "too long"


def test_lines_are_broken_at_spaces() -> None:
    assert wrap_text("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert wrap_text("one\n\ntwo", 10) == ["one", "", "two"]
    assert wrap_text("no width, no break " * 9, 0) == [("no width, no break " * 9).rstrip()]


def test_an_indented_line_keeps_its_indent_when_it_is_broken() -> None:
    assert wrap_text("  - an item of a list", 12) == ["  - an item", "  of a list"]


def test_text_without_spaces_is_broken_between_characters_but_not_before_a_stop() -> None:
    assert wrap_text("日本語のテキスト。", 8) == ["日本語の", "テキス", "ト。"]
    assert wrap_text("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


@given(st.text(alphabet="ab 日本é👍。\n", max_size=80), st.integers(min_value=4, max_value=40))
def test_a_wrapped_text_fits_and_loses_nothing_but_spaces(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert all(cell_width(line) <= width + 2 for line in lines)  # a full stop may hang over
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.text(max_size=60), st.integers(min_value=1, max_value=30))
def test_a_clipped_text_fits(text: str, width: int) -> None:
    assert cell_width(clip_line(text, width)) <= width
