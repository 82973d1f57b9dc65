"""A command of ours is known again, by whatever path and in whatever form it was written."""

from __future__ import annotations

import pytest

from memvault.agents.setup.entries import build_command, parse_call


@pytest.mark.parametrize(
    ("entry", "program", "does", "vault"),
    [
        ({"command": "/x/memvault", "args": ["hook"]}, "/x/memvault", "hook", ""),
        ({"command": "memvault hook"}, "memvault", "hook", ""),
        ({"command": "'/my programs/memvault' hook --vault '/my vault'"}, "/my programs/memvault", "hook", "/my vault"),
        ({"command": "memvault", "args": ["--vault=/v", "mcp"]}, "memvault", "mcp", "/v"),
        ({"command": "/usr/bin/python3", "args": ["-m", "memvault", "hook"]}, "/usr/bin/python3", "hook", ""),
        ({"command": "/usr/bin/python3", "args": ["-P", "-m", "memvault", "hook"]}, "/usr/bin/python3", "hook", ""),
        ({"command": "C:\\Py\\Scripts\\memvault.exe", "args": ["hook"]}, "C:\\Py\\Scripts\\memvault.exe", "hook", ""),
        ({"command": '"C:\\My Py\\MEMVAULT.EXE" hook'}, "C:\\My Py\\MEMVAULT.EXE", "hook", ""),
        ({"command": "& 'C:\\Py\\memvault.exe' 'hook'"}, "C:\\Py\\memvault.exe", "hook", ""),
        ({"command": "memvault", "args": []}, "memvault", "", ""),
    ],
)
def test_ours_are_read(entry: object, program: str, does: str, vault: str) -> None:
    found = parse_call(entry)
    assert found is not None
    assert (found.program, found.does, found.vault) == (program, does, vault)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "memvault hook",
        {},
        {"command": ["memvault", "hook"]},
        {"command": ""},
        {"command": "mymemvault hook"},
        {"command": "nice memvault hook"},
        {"command": "python3", "args": ["-m", "memvaults", "hook"]},
        {"command": "memvault 'hook"},
    ],
)
def test_others_are_not(entry: object) -> None:
    assert parse_call(entry) is None


def test_what_is_written_is_read_again() -> None:
    words = build_command("user", ("/my programs/memvault",), "hook", vault="/my vault")
    found = parse_call({"command": words[0], "args": list(words[1:])})
    assert found is not None
    assert (found.words, found.does, found.vault) == (words, "hook", "/my vault")
