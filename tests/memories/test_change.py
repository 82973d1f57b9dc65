"""Changing memories: the wanted bytes and no others, and nothing over somebody's head."""

from __future__ import annotations

from typing import Any

import pytest

from memvault import Memvault
from memvault.core.plan import Operation
from memvault.errors import (
    AlreadyThere,
    Ambiguous,
    BadInput,
    CannotEdit,
    ChangedMeanwhile,
    MemvaultError,
    NotFound,
    NothingToDo,
    OutsideVault,
)
from memvault.memories import edit
from memvault.storage.journal.apply import apply_one

HAND_WRITTEN = """---
# my own comment
title:   "Garden  plan"   # keep the spaces
pinned: no
tags: [ home,  garden ]
rating: 12:30
---
# Garden

Plant the *beans* first.
"""


@pytest.fixture
def by_hand(vault: Memvault) -> Memvault:
    (vault.root / "2-memories" / "Garden plan.md").write_text(HAND_WRITTEN)
    return vault


def text_of(vault: Memvault, name: str = "Garden plan") -> str:
    return vault.path_of(name).read_text()


def test_pinning_changes_one_word_of_a_hand_written_note(by_hand: Memvault) -> None:
    assert by_hand.pin("Garden plan").memory.pinned
    assert text_of(by_hand) == HAND_WRITTEN.replace("pinned: no", "pinned: true")
    by_hand.unpin("Garden plan")
    assert text_of(by_hand) == HAND_WRITTEN.replace("pinned: no", "pinned: false")


def test_a_value_that_is_somebody_elses_is_not_overwritten(vault: Memvault) -> None:
    path = vault.root / "Foreign.md"
    path.write_text("---\npinned: at the top of the board\n---\nText.\n")
    with pytest.raises(CannotEdit, match="not memvault's to change"):
        vault.pin("Foreign")
    assert path.read_text() == "---\npinned: at the top of the board\n---\nText.\n"


def test_links_are_written_as_wikilinks_and_seen_from_both_sides(vault: Memvault) -> None:
    old, new = vault.remember("The API uses basic auth."), vault.remember("The API uses OAuth 2.")
    vault.link(new.memory.id, old.memory.id, relation="supersedes")
    assert f'"[[{old.memory.name}]]"' in text_of(vault, new.memory.name)
    assert f'"[[{new.memory.name}]]"' in text_of(vault, old.memory.name)
    assert vault.show(new.memory.id).links == (old.memory.name,)
    assert new.memory.path in vault.show(old.memory.id).linked_from
    assert vault.link(new.memory.id, old.memory.id, relation="supersedes").op == ""


def test_a_link_to_itself_or_of_no_known_sort_is_refused(by_hand: Memvault) -> None:
    with pytest.raises(NothingToDo):
        by_hand.link("Garden plan", "Garden plan")
    with pytest.raises(BadInput, match="extends"):
        by_hand.link("Garden plan", "Garden plan", relation="resembles")


@pytest.mark.parametrize(("to", "folder"), [("hot", "1-hot/"), ("0", "0-identity/"), ("work/plans", "work/plans/")])
def test_moving_keeps_the_name_and_every_byte(by_hand: Memvault, to: str, folder: str) -> None:
    moved = by_hand.move("Garden plan", to)
    assert moved.memory.path == f"{folder}Garden plan.md"
    assert text_of(by_hand) == HAND_WRITTEN
    assert not (by_hand.root / "2-memories" / "Garden plan.md").exists()


def test_moving_into_the_archive_says_so_and_moving_out_takes_it_back(by_hand: Memvault) -> None:
    assert by_hand.move("Garden plan", "archived").memory.status == "archived"
    assert "status: archived\n---" in text_of(by_hand)
    assert by_hand.move("Garden plan", "memories").memory.status == "active"


