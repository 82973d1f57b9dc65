"""Upkeep of a real vault, day after day: the same in the end however often it ran, and nothing is lost."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from tests import points
from tests.conftest import START, Clock, Opener
from tests.maintenance.upkeep import Opened, bodies_of, everything, fade, machine, memory, note, notes_of, retype, write


def live(root: Path, clock: Clock, home: Path, opened: Opened, runs: list[int]) -> dict[str, bytes]:
    """Four months with the same notes and uses, and runs on these days."""
    clock.now = START
    Memvault.init(root, clock=clock)
    vault = machine(home, root, clock, opened).vault
    write(vault, "alpha", "weight: 0.73")
    write(vault, "beta", "weight: 0.35", "emotional_flag: true")
    write(vault, "gamma", "weight: 0.5", "pinned: true")
    write(vault, "delta", "weight: 0.4")
    vault.status()
    for number in range(121):
        clock.now = START + timedelta(days=number)
        if number in (20, 21, 70):
            vault.show("alpha")
        if number == 100:
            vault.show("delta")
        clock.pass_(hours=1)
        if number in runs:
            fade(vault)
    return notes_of(root)


def test_however_often_it_runs_the_notes_end_up_the_same_byte_for_byte(
    tmp_path: Path, clock: Clock, opened: Opened
) -> None:
    ways = {"once": [120], "weekly": [*range(3, 120, 7), 120], "daily": list(range(121))}
    ended = {name: live(tmp_path / name / "vault", clock, tmp_path / name, opened, runs) for name, runs in ways.items()}
    assert ended["daily"] == ended["once"]
    assert ended["weekly"] == ended["once"]
    assert "3-raw/archived/delta.md" in ended["once"], "it lay below for thirty days before it was used again"


@pytest.mark.points(only=True)
def test_any_number_of_runs_with_nothing_to_do_change_no_byte_and_no_time(sample: Memvault, clock: Clock) -> None:
    for _ in range(3):
        sample.maintain()
        clock.pass_(seconds=1)
    before = everything(sample.root)
    for _ in range(points.of(150, 1_000)):
        assert not sample.maintain().done
        clock.pass_(seconds=1)
    assert everything(sample.root) == before


def test_a_run_looks_again_when_something_comes_due(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "weight: 0.5")
    vault.maintain()
    vault.maintain()
    while (due := vault.maintain().next) is not None and due < START + timedelta(days=100):
        clock.now = due + timedelta(seconds=1)
        assert vault.maintain().done, f"something was due at {due}"
    assert not path.exists(), "it ended in the archive"


def test_an_adopted_note_is_archived_in_time_and_its_file_left_alone(
    tmp_path: Path, clock: Clock, open_vault: Opener
) -> None:
    (tmp_path / "notes").mkdir()
    path = tmp_path / "notes/alpha.md"
    path.write_bytes(note("alpha", "weight: 0.5"))
    Memvault.init(tmp_path / "notes", clock=clock)
    vault = open_vault(tmp_path / "notes")
    before = path.read_bytes()
    for _ in range(200):
        vault.maintain()
        clock.pass_(days=1)
    assert memory(vault, "alpha").status == "archived"
    assert path.read_bytes() == before


def test_a_dry_run_writes_nothing_and_says_what_a_run_then_does(vault: Memvault, clock: Clock) -> None:
    write(vault, "alpha", "weight: 0.33")
    write(vault, "beta", "weight: 0.5")
    vault.status()
    clock.pass_(days=60)
    before = everything(vault.root)
    planned = vault.maintain(dry_run=True)
    assert everything(vault.root) == before
    assert vault.maintain().done == planned.done


@pytest.mark.points(only=True)
def test_after_any_history_every_text_is_somewhere(vault: Memvault, clock: Clock) -> None:
    bodies = {name: f"Only {name} says {name * 5}, on the {number}th." for number, name in enumerate("abcdefgh")}
    paths = [
        write(vault, name, f"weight: 0.{number + 2}", body=body) for number, (name, body) in enumerate(bodies.items())
    ]
    for number in range(24):
        if number % 5 == 0:
            vault.show(list(bodies)[number // 5])
        if number == 7:
            retype(paths[5], "weight", 0.95)
        if number == 11:
            vault.undo(next(op.op for op in vault.log() if op.verb == "maintain"))
        vault.maintain()
        clock.pass_(days=17 if number != 13 else -100)
        for body in bodies.values():
            assert body in bodies_of(vault.root)
