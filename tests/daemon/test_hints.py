"""Hints: what matters of what happens in a vault, when to look, and which disks can be trusted to tell."""

from __future__ import annotations

import errno
import itertools
import os
import queue
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.daemon import notify
from memvault.daemon.changes import (
    MAX_NOTES,
    MAX_WAIT,
    ChangeSet,
    Coverage,
    ScanTimer,
    find_foreign_disk,
    foreign_mount_type,
    select_mounts,
)
from memvault.daemon.notify import Inotify, InotifySource, WatchdogSource, open_source

SOON = 30  # seconds after which a test that waits for the real thing gives up
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this kernel")


class TestHints:
    @pytest.mark.parametrize(
        ("folder", "name", "is_folder", "expected"),
        [
            ("2-memories/", "a.md", False, ChangeSet(notes={"2-memories/a.md"})),
            ("", "a.Markdown", False, ChangeSet(notes={"a.Markdown"})),
            ("notes/", "work", True, ChangeSet(folders={"notes/work/"})),
            ("", "memvault.toml", False, ChangeSet(everything=True)),
            ("", ".memvaultignore", False, ChangeSet(everything=True)),
            ("notes/", "memvault.toml", False, ChangeSet()),
            ("notes/", ".memvault", True, ChangeSet(folders={"notes/"})),
            ("", ".memvault", True, ChangeSet()),
            ("", ".obsidian", True, ChangeSet()),
            ("", ".git", True, ChangeSet()),
            ("", ".trash", True, ChangeSet()),
            ("notes/", ".a.md.swp", False, ChangeSet()),
            ("notes/", "picture.png", False, ChangeSet()),
            ("notes/", "4913", False, ChangeSet()),
            ("notes/", "a.md~", False, ChangeSet()),
            ("notes/", "caf\udce9.md", False, ChangeSet()),
        ],
    )
    def test_what_matters(self, folder: str, name: str, is_folder: bool, expected: ChangeSet) -> None:
        hints = ChangeSet()
        hints.add_event(folder, name, is_folder=is_folder)
        assert hints == expected

    def test_so_many_that_everything_may_as_well_be_looked_at(self) -> None:
        hints = ChangeSet()
        hints.add(ChangeSet(notes={f"{number}.md" for number in range(MAX_NOTES)}))
        assert not hints.everything
        hints.add(ChangeSet(notes={"one more.md"}))
        assert hints.everything


def looks_at(rings: list[float], *, until: float, took: float = 0.0) -> list[tuple[float, bool]]:
    """When it was time to look, and whether at everything, with a quiet time of 0.4 s and a scan each minute."""
    pace, now, looks = ScanTimer(quiet=0.4, scan=60, now=0.0), 0.0, []
    rings = sorted(rings)
    while now < until:
        rest = pace.seconds_left(now)
        if rings and rings[0] < now + rest:
            now = rings.pop(0)
            pace.note_change(now)
        elif (now := now + rest) < until:
            looks.append((round(now, 3), pace.is_scan_due(now)))
            if pace.is_scan_due(now):
                pace.note_scan(now, took=took)
            pace.note_update()
    return looks


