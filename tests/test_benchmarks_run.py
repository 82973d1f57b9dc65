"""The benchmarks of upkeep and of a year run, on vaults far too small to measure anything."""

from __future__ import annotations

import pytest

from tests.benchmarks import upkeep, year

# What measures is no part of what people run, and takes many processes.
pytestmark = pytest.mark.points(only=True)


def test_upkeep_is_measured_in_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, few in (("IN_PROCESS", 1), ("WHOLE", 1), ("DAYS", 1), ("ADDED", 2)):
        monkeypatch.setattr(upkeep, name, few)
    monkeypatch.setattr(upkeep, "bodies", lambda count: (f"The kiln number {turn} is warm." for turn in range(count)))
    found = upkeep.measured(12, "scan")
    assert found.values["first run, changes"] > 0
    assert found.values["ordinary day, changes"] > 0
    upkeep.show([found])
    assert "no-op / walk" in capsys.readouterr().out


def test_a_few_weeks_lose_nothing_merge_no_contradiction_and_can_be_undone() -> None:
    found = year.run(600, weeks=4)
    assert (found["sentences lost"], found["contradictions merged"]) == ("0", "0")
    assert found["undone"].startswith(f"{found['notes written']} byte for byte")
