"""What happens while a vault is synced: editors at work, a git that was killed, a machine short of descriptors."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path

import pytest

from memvault.errors import MemvaultError, Unreadable
from memvault.sync.repository import SyncTree
from memvault.system.git import Git
from tests.sync.test_sync import Machine, git, hub, rewrite, two

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
__all__ = ["hub", "two"]
Two = tuple[Machine, Machine, str]

OF_EDITORS = (
    *("2-memories/sedAb3xYz", "2-memories/.boat.md.swp", "2-memories/.boat.md.swo", "2-memories/boat.md.save"),
    *("2-memories/boat.md.save.1", "4913", "2-memories/4913", "2-memories/.#boat.md", "2-memories/#boat.md#"),
    *("2-memories/boat.md~", "2-memories/.goutputstream-AB12CD", "2-memories/~$plan.docx"),
    *("2-memories/.~lock.plan.odt#", "2-memories/boat.md.tmp"),
)
OF_A_PERSON = ("sedan-chair.md", "sediment", "4913.md", "images/swan.swf", "notes/saved.md", "tmp/plan.txt")


def committed(machine: Machine) -> set[str]:
    return set(git(machine.root, "ls-files").splitlines())


def test_files_of_an_editor_at_work_are_never_committed(two: Two) -> None:
    desk, _laptop, _path = two
    for name in (*OF_EDITORS, *OF_A_PERSON):
        desk.note(name).parent.mkdir(exist_ok=True)
        desk.note(name).write_text("half a sen")
    with desk.open() as vault:
        assert set(vault.sync_status().held) == set()
    desk.sync()
    assert committed(desk).isdisjoint(OF_EDITORS)
    assert committed(desk) >= set(OF_A_PERSON)


def test_a_file_of_an_editor_that_was_committed_once_may_be_deleted(two: Two) -> None:
    desk, _laptop, _path = two
    desk.note("boat.md~").write_text("an older text")
    git(desk.root, "add", "--force", "boat.md~")
    git(desk.root, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "by another program")
    desk.note("boat.md~").unlink()
    desk.sync()
    assert "boat.md~" not in committed(desk)


def vanishing(monkeypatch: pytest.MonkeyPatch, path: Path, *, at: str) -> None:
    """Have a file go when git, or a look into files, has come to some step."""
    asked = Git._run_once

    def run(self: Git, words: tuple[str, ...], *rest: object) -> object:
        if at in words:
            path.unlink(missing_ok=True)
        return asked(self, words, *rest)  # type: ignore[arg-type]  # as given

    monkeypatch.setattr(Git, "_run_once", run)


@pytest.mark.parametrize("step", ["update-index", "commit"])
def test_a_file_that_vanishes_while_it_is_committed_is_no_error(
    two: Two, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, _laptop, path = two
    rewrite(desk, path, "red", "blue")
    desk.note("2-memories/new.md").write_text("A note that its editor is about to replace.")
    vanishing(monkeypatch, desk.note("2-memories/new.md"), at=step)
    desk.sync()
    assert git(desk.root, "status", "--porcelain") == ""
    assert "blue" in git(desk.root, "show", f"HEAD:{path}")
    assert "2-memories/new.md" not in committed(desk)


def test_a_file_that_vanishes_while_it_is_looked_at_is_no_error(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _laptop, path = two
    rewrite(desk, path, "red", "blue")
    gone = desk.note("2-memories/new.md")
    gone.write_text("A note that its editor is about to replace.")
    known = SyncTree.changed_files

    def look(tree: SyncTree) -> tuple[str, ...]:
        found = known(tree)
        gone.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(SyncTree, "changed_files", look)
    is_file = Path.is_file
    monkeypatch.setattr(Path, "is_file", lambda path, **how: path == gone or is_file(path, **how))
    desk.sync()
    assert "blue" in git(desk.root, "show", f"HEAD:{path}")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_with_few_descriptors_sync_says_so(two: Two) -> None:
    import resource

    desk, _laptop, path = two
    rewrite(desk, path, "red", "blue")
    with desk.open() as vault:
        vault.sync_status()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    told = set()
    for left in range(1, 12):
        with desk.open() as vault:
            low = os.open(os.devnull, os.O_RDONLY)
            os.close(low)
            resource.setrlimit(resource.RLIMIT_NOFILE, (low + left, hard))
            try:
                vault.sync_run(push=False)
            except MemvaultError as error:
                told.add(str(error))
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert told
    assert [one for one in told if "too many" not in one.casefold()] == []


@pytest.mark.parametrize("name", [".git", "commondir", "HEAD"])
def test_a_repository_that_cannot_be_looked_at_is_not_called_none(
    two: Two, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, _laptop, _path = two
    git(desk.root, "worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    beside = Machine(tmp_path, "beside", desk._clock)
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == name:
            raise OSError(errno.EMFILE, "too many open files")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(Unreadable, match="too many files are open"):
        beside.sync()


# -- the chain of the operation logs


@pytest.mark.points(only=True)
def test_after_a_sync_each_machine_verifies_the_logs_of_all(two: Two) -> None:
    desk, laptop, _path = two
    for machine, title in ((desk, "Gauge"), (laptop, "Meadow")):
        with machine.open() as vault:
            vault.remember(f"The {title.lower()} lies in Hollin.", title=title, kind="semantic")
        machine.sync()
    desk.sync()
    for machine in (desk, laptop):
        with machine.open() as vault:
            assert (vault.audit_log().devices, vault.audit_log().breaks) == (2, ())
    with desk.open() as vault:
        vault.purge("Meadow")
    desk.sync()
    laptop.sync()
    desk.sync()
    for machine in (desk, laptop):
        with machine.open() as vault:
            found = vault.audit_log()
            assert found.breaks == ()
            assert found.purged >= 1


def test_a_log_that_was_cut_off_on_one_machine_is_told_by_what_another_had_seen(
    two: Two,
) -> None:
    desk, laptop, _path = two
    with desk.open() as vault:
        device = vault.device
        vault.remember("The gauge lies in Hollin.", title="Gauge", kind="semantic")
    desk.sync()
    laptop.sync()
    with laptop.open() as vault:
        vault.remember("The meadow lies in Hollin.", title="Meadow", kind="semantic")
        (log,) = vault.root.glob(f".memvault/journal/{device}/*.jsonl")
        lines = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join(lines[:-2]))  # the end of an operation, and its link
        (found,) = vault.audit_log().breaks
        assert found.device == device
        assert "missing here" in found.reason
