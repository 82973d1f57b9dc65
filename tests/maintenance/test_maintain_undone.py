"""What was put away, merged or moved comes back as it was, and stays."""

from __future__ import annotations

import pytest

from memvault import Memvault
from tests.conftest import Clock
from tests.maintenance.upkeep import Machine, fade, memory, notes_of, said, synced, write


def test_undo_gives_every_byte_back_and_the_next_run_does_not_do_it_again(vault: Memvault, clock: Clock) -> None:
    for name, value in (("alpha", 0.8), ("beta", 0.5), ("gamma", 0.33)):
        write(vault, name, f"weight: {value}")
    vault.status()
    before = notes_of(vault.root)
    clock.pass_(days=60)
    done = fade(vault)
    assert notes_of(vault.root) != before
    vault.undo(done.op)
    assert notes_of(vault.root) == before
    for _ in range(5):  # so long that what was flagged and given back would be archived; what was not is not due yet
        fade(vault)
        assert notes_of(vault.root) == before
        clock.pass_(days=7)


def test_an_undone_and_used_memory_becomes_active_and_is_not_archived(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "weight: 0.5")
    vault.status()
    clock.pass_(days=90)
    vault.undo(vault.maintain().op)
    assert path.exists()
    clock.pass_(days=3)
    vault.show("alpha")
    fade(vault)
    assert (path.exists(), said(path, "status")) == (True, "active")


@pytest.mark.parametrize("wait", [0, 1, 40])
def test_restored_memories_stay_restored(vault: Memvault, clock: Clock, wait: int) -> None:
    path = write(vault, "alpha", "weight: 0.5")
    vault.status()
    clock.pass_(days=200)
    vault.maintain()
    assert not path.exists()
    clock.pass_(days=wait)
    vault.restore("alpha")
    for _ in range(10):
        vault.maintain()
        clock.pass_(days=1)
    assert memory(vault, "alpha").status == "active"
    assert not (vault.root / "3-raw/archived/alpha.md").exists()


def test_memories_restored_here_stay_restored_on_another_machine(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    write(one.vault, "alpha", "weight: 0.5")
    one.vault.status()
    for each in pair:
        each.clock.pass_(days=200)
    fade(one.vault)
    one.vault.restore("alpha")
    for each in pair:
        each.clock.pass_(days=1)
    synced(one, other)
    other.vault.maintain()
    assert memory(other.vault, "alpha").status == "active"


def test_memories_moved_out_of_the_archive_stay_out(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "weight: 0.5")
    vault.status()
    clock.pass_(days=200)
    vault.maintain()
    (vault.root / "3-raw/archived/alpha.md").rename(path)
    for _ in range(5):
        vault.maintain()
        clock.pass_(days=1)
    assert (path.exists(), said(path, "status")) == (True, "active")


def test_undo_takes_a_merge_back_and_it_is_not_merged_again(vault: Memvault, clock: Clock) -> None:
    body = "The weir at Hollin opens two hours after high water, said Noor at the harbour office."
    for name in ("alpha", "beta"):
        write(vault, name, "title: Hollin weir", f"tags: [{name}]", body=body)
    vault.status()
    before = notes_of(vault.root)
    done = vault.maintain()
    assert {"3-raw/archived/alpha.md", "3-raw/archived/beta.md"} <= notes_of(vault.root).keys()
    vault.undo(done.op)
    assert notes_of(vault.root) == before
    for _ in range(3):
        vault.maintain()
        clock.pass_(hours=5)
        assert notes_of(vault.root) == before


def test_undo_takes_a_move_to_tier_1_back_until_it_is_used_again(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha")
    for _ in range(4):
        vault.show("alpha")
        clock.pass_(days=1)
    before = notes_of(vault.root)
    done = vault.maintain()
    assert (vault.root / "1-hot/alpha.md").exists()
    vault.undo(done.op)
    assert notes_of(vault.root) == before
    for _ in range(3):
        vault.maintain()
        assert notes_of(vault.root) == before
        clock.pass_(hours=5)
    vault.show("alpha")
    vault.maintain()
    assert not path.exists()
