"""A new vault, an adopted folder, and how a vault is found."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault import Memvault
from memvault.core.ids import is_id
from memvault.core.kinds import KINDS
from memvault.core.memory import Memory, Place
from memvault.core.settings import Settings
from memvault.errors import (
    AlreadyAVault,
    AlreadyThere,
    BadInput,
    MemvaultError,
    NotAVault,
    NoVault,
    Unreadable,
    VaultInsideVault,
    VaultTooNew,
)
from memvault.storage import frontmatter
from memvault.storage.index.update import NoteIdentities
from memvault.storage.journal.ledger import LedgerDecisions
from memvault.storage.vault import codec, create
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.layout import Layout
from memvault.storage.vault.vault_file import VaultFile, VaultPlaces


def fingerprint(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every markdown file with its bytes and its time of change."""
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(root.rglob("*.md"))}


def test_a_new_vault_has_its_folders_and_no_memories(vault: Memvault) -> None:
    for name in ("0-identity", "1-hot", "2-memories/deep-context", "3-raw/archived", "3-raw/transcripts", "quarantine"):
        assert (vault.root / name).is_dir()
    for name in ("memvault.toml", "README.md", "Memories.base", "Inbox.base", ".gitignore", ".obsidian/types.json"):
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


# -- a vault is known by its charter; a folder that is none is told what it lacks, and a newer one is left alone

ID = "7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11"
WRITTEN = datetime(2026, 1, 28, 9, tzinfo=UTC)


def a_vault(root: Path, said: str | None = None) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    charter.write_vault_file(root, VaultFile(ID), WRITTEN)
    (root / "memvault.toml").touch()
    if said is not None:
        (root / ".memvault/vault.json").write_text(said)
    return root


@pytest.mark.parametrize("adopted", [True, False])
def test_what_is_written_is_read_back(tmp_path: Path, adopted: bool) -> None:
    charter.write_vault_file(tmp_path, VaultFile(ID, adopted), WRITTEN)
    assert charter.read_vault_file(tmp_path) == VaultFile(ID, adopted, 1)
    said = json.loads((tmp_path / ".memvault/vault.json").read_text())
    assert said == {"format": 1, "id": ID, "created": "2026-01-28T09:00:00Z", "adopted": adopted}


def test_a_charter_is_never_written_over(tmp_path: Path) -> None:
    a_vault(tmp_path)
    with pytest.raises(AlreadyThere):
        charter.write_vault_file(tmp_path, VaultFile(ID.replace("7", "8")), WRITTEN)
    assert charter.read_vault_file(tmp_path).id == ID


def test_members_of_others_are_passed_over_and_adopted_may_be_missing(tmp_path: Path) -> None:
    a_vault(tmp_path, json.dumps({"format": 1, "id": ID, "colour": "green"}))
    assert charter.read_vault_file(tmp_path) == VaultFile(ID)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    a_vault(tmp_path, json.dumps({"format": 2, "id": ID}))
    with pytest.raises(VaultTooNew, match="vault format 2"):
        charter.read_vault_file(tmp_path)


DAMAGED = ["", "{", "[]", "5", "null", "{}", f'{{"id": "{ID}"}}', '{"format": 1}', f'{{"format": "x", "id": "{ID}"}}', f'{{"format": Infinity, "id": "{ID}"}}', f'{{"format": null, "id": "{ID}"}}', '{"format": 1, "id": 5}', '{"format": 1, "id": "mine"}', "\x00"]  # fmt: skip


@pytest.mark.parametrize("said", DAMAGED)
def test_a_damaged_charter_is_told_plainly(tmp_path: Path, said: str) -> None:
    a_vault(tmp_path, said)
    with pytest.raises(Unreadable, match=r"vault\.json"):
        charter.read_vault_file(tmp_path)


def where(folder: Path, **given: str) -> VaultPlaces:
    return VaultPlaces(given.get("named"), given.get("environment"), folder, given.get("configured", ""))


def test_the_nearest_word_wins(tmp_path: Path) -> None:
    one, two, three, four = (a_vault(tmp_path / name) for name in ("one", "two", "three", "four"))
    everything = {"named": str(one), "environment": str(two), "configured": str(four)}
    below = three / "notes/deep"
    below.mkdir(parents=True)
    assert charter.find_vault(where(below, **everything)) == one
    del everything["named"]
    assert charter.find_vault(where(below, **everything)) == two
    del everything["environment"]
    assert charter.find_vault(where(below, **everything)) == three
    assert charter.find_vault(where(tmp_path, **everything)) == four


