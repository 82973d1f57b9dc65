"""The listing finds every note and nothing else, in one order, and does not leave the vault."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memvault.core.settings import Settings
from memvault.errors import OutsideVault
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.vault import Vault
from memvault.storage.vault.vault_file import VaultFile

links = pytest.mark.skipif(sys.platform == "win32", reason="making symbolic links takes a privilege there")


@pytest.fixture
def store(tmp_path: Path) -> Vault:
    root = tmp_path / "vault"
    root.mkdir()
    charter.write_vault_file(root, VaultFile("7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11"), datetime(2026, 1, 28, tzinfo=UTC))
    return Vault(root, Settings({}), device="here")


def put(store: Vault, *paths: str) -> None:
    for path in paths:
        (store.root / path).parent.mkdir(parents=True, exist_ok=True)
        (store.root / path).write_text(path)


def listed(store: Vault) -> list[str]:
    return [folder + name for folder, notes in store.list_folders() for name, _ in notes]


def test_every_note_is_listed_once_folder_by_folder_in_order(store: Vault) -> None:
    put(store, "b.md", "a.md", "Z.md", "notes/b.md", "notes/a/x.md", "2-memories/deep-context/d.md", "2-memories/m.MD")
    put(store, "3-raw/archived/old/o.markdown", "quarantine/q.md", "templates/t.md", "3-raw/r.md", ".trash/x.md")
    put(store, "notes/picture.png", "notes/~x.md", "README.md", "private/p.md", "3-raw/transcripts/t.md")
    assert listed(store) == [
        *("Z.md", "a.md", "b.md", "2-memories/m.MD", "2-memories/deep-context/d.md"),
        *("3-raw/archived/old/o.markdown", "notes/b.md", "notes/a/x.md"),
    ]
    assert store.unreadable == {}


def test_the_keys_of_a_listing_change_with_the_file_alone(store: Vault) -> None:
    put(store, "a.md", "b.md")
    before = dict(notes for _, rows in store.list_folders() for notes in rows)
    assert before == dict(notes for _, rows in store.list_folders() for notes in rows)
    (store.root / "a.md").write_text("longer than before")
    after = dict(notes for _, rows in store.list_folders() for notes in rows)
    assert [name for name in after if after[name] != before[name]] == ["a.md"]


@links
def test_links_inside_are_read_and_those_that_lead_out_are_reported(store: Vault, tmp_path: Path) -> None:
    put(store, "notes/real.md")
    (tmp_path / "outside.md").write_text("secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/e.md").write_text("secret")
    (store.root / "in.md").symlink_to("notes/real.md")
    (store.root / "out.md").symlink_to(tmp_path / "outside.md")
    (store.root / "broken.md").symlink_to("nothing.md")
    (store.root / "folder").symlink_to(tmp_path / "elsewhere")
    (store.root / "loop").symlink_to(store.root)
    assert listed(store) == ["in.md", "notes/real.md"]
    assert set(store.unreadable) == {"out.md", "broken.md"}
    assert "leads outside" in store.unreadable["out.md"]


def test_a_vault_within_a_vault_is_left_to_itself(store: Vault) -> None:
    put(store, "notes/mine.md", "notes/theirs/a.md", "notes/theirs/deep/b.md")
    (store.root / "notes/theirs/.memvault").mkdir()
    assert listed(store) == ["notes/mine.md"]


def test_a_folder_named_like_a_note_is_none(store: Vault) -> None:
    put(store, "notes.md/a.md")
    assert listed(store) == ["notes.md/a.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders there")
def test_a_pipe_named_like_a_note_is_not_waited_for(store: Vault) -> None:
    os.mkfifo(store.root / "pipe.md")
    put(store, "a.md")
    assert listed(store) == ["a.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no file can have such a name")
def test_a_name_that_is_no_text_is_reported_and_stops_nothing(store: Vault) -> None:
    put(store, "a.md")
    (store.root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    (store.root / os.fsdecode(b"caf\xe9")).mkdir()
    (store.root / os.fsdecode(b"caf\xe9/b.md")).write_text("x")
    assert listed(store) == ["a.md"]
    assert len(store.unreadable) == 2
    assert all("not UTF-8" in reason for reason in store.unreadable.values())
    assert all(path.isprintable() for path in store.unreadable)


@pytest.mark.parametrize("path", ["../x.md", "notes/../../x.md", "/etc/passwd"])
def test_no_path_leads_out(store: Vault, path: str) -> None:
    with pytest.raises(OutsideVault):
        store.absolute_path(path)
    with pytest.raises(OutsideVault):
        store.read_note(path)


def test_a_note_is_read_as_it_stands_and_a_long_one_in_part(store: Vault) -> None:
    put(store, "a.md")
    (store.root / "a.md").write_text("---\ntitle: x\n---\n" + "long " * 100)
    whole, part = store.read_note("a.md"), store.read_note("a.md", limit=100)
    assert whole.block.fields == part.block.fields == {"title": "x"}
    assert (whole.clipped, part.clipped) == (False, True)
    assert whole.raw.startswith(part.raw)
    assert len(part.raw) <= 100


def test_a_path_of_the_vault_and_a_file_are_two_names_of_one(store: Vault, tmp_path: Path) -> None:
    put(store, "notes/a.md")
    assert store.relative_path(store.absolute_path("notes/a.md")) == "notes/a.md"
    assert store.relative_path(tmp_path / "x.md") is None
    assert store.exists("notes/a.md")
    assert not store.exists("notes/b.md")
    assert store.total_size(["notes/a.md", "gone.md"]) == len("notes/a.md")


@pytest.mark.parametrize(("shared", "modes"), [(False, (0o600, 0o700)), (True, (0o640, 0o750))])
def test_modes_are_the_owners_unless_shared(store: Vault, shared: bool, modes: tuple[int, int]) -> None:
    vault = Vault(store.root, Settings({"files.shared": shared}), device="here")
    assert (vault.file_mode, vault.folder_mode) == modes


def test_what_cannot_be_noted_in_passing_is_let_go(store: Vault) -> None:
    assert store.try_journal([{"e": "touch"}], datetime(2026, 1, 28, tzinfo=UTC))
    (store.state / "ledger").write_text("in the way")
    assert not store.try_ledger([{"e": "seen"}], datetime(2026, 1, 28, tzinfo=UTC))
