"""A new vault, an adopted folder, and how a vault is found."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.ids import is_id
from memvault.core.kinds import KINDS
from memvault.core.memory import Memory, Place
from memvault.core.settings import Settings
from memvault.errors import AlreadyAVault, BadInput, VaultInsideVault
from memvault.storage import frontmatter
from memvault.storage.vault import codec, create
from memvault.storage.vault.layout import Layout


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


# -- what a new vault is laid down from

VAULT = "7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11"
NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
LAYOUT = Layout.from_settings(Settings({}), adopted=False)


def memories(now: datetime = NOW, vault_id: str = VAULT) -> dict[str, Memory]:
    return {path: _read(path, data, now) for path, data in create.sample_files(now, vault_id=vault_id)}


def _read(path: str, data: bytes, now: datetime) -> Memory:
    origin = codec.NoteOrigin(path, LAYOUT.place_of(path) or Place.FOREIGN, "", now, now)
    return codec.read_memory(frontmatter.parse(data), origin, version="")


def test_the_parts_are_the_folders_and_files_of_a_vault() -> None:
    parts = dict(create.template_files())
    for name in ("README.md", "Memories.base", ".gitignore", "templates/memory.md", ".obsidian/types.json"):
        assert parts[name]
    tops = {path.partition("/")[0] for path in parts}
    assert {"0-identity", "1-hot", "2-memories", "3-raw", "quarantine", "templates"} <= tops
    assert not [path for path in parts if LAYOUT.place_of(path)], "a new vault has no memories"


@pytest.mark.parametrize("name", ["app", "types", "templates", "graph", "core-plugins"])
def test_obsidians_settings_are_json(name: str) -> None:
    assert json.loads(dict(create.template_files())[f".obsidian/{name}.json"])


def test_the_samples_are_whole_memories_of_all_tiers_and_kinds() -> None:
    found = memories()
    assert {memory.tier for memory in found.values()} == {0, 1, 2, 3}
    assert set(KINDS) - {"working"} <= {memory.kind for memory in found.values()}
    assert not [path for path, memory in found.items() if memory.problem or memory.place is Place.FOREIGN]


def test_they_are_dated_from_now() -> None:
    here, later = memories(), memories(NOW + timedelta(days=400))
    for path, memory in here.items():
        assert memory.created <= memory.last_accessed <= NOW, path
        assert later[path].created - memory.created == timedelta(days=400), path
        assert later[path].last_accessed - memory.last_accessed == timedelta(days=400), path
    dues = [memory.more["due"] for memory in here.values() if "due" in memory.more]
    assert dues
    assert all(isinstance(due, datetime) for due in dues)


def test_each_has_an_id_that_stays() -> None:
    ids = [memory.id for memory in memories().values()]
    assert len(set(ids)) == len(ids)
    assert ids == [memory.id for memory in memories(NOW + timedelta(days=1)).values()]
    assert all(map(is_id, ids))


def test_their_links_lead_to_one_another(sample) -> None:  # type: ignore[no-untyped-def]
    names = {row.memory.name.casefold() for row in sample.list().rows}
    targets = {link for row in sample.list().rows for link in sample.show(row.memory.id).links}
    assert targets
    assert targets <= names
