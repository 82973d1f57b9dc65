"""Figures and report of real vaults: right, harmless, and the same each time."""

from __future__ import annotations

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.errors import AlreadyThere, BadInput
from memvault.web.report import write_report
from tests.conftest import Clock, Opener


def test_an_empty_vault_has_figures(vault: Memvault) -> None:
    found = vault.stats()
    assert found.memories == found.weight == found.touches.ever == 0
    assert not any((found.tiers, found.fading, found.most_used, found.most_linked))


def test_counts_weights_uses_and_links_are_those_of_the_vault(vault: Memvault, clock: Clock) -> None:
    tea = vault.remember("Sara prefers tea to coffee.", title="tea", tags=("drinks",)).memory
    vault.remember("The shop sells [[2026-01-29-tea]] by weight.", title="shop")
    clock.pass_(days=1)
    vault.show(tea.id)
    found = vault.stats()
    assert found.memories == 2
    assert sum(group.count for group in found.kinds) == 2
    assert found.weight == pytest.approx(sum(row.weight for row in vault.list().rows) / 2, abs=1e-6)
    assert [(row.title, row.count) for row in found.most_linked] == [("tea", 1)]
    assert found.most_used[0].title == "tea"
    assert found.touches.in_period == 1


def test_fading_memories_are_named_with_the_day_they_go_stale(vault: Memvault, clock: Clock) -> None:
    vault.remember("The locker by the pool has number 40.", title="locker", weight=0.34)
    (found,) = vault.stats().fading
    clock.now = found.at - timedelta(hours=1)
    assert vault.list().rows[0].weight >= 0.3
    clock.now = found.at + timedelta(hours=1)
    assert vault.list().rows[0].weight < 0.3
    assert vault.stats().below == 1
    assert [row.at for row in vault.stats().fading] == [found.at], "it fades at the next upkeep"
    vault.maintain()
    assert vault.stats().fading == ()


def test_stats_count_restored_and_forgotten_memories_of_the_period_only(vault: Memvault, clock: Clock) -> None:
    vault.remember("The locker by the pool has number 40.", title="locker")
    vault.forget("locker")
    clock.pass_(days=2)
    vault.restore("locker")
    found = vault.stats().history
    assert [(event.what, event.title) for event in found.returned] == [("restored", "locker")]
    assert found.forgotten == 1
    assert vault.stats(days=1).history.forgotten == 0


def test_stats_name_the_memories_that_maintenance_changed(vault: Memvault, clock: Clock) -> None:
    vault.remember("The locker by the pool has number 40.", title="locker", weight=0.34)
    vault.remember("The kettle at the office takes four minutes.", title="kettle", weight=0.34)
    clock.pass_(days=20)
    vault.maintain()
    assert {(event.what, event.title) for event in vault.stats().history.faded} == {
        ("went stale", "locker"),
        ("went stale", "kettle"),
    }
    vault.show("kettle")
    clock.pass_(days=35)
    vault.maintain()
    found = vault.stats().history
    assert [(event.what, event.title) for event in found.faded if event.title == "locker"] == [("archived", "locker")]
    vault.undo()
    assert vault.stats(days=10).history.faded == ()


@pytest.mark.parametrize("days", [0, -1, 40_000])
def test_a_period_must_be_a_period(vault: Memvault, days: int) -> None:
    with pytest.raises(BadInput):
        vault.stats(days=days)


# -- the report


def test_the_report_goes_to_the_cache_and_is_its_owners_alone(sample: Memvault, environment: dict[str, str]) -> None:
    path = write_report(sample).path
    assert path is not None
    assert path.is_relative_to(environment["XDG_CACHE_HOME"])
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_report_replaces_a_report_and_nothing_else(sample: Memvault, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    assert write_report(sample, target).page == write_report(sample, target).page
    target.write_text("my own page", encoding="utf-8")
    with pytest.raises(AlreadyThere):
        write_report(sample, target)
    assert target.read_text(encoding="utf-8") == "my own page"


def test_a_report_in_the_vault_is_no_memory(sample: Memvault) -> None:
    before = sample.status().memories
    write_report(sample, sample.root / "2-memories" / "report.html")
    assert sample.status().memories == before
    with pytest.raises(BadInput):
        write_report(sample, sample.root / "2-memories" / "report.md")


def test_making_a_report_changes_nothing_in_the_vault(sample: Memvault) -> None:
    sample.stats()
    before = {path: path.stat().st_mtime_ns for path in sample.root.rglob("*") if path.is_file()}
    write_report(sample)
    assert {path: path.stat().st_mtime_ns for path in sample.root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("model", ["weighted", "biomimetic"])
def test_a_vault_that_was_lived_in_is_shown_whole(
    sample: Memvault, clock: Clock, open_vault: Opener, model: str
) -> None:
    sample.remember(
        "The tide turns at six.", title="<b>bold</b> <private>the secret word</private> out", tags=("tides",)
    )
    clock.pass_(days=40)
    vault = open_vault(sample.root, settings={"decay.model": model})
    vault.maintain()
    page = write_report(vault, write=False).page
    headings = re.findall(r"<h2[^>]*>([^<]+)</h2>", page)
    assert headings == [
        *("New", "To do", "Waiting"),
        *("The vault in layers", "What matters now", "About to fade", "When it is used"),
        *("What it is about", "What came and went", "What it leans on", "In numbers"),
    ]
    assert "the secret word" not in page
    assert "<b>bold" not in page
