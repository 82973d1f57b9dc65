"""Clocks and files far from our time: nothing that a calendar or 64 bits cannot hold stops anything."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.system import files
from tests.conftest import Clock

NOTE = """---
title: Mill
created: {day}
due: {day}
valid_until: {day}
---
The mill closes on {day}.
"""


def far_stat(path: Path, seconds: int) -> os.stat_result:
    """What the system says of a file that was changed then; not every disk can keep such a time."""
    found = path.stat()
    times = [found.st_atime, seconds, seconds, found.st_atime_ns, seconds * 10**9, seconds * 10**9]
    return os.stat_result([*found[:7], *map(int, times[:3])], {"st_mtime_ns": times[4], "st_ctime_ns": times[5]})


@pytest.mark.parametrize("year", [2261, 2262, 2300, 2485])
def test_a_note_that_was_saved_in_or_after_2262_is_found_and_changed(vault: Memvault, year: int) -> None:
    note = vault.root / "2-memories" / "mill.md"
    note.write_text(NOTE.format(day="2026-01-02"))
    stamp = datetime(year, 6, 1, tzinfo=UTC).timestamp()
    os.utime(note, (stamp, stamp))
    assert [hit.memory.title for hit in vault.recall("when does the mill close").hits] == ["Mill"]
    vault.edit("Mill", append="It was a good mill.")
    assert "good mill" in (vault.show("Mill").memory.body or "")
    assert not [each for each in vault.doctor().findings if each.severity == "error"]


@pytest.mark.parametrize("year", [2262, 2500, 9999])
def test_a_clock_and_dates_far_ahead_stop_nothing(vault: Memvault, clock: Clock, year: int) -> None:
    clock.now = datetime(year, 12, 31, 23, 30, tzinfo=UTC)
    (vault.root / "2-memories" / "mill.md").write_text(NOTE.format(day=f"{year}-12-31"))
    assert vault.recall(f"what of the mill on {year}-12-31").hits
    assert vault.recall("the mill last week").hits
    vault.remember(f"On {year}-12-31 the ferry sails.", title="Ferry")
    vault.maintain()
    assert vault.doctor().checked
    assert vault.stats().memories
    vault.undo()


@pytest.mark.parametrize(
    "seconds", [-(10**11), -1, 0, 9_223_372_036, 9_223_372_037, 4 * 10**11, 10**18], ids=lambda at: f"{at:.0e}"
)
def test_every_time_of_a_file_has_a_key_that_can_be_stored_and_a_day(tmp_path: Path, seconds: int) -> None:
    (tmp_path / "note.md").touch()
    found = far_stat(tmp_path / "note.md", seconds)
    assert all(-(1 << 63) <= number < 1 << 63 for number in files.stat_key(found))
    assert files.FileStamp(0, seconds * 10**9, 0, 0).modified.tzinfo is UTC
