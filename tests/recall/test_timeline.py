"""The course of time around chosen memories."""

from __future__ import annotations

import pytest

from memvault import Memvault
from memvault.cli.output.transcript import format_moment_line
from memvault.errors import BadInput, NotFound
from memvault.text.terms import estimate_tokens
from tests.conftest import Clock


@pytest.fixture
def days(vault: Memvault, clock: Clock) -> Memvault:
    """One memory a day, for nine days."""
    for number in range(1, 10):
        vault.remember(f"On day {number} the river stood at {number * 11} cm.", title=f"Day {number}", near="ignore")
        clock.pass_(days=1)
    return vault


def titles(vault: Memvault, *refs: str, **given: int) -> list[str]:
    return [each.memory.title for each in vault.timeline(refs, **given).moments]


def test_three_neighbours_on_either_side_stand_in_the_order_of_time(days: Memvault) -> None:
    assert titles(days, "Day 5") == [f"Day {number}" for number in range(2, 9)]
    assert [each.memory.title for each in days.timeline("Day 5").moments if each.chosen] == ["Day 5"]


def test_timeline_drops_the_farthest_and_counts_them(days: Memvault) -> None:
    found = days.timeline("Day 5", budget=110)
    told = "\n".join(format_moment_line(each.memory, each.gist, chosen=each.chosen) for each in found.moments)
    assert estimate_tokens(told) <= found.tokens <= 110
    assert len(found.moments) + found.left_out == 7
    assert "Day 5" in [each.memory.title for each in found.moments]
    assert "Day 2" not in [each.memory.title for each in found.moments]


def test_a_chosen_one_is_told_however_small_the_budget(days: Memvault) -> None:
    assert titles(days, "Day 5", budget=1) == ["Day 5"]


def test_removed_note_is_no_neighbor_but_may_be_chosen(days: Memvault) -> None:
    days.work_start("Paint the boat")
    days.work_clear()
    assert "Paint the boat" not in titles(days, "Day 9")
    assert "Paint the boat" in titles(days, "Paint the boat")


def test_a_look_counts_as_no_use_and_shows_no_private_parts(days: Memvault) -> None:
    (days.root / "2-memories" / "crane.md").write_text("The code <private>kumquat</private> is on the door.")
    gists = [each.gist for each in days.timeline("crane").moments]
    assert any("on the door" in gist for gist in gists)
    assert not any("kumquat" in gist for gist in gists)
    assert days.show("Day 5").uses == 0


def test_timeline_needs_an_existing_memory(days: Memvault) -> None:
    with pytest.raises(BadInput):
        days.timeline([])
    with pytest.raises(NotFound):
        days.timeline(["Day 77"])
