"""Taking in a part of a vault: what is known to differ is enough, and what was never compared is compared whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.listing import VaultPart

ID = "0b1f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11"


def part(*paths: str) -> VaultPart:
    return VaultPart(
        frozenset(path for path in paths if not path.endswith("/")),
        frozenset(path for path in paths if path.endswith("/")),
    )


def put(vault: Memvault, path: str, text: str = "A note.") -> Path:
    full = vault.root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text(text)
    return full


def known(vault: Memvault) -> set[str]:
    def paths(context: VaultContext) -> set[str]:
        return set(context.index.note_sizes())

    return vault.run(paths)


@pytest.fixture
def kept(vault: Memvault) -> Memvault:
    """A vault whose catalogue knows all of it: one note."""
    put(vault, "2-memories/old.md")
    vault.refresh()
    return vault


def test_only_that_part_is_looked_at(kept: Memvault) -> None:
    for name in ("2-memories/a", "2-memories/b", "notes/c", "notes/deep/d", "1-hot/e"):
        put(kept, f"{name}.md")
    assert kept.refresh(only=part("2-memories/a.md", "notes/", "notes/deep/d.md", "no/such.md", "gone/")) == 3
    assert known(kept) == {"2-memories/old.md", "2-memories/a.md", "notes/c.md", "notes/deep/d.md"}
    assert kept.refresh() == 2
    assert kept.refresh() == 0


def test_what_was_never_compared_is_compared_whole(vault: Memvault) -> None:
    for name in ("a", "b"):
        put(vault, f"2-memories/{name}.md")
    assert vault.refresh(only=part("2-memories/a.md")) == 2


def test_a_note_that_left_and_came_back_is_found_by_the_next_look_at_everything(kept: Memvault, tmp_path: Path) -> None:
    note = kept.root / "2-memories/old.md"
    note.rename(tmp_path / "away.md")
    assert kept.refresh(only=part("2-memories/old.md")) == 1
    assert known(kept) == set()
    (tmp_path / "away.md").rename(note)
    assert kept.refresh() == 1


def test_a_move_is_one_change_whichever_way_it_was_heard_of(kept: Memvault) -> None:
    before = kept.find("old").id
    (kept.root / "2-memories/old.md").rename(kept.root / "1-hot/old.md")
    assert kept.refresh(only=part("2-memories/old.md", "1-hot/old.md")) == 1
    (kept.root / "1-hot/old.md").rename(kept.root / "2-memories/old.md")
    assert kept.refresh(only=part("2-memories/", "1-hot/old.md")) == 1
    assert kept.find("old").id == before


def test_of_notes_that_claim_one_id_the_first_path_keeps_it_here_too(kept: Memvault) -> None:
    text = f"---\nid: {ID}\n---\nA note."
    later = put(kept, "2-memories/later.md", text)
    assert kept.refresh(only=part("2-memories/later.md")) == 1
    assert kept.find("later").id == ID
    first = put(kept, "2-memories/first.md", text)
    assert kept.refresh(only=part("2-memories/first.md")) == 1
    assert kept.find("first").id == ID
    assert kept.find("later").id != ID
    later.write_text(f"{text} Changed.")
    assert kept.refresh(only=part("2-memories/later.md")) == 1
    assert kept.find("later").id != ID
    first.unlink()
    assert kept.refresh(only=part("2-memories/first.md")) == 1
    assert kept.find("later").id == ID


def test_where_somebody_vouches_for_it_no_file_is_looked_at(kept: Memvault, open_vault) -> None:  # type: ignore[no-untyped-def]
    asked: list[Path] = []

    def vouch(catalogue: Path) -> bool:
        asked.append(catalogue)
        return len(asked) < 3

    vouched = open_vault(kept.root, is_index_current=vouch)
    put(kept, "2-memories/new.md", "An albatross.")
    assert not vouched.recall("albatross", min_similarity=0.0).hits
    assert not vouched.recall("albatross", min_similarity=0.0).hits
    assert vouched.recall("albatross", min_similarity=0.0).hits
    assert set(asked) == {kept.index_folder}


def test_what_journals_tell_is_taken_in_whoever_vouches(kept: Memvault, open_vault, clock) -> None:  # type: ignore[no-untyped-def]
    vouched = open_vault(kept.root, is_index_current=lambda _catalogue: True)
    assert vouched.list().total == 1
    used = clock.pass_(days=9)
    kept.show("old")
    assert vouched.list().rows[0].last_used == used
