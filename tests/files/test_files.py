"""What each function of the ground promises, one by one."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import platform
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from memvault import files
from memvault.errors import (
    AlreadyThere,
    Busy,
    ChangedMeanwhile,
    NotAPlainFile,
    OutsideVault,
    Unreadable,
    Unwritable,
)
from memvault.files import exchange, held, naming, replacing
from tests.files.tripwire import lacking

OLD, NEW, SAVED = b"as it was\n", b"as it shall be\n", b"as an editor saved it\n"
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
everywhere = pytest.mark.parametrize(
    "lack", [(), ("exchange",), ("exchange", "link")], ids=["kernel", "link", "neither"]
)

# Long after anything these tests write; and long before.
LATER_NS = time.time_ns() + 3600 * 10**9


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


@pytest.fixture
def hold(tmp_path: Path) -> Path:
    return tmp_path / ".memvault" / "undo" / "held"


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)


@pytest.fixture
def forbidden() -> Iterator[Path]:
    """A folder with a note, in which this process may not write, whoever runs the tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "note.md").write_bytes(OLD)
        (folder / "note.md").chmod(0o644)
        folder.chmod(0o555)
        is_root = os.geteuid() == 0
        files.digest(OLD), exchange.kernel_rename()  # whose libraries that other user may not be able to load
        if is_root:
            os.seteuid(65534)
        yield folder
        if is_root:
            os.seteuid(0)
        folder.chmod(0o755)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def settle(hold: Path, *, older_than_ns: int = 0) -> tuple[files.Late, ...]:
    return files.settle(hold, older_than_ns=older_than_ns, now_ns=LATER_NS)


