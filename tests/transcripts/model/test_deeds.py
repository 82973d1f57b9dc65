"""What a call of a tool comes to: few words of our own, and nothing of what it gave back."""

from __future__ import annotations

import pytest

from memvault.transcripts.model.tool_calls import ToolAction, relative_path, tool_actions

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
