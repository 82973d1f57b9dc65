"""Upkeep where clocks, folders, machines and rights are not what they were: nothing is lost."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Thread

import pytest

from memvault import Memvault
from memvault.core.plan import Plan
from memvault.errors import MaintenanceUnderWay, MemvaultError, TierFolderGone
from memvault.storage.journal import apply
from memvault.storage.vault.context import VaultContext
from tests.conftest import Clock
from tests.maintenance.upkeep import (
    FADING,
    Opened,
    bodies_of,
    fade,
    machine,
    memory,
    notes_of,
    said,
    weight,
    wishes,
    write,
)


def test_a_clock_set_back_by_a_year_changes_no_standing(vault: Memvault, clock: Clock) -> None:
    paths = [write(vault, name, f"weight: {value}") for name, value in (("alpha", 0.8), ("beta", 0.5))]
    vault.status()
    clock.pass_(days=60)
    vault.maintain()
    standing = [said(path, "status") for path in paths]
    assert standing == ["active", "stale"]
    clock.pass_(days=-365)
    vault.show("alpha")
    for _ in range(5):
        vault.maintain()
        clock.pass_(days=1)
    assert not list((vault.root / "3-raw/archived").glob("*.md"))
    assert weight(vault, "alpha") <= 0.82 + 1e-6
    clock.pass_(days=365)
    vault.maintain()
    vault.maintain()
    assert [memory(vault, name).status for name in ("alpha", "beta")] == standing
    assert wishes(vault.root) == []


@pytest.mark.parametrize("tier", ["1-hot", "2-memories"])
def test_a_tier_folder_that_was_renamed_is_told_and_nothing_is_done(vault: Memvault, clock: Clock, tier: str) -> None:
    write(vault, "alpha", folder=tier)
    write(vault, "beta", "weight: 0.5", folder="2-memories")
    vault.maintain()
    vault.maintain()
    (vault.root / tier).rename(vault.root / "My memories")
    before = notes_of(vault.root)
    clock.pass_(days=100)
    with pytest.raises(TierFolderGone, match=tier):
        vault.maintain()
    assert notes_of(vault.root) == before
    (vault.root / "My memories").rename(vault.root / tier)
    assert vault.maintain().done
    assert wishes(vault.root) == []


def test_two_machines_that_run_at_once_on_one_folder_lose_nothing(
    tmp_path: Path, clock: Clock, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "vault"
    Memvault.init(root, clock=clock)
    one, other = (machine(tmp_path / name, root, clock, opened).vault for name in "ab")
    paths = [write(one, name, f"weight: {value}") for name, value in (("alpha", 0.8), ("beta", 0.31), ("gamma", 0.5))]
    for each in (one, other):
        each.status()
    clock.pass_(days=60)
    real = apply.apply
    others_turn = [True]

    def overtaken(plan: Plan, context: VaultContext, *, progress: apply.Progress) -> apply.ApplyResult:
        if others_turn.pop() if others_turn else False:
            fade(other)
        return real(plan, context, progress=progress)

    monkeypatch.setattr("memvault.maintenance.maintain.apply", overtaken)
    assert len(fade(one).refused) == len(paths), "the other was there first"
    for each in (other, one, other):
        assert not fade(each).done
    assert (said(paths[0], "weight"), said(paths[2], "status")) == ("0.4", "stale")
    assert not paths[1].exists()
    assert bodies_of(root).count("Only beta") == 1
    assert wishes(root) == []


def test_a_second_run_on_this_machine_does_not_begin_before_the_first_is_over(
    vault: Memvault, clock: Clock, environment: dict[str, str]
) -> None:
    write(vault, "alpha")
    vault.status()
    clock.pass_(days=60)
    refused: list[type[Exception]] = []

    def meanwhile(_done: int, _all: int) -> None:
        def run() -> None:
            try:
                with Memvault(vault.root, clock=clock, environment=environment) as second:
                    second.maintain()
            except MemvaultError as error:
                refused.append(type(error))

        thread = Thread(target=run)
        thread.start()
        thread.join()

    vault.maintain(only=FADING, progress=meanwhile)
    assert refused == [MaintenanceUnderWay]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_note_that_is_a_link_keeps_being_one(vault: Memvault, clock: Clock) -> None:
    real = write(vault, "alpha", "weight: 0.5")
    hidden = vault.root / ".real.md"
    real.rename(hidden)
    real.symlink_to(hidden)
    before = hidden.read_bytes()
    vault.status()
    clock.pass_(days=55)
    vault.maintain()
    assert real.is_symlink()
    assert b"Only alpha" in hidden.read_bytes()
    clock.pass_(days=60)
    vault.maintain()
    assert hidden.read_bytes().endswith(before[before.index(b"Only") :])
    assert "Only alpha" in bodies_of(vault.root)
