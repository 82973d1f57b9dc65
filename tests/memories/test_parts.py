"""One clause of a memory forgotten or corrected: which is meant, what stays, what is asked."""

from __future__ import annotations

import pytest

from memvault.agents.spoken.settle import forget_spoken, replace_spoken
from memvault.api import Memvault
from memvault.errors import Forgotten, NothingToDo

NETWORK = "The router is in the attic, the spare fuse is on the fridge, and the provider is Borealis."


def body(vault: Memvault, ref: str) -> str:
    return (vault.show(ref).memory.body or "").strip()


def test_one_clause_goes_the_rest_stays_and_undo_brings_it_back(vault: Memvault) -> None:
    made = vault.remember(NETWORK, title="Network").memory
    gone = vault.forget_part(made.id, "where the spare fuse is")
    assert gone.part == "the spare fuse is on the fridge"
    assert body(vault, made.id) == "The router is in the attic, and the provider is Borealis."
    with pytest.raises(Forgotten):
        vault.remember("the spare fuse is on the fridge", automatic=True)
    vault.undo(gone.op)
    assert body(vault, made.id) == NETWORK


def test_what_is_not_clear_is_asked_and_nothing_is_changed(vault: Memvault) -> None:
    made = vault.remember("The red hen lays. The brown hen broods.", title="Hens").memory
    with pytest.raises(NothingToDo, match="not clear which part"):
        vault.forget_part(made.id, "the hen")
    assert vault.forget_part(made.id, "the brown hen", dry_run=True).part == "The brown hen broods"
    assert body(vault, made.id) == "The red hen lays. The brown hen broods."


def test_spoken_words_forget_a_part_and_the_name_of_the_whole_forgets_it_whole(vault: Memvault) -> None:
    made = vault.remember(NETWORK, title="Network").memory
    vault.run(forget_spoken, "where the spare fuse is")
    assert "fuse" not in body(vault, made.id)
    gone = vault.run(forget_spoken, "the network")
    assert gone.memory.path.startswith(".trash/")


def test_a_correction_takes_the_place_of_one_clause_as_one_operation(vault: Memvault) -> None:
    made = vault.remember(NETWORK, title="Network").memory
    new = vault.run(replace_spoken, "The spare fuse is in the drawer")
    assert body(vault, made.id) == "The router is in the attic, and the provider is Borealis."
    assert body(vault, new.memory.id) == "The spare fuse is in the drawer"
    vault.undo(new.op)
    assert body(vault, made.id) == NETWORK


def test_an_address_is_matched_whole_and_another_spelling_is_asked_about(vault: Memvault) -> None:
    vault.remember("Invoices go to ann.lee@harbor.example every month", title="Invoices")
    with pytest.raises(NothingToDo, match="speaks of"):
        vault.run(forget_spoken, "ann@harbor.example invoices")
    made = vault.remember("José keeps the boat key", title="Boat key").memory
    with pytest.raises(NothingToDo, match="spelled otherwise"):
        vault.run(forget_spoken, "the boat key that Jose keeps")
    assert vault.show(made.id).memory.path == made.path
