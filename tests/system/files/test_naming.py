"""Files that appear and files that move: whole, and never over another."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memvault.errors import AlreadyThere, NotAPlainFile, Unwritable
from memvault.system import files
from memvault.system.files import new_file
from tests.system.files.ground import NEW, OLD, SAVED, everywhere, mode, names, posix
from tests.system.files.tripwire import lacking


@everywhere
class TestCreate:
    def test_writes_a_private_file_whatever_the_umask(self, lack: tuple[str, ...], tmp_path: Path) -> None:
        before = os.umask(0)
        try:
            with lacking(*lack):
                files.create_file(tmp_path / "a.md", NEW)
                files.create_file(tmp_path / "b.md", b"", mode=0o644)
        finally:
            os.umask(before)
        assert (tmp_path / "a.md").read_bytes() == NEW
        assert names(tmp_path) == ["a.md", "b.md"]
        if os.name == "posix":
            assert (mode(tmp_path / "a.md"), mode(tmp_path / "b.md")) == (0o600, 0o644)

    def test_never_overwrites(self, lack: tuple[str, ...], note: Path) -> None:
        with lacking(*lack), pytest.raises(AlreadyThere):
            files.create_file(note, NEW)
        assert note.read_bytes() == OLD
        assert names(note.parent) == ["note.md"]

    def test_never_overwrites_what_appears_at_the_last_moment(
        self, lack: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os.path, "lexists", lambda path: (tmp_path / "a.md").write_bytes(SAVED) == 0)
        with lacking(*lack), pytest.raises(AlreadyThere):
            files.create_file(tmp_path / "a.md", NEW)
        assert (tmp_path / "a.md").read_bytes() == SAVED
        assert names(tmp_path) == ["a.md"]

    @posix
    def test_leaves_a_dangling_link_alone(self, lack: tuple[str, ...], tmp_path: Path) -> None:
        (tmp_path / "a.md").symlink_to(tmp_path / "nowhere")
        with lacking(*lack), pytest.raises(AlreadyThere):
            files.create_file(tmp_path / "a.md", NEW)
        assert not (tmp_path / "nowhere").exists()

    def test_says_when_there_is_no_such_folder(self, lack: tuple[str, ...], tmp_path: Path) -> None:
        with lacking(*lack), pytest.raises(Unwritable, match="does not exist"):
            files.create_file(tmp_path / "nowhere" / "a.md", NEW)


@posix
def test_a_name_with_a_nul_in_it_is_refused_not_cut_short(tmp_path: Path) -> None:
    with pytest.raises(Unwritable, match="name cannot be used"):
        files.create_file(tmp_path / "a\0b.md", NEW)
    assert names(tmp_path) == []


def test_a_name_taken_from_a_claim_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = tmp_path / "a.md", os.close

    def close(descriptor: int) -> None:
        real(descriptor)
        if path.exists():
            path.write_bytes(SAVED)

    monkeypatch.setattr(os, "close", close)
    with lacking("exchange", "link"), pytest.raises(AlreadyThere):
        files.create_file(path, NEW)
    assert path.read_bytes() == SAVED
    assert names(tmp_path) == ["a.md"]


@everywhere
class TestMove:
    def test_moves_into_another_folder(self, lack: tuple[str, ...], note: Path) -> None:
        target = note.parent / "archive" / "note.md"
        target.parent.mkdir()
        before = note.stat()
        with lacking(*lack):
            files.move_file(note, target)
        assert not note.exists()
        assert target.read_bytes() == OLD
        assert target.stat().st_mtime_ns == before.st_mtime_ns

    @posix
    def test_to_itself_changes_nothing(self, lack: tuple[str, ...], note: Path) -> None:
        (note.parent / "link").symlink_to(note.parent)
        with lacking(*lack):
            files.move_file(note, note)
            files.move_file(note, note.parent / "link" / "note.md")
            files.finish_move(note, note)
            files.finish_move(note, note.parent / "link" / "note.md")
        assert note.read_bytes() == OLD

    def test_never_overwrites(self, lack: tuple[str, ...], note: Path) -> None:
        other = note.with_name("other.md")
        other.write_bytes(OLD)
        with lacking(*lack), pytest.raises(AlreadyThere):
            files.move_file(note, other)
        assert names(note.parent) == ["note.md", "other.md"]

    def test_says_when_there_is_nothing_to_move_or_nowhere_to(self, lack: tuple[str, ...], note: Path) -> None:
        with lacking(*lack):
            with pytest.raises(Unwritable, match="does not exist"):
                files.move_file(note.with_name("missing.md"), note.with_name("other.md"))
            with pytest.raises(Unwritable, match="does not exist"):
                files.move_file(note, note.parent / "nowhere" / "note.md")
        assert note.read_bytes() == OLD

    @posix
    def test_leaves_links_and_folders_where_they_are(self, lack: tuple[str, ...], note: Path) -> None:
        link, folder = note.with_name("link.md"), note.with_name("folder.md")
        link.symlink_to(note)
        folder.mkdir()
        for path in (link, folder):
            with lacking(*lack), pytest.raises(NotAPlainFile):
                files.move_file(path, note.with_name("moved.md"))
        assert names(note.parent) == ["folder.md", "link.md", "note.md"]

    def test_finishes_what_was_killed_between_the_two_names(self, lack: tuple[str, ...], note: Path) -> None:
        one, other = note, note.with_name("other.md")
        for finish in (files.move_file, files.finish_move):
            other.hardlink_to(one)
            with lacking(*lack):
                finish(one, other)
            assert names(note.parent) == [other.name]
            one, other = other, one
        assert one.read_bytes() == OLD

    def test_takes_two_files_for_two_files(self, lack: tuple[str, ...], note: Path) -> None:
        other = note.with_name("other.md")
        other.write_bytes(OLD)
        with lacking(*lack):
            assert not files.finish_move(note, other)
            assert not files.finish_move(note, note.with_name("missing.md"))
            assert not files.finish_move(note.with_name("missing.md"), note)
        assert names(note.parent) == ["note.md", "other.md"]


@pytest.mark.parametrize("links", [1, 2])
def test_a_name_that_differs_only_in_case_does_not_cost_the_file(
    links: int, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As a disk behaves that ignores case: the other name exists, and it is this very file.
    def exists(source: Path, target: Path) -> bool:
        raise FileExistsError(errno.EEXIST, "exists", str(target))

    monkeypatch.setattr(new_file, "rename_no_replace", exists)
    monkeypatch.setattr(new_file, "is_same", lambda one, other: True)
    if links == 2:
        (note.parent / "elsewhere").mkdir()
        (note.parent / "elsewhere" / "note.md").hardlink_to(note)
    files.move_file(note, note.with_name("Note.md"))
    assert note.with_name("Note.md").read_bytes() == OLD
    assert not [name for name in names(note.parent) if name == "note.md"]