def test_where_there_is_none_every_place_looked_at_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoVault) as raised:
        charter.find_vault(where(tmp_path))
    for place in ("--vault", "MEMVAULT_DIR", str(tmp_path), "user.vault"):
        assert place in str(raised.value)


def test_a_named_folder_that_is_no_vault_is_told_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(NotAVault, match=r"memvault\.toml and \.memvault/vault\.json is missing"):
        charter.find_vault(where(tmp_path, named=str(tmp_path)))
    (tmp_path / "memvault.toml").touch()
    with pytest.raises(NotAVault, match=r": \.memvault/vault\.json is missing"):
        charter.find_vault(where(tmp_path, named=str(tmp_path)))


@pytest.mark.parametrize(("named", "error"), [("no/such", NoVault), ("a\0b", BadInput)])
def test_a_name_that_leads_nowhere(tmp_path: Path, named: str, error: type[MemvaultError]) -> None:
    with pytest.raises(error):
        charter.find_vault(where(tmp_path, named=named))


def test_a_folder_inside_a_vault_knows_which(tmp_path: Path) -> None:
    outer = a_vault(tmp_path / "outer")
    assert charter.enclosing_vault(outer / "notes/deep") == outer
    assert charter.enclosing_vault(outer) is None


# -- which memory a note without an id is: the same on every device, and after a rename

FIRST, SECOND = "bc3d8613-f5e1-525a-8536-73869c5f354e", "8397d4b5-a4a3-5411-b7f4-eab126fa30e4"
SEEN = datetime(2026, 1, 29, tzinfo=UTC)


def identities(decided: LedgerDecisions, *there: str, moved: dict[str, str] | None = None) -> NoteIdentities:
    return NoteIdentities(decided, vault_id=VAULT, exists=there.__contains__, moved_from=moved or {})


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_a_new_note_has_the_uuid_of_its_path(path: str) -> None:
    assert identities(LedgerDecisions()).identify(path, "sha") == str(uuid5(UUID(VAULT), path))


def test_the_vectors_of_the_format_page() -> None:
    decided = LedgerDecisions()
    assert identities(decided).identify("notes/tides.md", "a") == FIRST
    decided.fold_entry({"e": "id", "id": FIRST, "path": "notes/moved.md", "sha": "a"})
    assert identities(decided, "notes/moved.md").identify("notes/tides.md", "b") == SECOND
    decided.fold_entry({"e": "id", "id": SECOND, "path": "notes/too.md", "sha": "b"})
    third = identities(decided, "notes/moved.md", "notes/too.md").identify("notes/tides.md", "c")
    assert third == str(uuid5(UUID(VAULT), "notes/tides.md#3"))


def test_a_decision_is_recorded_once() -> None:
    who = identities(LedgerDecisions(), "a.md")
    id_ = who.identify("a.md", "text")
    assert who.take_new() == [{"e": "id", "id": id_, "path": "a.md", "sha": "text"}]
    who.identify("a.md", "text")
    assert who.take_new() == []


def test_first_sight_stays_the_first() -> None:
    who = identities(LedgerDecisions())
    assert who.first_seen("m", SEEN) == who.first_seen("m", SEEN.replace(year=2027)) == SEEN
    assert [entry["e"] for entry in who.take_new()] == ["seen"]


@pytest.mark.parametrize("own", [FIRST, FIRST.upper(), f" {FIRST} "])
def test_what_the_note_says_goes_first(vault: Memvault, own: str) -> None:
    (vault.root / "a.md").write_text(f"---\nid: {own}\n---\n")
    assert vault.find("a").id == FIRST


@pytest.mark.parametrize("own", ["42", "my-own-id", "[a]", FIRST[:-1]])
def test_an_id_that_is_none_is_somebody_elses(vault: Memvault, own: str) -> None:
    (vault.root / "a.md").write_text(f"---\nid: {own}\n---\nText.\n")
    assert vault.find("a").id == str(uuid5(UUID(vault.status().id), "a.md"))
    assert f"id: {own}" in (vault.root / "a.md").read_text()
