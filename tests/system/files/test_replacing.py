"""Replacing and taking away: only what was read, and never without keeping it a while."""

from __future__ import annotations

import ctypes
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from memvault.errors import ChangedMeanwhile, NotAPlainFile, Unwritable
from memvault.system import files
from memvault.system.files import atomic as held
from memvault.system.files import atomic as replacing
from memvault.system.files import new_file as exchange
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


# -- the exchange, and editors that save in the very moment of it


@pytest.mark.skipif(exchange.kernel_rename() is None, reason="this system cannot exchange files")
class TestExchange:
    """An editor that saves within the microseconds between the last comparison and the exchange, and after it."""

    @pytest.fixture
    def saving(self, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
        """Lets an editor act before the first exchange, before the second, and so on."""

        def let(*acts: Callable[[], object]) -> None:
            todo, real = list(acts), exchange.exchange_files

            def swap(one: Path, other: Path) -> bool:
                if todo:
                    todo.pop(0)()
                return real(one, other)

            monkeypatch.setattr(replacing, "exchange_files", swap)

        return let

    def by_rename(self, note: Path, text: bytes) -> Callable[[], object]:
        def save() -> None:
            note.with_name("aside").write_bytes(text)
            note.with_name("aside").replace(note)

        return save

    @pytest.mark.parametrize("style", ["rename", "in place"])
    def test_a_save_just_before_it_is_given_back(
        self, style: str, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        saving(self.by_rename(note, SAVED) if style == "rename" else lambda: note.write_bytes(SAVED))
        with pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == SAVED
        assert settle(hold) == ()
        assert names(hold) == []

    @pytest.mark.parametrize("style", ["rename", "in place"])
    def test_of_two_saves_around_it_the_newer_is_in_place_and_none_is_gone(
        self, style: str, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        newer = self.by_rename(note, b"newer") if style == "rename" else lambda: note.write_bytes(b"newer")
        saving(self.by_rename(note, SAVED), newer)
        with pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == b"newer"
        assert [late.data for late in settle(hold)] == [SAVED]

    def test_an_editor_faster_than_all_attempts_loses_nothing(
        self, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        saving(*(self.by_rename(note, b"save %d" % number) for number in range(100)))
        with pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        kept = {note.read_bytes(), *(late.data for late in settle(hold))}
        assert b"save %d" % (replacing._ROUNDS) in kept

    def test_a_note_that_is_removed_after_a_save_comes_to_light_when_settled(
        self, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        saving(self.by_rename(note, SAVED), note.unlink)
        with pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert [late.data for late in settle(hold)] == [SAVED]

    def test_a_folder_in_the_place_of_the_note_is_given_back(
        self, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        def become_a_folder() -> None:
            note.unlink()
            note.mkdir()

        saving(become_a_folder)
        with pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert note.is_dir()

    def test_an_editor_that_opened_the_new_file_for_a_moment_is_heard_too(
        self, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        opened = []
        saving(self.by_rename(note, SAVED), lambda: opened.append(note.open("r+b")))
        with pytest.raises(ChangedMeanwhile):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
        with opened[0] as editor:
            editor.write(b"into the file that was there for a moment")
        assert [late.data for late in settle(hold)] == [b"into the file that was there for a moment"]


@linux
@pytest.mark.skipif(platform.machine() not in exchange._SYSCALL, reason="the number of the call is not known here")
def test_a_c_library_that_does_not_know_the_call_is_no_hindrance(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ctypes.CDLL(None, use_errno=True)
    monkeypatch.setattr(ctypes, "CDLL", lambda name, use_errno: SimpleNamespace(syscall=whole.syscall))
    monkeypatch.setattr(exchange, "_loaded", {})
    other = note.with_name("other.md")
    other.write_bytes(NEW)
    assert exchange.exchange_files(note, other)
    assert (note.read_bytes(), other.read_bytes()) == (NEW, OLD)
    with pytest.raises(FileExistsError):
        exchange.rename_no_replace(note, other)
    with pytest.raises(FileNotFoundError):
        exchange.exchange_files(note, note.with_name("missing.md"))


# -- displaced files: kept until nobody can write into them, and heard if somebody did


class TestSettle:
    def test_does_not_even_read_what_is_young_and_untouched(
        self, note: Path, hold: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        os.utime(note, ns=(0, 0))
        files.replace_note(note, NEW, expected=OLD, hold=hold)
        monkeypatch.setattr(held, "read_file", pytest.fail)
        assert files.collect_late_writes(hold, older_than_ns=10**9, now_ns=note.stat().st_ctime_ns) == ()

    def test_tells_of_a_late_write_while_it_is_young(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.replace_note(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
        assert len(settle(hold, older_than_ns=2 * 3600 * 10**9)) == 1

    @linux
    def test_keeps_what_an_editor_still_has_open_for_writing(self, note: Path, hold: Path) -> None:
        with note.open("r+b"):
            files.replace_note(note, NEW, expected=OLD, hold=hold)
            assert settle(hold) == ()
            assert len(list(hold.glob("*.held"))) == 1
        settle(hold)
        assert names(hold) == []

    @linux
    def test_waits_for_the_end_of_a_save_but_not_for_ever(self, note: Path, hold: Path) -> None:
        with note.open("r+b", buffering=0) as editor:
            files.replace_note(note, NEW, expected=OLD, hold=hold)
            editor.write(b"half a")
            assert settle(hold, older_than_ns=2 * 3600 * 10**9) == ()
            assert len(settle(hold)) == 1

    def test_tells_of_a_late_write_until_it_is_released(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.replace_note(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
        (late,) = settle(hold)
        assert settle(hold) == (late,)
        assert late.slot.read_bytes() == late.data == SAVED
        files.release_slot(late)
        assert settle(hold) == ()
        assert names(hold) == []

    def test_tells_again_of_what_is_written_after_a_release(self, note: Path, hold: Path) -> None:
        with note.open("r+b", buffering=0) as editor:
            files.replace_note(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
            (first,) = settle(hold)
            editor.write(b"and more")
            files.release_slot(first)
        (second,) = settle(hold)
        assert second.data == SAVED + b"and more"
        assert second.path == note

    def test_tells_of_a_late_write_whose_label_is_lost(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.replace_note(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
        for label in hold.glob("*.note"):
            label.unlink()
        (late,) = settle(hold)
        assert late.data == SAVED
        assert late.path.parent == hold

    def test_finds_the_note_again_when_the_vault_was_moved(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.replace_note(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
        elsewhere = note.parent.with_name(f"{note.parent.name}-elsewhere")
        note.parent.rename(elsewhere)
        (late,) = settle(elsewhere / hold.relative_to(note.parent))
        assert late.path == elsewhere / "note.md"

    def test_leaves_other_peoples_files_alone(self, hold: Path) -> None:
        files.make_folder(hold)
        (hold / "notes.txt").write_bytes(OLD)
        (hold / "kept.held").write_bytes(OLD)
        assert settle(hold) == ()
        assert names(hold) == ["kept.held", "notes.txt"]
