"""The ground as a whole: where nothing may be written, and what it costs to load."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memvault.errors import Unwritable
from memvault.system import files
from memvault.system.files import new_file as exchange
from tests.system.files.ground import NEW, OLD, names, posix


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


@posix
class TestWhereNothingMayBeWritten:
    def test_everything_is_refused_plainly_and_nothing_changes(self, forbidden: Path) -> None:
        note = forbidden / "note.md"
        attempts: list[Callable[[], object]] = [
            lambda: files.create_file(forbidden / "a.md", NEW),
            lambda: files.replace_note(note, NEW, expected=OLD, hold=forbidden / "hold"),
            lambda: files.discard_note(note, expected=OLD, hold=forbidden / "hold"),
            lambda: files.move_file(note, forbidden / "b.md"),
            lambda: files.overwrite_file(forbidden / "c.json", NEW),
            lambda: files.append_line(forbidden / "log", NEW),
            lambda: files.remove_file(note),
            lambda: files.make_folder(forbidden / "d"),
            lambda: files.lock(forbidden / "lock", wait=0).__enter__(),
        ]
        for attempt in attempts:
            with pytest.raises(Unwritable, match=r"permission is denied|write-protected"):
                attempt()
        assert files.read_file(note) == OLD
        assert names(forbidden) == ["note.md"]

    def test_a_note_in_a_folder_that_may_be_read_only_is_still_read(self, forbidden: Path) -> None:
        assert files.read_file(forbidden / "note.md") == OLD


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
