"""The exchange, and editors that save in the very moment of it."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from memvault.errors import ChangedMeanwhile
from memvault.system import files
from memvault.system.files import atomic as replacing
from memvault.system.files import new_file as exchange
from tests.system.files.ground import NEW, OLD, SAVED, linux, names, settle


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
