"""Several processes on one vault: nothing that anybody wrote is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import points
from tests.stress import mixed_load, vaults


@pytest.mark.points(only=True)
def test_memories_and_updates_of_several_processes_all_arrive(tmp_path: Path) -> None:
    folder = vaults.new_vault(tmp_path)
    times = points.of(3, 8)
    vaults.all_at_once(vaults.rememberer, folder, 3, times)
    assert vaults.lost_memories(folder, 3, times) == 0
    vaults.all_at_once(vaults.updater, folder, 3, times)
    assert vaults.lost_updates(folder, 3, times) == 0
    vaults.all_at_once(vaults.racer, folder, 2, times)
    assert vaults.lost_counts(folder, 2, times) == 0


@pytest.mark.points(only=True)
def test_a_writer_killed_at_any_moment_leaves_whole_notes_and_a_clean_next_command(tmp_path: Path) -> None:
    folder = vaults.new_vault(tmp_path)
    assert sum(vaults.killed(folder, after) for after in points.ends((0.5, 0.62, 0.74), at_most=2)) == 0


@pytest.mark.points(only=True)
def test_a_mixed_load_loses_nothing_and_sets_no_index_aside(tmp_path: Path) -> None:
    figures = mixed_load.run(tmp_path, points.of(3, 20))
    assert (figures.lost, figures.trouble, figures.findings) == ((), "", ())
    assert figures.said
