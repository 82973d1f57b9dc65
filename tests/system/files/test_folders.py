"""Folders, and the border of the vault."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memvault.errors import OutsideVault, Unwritable
from memvault.system import files
from memvault.system.files import new_file as exchange
from tests.system.files.ground import NEW, OLD, mode, names, posix


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
