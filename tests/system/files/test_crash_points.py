"""Cut short at any call, by kill -9 or by an error: old or new, never torn, never lost, and the next command carries on."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from memvault.errors import MemvaultError, Unreadable, Unwritable
from tests.system.files.paths import PATHS, WritePath
from tests.system.files.tripwire import Trip, Tripwire, fail, interrupt

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills child processes as only POSIX can")


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    # What a killed process wrote is in the system's memory, synced or not; only a power cut would tell.
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def temporaries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob(".mv-*.tmp"))


def remains(folder: Path) -> list[str]:
    hold = folder / "hold"
    return temporaries(folder) + (sorted(path.name for path in hold.iterdir()) if hold.exists() else [])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
@pytest.mark.points(quick=5)
def test_killed_at_any_call_nothing_is_lost_or_torn(path: WritePath, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.system.files.paths", path.name, str(tmp_path)]
    kills = int(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    assert kills >= 6
    for number in range(1, kills + 1):
        folder = tmp_path / str(number)
        assert path.intact(folder), f"killed at call {number}"
        path.again(folder)
        assert path.done(folder), f"after the kill at call {number}"
        assert remains(folder) == [], f"after the kill at call {number}"


FAULTS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES, errno.EMFILE)
# Once the new bytes are in place there, nothing but the sync of the folder is left to fail, and no way back.
NO_WAY_BACK = {"replace-by-link", "replace-by-copy", "overwrite", "append", "extend", "settle", "lock"}


@pytest.mark.parametrize("code", FAULTS, ids=errno.errorcode.get)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
@pytest.mark.points(quick=14)
def test_a_failing_call_is_told_plainly_and_changes_nothing(path: WritePath, code: int, tmp_path: Path) -> None:
    for folder, wire in tries(path, fail(code), tmp_path):
        error = attempt(path, folder, wire)
        if not wire.tripped:
            break
        where = f"{wire.tripped} failed as call {wire.at}"
        assert "Errno" not in str(error), where
        assert error is not None or path.done(folder) or path.name == "settle", where  # which looks again next time
        assert path.intact(folder), where
        if error is not None and path.name not in NO_WAY_BACK:
            assert not path.done(folder), where
        assert temporaries(folder) == [] or wire.tripped == "unlink", where
        path.again(folder)
        assert path.done(folder), where
    assert wire.at > 6
    assert error is None


# A lock goes with its process, and the command is over when it is interrupted.
INTERRUPTIBLE = [path for path in PATHS if path.name != "lock"]


@pytest.mark.parametrize("path", INTERRUPTIBLE, ids=lambda path: path.name)
def test_interrupted_after_any_call_nothing_is_lost_or_torn(path: WritePath, tmp_path: Path) -> None:
    for folder, wire in tries(path, interrupt, tmp_path):
        with suppress(KeyboardInterrupt), wire.laid():
            path.run(folder)
        if not wire.tripped:
            break
        where = f"interrupted after {wire.tripped}, call {wire.at}"
        assert path.intact(folder), where
        path.again(folder)
        assert path.done(folder), where
    assert wire.at > 6


def tries(path: WritePath, trip: Trip, folder: Path) -> Iterator[tuple[Path, Tripwire]]:
    """A place for each try, laid out as before, and what trips one call later than the time before."""
    for at in count(1):
        place = folder / str(at)
        place.mkdir()
        path.prepare(place)
        yield place, Tripwire(at, trip)


def attempt(path: WritePath, folder: Path, wire: Tripwire) -> MemvaultError | None:
    try:
        with wire.laid():
            path.run(folder)
    except (Unwritable, Unreadable) as error:
        return error
    return None
