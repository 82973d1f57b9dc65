"""Notes are handed to Obsidian or to the desktop, and a desktop that is not there is told."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.errors import CannotOpen, NoEditor
from memvault.system import programs


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30))
def test_the_address_holds_the_whole_path_and_nothing_else(name: str) -> None:
    path = Path("/vault") / name
    found = urlsplit(programs.obsidian_uri(path))
    assert (found.scheme, found.netloc, found.fragment) == ("obsidian", "open", "")
    assert parse_qs(found.query) == {"path": [str(path)]}


def test_a_path_is_quoted() -> None:
    assert programs.obsidian_uri(PurePosixPath("/a b/c&d#e.md")) == "obsidian://open?path=%2Fa%20b%2Fc%26d%23e.md"  # type: ignore[arg-type]


class Started:
    """What would have been started, and how it would have ended."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, platform: str, there: str = "", code: int = 0) -> None:
        self.words: list[str] = []
        self.code = code
        monkeypatch.setattr("sys.platform", platform)
        monkeypatch.setattr(programs, "find_program", lambda name, _: f"/bin/{name}" if name == there else None)
        monkeypatch.setattr(subprocess, "run", self._run)

    def _run(self, words: list[str], **_options: object) -> subprocess.CompletedProcess[bytes]:
        self.words = words
        return subprocess.CompletedProcess(words, self.code)


@pytest.mark.parametrize(
    ("platform", "there", "first"),
    [("linux", "xdg-open", "/bin/xdg-open"), ("linux", "gio", "/bin/gio"), ("darwin", "", "/usr/bin/open")],
)
def test_each_desktop_has_its_own_opener(monkeypatch: pytest.MonkeyPatch, platform: str, there: str, first: str) -> None:  # fmt: skip
    started = Started(monkeypatch, platform=platform, there=there)
    programs.open_target("a.md")
    assert (started.words[0], started.words[-1]) == (first, "a.md")


def test_windows_opens_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    Started(monkeypatch, platform="win32")
    monkeypatch.setattr("os.startfile", opened.append, raising=False)
    programs.open_target("a.md")
    assert opened == ["a.md"]


def test_without_a_desktop_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    Started(monkeypatch, platform="linux")
    with pytest.raises(CannotOpen, match="xdg-open is not installed"):
        programs.open_target("a.md")


def test_an_opener_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    Started(monkeypatch, platform="darwin", code=2)
    with pytest.raises(CannotOpen, match="exit code 2"):
        programs.open_target("a.md")


# -- a person's editor is started on a private copy, and what they leave there is what counts

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
