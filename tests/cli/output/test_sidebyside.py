"""Two memories beside each other: every word is there, nothing runs over, and what differs is set off."""

from __future__ import annotations

import pytest

from memvault.cli.output.cards import WIDE, ComparedSide, format_side_by_side
from memvault.cli.output.terminal import TerminalFormat, TextStyles
from memvault.text.display import cell_width

OLDER = ComparedSide(
    "Portal backup", ["0d1c0d1c", "2026-01-29"], ["The backup runs at 02:00 on the old server."], ["02:00"]
)
NEWER = ComparedSide(
    "When the portal is backed up",
    ["5f0c5f0c", "2026-03-10", "from user"],
    [
        "The backup runs at 04:00.",
        "It takes 20 minutes longer than it did before the harbour server was moved upstairs.",
    ],
    ["04:00"],
)


def words(side: ComparedSide) -> list[str]:
    return " ".join((side.title, *side.facts, *side.texts)).split()


def test_on_a_wide_page_the_older_stands_left_and_the_newer_right() -> None:
    first = format_side_by_side(OLDER, NEWER, TerminalFormat(width=110)).splitlines()[0]
    assert first.startswith("Portal backup ")
    assert first.endswith("|  When the portal is backed up")


@pytest.mark.parametrize("width", [0, 40, WIDE - 1])
def test_on_a_narrow_page_or_in_a_pipe_the_newer_stands_above_the_older(width: int) -> None:
    lines = format_side_by_side(OLDER, NEWER, TerminalFormat(width=width)).splitlines()
    assert lines.index(NEWER.title) < lines.index(OLDER.title)
    assert not any("|" in line for line in lines)


@pytest.mark.parametrize("width", [40, 99, WIDE, 101, 160])
def test_no_line_is_longer_than_the_page_and_no_word_is_lost(width: int) -> None:
    text = format_side_by_side(OLDER, NEWER, TerminalFormat(width=width))
    assert max(map(cell_width, text.splitlines())) <= width
    assert set(words(OLDER)) | set(words(NEWER)) <= set(text.split())


def test_the_columns_keep_their_places_beside_wide_characters() -> None:
    japanese = OLDER._replace(title="東京の会議", texts=["会議は火曜日に延期された。", "x"])
    rows = format_side_by_side(japanese, NEWER, TerminalFormat(width=110)).splitlines()
    assert {cell_width(row.partition("|")[0]) for row in rows} == {cell_width(rows[0].partition("|")[0])}


def test_what_differs_is_set_off_and_only_as_a_whole_word() -> None:
    side = NEWER._replace(texts=["At 04:00, not at 104:00."])
    text = format_side_by_side(OLDER, side, TerminalFormat(width=60, styles=TextStyles(has_color=True)))
    assert "At \x1b[1;33m04:00\x1b[0m, not at 104:00." in text
    assert "\x1b[1;33m02:00\x1b[0m" in text


def test_colours_take_no_room() -> None:
    plain = format_side_by_side(OLDER, NEWER, TerminalFormat(width=110))
    coloured = format_side_by_side(OLDER, NEWER, TerminalFormat(width=110, styles=TextStyles(has_color=True)))
    for code in ("\x1b[1m", "\x1b[2m", "\x1b[1;33m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert [line.rstrip() for line in coloured.splitlines()] == plain.splitlines()


def test_what_would_deceive_a_terminal_is_spelled_out() -> None:
    side = NEWER._replace(title="a\x1b[31mb", texts=["c\x1b[2Jd\u202e"])
    text = format_side_by_side(OLDER, side, TerminalFormat(width=110))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "a\\x1b[31mb" in text
