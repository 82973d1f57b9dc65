"""Records that a machine lost, by a power cut say: no other machine loses them for that, and it gets them back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memvault.errors import MarksUnknown, MemvaultError
from tests.verbs.test_sync import Machine, git, hub, two
from tests.verbs.test_sync_elsewhere import Two, commit

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
def test_what_one_machine_lost_comes_back_to_it_and_leaves_nobody_else(forgotten: Two, by: str) -> None:
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
def test_nor_does_it_where_another_program_has_committed_the_loss(forgotten: Two, *, is_ahead: bool) -> None:
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


def test_a_key_that_only_one_machine_lost_stays_everywhere(forgotten: Two) -> None:
    desk, laptop, _path = forgotten
    (key,) = records(laptop, ".memvault/ledger/key")
    told = key.read_bytes()
    key.unlink()
    laptop.sync()
    desk.sync()
    assert [record.read_bytes() for machine in (desk, laptop) for record in records(machine, RECORDS[2])] == [told] * 2


def test_what_was_made_void_since_is_not_put_back(two: Two) -> None:
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
