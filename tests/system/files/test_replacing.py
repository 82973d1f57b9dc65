"""Replacing and taking away: only what was read, and never without keeping it a while."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.errors import ChangedMeanwhile, NotAPlainFile, Unwritable
from memvault.system import files
from memvault.system.files import atomic as replacing
from tests.system.files.ground import NEW, OLD, SAVED, everywhere, linux, mode, names, posix, settle
from tests.system.files.tripwire import lacking


@everywhere
class TestReplace:
    def test_changes_the_bytes_and_keeps_the_mode(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        with lacking(*lack):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == NEW
        assert names(note.parent) == [".memvault", "note.md"]
        if os.name == "posix":
            assert mode(note) == 0o640

    def test_keeps_what_was_displaced_until_it_is_settled(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        with lacking(*lack):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert [path.read_bytes() for path in hold.glob("*.held")] == [OLD]
        assert settle(hold) == ()
        assert names(hold) == []

    def test_leaves_alone_what_holds_something_else(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        note.write_bytes(SAVED)
        before = note.stat()
        with lacking(*lack), pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == SAVED
        assert files.FileStamp.of(note.stat()) == files.FileStamp.of(before)
        assert not list(hold.glob("*"))

    def test_leaves_alone_what_is_saved_while_the_new_text_is_written(
        self, lack: tuple[str, ...], note: Path, hold: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = os.fsync

        def fsync(descriptor: int) -> None:
            note.write_bytes(SAVED)
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)
        with lacking(*lack), pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == SAVED
        assert not list(hold.glob("*"))

    def test_does_not_bring_back_what_is_gone(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        note.unlink()
        with lacking(*lack), pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert not note.exists()

    def test_does_nothing_where_nothing_changes(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        before = files.FileStamp.of(note.stat())
        with lacking(*lack):
            files.replace_note(note, OLD, expected=OLD, hold=hold)
        assert files.FileStamp.of(note.stat()) == before
        assert not hold.exists()

    @posix
    @pytest.mark.parametrize(
        ("make", "what"),
        [
            (lambda path, other: path.symlink_to(other), "symbolic link"),
            (lambda path, other: path.hardlink_to(other), "hard links"),
            (lambda path, other: path.mkdir(), "folder"),
            (lambda path, other: os.mkfifo(path), "not an ordinary file"),
        ],
        ids=["symlink", "hard link", "folder", "pipe"],
    )
    def test_refuses_what_is_no_plain_file(
        self, make: Callable[[Path, Path], None], what: str, lack: tuple[str, ...], note: Path, hold: Path
    ) -> None:
        other = note.with_name("other.md")
        make(other, note)
        for refused in (files.replace_note, files.discard_note):
            new = {"data": NEW} if refused is files.replace_note else {}
            with lacking(*lack), pytest.raises(NotAPlainFile, match=what):
                refused(other, expected=OLD, hold=hold, **new)
        assert note.read_bytes() == OLD
        assert os.path.lexists(other)

    @posix
    def test_respects_write_protection(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        note.chmod(0o444)
        with lacking(*lack), pytest.raises(Unwritable, match="write-protected"):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == OLD

    def test_an_editor_that_writes_into_the_displaced_file_is_heard(
        self, lack: tuple[str, ...], note: Path, hold: Path
    ) -> None:
        if "link" in lack:
            pytest.skip("without links there is only a copy to hold")
        with note.open("r+b") as editor, lacking(*lack):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
        (late,) = settle(hold)
        assert (late.path, late.data, late.replaced_by) == (note, SAVED, files.digest(NEW))
        assert note.read_bytes() == NEW


@posix
def test_a_replacement_killed_while_the_note_had_two_names_is_forgotten(
    note: Path, hold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(source: Path, target: Path) -> None:
        raise SystemExit

    monkeypatch.setattr(replacing, "rename_over", killed)
    with lacking("exchange"), pytest.raises(SystemExit):
        files.replace_note(note, NEW, expected=OLD, hold=hold)
    note.write_bytes(SAVED)
    assert settle(hold) == ()
    assert names(hold) == []
    assert note.read_bytes() == SAVED


@linux
def test_replace_keeps_attributes_and_owner(note: Path, hold: Path) -> None:
    try:
        os.setxattr(note, "user.tags", b"keep")
    except OSError:
        pytest.skip("this disk has no extended attributes")
    if os.geteuid() == 0:
        os.chown(note, 12345, 23456)
    before = note.stat()
    files.replace_note(note, NEW, expected=OLD, hold=hold)
    assert os.getxattr(note, "user.tags") == b"keep"
    assert (note.stat().st_uid, note.stat().st_gid) == (before.st_uid, before.st_gid)


@linux
def test_a_hold_on_another_disk_is_refused_before_anything_changes(note: Path) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == note.stat().st_dev:
        pytest.skip("no second disk here")
    with tempfile.TemporaryDirectory(dir=memory) as other:
        with pytest.raises(Unwritable, match="another disk"):
            files.replace_note(note, NEW, expected=OLD, hold=Path(other))
        with pytest.raises(Unwritable, match="another disk"):
            files.discard_note(note, expected=OLD, hold=Path(other))
        with pytest.raises(Unwritable, match="another disk"):
            files.move_file(note, Path(other) / "note.md")
        assert names(Path(other)) == []
    assert note.read_bytes() == OLD
    assert names(note.parent) == ["note.md"]


class TestDiscard:
    def test_takes_away_what_it_holds_and_keeps_it_a_while(self, note: Path, hold: Path) -> None:
        files.discard_note(note, expected=OLD, hold=hold)
        assert not note.exists()
        assert [path.read_bytes() for path in hold.glob("*.held")] == [OLD]
        assert settle(hold) == ()
        assert names(hold) == []

    def test_leaves_what_holds_something_else(self, note: Path, hold: Path) -> None:
        with pytest.raises(ChangedMeanwhile):
            files.discard_note(note, expected=NEW, hold=hold)
        assert note.read_bytes() == OLD
        note.unlink()
        with pytest.raises(ChangedMeanwhile):
            files.discard_note(note, expected=OLD, hold=hold)

    def test_gives_back_what_was_saved_at_the_last_moment(
        self, note: Path, hold: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = os.rename

        def rename(source: Path, target: Path) -> None:
            note.write_bytes(SAVED)
            real(source, target)

        monkeypatch.setattr(os, "rename", rename)
        with pytest.raises(ChangedMeanwhile):
            files.discard_note(note, expected=OLD, hold=hold)
        assert note.read_bytes() == SAVED

    def test_hears_an_editor_that_had_it_open(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.discard_note(note, expected=OLD, hold=hold)
            editor.write(SAVED)
        (late,) = settle(hold)
        assert (late.path, late.data, late.replaced_by) == (note, SAVED, files.digest(OLD))
