"""What other gits leave behind: locks of killed ones, lines that were void, memories that were mixed."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault.errors import GitLocked
from memvault.maintenance.doctor import DoctorFinding
from memvault.system import files
from memvault.system import git as git_locks
from tests.conftest import START
from tests.sync.test_sync import Machine, git, hub, rewrite, settled, two
from tests.sync.test_sync_elsewhere import Two, commit, note_of, pull, replaced

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
__all__ = ["hub", "two"]
linux = pytest.mark.skipif(sys.platform != "linux", reason="nobody can tell there who is at work")


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is for whoever installed memvault: a git of another program's can call it."""
    monkeypatch.setenv("PYTHONPATH", str(Path(git_locks.__file__).parents[2]))


# -- locks


def lock(machine: Machine, *, minutes: int, name: str = "index.lock") -> Path:
    path = machine.note(f".git/{name}")
    path.touch()
    laid = START.timestamp() - 60 * minutes
    os.utime(path, (laid, laid))
    return path


def findings(machine: Machine, *, fix: bool = False, name: str = "index.lock") -> list[DoctorFinding]:
    with machine.open() as vault:
        return [found for found in vault.doctor(fix=fix).findings if found.path == f".git/{name}"]


@linux
def test_a_lock_that_a_killed_git_left_is_named_and_removed_if_asked(two: Two) -> None:
    desk, _laptop, _path = two
    left = lock(desk, minutes=0)
    (found,) = findings(desk)
    assert "no git is at work there" in found.sentence
    findings(desk, fix=True)
    assert not left.exists()


@linux
@pytest.mark.parametrize("name", ["index.lock", "refs/heads/main.lock", "config.lock"])
def test_a_lock_that_no_process_holds_is_taken_away_by_the_next_run(two: Two, name: str) -> None:
    desk, _laptop, path = two
    left = lock(desk, minutes=0, name=name)
    rewrite(desk, path, "red", "blue")
    desk.sync()
    with desk.open() as vault:
        vault.sync_init(remote=str(desk.note("other.git")))
    assert not left.exists()
    assert git(desk.root, "status", "--porcelain", path) == ""


@linux
def test_a_lock_that_any_program_has_open_stays(two: Two) -> None:
    desk, _laptop, path = two
    left = lock(desk, minutes=90)
    rewrite(desk, path, "red", "blue")
    with left.open("ab"), pytest.raises(GitLocked, match=f"process {os.getpid()}"):
        desk.sync()
    assert left.exists()