@pytest.mark.parametrize(
    ("to", "error"),
    [
        ("../outside", OutsideVault),
        ("/tmp", OutsideVault),
        ("templates", BadInput),
        (".obsidian", MemvaultError),
        ("a:b", BadInput),
        ("memories", NothingToDo),
    ],
)
def test_a_place_where_memories_cannot_lie_is_refused(by_hand: Memvault, to: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        by_hand.move("Garden plan", to)
    assert text_of(by_hand) == HAND_WRITTEN


def test_moving_never_overwrites(by_hand: Memvault) -> None:
    (by_hand.root / "1-hot" / "Garden plan.md").write_text("Another plan.")
    with pytest.raises(AlreadyThere):
        by_hand.move("2-memories/Garden plan.md", "hot")


def test_editing_the_text_leaves_the_frontmatter_alone(by_hand: Memvault) -> None:
    by_hand.edit("Garden plan", append="And the peas after.")
    assert text_of(by_hand) == HAND_WRITTEN + "\nAnd the peas after.\n"
    by_hand.edit("Garden plan", body="All done.")
    assert text_of(by_hand) == HAND_WRITTEN.partition("# Garden")[0] + "All done.\n"


def test_editing_fields_changes_those_fields(by_hand: Memvault) -> None:
    by_hand.edit("Garden plan", fields={"weight": 0.25, "tags": ("home", "garden", "spring"), "pinned": None})
    expected = HAND_WRITTEN.replace("pinned: no\n", "").replace("garden ]", "garden,  spring ]")
    assert text_of(by_hand) == expected.replace("12:30\n", "12:30\nweight: 0.25\n")
    with pytest.raises(BadInput, match="no field"):
        by_hand.edit("Garden plan", fields={"colour": "red"})


def test_an_update_presents_the_version_it_read(by_hand: Memvault) -> None:
    version = by_hand.show("Garden plan").memory.version
    path = by_hand.path_of("Garden plan")
    path.write_text(HAND_WRITTEN + "Added in another window.\n")
    with pytest.raises(ChangedMeanwhile):
        by_hand.edit("Garden plan", body="Mine.", version=version)
    assert path.read_text().endswith("Added in another window.\n")


def test_crlf_notes_stay_crlf(vault: Memvault) -> None:
    path = vault.root / "2-memories" / "Windows.md"
    path.write_bytes(b"---\r\ntitle: Windows\r\n---\r\nOne.\r\n")
    vault.edit("Windows", append="Two.")
    assert path.read_bytes() == b"---\r\ntitle: Windows\r\n---\r\nOne.\r\n\r\nTwo.\r\n"


def test_a_memory_is_found_by_id_prefix_name_title_and_path(by_hand: Memvault) -> None:
    memory = by_hand.find("Garden plan")
    for ref in (memory.id, memory.id[:8], "garden PLAN", "Garden plan.md", "2-memories/Garden plan.md", "Garden  plan"):
        assert by_hand.find(ref).id == memory.id
    with pytest.raises(NotFound):
        by_hand.find("zz")
    (by_hand.root / "work").mkdir()
    (by_hand.root / "work" / "Garden plan.md").write_text("Another.")
    with pytest.raises(Ambiguous, match="2 memories"):
        by_hand.find("Garden plan")


@pytest.mark.parametrize("to", ["99", "4", "2-memories/inner"])
def test_a_slip_of_a_tier_or_a_vault_of_its_own_takes_no_memory_away(by_hand: Memvault, to: str) -> None:
    (by_hand.root / "2-memories" / "inner" / ".memvault").mkdir(parents=True)
    with pytest.raises(BadInput):
        by_hand.move("Garden plan", to)
    assert by_hand.recall("beans").hits


@pytest.mark.parametrize("relation", ["extends", "supersedes"])
def test_a_link_joins_those_that_came_meanwhile(
    vault: Memvault, monkeypatch: pytest.MonkeyPatch, relation: str
) -> None:
    one, two, three = (
        vault.remember(text).memory for text in ("The API uses OAuth.", "Tea is kept dry.", "Rain falls.")
    )

    def late(*given: Any) -> Operation:
        monkeypatch.setattr(edit, "apply_one", apply_one)
        vault.link(one.id, three.id, relation=relation)
        return apply_one(*given)

    monkeypatch.setattr(edit, "apply_one", late)
    vault.link(one.id, two.id, relation=relation)
    assert f"[[{two.name}]]" in text_of(vault, one.name)
    assert f"[[{three.name}]]" in text_of(vault, one.name)
