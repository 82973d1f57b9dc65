"""Which memory a note without an id is: the same on every device, and after a rename."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault import Memvault
from memvault.storage.index.update import NoteIdentities
from memvault.storage.journal.ledger import LedgerDecisions

VAULT = "7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11"
FIRST, SECOND = "bc3d8613-f5e1-525a-8536-73869c5f354e", "8397d4b5-a4a3-5411-b7f4-eab126fa30e4"
NOW = datetime(2026, 1, 29, tzinfo=UTC)


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
    assert who.first_seen("m", NOW) == who.first_seen("m", NOW.replace(year=2027)) == NOW
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
