"""A vault is known by its charter; a folder that is none is told what it lacks, and a newer one is left alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memvault.errors import AlreadyThere, BadInput, MemvaultError, NotAVault, NoVault, Unreadable, VaultTooNew
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.vault_file import VaultFile, VaultPlaces

ID = "7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11"
NOW = datetime(2026, 1, 28, 9, tzinfo=UTC)


def a_vault(root: Path, said: str | None = None) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    charter.write_vault_file(root, VaultFile(ID), NOW)
    (root / "memvault.toml").touch()
    if said is not None:
        (root / ".memvault/vault.json").write_text(said)
    return root


@pytest.mark.parametrize("adopted", [True, False])
def test_what_is_written_is_read_back(tmp_path: Path, adopted: bool) -> None:
    charter.write_vault_file(tmp_path, VaultFile(ID, adopted), NOW)
    assert charter.read_vault_file(tmp_path) == VaultFile(ID, adopted, 1)
    said = json.loads((tmp_path / ".memvault/vault.json").read_text())
    assert said == {"format": 1, "id": ID, "created": "2026-01-28T09:00:00Z", "adopted": adopted}


def test_a_charter_is_never_written_over(tmp_path: Path) -> None:
    a_vault(tmp_path)
    with pytest.raises(AlreadyThere):
        charter.write_vault_file(tmp_path, VaultFile(ID.replace("7", "8")), NOW)
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
