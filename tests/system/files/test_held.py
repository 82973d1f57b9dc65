"""Displaced files: kept until nobody can write into them, and heard if somebody did."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memvault.system import files
from memvault.system.files import atomic as held
from tests.system.files.ground import NEW, OLD, SAVED, linux, names, settle


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
