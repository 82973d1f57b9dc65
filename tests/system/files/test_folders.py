"""Folders, and the border of the vault."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.errors import OutsideVault, Unreadable, Unwritable
from memvault.system import files
from tests.system.files.ground import NEW, OLD, SAVED, mode, posix


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
        files.create_file(tmp_path / "a.md", NEW)
        assert (tmp_path / "a.md").read_bytes() == NEW


class TestInside:
    def test_is_what_lies_under_the_root(self, tmp_path: Path) -> None:
        root = tmp_path / "vault"
        root.mkdir()
        assert files.is_inside(root, root / "a" / "b.md")
        assert files.is_inside(root, root)
        assert not files.is_inside(root, root / ".." / "b.md")
        assert not files.is_inside(root, tmp_path / "vault-2" / "b.md")
        assert not files.is_inside(root, Path("/"))

    @posix
    def test_is_not_what_a_link_leads_out_of(self, tmp_path: Path) -> None:
        root = tmp_path / "vault"
        root.mkdir()
        (root / "out").symlink_to(tmp_path)
        (root / "in").symlink_to(root)
        (root / "loop").symlink_to(root / "loop")
        assert not files.is_inside(root, root / "out" / "b.md")
        assert files.is_inside(root, root / "in" / "b.md")
        files.is_inside(root, root / "loop" / "b.md")
        assert not files.is_inside(root, root / "a\0b")
        files.check_inside(root, root / "in" / "b.md")
        with pytest.raises(OutsideVault):
            files.check_inside(root, root / "out" / "b.md")

    def test_may_be_a_root_that_is_itself_behind_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "root").symlink_to(tmp_path / "real")
        assert files.is_inside(tmp_path / "root", tmp_path / "root" / "a.md")


# -- the ground as a whole: where nothing may be written, and what it costs to load


def test_reading_loads_neither_ctypes_nor_hashlib(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(OLD)
    script = (
        "import sys; from pathlib import Path; from memvault.system import files; path = Path(sys.argv[1])\n"
        "files.digest(files.read_file(path)); files.append_line(path, b'line\\n')\n"
        "print([name for name in ('ctypes', 'hashlib', 'threading', 'subprocess', 'json') if name in sys.modules])"
    )
    root = Path(files.__file__).parents[3]
    command = [sys.executable, "-S", "-c", script, str(tmp_path / "a.md")]
    assert subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout == "[]\n"


# -- reading: whole, current, and never in the way of anything that is no file


class TestRead:
    def test_gives_the_bytes_and_their_stamp(self, note: Path) -> None:
        data, stamp = files.read_stamped(note)
        assert data == OLD == files.read_file(note)
        assert stamp == files.FileStamp.of(note.stat())
        assert stamp.size == len(OLD)

    def test_gives_no_more_than_the_limit_with_the_stamp_of_the_whole(self, note: Path) -> None:
        data, stamp = files.read_stamped(note, limit=4)
        assert (data, stamp.size) == (OLD[:4], len(OLD))
        assert files.read_file(note, limit=len(OLD)) == OLD
        assert files.read_file(note, limit=10**12) == OLD

    @posix
    def test_follows_a_symbolic_link(self, note: Path) -> None:
        link = note.with_name("link.md")
        link.symlink_to(note)
        assert files.read_file(link) == OLD

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
            files.read_file(path)
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
        assert files.read_file(note) == SAVED * 1000

    def test_gives_up_on_what_never_holds_still(
        self, note: Path, monkeypatch: pytest.MonkeyPatch, no_waiting: None
    ) -> None:
        real = os.read

        def read(descriptor: int, size: int) -> bytes:
            with note.open("ab") as file:
                file.write(b"more")
            return real(descriptor, size)

        monkeypatch.setattr(os, "read", read)
        with pytest.raises(Unreadable, match="kept changing"):
            files.read_file(note)

    def test_waits_for_an_editor_that_emptied_the_file_and_will_fill_it(
        self, note: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note.write_bytes(b"")
        monkeypatch.setattr(time, "sleep", lambda seconds: note.write_bytes(SAVED))
        assert files.read_file(note) == SAVED

    def test_does_not_wait_for_a_file_that_has_long_been_empty(
        self, note: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note.write_bytes(b"")
        os.utime(note, ns=(0, 0))
        monkeypatch.setattr(time, "sleep", pytest.fail)
        assert files.read_file(note) == b""

    def test_gives_an_empty_file_that_stays_empty(self, note: Path, no_waiting: None) -> None:
        note.write_bytes(b"")
        assert files.read_file(note) == b""


def test_a_digest_is_blake2b_of_16_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = hashlib.blake2b(OLD, digest_size=16).hexdigest()
    assert files.digest(OLD) == expected
    monkeypatch.setitem(sys.modules, "_blake2", None)
    assert files.digest(OLD) == expected


class TestReadKnown:
    def is_of(self, note: Path) -> Callable[[os.stat_result], bool]:
        known = files.FileStamp.of(note.stat())
        return lambda found: files.FileStamp.of(found) == known

    def test_gives_the_bytes_of_what_is_known(self, note: Path) -> None:
        assert files.read_known(str(note), len(OLD), self.is_of(note)) == OLD

    def test_gives_nothing_of_what_is_another_by_now(self, note: Path) -> None:
        is_it = self.is_of(note)
        note.write_bytes(OLD + b"more")
        assert files.read_known(str(note), len(OLD), is_it) is None
        note.write_bytes(b"")
        assert files.read_known(str(note), len(OLD), lambda _: True) is None

    @posix
    def test_waits_for_no_pipe(self, note: Path) -> None:
        pipe = note.with_name("pipe.md")
        os.mkfifo(pipe)
        assert files.read_known(str(pipe), 3, lambda _: True) is None

    def test_of_what_is_gone_it_says_so(self, note: Path) -> None:
        with pytest.raises(Unreadable):
            files.read_known(str(note.with_name("gone.md")), 3, lambda _: True)
