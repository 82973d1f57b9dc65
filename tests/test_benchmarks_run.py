"""The benchmarks of upkeep run, on vaults far too small to measure anything."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.benchmarks import upkeep, year
from tests.benchmarks.quality import Tier, flapping
from tests.benchmarks.sayings import START, Sayings

# What measures is no part of what people run, and takes many processes.
pytestmark = pytest.mark.points(only=True)


def test_a_short_year_breaks_no_promise(capsys: pytest.CaptureFixture[str]) -> None:
    assert year.run(memories=24, days=4, seed=7, backend="scan") == []
    shown = capsys.readouterr().out
    assert "0 are lost" in shown
    assert "undo of the last run took" in shown


def test_a_lost_file_is_a_broken_promise() -> None:
    kept, lost = {"a.md": (b"1", 0), "b.md": (b"2", 0)}, {"a.md": (b"1", 9)}
    assert year.differences(kept, kept) == []
    assert year.differences(kept, lost) == ["not as before the run that was undone: b.md"]


def test_sayings_are_the_same_for_the_same_seed_and_hold_all_that_is_to_be_judged() -> None:
    one, other = (Sayings(600, 90, 3).in_order() for _ in range(2))
    assert one == other
    assert {saying.how for saying in one} == {"new", "copied", "restated", "contradicted", "again"}
    assert all(saying.due is None or saying.due > saying.at for saying in one if saying.how == "new")
    assert START <= one[0].at < START + timedelta(days=1)


def test_what_says_the_same_shares_a_truth_and_what_contradicts_only_a_fact() -> None:
    sayings = Sayings(600, 90, 3).in_order()
    texts = {saying.truth: saying.text for saying in sayings if saying.how == "new"}
    assert all(saying.text == texts[saying.truth] for saying in sayings if saying.how == "copied")
    assert all(saying.text != texts[saying.truth] for saying in sayings if saying.how == "restated")
    contradicted = [saying for saying in sayings if saying.how == "contradicted"]
    assert all(saying.truth not in texts and saying.fact in texts for saying in contradicted)


def test_a_way_back_within_a_week_counts_as_flapping() -> None:
    moves = [Tier(1, ("a", "b"), ()), Tier(3, (), ("a",)), Tier(5, ("a",), ()), Tier(20, (), ("b",))]
    assert flapping(moves) == (1, 1)


def test_upkeep_is_measured_in_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, few in (("IN_PROCESS", 1), ("WHOLE", 1), ("DAYS", 1), ("ADDED", 2)):
        monkeypatch.setattr(upkeep, name, few)
    monkeypatch.setattr(upkeep, "bodies", lambda count: (f"The kiln number {turn} is warm." for turn in range(count)))
    found = upkeep.measured(12, "scan")
    assert found.values["first run, changes"] > 0
    assert found.values["ordinary day, changes"] > 0
    upkeep.show([found])
    assert "no-op / walk" in capsys.readouterr().out
