"""What a call of a tool comes to: few words of our own, and nothing of what it gave back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.transcripts.model.tool_calls import ToolAction, parse_commands, relative_path, tool_actions
from memvault.transcripts.model.web import reads_web

FOLDER = "/home/noor/gauges"


@pytest.mark.parametrize(
    ("tool", "given", "answer", "expected"),
    [
        ("Write", {"file_path": f"{FOLDER}/a.py", "content": "x"}, {"type": "create"}, ToolAction("made", "a.py")),
        ("Write", {"file_path": f"{FOLDER}/a.py"}, {"type": "update"}, ToolAction("rewrote", "a.py")),
        ("Edit", {"file_path": f"{FOLDER}/src/b.py", "new_string": "y"}, {}, ToolAction("edited", "src/b.py")),
        ("MultiEdit", {"file_path": "/etc/hosts"}, None, ToolAction("edited", "/etc/hosts")),
        ("NotebookEdit", {"notebook_path": f"{FOLDER}/n.ipynb"}, "done", ToolAction("edited", "n.ipynb")),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: c.py\n+x\n"}, {}, ToolAction("made", "c.py")),
        ("Bash", {"command": "git commit -am 'Mend it'"}, {"stdout": "1 file changed"}, ToolAction("committed")),
        ("Bash", {"command": "cd src && git push origin main"}, {}, ToolAction("pushed")),
        ("Bash", {"command": "python -m pytest -q"}, {"stdout": "3 failed, 2 passed"}, ToolAction("ran tests: failed")),
        (
            "Bash",
            {"command": "uv run pytest -q | tail"},
            {"stdout": "12 passed in 1s"},
            ToolAction("ran tests: passed"),
        ),
        ("Bash", {"command": "npm test"}, {"stdout": "", "stderr": ""}, ToolAction("ran tests")),
        ("Bash", {"command": "cargo test"}, {"stdout": "test result: FAILED"}, ToolAction("ran tests: failed")),
        ("Bash", {"command": "ruff check ."}, {"stdout": "Found 3 errors."}, ToolAction("ran checks: failed")),
        ("Bash", {"command": "pip install httpx"}, {"stdout": "Successfully"}, ToolAction("installed packages")),
        ("shell", {"command": ["bash", "-lc", "&& make test"]}, {"exit_code": 2}, ToolAction("ran tests: failed")),
    ],
)
def test_tool_actions_describe_changes_in_a_few_words(
    tool: str, given: dict[str, object], answer: object, expected: ToolAction
) -> None:
    assert tool_actions(tool, given, answer, folder=FOLDER) == (expected,)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {"file_path": f"{FOLDER}/a.py"}),
        ("Grep", {"pattern": "x"}),
        ("Glob", {"pattern": "*"}),
        ("Bash", {"command": "ls -la"}),
        ("Bash", {"command": "echo 'git commit is a command'"}),
        ("Bash", {"command": "grep -rn pytest docs"}),
        ("Bash", {"command": 7}),
        ("Bash", {}),
        ("Edit", {"file_path": ["a"]}),
        ("Write", {"file_path": "  "}),
        ("", {}),
        ("SomethingNew", {"file_path": "a.py"}),
    ],
)
def test_reading_tools_make_no_action(tool: str, given: dict[str, object]) -> None:
    assert tool_actions(tool, given, {"stdout": "5 failed"}, folder=FOLDER) == ()


def test_tool_actions_contain_no_output() -> None:
    printed = "2 failed: the password of the harbour office is swordfish"
    found = tool_actions("Bash", {"command": "pytest"}, {"stdout": printed}, folder=FOLDER)
    assert "swordfish" not in repr(found)


def test_patch_makes_an_action_per_file() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Delete File: b.py\n*** End Patch"
    assert tool_actions("apply_patch", {"input": patch}, {}, folder=FOLDER) == (
        ToolAction("edited", "a.py"),
        ToolAction("deleted", "b.py"),
    )


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        (f"{FOLDER}/src/a.py", "src/a.py"),
        ("/home/noor/gauges-old/a.py", "/home/noor/gauges-old/a.py"),
        ("src/a.py", "src/a.py"),
        (FOLDER, FOLDER),
        (f"{FOLDER}/two\nlines.py", "two lines.py"),
    ],
)
def test_action_paths_are_relative_to_the_project(path: str, seen: str) -> None:
    assert relative_path(path, FOLDER) == seen
    assert relative_path(path.replace("/", "\\"), FOLDER.replace("/", "\\")) == seen


# Which calls read the web.

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


@pytest.mark.points(only=True)
def test_long_command_line_is_parsed_fast() -> None:
    for part in ("$(", '"$(', "<<X\n", "ssh ", "eval ", "a=b ", "docker ", "'"):
        reads_web("Bash", {"command": part * 20_000})
