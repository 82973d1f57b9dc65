"""Records that a machine lost, by a power cut say: no other machine loses them for that, and it gets them back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memvault.errors import MarksUnknown, MemvaultError
from tests.sync.test_sync import Machine, git, hub, rewrite, two
from tests.sync.test_sync_elsewhere import Two, commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
__all__ = ["hub", "two"]

TEXT = "The spare key lies under the third pot."
RECORDS = (".memvault/ledger/*.jsonl", ".memvault/journal/*/*.jsonl", ".memvault/ledger/key")


def records(machine: Machine, *patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns or RECORDS for path in machine.root.glob(pattern))


def lines(machine: Machine) -> set[bytes]:
    return {line for path in records(machine) for line in path.read_bytes().splitlines()}


@pytest.fixture
def forgotten(two: Two) -> Two:
    """Something was forgotten for good on the first machine, and both know it."""
    desk, laptop, _path = two
    with desk.open() as vault:
        made = vault.remember(TEXT, kind="semantic", near="ignore")
        vault.purge(made.memory.path)
    desk.sync()
    laptop.sync()
    return two


def knows(machine: Machine) -> bool:
    """Whether a machine still refuses what was forgotten for good."""
    try:
        with machine.open() as vault:
            vault.remember(TEXT, dry_run=True, near="ignore")
    except MarksUnknown:
        return False
    except MemvaultError:
        return True
    return False


@pytest.mark.parametrize("by", ["emptied", "zeroed", "gone", "torn"])
@pytest.mark.points(only=True)
def test_lines_lost_on_one_machine_are_restored_and_lost_nowhere_else(forgotten: Two, by: str) -> None:
    desk, laptop, _path = forgotten
    before = lines(desk)
    for path in records(laptop):
        data = path.read_bytes()
        left = {"emptied": b"", "zeroed": bytes(len(data)), "torn": data[: len(data) // 2], "gone": b""}[by]
        path.write_bytes(left)
        if by == "gone":
            path.unlink()
    done = laptop.sync()
    desk.sync()
    assert set(done.put_back) == {str(path.relative_to(laptop.root)) for path in records(laptop)}  # type: ignore[attr-defined]
    assert before <= lines(desk)
    assert before <= lines(laptop)
    assert knows(desk)
    assert knows(laptop)


@pytest.mark.parametrize("is_ahead", [False, True])
@pytest.mark.points(only=True)
def test_lines_lost_in_a_commit_of_another_program_are_restored(forgotten: Two, *, is_ahead: bool) -> None:
    desk, laptop, path = forgotten
    before = lines(desk)
    for record in records(laptop):
        record.write_bytes(b"")
    commit(laptop)
    git(laptop.root, "push", "-q")
    if is_ahead:
        with desk.open() as vault:
            vault.pin(path)
    desk.sync()
    laptop.sync()
    assert before <= lines(desk)
    assert before <= lines(laptop)
    assert knows(laptop)


@pytest.mark.points(only=True)
def test_a_key_that_only_one_machine_lost_stays_everywhere(forgotten: Two) -> None:
    desk, laptop, _path = forgotten
    (key,) = records(laptop, ".memvault/ledger/key")
    told = key.read_bytes()
    key.unlink()
    laptop.sync()
    desk.sync()
    assert [record.read_bytes() for machine in (desk, laptop) for record in records(machine, RECORDS[2])] == [told] * 2


@pytest.mark.points(only=True)
def test_lines_redacted_since_are_not_restored(two: Two) -> None:
    desk, laptop, _path = two
    with desk.open() as vault:
        made = vault.remember(TEXT, title="The spare key", kind="semantic", near="ignore")
    desk.sync()
    laptop.sync()
    with laptop.open() as vault:
        vault.purge(made.memory.path)
    assert laptop.sync().put_back == ()  # type: ignore[attr-defined]
    assert desk.sync().put_back == ()  # type: ignore[attr-defined]
    for machine in (desk, laptop):
        assert not any(b"spare" in line for line in lines(machine))


@pytest.mark.points(only=True)
def test_a_loss_that_a_plain_pull_brought_is_noticed_and_taken_back(forgotten: Two) -> None:
    """Where nothing was done here, git goes on to what another machine committed, and asks nobody."""
    desk, laptop, _path = forgotten
    laptop.sync()
    before = lines(laptop)
    git(desk.root, "pull", "-q")
    for record in records(desk):
        record.write_bytes(b"")
    commit(desk)
    git(desk.root, "push", "-q")
    git(laptop.root, "pull", "-q", "--ff-only")
    assert not before <= lines(laptop)
    with laptop.open() as vault:
        told = [problem for problem in vault.sync_status().problems if "has lost lines" in problem]
        assert told
        assert {finding.sentence for finding in vault.doctor().left} >= set(told)
    done = laptop.sync()
    assert done.put_back  # type: ignore[attr-defined]
    assert before <= lines(laptop)
    assert knows(laptop)
    desk.sync()
    assert before <= lines(desk)
    with laptop.open() as vault:
        assert not any("has lost lines" in problem for problem in vault.sync_status().problems)


def ruined(machine: Machine) -> Path:
    """The ledger that marks what was forgotten, with its marks made illegible."""
    path = next(path for path in records(machine, ".memvault/ledger/*.jsonl") if b"tombstone" in path.read_bytes())
    lines_of = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(b"?" * 20 + b"\n" if b"tombstone" in line else line for line in lines_of))
    return path


@pytest.mark.points(only=True)
def test_unreadable_marks_stop_a_merge_until_a_person_decides(forgotten: Two) -> None:
    desk, laptop, path = forgotten
    git(desk.root, "pull", "-q")
    name = ruined(desk).relative_to(desk.root)
    commit(desk)
    git(desk.root, "push", "-q")
    git(laptop.root, "fetch", "-q")
    git(laptop.root, "reset", "-q", "--hard", "origin/main")
    git(laptop.root, "reflog", "expire", "--expire=all", "--all")
    rewrite(desk, path, "quay", "pier")
    rewrite(laptop, path, "for sale", "sold")
    desk.sync()
    with pytest.raises(MarksUnknown) as told:
        laptop.sync()
    assert told.value.data["path"] == laptop.root / name
    ledger = laptop.root / name
    ledger.write_bytes(b"".join(line for line in ledger.read_bytes().splitlines(True) if b"???" not in line))
    laptop.sync()
    desk.sync()
    for machine in (desk, laptop):
        assert b"???" not in (machine.root / name).read_bytes()
        assert all(word in machine.note(path).read_text() for word in ("pier", "sold"))
