"""Parts of a vault: a walk straight to some place finds there what the walk through all of it finds there."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memvault.core.settings import Settings
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.listing import PartWalk, VaultPart
from memvault.storage.vault.vault import Vault
from memvault.storage.vault.vault_file import VaultFile

NAMES = ("a.md", "b.MD", "README.md", "CLAUDE.md", ".hidden.md", "~x.md", "picture.png", "folder.md")
FOLDERS = (
    *("", "2-memories/", "2-memories/deep-context/", "3-raw/", "3-raw/archived/old/", "3-raw/transcripts/"),
    "quarantine/",
    *("private/", "templates/", "notes/", "notes/hidden/", "notes/hidden/deep/", ".obsidian/", "notes/.trash/"),
    "inner/",
    *("inner/.memvault/", "inner/below/", "notes/folder.md/"),
)


def opened(root: Path) -> Vault:
    return Vault(root, Settings({}), device="here")


def made(root: Path, *, ignore: str = "") -> Vault:
    root.mkdir(exist_ok=True)
    charter.write_vault_file(root, VaultFile("7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11"), datetime(2026, 1, 28, tzinfo=UTC))
    (root / ".memvaultignore").write_text(ignore)
    return opened(root)


def put(root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    if not (root / path).is_dir():
        (root / path).write_text(path)


places = st.builds(lambda folder, name: folder + name, st.sampled_from(FOLDERS), st.sampled_from(NAMES))


@settings(max_examples=25)
@given(st.sets(places, max_size=12), st.sampled_from(("", "hidden/\n", "b.*\n*.markdown\n")))
def test_straight_to_a_place_or_through_everything_is_the_same(paths: set[str], ignore: str) -> None:
    with TemporaryDirectory() as folder:
        vault = made(Path(folder), ignore=ignore)
        for path in sorted(paths, reverse=True):
            put(vault.root, path)
        listing = dict(vault.list_folders())
        known = {folder + name: key for folder, notes in listing.items() for name, key in notes}
        walk = PartWalk(vault.root, vault.layout, vault.hides)
        everywhere = {folder + name for folder in FOLDERS for name in NAMES}
        assert {path: key for path in everywhere if (key := walk.note_key(path))} == known
        for start in FOLDERS:
            below = {folder: notes for folder, notes in listing.items() if folder.startswith(start)}
            assert dict(walk.list_folders([start])) == below
        assert set(listing) <= set(walk.walked_folders()) <= {*listing, "inner/"}


def test_a_folder_is_named_before_it_is_looked_into(tmp_path: Path) -> None:
    vault = made(tmp_path / "vault")
    seen = []
    for folder in PartWalk(vault.root, vault.layout, vault.hides).walked_folders():
        seen.append(folder)
        if folder == "notes/":
            put(vault.root, "notes/later/a.md")
        if folder == "":
            put(vault.root, "notes/a.md")
    assert {"notes/", "notes/later/"} <= set(seen)


def test_of_folders_and_notes_only_the_outermost_are_looked_at() -> None:
    part = VaultPart(frozenset({"a/b/x.md", "ab/y.md", "z.md"}), frozenset({"a/", "a/b/", "a/c/d/", "b/"}))
    assert part.outermost_folders() == ("a/", "b/")
    assert part.notes_outside() == ("ab/y.md", "z.md")


@pytest.mark.skipif(sys.platform == "win32", reason="making links takes a privilege there")
def test_notes_with_another_name_are_told(tmp_path: Path) -> None:
    vault = made(tmp_path / "vault")
    for path in ("alone.md", "hard.md", "notes/target.md"):
        put(vault.root, path)
    os.link(vault.root / "hard.md", tmp_path / "elsewhere.md")
    (vault.root / "soft.md").symlink_to(vault.root / "notes/target.md")
    list(vault.list_folders())
    walk = PartWalk(vault.root, vault.layout, vault.hides)
    for path in ("alone.md", "hard.md", "soft.md", "notes/target.md"):
        assert walk.note_key(path)
    assert vault.linked_notes == walk.linked_notes == {"hard.md", "soft.md"}
