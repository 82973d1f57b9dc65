"""Files of our own: derived ones, journals, and what dead writers left."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from memvault.errors import Busy, ChangedMeanwhile, NotAPlainFile, Unreadable, Unwritable
from memvault.system import files
from tests.system.files.ground import NEW, OLD, mode, names, posix


class TestOurOwnFiles:
    def test_overwrite_writes_whatever_was_there(self, tmp_path: Path) -> None:
        path = tmp_path / "derived.json"
        for text in (OLD, NEW, b""):
            files.overwrite_file(path, text)
            assert path.read_bytes() == text
        assert names(tmp_path) == ["derived.json"]
        if os.name == "posix":
            assert mode(path) == 0o600

    def test_append_makes_a_private_file_in_a_private_folder(self, tmp_path: Path) -> None:
        path = tmp_path / "journal" / "device" / "2026-01.jsonl"
        files.append_line(path, b"one\n", durable=True)
        files.append_line(path, b"two\n")
        assert path.read_bytes() == b"one\ntwo\n"
        if os.name == "posix":
            assert (mode(path), mode(path.parent), mode(path.parent.parent)) == (0o600, 0o700, 0o700)

    def test_append_leaves_a_torn_last_line_to_itself(self, note: Path) -> None:
        note.write_bytes(b'{"n": 1}\n{"n"')
        files.append_line(note, b'{"n": 3}\n')
        files.append_line(note, b'{"n": 4}\n')
        assert note.read_bytes() == b'{"n": 1}\n{"n"\n{"n": 3}\n{"n": 4}\n'

    def test_append_of_nothing_adds_nothing(self, note: Path) -> None:
        note.write_bytes(b"torn")
        files.append_line(note, b"")
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
            files.append_line(note, b"a line\n")
        assert writes == [b"a line\n"]
        assert note.read_bytes() == OLD + b"a l"

    def test_extend_cuts_off_what_is_torn_and_nothing_else(self, tmp_path: Path) -> None:
        path = tmp_path / "archive" / "talk.gz"
        files.extend_at(path, b"first", at=0)
        files.extend_at(path, b"second", at=5)
        assert path.read_bytes() == b"firstsecond"
        path.write_bytes(b"firstsecondto")
        files.extend_at(path, b"third", at=11)
        assert path.read_bytes() == b"firstsecondthird"
        with pytest.raises(ChangedMeanwhile):
            files.extend_at(path, b"fourth", at=17)
        assert path.read_bytes() == b"firstsecondthird"
        if os.name == "posix":
            assert (mode(path), mode(path.parent)) == (0o600, 0o700)

    def test_extend_takes_back_what_did_not_fit(self, note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = os.write

        def write(descriptor: int, data: bytes) -> int:
            if len(data) < 6:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(descriptor, data[:3])

        monkeypatch.setattr(os, "write", write)
        with pytest.raises(Unwritable, match="disk is full"):
            files.extend_at(note, b"a member", at=len(OLD))
        assert note.read_bytes() == OLD

    @posix
    def test_no_writer_and_no_stream_goes_through_a_link_or_into_a_pipe(self, note: Path) -> None:
        link, pipe = note.with_name("link"), note.with_name("pipe")
        link.symlink_to(note)
        os.mkfifo(pipe)
        for path in (link, pipe, note.parent):
            for write in (files.overwrite_file, files.append_line, partial(files.extend_at, at=0)):
                with pytest.raises((NotAPlainFile, Unwritable)):
                    write(path, NEW)
        assert link.is_symlink()
        assert note.read_bytes() == OLD
        for path in (pipe, note.parent, note.with_name("missing")):
            with pytest.raises(Unreadable), files.open_stream(path):
                pass

    def test_many_threads_append_whole_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        lines = [b"%d " % number * 50 + b"\n" for number in range(8)]

        def write(line: bytes) -> None:
            for _ in range(20):
                files.append_line(path, line)

        threads = [threading.Thread(target=write, args=(line,)) for line in lines]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(path.read_bytes().splitlines(keepends=True)) == sorted(lines * 20)

    def test_remove_takes_what_is_there_and_does_not_mind_what_is_not(self, note: Path) -> None:
        files.remove_file(note)
        files.remove_file(note)
        assert names(note.parent) == []
        with pytest.raises(Unwritable):
            files.remove_file(note.parent)


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
        assert files.orphaned_files(tmp_path) == (left,)
        assert files.orphaned_files(tmp_path / "missing") == ()

    def test_are_swept_when_they_are_old_enough(self, dead: int, tmp_path: Path) -> None:
        left = tmp_path / f".mv-{dead}-0123456789ab.tmp"
        left.write_bytes(NEW)
        now_ns = left.stat().st_mtime_ns + 10
        assert files.remove_orphans(tmp_path, older_than_ns=11, now_ns=now_ns) == ()
        assert files.remove_orphans(tmp_path, older_than_ns=10, now_ns=now_ns) == (left,)
        assert names(tmp_path) == []

    @posix
    def test_that_are_second_names_of_a_note_do_not_stop_its_change(self, dead: int, note: Path, hold: Path) -> None:
        (note.parent / f".mv-{dead}-0123456789ab.tmp").hardlink_to(note)
        files.replace_note(note, NEW, expected=OLD, hold=hold)
        assert names(note.parent) == [".memvault", "note.md"]


# -- the lock


class TestLock:
    HOLDER = (
        "import sys; from pathlib import Path; from memvault.system import files\n"
        "with files.lock(Path(sys.argv[1]), wait=5):\n    print('mine', flush=True)\n    sys.stdin.read()"
    )

    @pytest.fixture
    def holder(self, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
        root = Path(files.__file__).parents[3]
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
