"""What a person hides is not read, listed, searched or named, in gitignore's own language."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import NotFound
from memvault.storage.vault import layout


@pytest.mark.parametrize(
    ("rules", "path", "hidden"),
    [
        ("diary/", "diary/a.md", True),
        ("diary/", "notes/diary/a.md", True),
        ("/diary/", "notes/diary/a.md", False),
        ("*.draft.md", "notes/a.draft.md", True),
        ("*.md\n!keep.md", "keep.md", False),
        ("# a comment\n\n", "a.md", False),
        ("a.md\r\n", "a.md", True),
        ("\ufeffa.md\n", "a.md", True),
        ("notes/**/old", "notes/x/y/old/a.md", True),
        ("\\#a.md", "#a.md", True),
    ],
)
def test_the_language_is_gitignores(tmp_path: Path, rules: str, path: str, hidden: bool) -> None:
    (tmp_path / ".memvaultignore").write_bytes(rules.encode())
    assert bool(layout.read_ignore_file(tmp_path)(path)) is hidden


def test_without_the_file_nothing_is_hidden(tmp_path: Path) -> None:
    assert not layout.read_ignore_file(tmp_path)("a.md")


def test_bytes_that_are_no_text_hide_what_the_other_lines_say(tmp_path: Path) -> None:
    (tmp_path / ".memvaultignore").write_bytes(b"\xff\xfe\na.md\n")
    assert layout.read_ignore_file(tmp_path)("a.md")


def test_what_is_hidden_is_nowhere_tier_folders_included(vault: Memvault, open_vault) -> None:  # type: ignore[no-untyped-def]
    kept, hid = vault.remember("Tea is fine."), vault.remember("Xanadu lies west.")
    (vault.root / "diary").mkdir()
    (vault.root / "diary/a.md").write_text("Xanadu again.\n")
    (vault.root / ".memvaultignore").write_text(f"diary/\n{hid.memory.name}.md\n")
    before = (vault.root / hid.memory.path).read_bytes()
    again = open_vault(vault.root)
    assert [row.memory.id for row in again.list().rows] == [kept.memory.id]
    assert not again.recall("Xanadu").hits
    with pytest.raises(NotFound):
        again.show(hid.memory.id)
    assert (vault.root / hid.memory.path).read_bytes() == before
    (vault.root / ".memvaultignore").unlink()
    assert open_vault(vault.root).status().memories == 3


def test_it_cannot_bring_back_what_is_no_memory(vault: Memvault, open_vault) -> None:  # type: ignore[no-untyped-def]
    (vault.root / "templates/mine.md").write_text("x")
    (vault.root / ".memvaultignore").write_text("!templates/mine.md\n!CLAUDE.md\n")
    (vault.root / "CLAUDE.md").write_text("x")
    assert open_vault(vault.root).status().memories == 0
