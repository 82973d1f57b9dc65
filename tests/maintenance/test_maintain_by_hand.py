"""The person is right: what they type holds, and what upkeep writes is never taken for theirs."""

from __future__ import annotations

import re

import pytest

from memvault import Memvault
from tests import points
from tests.conftest import Clock, Opener
from tests.maintenance.upkeep import FADING, Machine, fade, retype, said, synced, weight, wishes, write


def test_a_weight_typed_by_hand_is_the_effective_one_and_decays_from_that_day(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha")
    vault.status()
    clock.pass_(days=60)
    fade(vault)
    retype(path, "weight", 0.9)
    assert weight(vault, "alpha") == pytest.approx(0.9)
    fade(vault)
    assert weight(vault, "alpha") == pytest.approx(0.9)
    clock.pass_(days=30)
    fade(vault)
    assert weight(vault, "alpha") == pytest.approx(0.9 * 0.99**30, abs=1e-3)


@pytest.mark.parametrize("only", [("decay",), FADING])
def test_decay_starts_that_day_even_if_the_note_says_nothing_of_its_use(
    vault: Memvault, clock: Clock, only: tuple[str, ...]
) -> None:
    path = write(vault, "alpha")
    path.write_text(re.sub("last_accessed: .*\n", "", path.read_text()))
    vault.status()
    clock.pass_(days=60)
    retype(path, "weight", 0.9)
    vault.status()
    clock.pass_(days=30)
    vault.maintain(only=only)
    vault.maintain(only=only)
    assert weight(vault, "alpha") == pytest.approx(0.9 * 0.99**30, abs=1e-3)


def test_a_weight_typed_over_a_much_used_memory_counts_its_uses_in(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "access_count: 5")
    vault.status()
    clock.pass_(days=5)
    retype(path, "weight", 0.5)
    assert weight(vault, "alpha") == pytest.approx(0.5)
    fade(vault)
    assert (said(path, "base_weight"), said(path, "weight")) == ("0.4", "0.5")


def test_a_typed_weight_sets_how_fast_a_memory_fades_in_the_other_model(
    vault: Memvault, clock: Clock, open_vault: Opener
) -> None:
    vault = open_vault(vault.root, settings={"decay.model": "biomimetic"})
    path = write(vault, "alpha")
    vault.status()
    clock.pass_(days=5)
    retype(path, "weight", 0.1)
    assert weight(vault, "alpha") == 1.0  # what was seen just now is as strong as can be
    clock.pass_(days=90)
    assert weight(vault, "alpha") == pytest.approx(0.5, abs=0.001)  # and fades by its half-life, from no importance


def test_a_weight_typed_twice_counts_twice(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "weight: 0.5")
    vault.status()
    clock.pass_(days=55)
    fade(vault)
    assert said(path, "status") == "stale"
    for value in ("active", "stale"):
        clock.pass_(hours=1)
        retype(path, "status", value)
        fade(vault)
        assert said(path, "status") == value
    written = said(path, "weight")
    for typed in (0.9, written):
        clock.pass_(hours=1)
        retype(path, "weight", typed)
        fade(vault)
        assert weight(vault, "alpha") == pytest.approx(float(typed))


def test_an_edit_of_the_text_is_a_use(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "weight: 0.5")
    vault.status()
    clock.pass_(days=55)
    fade(vault)
    assert said(path, "status") == "stale"
    path.write_text(path.read_text() + "One more line.\n")
    fade(vault)
    assert (said(path, "status"), said(path, "access_count")) == ("active", "1")


# -- our own writing is not a person's


@pytest.mark.points(only=True)
def test_our_own_writing_is_never_taken_for_a_persons(vault: Memvault, clock: Clock) -> None:
    for name in ("alpha", "beta"):
        write(vault, name)
    for number in range(40):
        if number == 5:
            vault.show("alpha")
        fade(vault)
        vault.status()
        clock.pass_(days=5)
    assert wishes(vault.root) == []


@pytest.mark.points(only=True)
@pytest.mark.parametrize("behind", [0, 365])
def test_two_machines_with_a_synced_copy_change_nothing(pair: tuple[Machine, Machine], behind: int) -> None:
    one, other = pair
    other.clock.pass_(days=-behind)
    write(one.vault, "alpha")
    write(one.vault, "beta", "weight: 0.6")
    for number in range(points.of(14, 30)):
        synced(one, other)
        at_work = pair[number % 2]
        if number in (4, 5, 11):
            at_work.vault.show("beta")
        fade(at_work.vault)
        for each in pair:
            synced(one, other)
            each.vault.status()
            each.clock.pass_(days=5)
    assert wishes(one.vault.root) == wishes(other.vault.root) == []


def test_a_weight_typed_here_counts_once_on_another_machine(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    path = write(one.vault, "alpha")
    synced(one, other)
    for each in pair:
        each.vault.status()
        each.clock.pass_(days=10)
    retype(path, "weight", 0.73)
    assert weight(one.vault, "alpha") == pytest.approx(0.73)
    for each in pair:
        each.clock.pass_(days=3)
    synced(one, other)
    assert weight(other.vault, "alpha") == pytest.approx(0.73 * 0.99**3, abs=1e-4)


@pytest.mark.points(only=True)
def test_uses_on_several_machines_are_all_counted(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    path = write(one.vault, "alpha", "access_count: 3")
    synced(one, other)
    counted = 3
    for number in range(12):
        each = pair[number % 2]
        each.vault.show("alpha")
        counted += 1
        if number % 3 == 0:
            fade(each.vault)
        synced(one, other)
        for any_ in pair:
            any_.clock.pass_(days=1)
    for journal in (other.vault.root / ".memvault/journal").rglob("*.jsonl"):
        with journal.open("a") as torn:
            torn.write('{"t":"2026-02-10T00:00:00Z","e":"touch","id":"')
    for each in pair:
        assert each.vault.show("alpha").uses == counted
    counted += 2
    synced(one, other)
    fade(one.vault)
    fade(one.vault)
    assert said(path, "access_count") == str(counted)
