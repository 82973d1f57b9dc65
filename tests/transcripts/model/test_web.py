"""What brings in words of strangers is known by its name or its command; what stays on this machine is not taken for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.transcripts.model.tool_calls import parse_commands
from memvault.transcripts.model.web import reads_web

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[2] / "labelled/web.jsonl").read_text("utf-8").splitlines()
]


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [f"{row['tool']} {row['given'].get('command', '')}".strip() for row in rows]


def test_web_calls_match_the_labeled_set() -> None:
    found = [row for row in ROWS if reads_web(row["tool"], row["given"])]
    rightly = [row for row in found if row["web"]]
    meant = [row for row in ROWS if row["web"]]
    assert min(len(meant), len(ROWS) - len(meant)) >= 100
    assert len(rightly) / len(found) >= 0.98, names([row for row in found if not row["web"]])
    assert len(rightly) / len(meant) >= 0.98, names([row for row in meant if row not in found])


def test_web_tools_can_be_added_by_settings() -> None:
    assert not reads_web("mcp__depesche__heute", {})
    assert reads_web("mcp__depesche__heute", {}, more=("mcp__depesche__*",))
    assert reads_web("Heute", {}, more=("heute",))


@pytest.mark.parametrize(
    ("line", "started"),
    [
        ("a b; c", ["a", "c"]),
        ("sudo -u me a 'b c'", ["a"]),
        ("x=1 y='2 3' a", ["1", "2 3", "a"]),
        ("echo 'a; b' | c", ["echo", "c"]),
        ('a "$(b c)"', ["b", "a"]),
        ("bash -c 'a; b'", ["bash", "a", "b"]),
        ("a <<X\nb\nX\nc", ["a", "c"]),
        ("bash <<X\nb\nX\nc", ["bash", "b", "c"]),
        ("a # b; c\nd", ["a", "d"]),
        ('a "#"; b', ["a", "b"]),
        ("a > b 2>&1 && c", ["a", "c"]),
        ("", []),
    ],
)
def test_command_line_is_parsed_into_programs(line: str, started: list[str]) -> None:
    assert [words[0] for words in parse_commands(line)] == started


@given(st.text("ab \"'\\$(){}|;&<>\n`#=-", max_size=80))
def test_any_command_line_is_parsed(line: str) -> None:
    reads_web("Bash", {"command": f"{line}"})
    assert reads_web("Bash", {"command": f"curl example.org\n{line}"})


def test_long_command_line_is_parsed_fast() -> None:
    for part in ("$(", '"$(', "<<X\n", "ssh ", "eval ", "a=b ", "docker ", "'"):
        reads_web("Bash", {"command": part * 20_000})
