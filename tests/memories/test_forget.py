"""Forgetting and bringing back."""

from __future__ import annotations

import pytest

from memvault import Memvault
from memvault.errors import NotFound


def test_forgotten_memories_go_to_the_trash_and_are_not_found(vault: Memvault) -> None:
    made = vault.remember("The wifi at the cabin is called Moose.")
    before = (vault.root / made.memory.path).read_bytes()
    gone = vault.forget(made.memory.id)
    assert gone.memory.path == f".trash/{made.memory.name}.md"
    assert (vault.root / gone.memory.path).read_bytes() == before
    assert vault.recall("cabin wifi").hits == ()
    with pytest.raises(NotFound):
        vault.find(made.memory.id)


def test_a_tombstone_tells_nobody_what_was_forgotten(vault: Memvault) -> None:
    vault.forget(vault.remember("The safe opens with kumquat.").memory.id)
    ledger = b"".join(path.read_bytes() for path in (vault.root / ".memvault/ledger").glob("*.jsonl"))
    assert b"tombstone" in ledger
    assert b"kumquat" not in ledger


@pytest.mark.parametrize("by", ["id", "name", "title"])
def test_forgotten_memories_are_restored_to_their_place(vault: Memvault, by: str) -> None:
    made = vault.remember("The wifi at the cabin is called Moose.")
    vault.move(made.memory.id, "hot")
    before = vault.path_of(made.memory.id).read_bytes()
    vault.forget(made.memory.id)
    back = vault.restore(str(getattr(made.memory, by)))
    assert back.memory.path == f"1-hot/{made.memory.name}.md"
    assert vault.path_of(made.memory.id).read_bytes() == before
    assert vault.recall("cabin wifi").hits


def test_an_archived_memory_comes_back_active(vault: Memvault) -> None:
    made = vault.remember("Old but not useless.")
    vault.move(made.memory.id, "archived")
    assert vault.restore("Old but not useless").memory.status == "active"
    assert vault.find(made.memory.id).path == made.memory.path


def test_two_forgotten_notes_of_one_name_both_stay(vault: Memvault) -> None:
    for folder in ("a", "b"):
        (vault.root / folder).mkdir()
        (vault.root / folder / "Note.md").write_text(f"Text of {folder}.")
    vault.forget("a/Note.md")
    vault.forget("b/Note.md")
    assert {path.read_text() for path in (vault.root / ".trash").iterdir()} == {"Text of a.", "Text of b."}


def test_the_detail_of_another_memory_does_not_go_along(vault: Memvault) -> None:
    deep = vault.root / "2-memories" / "deep-context"
    (deep / "shared.md").write_text("Long.")
    (deep / "budget-2019.md").write_text("# Unrelated old budget\n")
    for name, detail in (("one", "shared"), ("two", "shared"), ("three", "budget")):
        refs = f"refs: {{deep_context: 2-memories/deep-context/{detail}.md}}"
        (vault.root / "2-memories" / f"{name}.md").write_text(f"---\n{refs}\n---\nText of {name}.\n")
    vault.forget("2-memories/one.md")
    vault.forget("2-memories/three.md")
    assert (deep / "shared.md").exists()
    assert (deep / "budget-2019.md").exists()
    vault.forget("2-memories/two.md")
    assert not (deep / "shared.md").exists()
