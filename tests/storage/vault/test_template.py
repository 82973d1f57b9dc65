"""What a new vault is laid down from."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from memvault.core.ids import is_id
from memvault.core.kinds import KINDS
from memvault.core.memory import Memory, Place
from memvault.core.settings import Settings
from memvault.storage import frontmatter
from memvault.storage.vault import codec, create
from memvault.storage.vault.layout import Layout

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