class TestPace:
    @pytest.mark.parametrize(
        ("rings", "until", "took", "looks"),
        [
            ([1.0, 1.1, 1.2, 1.3], 10, 0.0, [(0, True), (1.7, False)]),
            ([1.0, 5.0], 10, 0.0, [(0, True), (1.4, False), (5.4, False)]),
            ([], 200, 0.0, [(0, True), (60, True), (120, True), (180, True)]),
            ([50.0], 115, 0.0, [(0, True), (50.4, False), (60, True)]),
            ([], 500, 3.0, [(0, True), (150, True), (300, True), (450, True)]),
        ],
        ids=["a burst", "two apart", "nothing heard", "something heard", "scans that take long"],
    )
    def test_it_is_looked_after_a_quiet_moment_and_everything_now_and_then(
        self, rings: list[float], until: float, took: float, looks: list[tuple[float, bool]]
    ) -> None:
        assert looks_at(rings, until=until, took=took) == looks

    def test_a_busy_editor_does_not_put_it_off_for_ever(self) -> None:
        looks = looks_at([n / 10 for n in range(10, 100)], until=10)
        assert looks[1] == (1.0 + MAX_WAIT, False)
        assert len(looks) >= 3

    def test_what_is_heard_while_everything_is_looked_over_is_looked_into_soon(self) -> None:
        pace = ScanTimer(quiet=0.4, scan=60, now=0.0)
        pace.note_update()
        pace.note_change(1.0)
        pace.note_scan(2.0, took=2.0)
        assert pace.seconds_left(2.0) == 0.0

    def test_it_can_be_hurried(self) -> None:
        pace = ScanTimer(quiet=0.4, scan=60, now=0.0)
        pace.note_scan(0.0, took=0.0)
        pace.scan_sooner(10.0, scan=5)
        assert pace.seconds_left(10.0) == 5


MOUNTS = """\
22 1 0:21 / / rw - ext4 /dev/sda1 rw
23 22 0:22 / /home/ann rw shared:7 master:1 - btrfs /dev/sdb1 rw
24 22 0:23 / /mnt/c rw - 9p C: rw
25 22 0:24 / /mnt/my\\040share rw - cifs //there/share rw
26 23 0:25 / /home/ann/vault/shared rw - nfs4 there:/ rw
27 22 0:26 / /over rw - ext4 /dev/sdc1 rw
28 22 0:27 / /over rw - fuse.sshfs there: rw
"""


class TestDisks:
    @pytest.mark.parametrize(
        ("root", "foreign"),
        [
            ("/srv/vault", ""),
            ("/home/ann/notes", ""),
            ("/home/ann/vault", "nfs4"),
            ("/home/ann/vault/shared/deep", "nfs4"),
            ("/home/ann/vault2", ""),
            ("/mnt/c/Users/ann/vault", "9p"),
            ("/mnt/cd/vault", ""),
            ("/mnt/my share/vault", "cifs"),
            ("/over/vault", "fuse.sshfs"),
        ],
    )
    def test_a_disk_that_others_write_to_is_told_by_its_type(self, root: str, foreign: str) -> None:
        assert foreign_mount_type(select_mounts(root, MOUNTS)) == foreign

    def test_where_the_system_says_nothing_of_its_disks_it_is_taken_for_our_own(self, tmp_path: Path) -> None:
        assert find_foreign_disk(tmp_path, mounts=tmp_path / "no such file") == ""


