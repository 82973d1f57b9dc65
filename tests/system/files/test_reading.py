"""Reading: whole, current, and never in the way of anything that is no file."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.errors import Unreadable
from memvault.system import files
from tests.system.files.ground import OLD, SAVED, posix


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
