"""Other programs are found in whole paths alone, never in the folder that somebody happens to stand in."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memvault.system.programs import find_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs have endings there")


def program(folder: Path, name: str = "tool") -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return str(folder / name)


def test_the_first_folder_of_the_path_that_has_it_counts(tmp_path: Path) -> None:
    one, two = program(tmp_path / "one"), program(tmp_path / "two")
    path = os.pathsep.join([str(tmp_path / "none"), str(tmp_path / "two"), str(tmp_path / "one")])
    assert find_program("tool", {"PATH": path}) == two
    assert find_program(one, {"PATH": path}) == one


@pytest.mark.parametrize("path", [".", "", "tools", "./tools"])
def test_no_folder_is_searched_that_begins_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    program(tmp_path)
    program(tmp_path / "tools")
    monkeypatch.chdir(tmp_path)
    assert find_program("tool", {"PATH": path}) is None


def test_a_file_that_is_not_executable_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/tool").mkdir()
    assert find_program("tool", {"PATH": f"{tmp_path}{os.pathsep}{tmp_path / 'folder'}"}) is None
