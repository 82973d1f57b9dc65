"""What the settings say of how notes are read holds for those that are known, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.core.memory import Place
from memvault.core.settings.table import SETTING_ROWS
from tests.conftest import Opener

LONG = "The portal is open. " * 3_500 + "\n\nA quokka smiles.\n"
READING = {**{row.name: "elsewhere" for row in SETTING_ROWS if row.section == "layout"}, "index.max_kilobytes": 16}


def put(vault: Memvault, path: str, text: str) -> None:
    note = vault.root / path
    note.parent.mkdir(exist_ok=True)
    note.write_text(text)


def place(vault: Memvault, word: str) -> Place | None:
    return vault.recall(word, min_similarity=0.0).hits[0].memory.place


def journalled(vault: Memvault) -> str:
    return "".join(path.read_text() for path in (vault.root / ".memvault/journal").rglob("*.jsonl"))


def test_a_folder_that_becomes_a_tier_takes_its_notes_along(vault: Memvault, open_vault: Opener) -> None:
    put(vault, "other/plover.md", "The plover rests.\n")
    assert place(vault, "plover") is Place.FOREIGN
    config = vault.root / "memvault.toml"
    before = config.read_bytes()
    config.write_text('[layout]\nmemories = "other"\n')
    assert place(open_vault(vault.root), "plover") is Place.MEMORIES
    config.write_bytes(before)
    assert place(open_vault(vault.root), "plover") is Place.FOREIGN


def test_more_of_a_long_note_is_found_when_more_is_to_be_read(vault: Memvault, open_vault: Opener) -> None:
    put(vault, "2-memories/long.md", LONG)
    clipped = open_vault(vault.root, settings={"index.max_kilobytes": 16})
    assert not clipped.recall("quokka").hits
    assert vault.recall("quokka").hits
    put(vault, "2-memories/long.md", f"{LONG}\nAnd a numbat.\n")
    assert not clipped.recall("numbat").hits
    assert vault.recall("numbat").hits  # whoever reads less takes nothing from the others


def test_to_read_otherwise_is_no_edit(vault: Memvault, open_vault: Opener) -> None:
    put(vault, "2-memories/long.md", LONG)
    for kilobytes in (1024, 16, 1024):
        open_vault(vault.root, settings={"index.max_kilobytes": kilobytes}).refresh()
    assert "edit" not in journalled(vault)
    put(vault, "2-memories/long.md", "It says otherwise.\n")
    vault.refresh()
    assert '"edit"' not in journalled(vault)  # nobody has read it by these settings before
    open_vault(vault.root, settings={"index.max_kilobytes": 1024}).refresh()
    assert '"edit"' in journalled(vault)


@pytest.mark.parametrize("name", READING)
def test_whatever_decides_what_is_read_is_told_apart(name: str, vault: Memvault, open_vault: Opener) -> None:
    other = open_vault(vault.root, settings={name: READING[name]})
    assert other.index_folder != vault.index_folder
    assert other.index_folder == open_vault(vault.root, settings={name: READING[name]}).index_folder


def test_who_asks_otherwise_reads_the_same(vault: Memvault, open_vault: Opener, tmp_path: Path) -> None:
    asked = open_vault(vault.root, settings={"recall.limit": 1, "people.aliases": ("Sara Uy=Sara",)}, folder=tmp_path)
    assert asked.index_folder == vault.index_folder