class TestRead:
    def test_gives_the_bytes_and_their_stamp(self, note: Path) -> None:
        data, stamp = files.read_stamped(note)
        assert data == OLD == files.read(note)
        assert stamp == files.Stamp.of(note.stat())
        assert stamp.size == len(OLD)

    def test_gives_no_more_than_the_limit_with_the_stamp_of_the_whole(self, note: Path) -> None:
        data, stamp = files.read_stamped(note, limit=4)
        assert (data, stamp.size) == (OLD[:4], len(OLD))
        assert files.read(note, limit=len(OLD)) == OLD
        assert files.read(note, limit=10**12) == OLD

    @posix
    def test_follows_a_symbolic_link(self, note: Path) -> None:
        link = note.with_name("link.md")
        link.symlink_to(note)
        assert files.read(link) == OLD

    @posix
    @pytest.mark.parametrize("kind", ["pipe", "folder", "missing", "loop", "nul", "long", "device", "under a file"])
    def test_refuses_plainly_and_at_once_what_is_no_file(self, kind: str, note: Path) -> None:
        path = note.with_name(kind)
        match kind:
            case "pipe":
                os.mkfifo(path)
            case "folder":
                path.mkdir()
            case "loop":
                path.symlink_to(path)
            case "nul":
                path = note.with_name("a\0b")
            case "long":
                path = note.with_name("a" * 300)
            case "device":
                path = Path("/dev/zero")
            case "under a file":
                path = note / "below.md"
        with pytest.raises(Unreadable) as caught:
            files.read(path)
        assert "Errno" not in str(caught.value)

    def test_reads_again_what_was_saved_while_it_was_read(self, note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        saves = [SAVED * 1000]
        real = os.read

        def read(descriptor: int, size: int) -> bytes:
            data = real(descriptor, size)
            if saves:
                note.write_bytes(saves.pop())
            return data

        monkeypatch.setattr(os, "read", read)
        assert files.read(note) == SAVED * 1000

    def test_gives_up_on_what_never_holds_still(
        self, note: Path, monkeypatch: pytest.MonkeyPatch, no_waiting: None
    ) -> None:
        real = os.read

        def read(descriptor: int, size: int) -> bytes:
            with note.open("ab") as file:
                file.write(b"more")
            return real(descriptor, size)

        monkeypatch.setattr(os, "read", read)
        with pytest.raises(Unreadable, match="changes all the time"):
            files.read(note)

    def test_waits_for_an_editor_that_emptied_the_file_and_will_fill_it(
        self, note: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note.write_bytes(b"")
        monkeypatch.setattr(time, "sleep", lambda seconds: note.write_bytes(SAVED))
        assert files.read(note) == SAVED

    def test_does_not_wait_for_a_file_that_has_long_been_empty(
        self, note: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note.write_bytes(b"")
        os.utime(note, ns=(0, 0))
        monkeypatch.setattr(time, "sleep", pytest.fail)
        assert files.read(note) == b""

    def test_gives_an_empty_file_that_stays_empty(self, note: Path, no_waiting: None) -> None:
        note.write_bytes(b"")
        assert files.read(note) == b""


def test_a_digest_is_blake2b_of_16_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = hashlib.blake2b(OLD, digest_size=16).hexdigest()
    assert files.digest(OLD) == expected
    monkeypatch.setitem(sys.modules, "_blake2", None)
    assert files.digest(OLD) == expected


@everywhere
class TestCreate:
    def test_writes_a_private_file_whatever_the_umask(self, lack: tuple[str, ...], tmp_path: Path) -> None:
        before = os.umask(0)
        try:
            with lacking(*lack):
                files.create(tmp_path / "a.md", NEW)
                files.create(tmp_path / "b.md", b"", mode=0o644)
        finally:
            os.umask(before)
        assert (tmp_path / "a.md").read_bytes() == NEW
        assert names(tmp_path) == ["a.md", "b.md"]
        if os.name == "posix":
            assert (mode(tmp_path / "a.md"), mode(tmp_path / "b.md")) == (0o600, 0o644)

    def test_never_overwrites(self, lack: tuple[str, ...], note: Path) -> None:
        with lacking(*lack), pytest.raises(AlreadyThere):
            files.create(note, NEW)
        assert note.read_bytes() == OLD
        assert names(note.parent) == ["note.md"]

    def test_never_overwrites_what_appears_at_the_last_moment(
        self, lack: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os.path, "lexists", lambda path: (tmp_path / "a.md").write_bytes(SAVED) == 0)
        with lacking(*lack), pytest.raises(AlreadyThere):
            files.create(tmp_path / "a.md", NEW)
        assert (tmp_path / "a.md").read_bytes() == SAVED
        assert names(tmp_path) == ["a.md"]

    @posix
    def test_leaves_a_dangling_link_alone(self, lack: tuple[str, ...], tmp_path: Path) -> None:
        (tmp_path / "a.md").symlink_to(tmp_path / "nowhere")
        with lacking(*lack), pytest.raises(AlreadyThere):
            files.create(tmp_path / "a.md", NEW)
        assert not (tmp_path / "nowhere").exists()

    def test_says_when_there_is_no_such_folder(self, lack: tuple[str, ...], tmp_path: Path) -> None:
        with lacking(*lack), pytest.raises(Unwritable, match="does not exist"):
            files.create(tmp_path / "nowhere" / "a.md", NEW)


@posix
def test_a_name_with_a_nul_in_it_is_refused_not_cut_short(tmp_path: Path) -> None:
    with pytest.raises(Unwritable, match="name cannot be used"):
        files.create(tmp_path / "a\0b.md", NEW)
    assert names(tmp_path) == []


@everywhere
class TestReplace:
    def test_changes_the_bytes_and_keeps_the_mode(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        with lacking(*lack):
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == NEW
        assert names(note.parent) == [".memvault", "note.md"]
        if os.name == "posix":
            assert mode(note) == 0o640

    def test_keeps_what_was_displaced_until_it_is_settled(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        with lacking(*lack):
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert [path.read_bytes() for path in hold.glob("*.held")] == [OLD]
        assert settle(hold) == ()
        assert names(hold) == []

    def test_leaves_alone_what_holds_something_else(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        note.write_bytes(SAVED)
        before = note.stat()
        with lacking(*lack), pytest.raises(ChangedMeanwhile):
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == SAVED
        assert files.Stamp.of(note.stat()) == files.Stamp.of(before)
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
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == SAVED
        assert not list(hold.glob("*"))

    def test_does_not_bring_back_what_is_gone(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        note.unlink()
        with lacking(*lack), pytest.raises(ChangedMeanwhile):
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert not note.exists()

    def test_does_nothing_where_nothing_changes(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        before = files.Stamp.of(note.stat())
        with lacking(*lack):
            files.replace(note, OLD, expected=OLD, hold=hold)
        assert files.Stamp.of(note.stat()) == before
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
        for refused in (files.replace, files.discard):
            new = {"data": NEW} if refused is files.replace else {}
            with lacking(*lack), pytest.raises(NotAPlainFile, match=what):
                refused(other, expected=OLD, hold=hold, **new)
        assert note.read_bytes() == OLD
        assert os.path.lexists(other)

    @posix
    def test_respects_write_protection(self, lack: tuple[str, ...], note: Path, hold: Path) -> None:
        note.chmod(0o444)
        with lacking(*lack), pytest.raises(Unwritable, match="write-protected"):
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == OLD

    def test_an_editor_that_writes_into_the_displaced_file_is_heard(
        self, lack: tuple[str, ...], note: Path, hold: Path
    ) -> None:
        if "link" in lack:
            pytest.skip("without links there is only a copy to hold")
        with note.open("r+b") as editor, lacking(*lack):
            files.replace(note, NEW, expected=OLD, hold=hold)
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

    monkeypatch.setattr(replacing, "put_over", killed)
    with lacking("exchange"), pytest.raises(SystemExit):
        files.replace(note, NEW, expected=OLD, hold=hold)
    note.write_bytes(SAVED)
    assert settle(hold) == ()
    assert names(hold) == []
    assert note.read_bytes() == SAVED


def test_where_only_a_claim_keeps_the_place_whoever_takes_it_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = tmp_path / "a.md", os.close

    def close(descriptor: int) -> None:
        real(descriptor)
        if path.exists():
            path.write_bytes(SAVED)

    monkeypatch.setattr(os, "close", close)
    with lacking("exchange", "link"), pytest.raises(AlreadyThere):
        files.create(path, NEW)
    assert path.read_bytes() == SAVED
    assert names(tmp_path) == ["a.md"]


@linux
def test_replace_keeps_attributes_and_owner(note: Path, hold: Path) -> None:
    try:
        os.setxattr(note, "user.tags", b"keep")
    except OSError:
        pytest.skip("this disk has no extended attributes")
    if os.geteuid() == 0:
        os.chown(note, 12345, 23456)
    before = note.stat()
    files.replace(note, NEW, expected=OLD, hold=hold)
    assert os.getxattr(note, "user.tags") == b"keep"
    assert (note.stat().st_uid, note.stat().st_gid) == (before.st_uid, before.st_gid)


@pytest.mark.skipif(exchange.kernel_rename() is None, reason="this system cannot exchange files")
class TestExchange:
    """An editor that saves within the microseconds between the last comparison and the exchange, and after it."""

    @pytest.fixture
    def saving(self, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
        """Lets an editor act before the first exchange, before the second, and so on."""

        def let(*acts: Callable[[], object]) -> None:
            todo, real = list(acts), exchange.swap

            def swap(one: Path, other: Path) -> bool:
                if todo:
                    todo.pop(0)()
                return real(one, other)

            monkeypatch.setattr(replacing, "swap", swap)

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
            files.replace(note, NEW, expected=OLD, hold=hold)
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
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert note.read_bytes() == b"newer"
        assert [late.data for late in settle(hold)] == [SAVED]

    def test_an_editor_faster_than_all_attempts_loses_nothing(
        self, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        saving(*(self.by_rename(note, b"save %d" % number) for number in range(100)))
        with pytest.raises(ChangedMeanwhile):
            files.replace(note, NEW, expected=OLD, hold=hold)
        kept = {note.read_bytes(), *(late.data for late in settle(hold))}
        assert b"save %d" % (replacing._ROUNDS) in kept

    def test_a_note_that_is_removed_after_a_save_comes_to_light_when_settled(
        self, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        saving(self.by_rename(note, SAVED), note.unlink)
        with pytest.raises(ChangedMeanwhile):
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert [late.data for late in settle(hold)] == [SAVED]

    def test_a_folder_in_the_place_of_the_note_is_given_back(
        self, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        def become_a_folder() -> None:
            note.unlink()
            note.mkdir()

        saving(become_a_folder)
        with pytest.raises(ChangedMeanwhile):
            files.replace(note, NEW, expected=OLD, hold=hold)
        assert note.is_dir()

    def test_an_editor_that_opened_the_new_file_for_a_moment_is_heard_too(
        self, note: Path, hold: Path, saving: Callable[..., None]
    ) -> None:
        opened = []
        saving(self.by_rename(note, SAVED), lambda: opened.append(note.open("r+b")))
        with pytest.raises(ChangedMeanwhile):
            files.replace(note, NEW, expected=OLD, hold=hold)
        with opened[0] as editor:
            editor.write(b"into the file that was there for a moment")
        assert [late.data for late in settle(hold)] == [b"into the file that was there for a moment"]


@linux
def test_a_hold_on_another_disk_is_refused_before_anything_changes(note: Path) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == note.stat().st_dev:
        pytest.skip("no second disk here")
    with tempfile.TemporaryDirectory(dir=memory) as other:
        with pytest.raises(Unwritable, match="another disk"):
            files.replace(note, NEW, expected=OLD, hold=Path(other))
        with pytest.raises(Unwritable, match="another disk"):
            files.discard(note, expected=OLD, hold=Path(other))
        with pytest.raises(Unwritable, match="another disk"):
            files.move(note, Path(other) / "note.md")
        assert names(Path(other)) == []
    assert note.read_bytes() == OLD
    assert names(note.parent) == ["note.md"]


@linux
@pytest.mark.skipif(platform.machine() not in exchange._SYSCALL, reason="the number of the call is not known here")
def test_a_c_library_that_does_not_know_the_call_is_no_hindrance(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ctypes.CDLL(None, use_errno=True)
    monkeypatch.setattr(ctypes, "CDLL", lambda name, use_errno: SimpleNamespace(syscall=whole.syscall))
    monkeypatch.setattr(exchange, "_loaded", {})
    other = note.with_name("other.md")
    other.write_bytes(NEW)
    assert exchange.swap(note, other)
    assert (note.read_bytes(), other.read_bytes()) == (NEW, OLD)
    with pytest.raises(FileExistsError):
        exchange.rename_new(note, other)
    with pytest.raises(FileNotFoundError):
        exchange.swap(note, note.with_name("missing.md"))


class TestSettle:
    def test_of_nothing_is_nothing(self, hold: Path) -> None:
        assert settle(hold) == ()

    def test_keeps_what_is_young(self, note: Path, hold: Path) -> None:
        files.replace(note, NEW, expected=OLD, hold=hold)
        assert files.settle(hold, older_than_ns=10**9, now_ns=note.stat().st_ctime_ns) == ()
        assert [path.read_bytes() for path in hold.glob("*.held")] == [OLD]

    def test_does_not_even_read_what_is_young_and_untouched(
        self, note: Path, hold: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        os.utime(note, ns=(0, 0))
        files.replace(note, NEW, expected=OLD, hold=hold)
        monkeypatch.setattr(held, "read", pytest.fail)
        assert files.settle(hold, older_than_ns=10**9, now_ns=note.stat().st_ctime_ns) == ()

    def test_tells_of_a_late_write_while_it_is_young(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.replace(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
        assert len(settle(hold, older_than_ns=2 * 3600 * 10**9)) == 1

    @linux
    def test_keeps_what_an_editor_still_has_open_for_writing(self, note: Path, hold: Path) -> None:
        with note.open("r+b"):
            files.replace(note, NEW, expected=OLD, hold=hold)
            assert settle(hold) == ()
            assert len(list(hold.glob("*.held"))) == 1
        settle(hold)
        assert names(hold) == []

    @linux
    def test_waits_for_the_end_of_a_save_but_not_for_ever(self, note: Path, hold: Path) -> None:
        with note.open("r+b", buffering=0) as editor:
            files.replace(note, NEW, expected=OLD, hold=hold)
            editor.write(b"half a")
            assert settle(hold, older_than_ns=2 * 3600 * 10**9) == ()
            assert len(settle(hold)) == 1

    def test_tells_of_a_late_write_until_it_is_released(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.replace(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
        (late,) = settle(hold)
        assert settle(hold) == (late,)
        assert late.held.read_bytes() == late.data == SAVED
        files.release(late)
        assert settle(hold) == ()
        assert names(hold) == []

    def test_tells_again_of_what_is_written_after_a_release(self, note: Path, hold: Path) -> None:
        with note.open("r+b", buffering=0) as editor:
            files.replace(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
            (first,) = settle(hold)
            editor.write(b"and more")
            files.release(first)
        (second,) = settle(hold)
        assert second.data == SAVED + b"and more"
        assert second.path == note

    def test_tells_of_a_late_write_whose_label_is_lost(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.replace(note, NEW, expected=OLD, hold=hold)
            editor.write(SAVED)
        for label in hold.glob("*.note"):
            label.unlink()
        (late,) = settle(hold)
        assert late.data == SAVED
        assert late.path.parent == hold

    def test_finds_the_note_again_when_the_vault_was_moved(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.replace(note, NEW, expected=OLD, hold=hold)
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


@everywhere
class TestMove:
    def test_moves_into_another_folder(self, lack: tuple[str, ...], note: Path) -> None:
        target = note.parent / "archive" / "note.md"
        target.parent.mkdir()
        before = note.stat()
        with lacking(*lack):
            files.move(note, target)
        assert not note.exists()
        assert target.read_bytes() == OLD
        assert target.stat().st_mtime_ns == before.st_mtime_ns

    def test_renames(self, lack: tuple[str, ...], note: Path) -> None:
        with lacking(*lack):
            files.move(note, note.with_name("other.md"))
        assert names(note.parent) == ["other.md"]

    @posix
    def test_to_itself_changes_nothing(self, lack: tuple[str, ...], note: Path) -> None:
        (note.parent / "link").symlink_to(note.parent)
        with lacking(*lack):
            files.move(note, note)
            files.move(note, note.parent / "link" / "note.md")
            files.finish_move(note, note)
            files.finish_move(note, note.parent / "link" / "note.md")
        assert note.read_bytes() == OLD

    def test_never_overwrites(self, lack: tuple[str, ...], note: Path) -> None:
        other = note.with_name("other.md")
        other.write_bytes(OLD)
        with lacking(*lack), pytest.raises(AlreadyThere):
            files.move(note, other)
        assert names(note.parent) == ["note.md", "other.md"]

    def test_says_when_there_is_nothing_to_move_or_nowhere_to(self, lack: tuple[str, ...], note: Path) -> None:
        with lacking(*lack):
            with pytest.raises(Unwritable, match="does not exist"):
                files.move(note.with_name("missing.md"), note.with_name("other.md"))
            with pytest.raises(Unwritable, match="does not exist"):
                files.move(note, note.parent / "nowhere" / "note.md")
        assert note.read_bytes() == OLD

    @posix
    def test_leaves_links_and_folders_where_they_are(self, lack: tuple[str, ...], note: Path) -> None:
        link, folder = note.with_name("link.md"), note.with_name("folder.md")
        link.symlink_to(note)
        folder.mkdir()
        for path in (link, folder):
            with lacking(*lack), pytest.raises(NotAPlainFile):
                files.move(path, note.with_name("moved.md"))
        assert names(note.parent) == ["folder.md", "link.md", "note.md"]

    def test_finishes_what_was_killed_between_the_two_names(self, lack: tuple[str, ...], note: Path) -> None:
        one, other = note, note.with_name("other.md")
        for finish in (files.move, files.finish_move):
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

    monkeypatch.setattr(naming, "rename_new", exists)
    monkeypatch.setattr(naming, "is_same", lambda one, other: True)
    if links == 2:
        (note.parent / "elsewhere").mkdir()
        (note.parent / "elsewhere" / "note.md").hardlink_to(note)
    files.move(note, note.with_name("Note.md"))
    assert note.with_name("Note.md").read_bytes() == OLD
    assert not [name for name in names(note.parent) if name == "note.md"]


class TestDiscard:
    def test_takes_away_what_it_holds_and_keeps_it_a_while(self, note: Path, hold: Path) -> None:
        files.discard(note, expected=OLD, hold=hold)
        assert not note.exists()
        assert [path.read_bytes() for path in hold.glob("*.held")] == [OLD]
        assert settle(hold) == ()
        assert names(hold) == []

    def test_leaves_what_holds_something_else(self, note: Path, hold: Path) -> None:
        with pytest.raises(ChangedMeanwhile):
            files.discard(note, expected=NEW, hold=hold)
        assert note.read_bytes() == OLD
        note.unlink()
        with pytest.raises(ChangedMeanwhile):
            files.discard(note, expected=OLD, hold=hold)

    def test_gives_back_what_was_saved_at_the_last_moment(
        self, note: Path, hold: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = os.rename

        def rename(source: Path, target: Path) -> None:
            note.write_bytes(SAVED)
            real(source, target)

        monkeypatch.setattr(os, "rename", rename)
        with pytest.raises(ChangedMeanwhile):
            files.discard(note, expected=OLD, hold=hold)
        assert note.read_bytes() == SAVED

    def test_hears_an_editor_that_had_it_open(self, note: Path, hold: Path) -> None:
        with note.open("r+b") as editor:
            files.discard(note, expected=OLD, hold=hold)
            editor.write(SAVED)
        (late,) = settle(hold)
        assert (late.path, late.data, late.replaced_by) == (note, SAVED, files.digest(OLD))


class TestOurOwnFiles:
    def test_overwrite_writes_whatever_was_there(self, tmp_path: Path) -> None:
        path = tmp_path / "derived.json"
        for text in (OLD, NEW, b""):
            files.overwrite(path, text)
            assert path.read_bytes() == text
        assert names(tmp_path) == ["derived.json"]
        if os.name == "posix":
            assert mode(path) == 0o600

    @posix
    def test_neither_overwrite_nor_append_goes_through_a_link_or_into_a_pipe(self, note: Path) -> None:
        link, pipe = note.with_name("link"), note.with_name("pipe")
        link.symlink_to(note)
        os.mkfifo(pipe)
        for path in (link, pipe, note.parent):
            with pytest.raises((NotAPlainFile, Unwritable)):
                files.overwrite(path, NEW)
            with pytest.raises((NotAPlainFile, Unwritable)):
                files.append(path, NEW)
        assert note.read_bytes() == OLD
        assert link.is_symlink()

    def test_append_makes_a_private_file_in_a_private_folder(self, tmp_path: Path) -> None:
        path = tmp_path / "journal" / "device" / "2026-01.jsonl"
        files.append(path, b"one\n", durable=True)
        files.append(path, b"two\n")
        assert path.read_bytes() == b"one\ntwo\n"
        if os.name == "posix":
            assert (mode(path), mode(path.parent), mode(path.parent.parent)) == (0o600, 0o700, 0o700)

    def test_append_leaves_a_torn_last_line_to_itself(self, note: Path) -> None:
        note.write_bytes(b'{"n": 1}\n{"n"')
        files.append(note, b'{"n": 3}\n')
        files.append(note, b'{"n": 4}\n')
        assert note.read_bytes() == b'{"n": 1}\n{"n"\n{"n": 3}\n{"n": 4}\n'

    def test_append_of_nothing_adds_nothing(self, note: Path) -> None:
        note.write_bytes(b"torn")
        files.append(note, b"")
        assert note.read_bytes() == b"torn"

    def test_append_is_one_write_and_says_when_it_was_cut_short(
        self, note: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real, writes = os.write, []

        def write(descriptor: int, data: bytes) -> int:
            writes.append(data)
            return real(descriptor, data[:3])

        monkeypatch.setattr(os, "write", write)
        with pytest.raises(Unwritable, match="disk is full"):
            files.append(note, b"a line\n")
        assert writes == [b"a line\n"]
        assert note.read_bytes() == OLD + b"a l"

    def test_many_threads_append_whole_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        lines = [b"%d " % number * 50 + b"\n" for number in range(8)]

        def write(line: bytes) -> None:
            for _ in range(20):
                files.append(path, line)

        threads = [threading.Thread(target=write, args=(line,)) for line in lines]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(path.read_bytes().splitlines(keepends=True)) == sorted(lines * 20)

    def test_remove_takes_what_is_there_and_does_not_mind_what_is_not(self, note: Path) -> None:
        files.remove(note)
        files.remove(note)
        assert names(note.parent) == []
        with pytest.raises(Unwritable):
            files.remove(note.parent)


class TestFolders:
    def test_are_made_private_with_their_parents_and_left_as_they_are(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir(mode=0o755)
        files.make_folder(tmp_path / "a" / "b" / "c")
        files.make_folder(tmp_path / "a" / "b" / "c")
        assert (tmp_path / "a" / "b" / "c").is_dir()
        if os.name == "posix":
            assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b"), mode(tmp_path / "a" / "b" / "c")) == (
                0o755,
                0o700,
                0o700,
            )

    def test_are_not_made_where_a_file_stands(self, note: Path) -> None:
        for path in (note, note / "below"):
            with pytest.raises(Unwritable):
                files.make_folder(path)
        assert note.read_bytes() == OLD

    @posix
    def test_say_when_they_cannot_be_synced(self, tmp_path: Path) -> None:
        files.sync_folder(tmp_path)
        with pytest.raises(Unwritable, match="does not exist"):
            files.sync_folder(tmp_path / "missing")

    @posix
    def test_need_no_sync_where_the_disk_has_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fsync(descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "no such thing here")

        monkeypatch.setattr(os, "fsync", fsync)
        files.create(tmp_path / "a.md", NEW)
        assert (tmp_path / "a.md").read_bytes() == NEW


@posix
class TestWhereNothingMayBeWritten:
    def test_everything_is_refused_plainly_and_nothing_changes(self, forbidden: Path) -> None:
        note = forbidden / "note.md"
        attempts: list[Callable[[], object]] = [
            lambda: files.create(forbidden / "a.md", NEW),
            lambda: files.replace(note, NEW, expected=OLD, hold=forbidden / "hold"),
            lambda: files.discard(note, expected=OLD, hold=forbidden / "hold"),
            lambda: files.move(note, forbidden / "b.md"),
            lambda: files.overwrite(forbidden / "c.json", NEW),
            lambda: files.append(forbidden / "log", NEW),
            lambda: files.remove(note),
            lambda: files.make_folder(forbidden / "d"),
            lambda: files.lock(forbidden / "lock", wait=0).__enter__(),
        ]
        for attempt in attempts:
            with pytest.raises(Unwritable, match=r"permission is denied|write-protected"):
                attempt()
        assert files.read(note) == OLD
        assert names(forbidden) == ["note.md"]

    def test_a_note_in_a_folder_that_may_be_read_only_is_still_read(self, forbidden: Path) -> None:
        assert files.read(forbidden / "note.md") == OLD


class TestLeftovers:
    @pytest.fixture
    def dead(self) -> int:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        return ended.pid

    def test_are_the_temporary_files_of_dead_writers(self, dead: int, tmp_path: Path) -> None:
        left = tmp_path / f".mv-{dead}-0123456789ab.tmp"
        for name in (left.name, f".mv-{os.getpid()}-0123456789ab.tmp", ".mv-x-0123456789ab.tmp", "note.md", "a.tmp"):
            (tmp_path / name).write_bytes(NEW)
        assert files.leftovers(tmp_path) == (left,)
        assert files.leftovers(tmp_path / "missing") == ()

    def test_are_swept_when_they_are_old_enough(self, dead: int, tmp_path: Path) -> None:
        left = tmp_path / f".mv-{dead}-0123456789ab.tmp"
        left.write_bytes(NEW)
        now_ns = left.stat().st_mtime_ns + 10
        assert files.sweep(tmp_path, older_than_ns=11, now_ns=now_ns) == ()
        assert files.sweep(tmp_path, older_than_ns=10, now_ns=now_ns) == (left,)
        assert names(tmp_path) == []

    @posix
    def test_that_are_second_names_of_a_note_do_not_stop_its_change(self, dead: int, note: Path, hold: Path) -> None:
        (note.parent / f".mv-{dead}-0123456789ab.tmp").hardlink_to(note)
        files.replace(note, NEW, expected=OLD, hold=hold)
        assert names(note.parent) == [".memvault", "note.md"]


class TestLock:
    HOLDER = (
        "import sys; from pathlib import Path; from memvault import files\n"
        "with files.lock(Path(sys.argv[1]), wait=5):\n    print('mine', flush=True)\n    sys.stdin.read()"
    )

    @pytest.fixture
    def holder(self, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
        root = Path(files.__file__).parents[2]
        command = [sys.executable, "-c", self.HOLDER, str(tmp_path / "lock")]
        with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "mine\n"
            yield process
            process.kill()

    def test_keeps_another_process_out_and_says_so(self, holder: subprocess.Popen[str], tmp_path: Path) -> None:
        with pytest.raises(Busy, match=r"within 0\.01 s"), files.lock(tmp_path / "lock", wait=0.01):
            pytest.fail("two hold it")

    def test_is_free_when_its_holder_is_killed(self, holder: subprocess.Popen[str], tmp_path: Path) -> None:
        holder.kill()
        holder.wait()
        with files.lock(tmp_path / "lock", wait=0):
            pass

    def test_can_be_taken_again_within_a_thread_but_not_by_another(self, tmp_path: Path) -> None:
        caught: list[BaseException] = []

        def other() -> None:
            try:
                with files.lock(tmp_path / "lock", wait=0):
                    pass
            except Busy as error:
                caught.append(error)

        with files.lock(tmp_path / "lock", wait=0):
            with files.lock(tmp_path / "." / "lock", wait=0):
                pass
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
            assert len(caught) == 1
        other()
        assert len(caught) == 1

    def test_is_let_go_when_its_block_fails(self, tmp_path: Path) -> None:
        with pytest.raises(KeyError), files.lock(tmp_path / "lock", wait=0):
            raise KeyError
        with files.lock(tmp_path / "lock", wait=0):
            pass

    @posix
    def test_is_one_lock_even_if_its_file_is_removed_meanwhile(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import fcntl

        real, removals = fcntl.flock, [tmp_path / "lock"]

        def flock(descriptor: int, operation: int) -> None:
            real(descriptor, operation)
            if removals and removals[0].exists():
                removals.pop().unlink()

        monkeypatch.setattr(fcntl, "flock", flock)
        with files.lock(tmp_path / "lock", wait=0):
            assert (tmp_path / "lock").exists()


class TestInside:
    def test_is_what_lies_under_the_root(self, tmp_path: Path) -> None:
        root = tmp_path / "vault"
        root.mkdir()
        assert files.inside(root, root / "a" / "b.md")
        assert files.inside(root, root)
        assert not files.inside(root, root / ".." / "b.md")
        assert not files.inside(root, tmp_path / "vault-2" / "b.md")
        assert not files.inside(root, Path("/"))

    @posix
    def test_is_not_what_a_link_leads_out_of(self, tmp_path: Path) -> None:
        root = tmp_path / "vault"
        root.mkdir()
        (root / "out").symlink_to(tmp_path)
        (root / "in").symlink_to(root)
        (root / "loop").symlink_to(root / "loop")
        assert not files.inside(root, root / "out" / "b.md")
        assert files.inside(root, root / "in" / "b.md")
        files.inside(root, root / "loop" / "b.md")
        assert not files.inside(root, root / "a\0b")
        files.check_inside(root, root / "in" / "b.md")
        with pytest.raises(OutsideVault):
            files.check_inside(root, root / "out" / "b.md")

    def test_may_be_a_root_that_is_itself_behind_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "root").symlink_to(tmp_path / "real")
        assert files.inside(tmp_path / "root", tmp_path / "root" / "a.md")


def test_reading_loads_neither_ctypes_nor_hashlib(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(OLD)
    script = (
        "import sys; from pathlib import Path; from memvault import files; path = Path(sys.argv[1])\n"
        "files.digest(files.read(path)); files.append(path, b'line\\n')\n"
        "print([name for name in ('ctypes', 'hashlib', 'threading', 'subprocess', 'json') if name in sys.modules])"
    )
    root = Path(files.__file__).parents[2]
    command = [sys.executable, "-S", "-c", script, str(tmp_path / "a.md")]
    assert subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout == "[]\n"
