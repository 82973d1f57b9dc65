"""A new vault, an adopted folder, and how a vault is found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.memory import Place
from memvault.errors import AlreadyAVault, BadInput, VaultInsideVault


def fingerprint(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every markdown file with its bytes and its time of change."""
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(root.rglob("*.md"))}


def test_a_new_vault_has_its_folders_and_no_memories(vault: Memvault) -> None:
    for name in ("0-identity", "1-hot", "2-memories/deep-context", "3-raw/archived", "3-raw/transcripts", "quarantine"):
        assert (vault.root / name).is_dir()
    for name in ("memvault.toml", "README.md", "Memories.base", ".gitignore", ".obsidian/types.json"):
        assert (vault.root / name).is_file()
    assert vault.list().total == 0


def test_new_files_are_private(vault: Memvault) -> None:
    if os.name == "posix":
        made = vault.remember("Nobody else reads this.")
        assert (vault.root / made.memory.path).stat().st_mode & 0o777 == 0o600
        assert (vault.root / "2-memories").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("home", ["", "Memory"])
def test_adopting_a_folder_changes_no_note_and_indexes_all(tmp_path: Path, clock, open_vault, home: str) -> None:  # type: ignore[no-untyped-def]
    root = tmp_path / "notes"
    for number in range(120):
        path = root / f"area {number % 7}" / f"Note {number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        frontmatter = "---\ntags: [a]\nweight: 82\n---\n" if number % 3 == 0 else ""
        path.write_text(f"{frontmatter}# Note {number}\n\nThe word of this note is w{number}ord.\n")
    (root / "README.md").write_text("My own readme about zebras.")
    before = fingerprint(root)
    made = Memvault.init(root, home=home, clock=clock)
    assert (made.adopted, made.notes, set(made.written)) == (True, 121, {"memvault.toml"})
    adopted = open_vault(root)
    hit = adopted.recall("w77ord").hits[0]
    assert (hit.memory.place, hit.memory.title, hit.memory.weight) == (Place.FOREIGN, "Note 77", 0.5)
    assert adopted.recall("zebras").hits[0].memory.path == "README.md"
    assert fingerprint(root) == before
    made_here = adopted.remember("A first memory in the old vault.")
    assert made_here.memory.path.startswith(f"{home}/2-memories/" if home else "2-memories/")
    assert {path: value for path, value in fingerprint(root).items() if path in before} == before


def test_a_foreign_note_keeps_its_identity_through_renames_and_new_indexes(tmp_path: Path, clock, open_vault) -> None:  # type: ignore[no-untyped-def]
    root = tmp_path / "notes"
    root.mkdir()
    (root / "Old name.md").write_text("The unicorn lives here.")
    Memvault.init(root, clock=clock)
    vault = open_vault(root)
    first = vault.find("Old name").id
    (root / "Old name.md").rename(root / "New name.md")
    assert vault.find("New name").id == first
    vault.reindex()
    assert vault.find("New name").id == first
    (root / "New name.md").write_text("The unicorn has moved.")
    assert vault.find("New name").id == first
    (root / "Old name.md").write_text("Another note at the old place.")
    assert vault.find("Old name").id != first


def test_a_day_without_memvault_is_no_day_of_first_sight(tmp_path: Path, clock, open_vault) -> None:  # type: ignore[no-untyped-def]
    root = tmp_path / "notes"
    root.mkdir()
    old = root / "Old.md"
    old.write_text("From long ago.")
    os.utime(old, (1_000_000_000, 1_000_000_000))
    Memvault.init(root, clock=clock)
    seen = open_vault(root).find("Old").last_accessed
    assert seen == clock.now.replace(microsecond=0)
    clock.pass_(days=40)
    again = open_vault(root)
    again.reindex()
    assert again.find("Old").last_accessed == seen


def test_a_vault_is_not_made_twice_nor_inside_another(vault: Memvault, tmp_path: Path) -> None:
    with pytest.raises(AlreadyAVault):
        Memvault.init(vault.root)
    with pytest.raises(VaultInsideVault):
        Memvault.init(vault.root / "inner")
    Memvault.init(vault.root / "inner", nested=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput):
        Memvault.init(tmp_path / "file")


def test_a_dry_run_makes_nothing(tmp_path: Path) -> None:
    made = Memvault.init(tmp_path / "new", dry_run=True, sample=True)
    assert "memvault.toml" in made.written
    assert not (tmp_path / "new").exists()
