"""Where a terminal shows links, the name of a memory leads to its note in Obsidian; elsewhere there is no trace of it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from memvault.cli.output.terminal import TerminalFormat, format_table, shows_links
from memvault.text.display import cell_width
from tests.command_line import Line

LINK = re.compile(r"\x1b\]8;;(?P<to>[^\x1b]*)\x1b\\(?P<text>.*?)\x1b\]8;;\x1b\\")
NAMING = (
    ("recall", "tea"),
    ("recall", "tea", "--brief"),
    ("show", "tea"),
    ("vault", "list"),
    ("edit", "tea", "--append", "At four."),
    ("session", "timeline", "tea"),
    ("vault", "stats"),
    ("review", "list"),
)


@pytest.mark.parametrize(
    ("environment", "shown"),
    [
        ({"TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"VTE_VERSION": "7600"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"VTE_VERSION": "7600", "TMUX": "/tmp/tmux"}, False),
        ({"TMUX": "/tmp/tmux", "FORCE_HYPERLINK": "1"}, True),
        ({"TERM_PROGRAM": "WezTerm", "FORCE_HYPERLINK": "0"}, False),
        ({}, False),
    ],
)
def test_a_terminal_that_shows_links_is_known(environment: dict[str, str], *, shown: bool) -> None:
    assert shows_links(environment) is shown


@pytest.mark.parametrize("words", NAMING, ids=" ".join)
def test_a_memory_is_named_with_a_link(in_vault: Line, words: tuple[str, ...]) -> None:
    Path(".obsidian").mkdir(exist_ok=True)
    in_vault("remember", "Grommets are oiled.", "--title", "tea for the web", "--source", "web")
    in_vault("show", "tea")
    plain = in_vault(*words, terminal=True, TERM="xterm", COLUMNS="80").out
    linked = in_vault(*words, terminal=True, TERM="xterm-kitty", COLUMNS="80").out
    found = list(LINK.finditer(linked))
    assert found
    if words[0] != "edit":
        assert LINK.sub(r"\g<text>", linked) == plain
    for link in found:
        path = Path(unquote(link["to"].removeprefix("obsidian://open?path=")))
        assert path.is_file()
        assert "tea" in link["text"]


def test_without_a_terminal_colors_or_obsidian_there_is_no_link(in_vault: Line) -> None:
    Path(".obsidian").mkdir(exist_ok=True)
    assert "\x1b]8" not in in_vault("recall", "tea", TERM="xterm-kitty").out
    assert "\x1b]8" not in in_vault("recall", "tea", terminal=True, TERM="xterm-kitty", NO_COLOR="1").out
    for file in Path(".obsidian").iterdir():
        file.unlink()
    Path(".obsidian").rmdir()
    assert "\x1b]8" not in in_vault("recall", "tea", terminal=True, TERM="xterm-kitty").out


def test_links_take_no_room_in_a_table() -> None:
    columns = "ID | TITLE~ | >N"
    rows = [["a", "short", "1"], ["b", "a title that is much too long for so narrow a page", "22"]]
    narrow = TerminalFormat(width=36)
    linked = format_table(columns, rows, TerminalFormat(width=36, root=Path("/vault")), ["a.md", "b.md"])
    assert LINK.sub(r"\g<text>", linked) == format_table(columns, rows, narrow)
    assert all(cell_width(LINK.sub(r"\g<text>", line)) <= 36 for line in linked.splitlines())