@linux
def test_a_lock_stays_where_processes_cannot_be_looked_at(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _laptop, path = two
    left = lock(desk, minutes=90)
    rewrite(desk, path, "red", "blue")

    def refuse(_process: Path, _top: Path) -> bool:
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(git_locks, "_may_work_in", refuse)
    with pytest.raises(GitLocked, match="nobody can tell"):
        desk.sync()
    assert left.exists()


@pytest.fixture
def working(two: Two) -> Iterator[subprocess.Popen[bytes]]:
    """A git that waits in the vault for its input."""
    words = ("git", "cat-file", "--batch")
    with subprocess.Popen(words, cwd=two[0].root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"HEAD^{tree}\n")
        process.stdin.flush()
        process.stdout.readline()  # it is at work now
        yield process
        process.stdin.close()


@linux
def test_a_lock_of_a_running_git_is_no_problem(two: Two, working: subprocess.Popen[bytes]) -> None:
    desk, laptop, path = two
    left = lock(desk, minutes=90)
    assert findings(desk, fix=True) == []
    assert left.exists()
    rewrite(desk, path, "red", "blue")
    with pytest.raises(GitLocked, match=f"process {working.pid}"):
        desk.sync()
    assert list(git_locks.find_locks(laptop.root)) == []


def test_a_lock_of_unknown_owner_stays(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _laptop, _path = two
    left = lock(desk, minutes=90)
    monkeypatch.setattr(git_locks, "_sees_all_processes", lambda _lock: False)
    (found,) = findings(desk, fix=True)
    assert "nobody can tell" in found.sentence
    assert left.exists()


def test_the_lock_of_a_working_tree_beside_the_first_is_found(two: Two, tmp_path: Path) -> None:
    desk, _laptop, _path = two
    git(desk.root, "worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    place = Path(git(tmp_path / "beside", "rev-parse", "--git-path", "index.lock").strip())
    place.touch()
    (found,) = git_locks.find_locks(tmp_path / "beside")
    assert found.path == place
    assert found.is_left == (sys.platform == "linux")


@linux
@pytest.mark.parametrize("name", ["shallow.lock", "logs/HEAD.lock"])
@pytest.mark.points(only=True)
def test_every_lock_of_a_killed_git_is_found_and_freed(two: Two, name: str) -> None:
    desk, _laptop, _path = two
    left = lock(desk, minutes=0, name=name)
    findings(desk, fix=True, name=name)
    assert not left.exists()
    desk.sync()


@linux
def test_locks_shared_by_working_trees_are_found_from_each(two: Two, tmp_path: Path) -> None:
    desk, _laptop, _path = two
    git(desk.root, "worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    left = lock(desk, minutes=90, name="refs/heads/beside.lock")
    assert [found.path for found in git_locks.find_locks(tmp_path / "beside")] == [left]


def test_a_lock_that_is_there_no_more_is_said_to_be_free(two: Two) -> None:
    desk, _laptop, _path = two
    lock(desk, minutes=90, name="config.lock")
    assert "free" in git_locks.lock_owner(desk.root, str(desk.note(".git/index.lock")))
    assert "free" not in git_locks.lock_owner(desk.root, ".git/config.lock")


# -- what a killed run leaves


def test_leftovers_of_a_killed_merge_are_removed_by_the_next_run(two: Two) -> None:
    desk, _laptop, _path = two
    left = desk.note(".git/memvault-marks")
    left.mkdir()
    (left / "key").write_text("0" * 64)
    desk.sync()
    assert not left.exists()


# -- records


@pytest.mark.parametrize("by", ["git", "memvault"])
@pytest.mark.points(only=True)
def test_a_line_redacted_on_one_machine_stays_redacted(two: Two, by: str) -> None:
    desk, laptop, path = two
    desk.sync()
    laptop.sync()
    (journal,) = (
        path for path in laptop.root.glob(".memvault/journal/*/*.jsonl") if b'"remember"' in path.read_bytes()
    )
    data = journal.read_bytes()
    last = data.rstrip(b"\n").rpartition(b"\n")[2]
    files.overwrite_spans(journal, [(len(data) - len(last) - 1, b"{}".ljust(len(last)))])
    with desk.open() as vault:
        vault.pin(path)
    for machine in (desk, laptop):
        commit(machine)
    if by == "git":
        git(laptop.root, "push", "-q")
        assert pull(desk).returncode == 0
    else:
        settled(laptop, desk)
    merged = desk.note(str(journal.relative_to(laptop.root))).read_bytes()
    assert last not in merged
    assert b'"pin"' in merged


# -- memories that git mixed


@pytest.mark.points(only=True)
def test_memories_that_git_mixed_where_there_is_no_memvault_are_named(two: Two) -> None:
    desk, laptop, path = two
    other = replaced(desk, path)
    rewrite(laptop, path, "red", "blue")
    for machine in (desk, laptop):
        commit(machine)
    git(desk.root, "push", "-q")
    git(laptop.root, "config", "--remove-section", "merge.memvault")
    assert pull(laptop).returncode == 0
    assert "blue" in note_of(laptop, "Skiff"), "what is to be found did not happen"
    git(laptop.root, "push", "-q")
    desk.sync()
    with desk.open() as vault:
        (problem,) = [problem for problem in vault.sync_status().problems if "merge without memvault" in problem]
    assert problem.startswith(f"{other} has text of {path}")
    rewrite(desk, other, "blue", "red")
    with desk.open() as vault:
        assert vault.sync_status().problems == ()


def test_a_merge_in_which_nothing_was_mixed_is_not_complained_of(two: Two) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "quay", "pier")
    rewrite(laptop, path, "sale", "hire")
    for machine in (desk, laptop):
        commit(machine)
    git(desk.root, "push", "-q")
    git(laptop.root, "config", "--remove-section", "merge.memvault")
    assert pull(laptop).returncode == 0
    with laptop.open() as vault:
        vault.sync_init()
        assert vault.sync_status().problems == ()
