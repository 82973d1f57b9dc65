"""A person's editor is started on a private copy, and what they leave there is what counts."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from memvault.errors import NoEditor
from memvault.system import programs

posix = pytest.mark.skipif(os.name == "nt", reason="words are split in another manner there")


def script(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys, pathlib, os\npath = pathlib.Path(sys.argv[1])\n{code}"]


@posix
@pytest.mark.parametrize(
    ("environment", "configured", "words"),
    [
        ({"VISUAL": "code -w", "EDITOR": "vi"}, "nano", ["code", "-w"]),
        ({"EDITOR": "vi"}, "nano", ["vi"]),
        ({"VISUAL": "  ", "EDITOR": ""}, "nano -x", ["nano", "-x"]),
        ({"EDITOR": "'/a b/vim' -u NONE"}, "", ["/a b/vim", "-u", "NONE"]),
    ],
)
def test_the_nearest_word_names_the_editor(environment: dict[str, str], configured: str, words: list[str]) -> None:
    assert programs.editor_command(environment, configured) == words


def test_a_usual_editor_is_used_if_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "find_program", lambda name, _: f"/bin/{name}" if name in ("vi", "vim") else None)
    assert programs.editor_command({}) == ["/bin/vim"]
    monkeypatch.setattr(programs, "find_program", lambda name, _: None)
    with pytest.raises(NoEditor, match="VISUAL and EDITOR"):
        programs.editor_command({})


@posix
def test_a_command_with_an_unfinished_quote_is_told_plainly() -> None:
    with pytest.raises(NoEditor):
        programs.editor_command({"EDITOR": "vim '"})


def test_the_edited_bytes_are_returned() -> None:
    wish = script("assert path.name == 'tea note.md'; path.write_bytes(path.read_bytes().upper())")
    assert programs.edit_text(b"tea\r\n", name="tea note.md", editor=wish) == b"TEA\r\n"


def test_the_copy_is_private_and_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    wish = script("path.write_text(oct(path.parent.stat().st_mode & 0o777))")
    mode = programs.edit_text(b"x", name="a.md", editor=wish)
    assert os.name == "nt" or mode == b"0o700"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("code", "reason"), [("sys.exit(3)", "exit code 3"), ("path.unlink()", "No such file")])
def test_an_editor_that_fails_changes_nothing_and_says_so(code: str, reason: str) -> None:
    with pytest.raises(NoEditor, match=reason):
        programs.edit_text(b"x", name="a.md", editor=script(code))


def test_an_editor_that_is_not_there_is_named() -> None:
    with pytest.raises(NoEditor, match="no-such-editor"):
        programs.edit_text(b"x", name="a.md", editor=["no-such-editor"])