@pytest.fixture
def vault_folder(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for folder in ("notes/deep", ".obsidian", ".memvault"):
        (root / folder).mkdir(parents=True)
    (root / "notes" / "a.md").write_text("A note.")
    return root


@linux
class TestTheKernelsEar:
    @pytest.fixture
    def heard(self, vault_folder: Path) -> Callable[..., ChangeSet]:
        """What was heard of something that is done; folders followed as a walk would."""
        told = ChangeSet()
        ear = InotifySource(vault_folder, told.add)
        ear.watch_folders("", ["", "notes/", "notes/deep/"])

        def act(*acts: Callable[[], object]) -> ChangeSet:
            told.notes.clear()
            told.folders.clear()
            told.everything = False
            for each in acts:
                each()
            assert ear.catch_up()
            return told

        act.ear = ear  # type: ignore[attr-defined]
        yield act  # type: ignore[misc]
        ear.close()
        assert not ear.catch_up()

    def test_hears_every_way_to_change_a_note(self, heard: Callable[..., ChangeSet], vault_folder: Path) -> None:
        note, other = vault_folder / "notes/a.md", vault_folder / "notes/deep/b.md"
        old, new = "notes/a.md", "notes/deep/b.md"
        assert heard(lambda: note.write_text("B note.")).notes == {old}
        assert heard(lambda: os.truncate(note, 3)).notes == {old}
        assert heard(lambda: note.chmod(0o600)).notes == {old}
        assert heard(lambda: note.rename(other)).notes == {old, new}
        assert heard(lambda: os.link(other, note)).notes == {old}
        assert heard(other.unlink).notes >= {new}

    def test_a_change_is_heard_before_the_file_is_closed(
        self, heard: Callable[..., ChangeSet], vault_folder: Path
    ) -> None:
        with (vault_folder / "notes/a.md").open("a") as opened:

            def add() -> None:
                opened.write("more")
                opened.flush()

            assert heard(add).notes == {"notes/a.md"}

    def test_hears_nothing_of_what_is_only_read_or_is_no_memory(
        self, heard: Callable[..., ChangeSet], vault_folder: Path
    ) -> None:
        assert not heard(
            (vault_folder / "notes/a.md").read_text,
            lambda: (vault_folder / ".obsidian/workspace.json").write_text("{}"),
            lambda: (vault_folder / ".memvault/lock").write_text(""),
            lambda: (vault_folder / "notes/.a.md.tmp").write_text(""),
            lambda: (vault_folder / "notes/picture.png").write_text(""),
            lambda: list(vault_folder.rglob("*")),
        )

    def test_the_vault_moved_away_may_be_anything(self, heard: Callable[..., ChangeSet], vault_folder: Path) -> None:
        assert heard(lambda: vault_folder.rename(vault_folder.with_name("gone"))).everything


@linux
def test_a_queue_that_overflows_says_so(tmp_path: Path) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 50_000:
        pytest.skip("this machine's queue is too long to be filled in passing")
    notes = [tmp_path / "a.md", tmp_path / "b.md"]
    for note in notes:
        note.write_text("A note.")
    kernel = Inotify()
    try:
        kernel.add(str(tmp_path))
        for note in itertools.islice(itertools.cycle(notes), most + 10):  # the same twice in a row would be one event
            note.chmod(0o600)
        events = kernel.read()
        assert (events[-1].watch, events[-1].mask) == (-1, notify.OVERFLOW)
    finally:
        kernel.close()


@linux
def test_where_the_system_allows_no_more_ears_it_says_so(vault_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_self: Inotify) -> None:
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(notify.Inotify, "__init__", fails)
    said: list[str] = []
    ear = open_source(vault_folder, lambda _hints: None, said.append)
    assert ear.coverage is Coverage.LITTLE
    assert not ear.catch_up()
    assert "max_user_instances" in said[0]
    assert "looking every 5 seconds instead" in said[0]


@linux
def test_on_a_disk_of_others_what_is_heard_is_not_all(vault_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memvault.daemon.notify.find_foreign_disk", lambda _root: "nfs4")
    said: list[str] = []
    ear = open_source(vault_folder, lambda _hints: None, said.append)
    try:
        assert ear.coverage is Coverage.LITTLE
        assert "nfs4" in said[0]
    finally:
        ear.close()


class TestWatchdogsEar:
    def test_hears_of_notes_and_folders_and_proves_nothing(self, vault_folder: Path) -> None:
        heard: queue.Queue[ChangeSet] = queue.Queue()
        ear = WatchdogSource(vault_folder, heard.put)
        try:
            ear.watch_folders("", ["", "notes/"])
            (vault_folder / ".obsidian/workspace.json").write_text("{}")
            (vault_folder / "notes/a.md").write_text("Another note.")
            assert heard.get(timeout=SOON) == ChangeSet(notes={"notes/a.md"})
            (vault_folder / "notes/deep").rename(vault_folder / "notes/deeper")
            expected = ChangeSet(folders={"notes/deep/", "notes/deeper/"})
            assert any(heard.get(timeout=SOON) == expected for _ in range(10))
            assert ear.coverage is Coverage.MOST
            assert not ear.catch_up()
        finally:
            ear.close()
