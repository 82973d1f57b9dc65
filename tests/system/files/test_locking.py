"""The lock."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault.errors import Busy
from memvault.system import files
from tests.system.files.ground import posix


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
