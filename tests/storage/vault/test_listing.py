"""Looking over a vault: notes are put down many at a time, and that is the same as one by one."""

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
from memvault.storage.vault import layout as ignore
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.layout import Layout
from memvault.storage.vault.listing import PartWalk, VaultPart, VaultWalk
from memvault.storage.vault.vault import Vault
from memvault.storage.vault.vault_file import VaultFile
from memvault.system.files import StatKey
from tests.storage.index.cards import entries_of

ADOPTED, OURS = (Layout.from_settings(Settings({}), adopted=adopted) for adopted in (True, False))
NAMES = st.one_of(
    st.sampled_from(
        [
            *("a", "A b", ".hidden", "~draft", "a~b", "v1.2", "CLAUDE", "claude.local", "Gemini", "agents"),
            *("README", "readme"),
        ]
    ),
    st.sampled_from(["x (conflicted copy 2026-01-02)", "x.sync-conflict-20260102-030405", "Conflict", "ſ", "Žluť"]),
    st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=8),
)


def looked_over(root: Path) -> VaultWalk:
    return VaultWalk(root, OURS, ignore.hide_nothing)


def seen(walk: VaultWalk) -> dict[str, dict[str, tuple[int, ...]]]:
    return {folder: dict(iter(entries)) for folder, entries in walk.walk_folders()}


@given(st.lists(NAMES, max_size=5), st.sampled_from(["", "2-memories/"]), st.sampled_from([ADOPTED, OURS]))
def test_names_that_are_plain_together_are_notes_one_by_one(stems: list[str], folder: str, layout: Layout) -> None:
    names = [f"{stem}.md" for stem in stems]
    if layout.are_notes(folder, names):
        assert all(layout.is_note(folder, name) for name in names)


def test_most_names_are_plain() -> None:
    assert OURS.are_notes("2-memories/", ["2026-01-02-met-ada.md", "Žluť.md", "v1.2 of it.md", "README.md"])
    assert not OURS.are_notes("", ["README.md"])


@pytest.mark.parametrize("count", [1, 64, 65, 200])
def test_a_folder_is_listed_the_same_together_and_one_by_one(
    tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "2-memories"
    (folder / "below").mkdir(parents=True)
    (folder / "a folder.md").mkdir()
    for number in range(count):
        (folder / f"note {number}.md").write_text("x" * number)
    for name in (".hidden.md", "CLAUDE.md", "other.markdown", "picture.png", "~$n.md", "below/deep.md"):
        (folder / name).write_text("y")
    together = seen(walk := looked_over(tmp_path))
    assert len(together["2-memories/"]) == count + 1
    assert list(together["2-memories/below/"]) == ["deep.md"]
    monkeypatch.setattr(VaultWalk, "_add_many", lambda *_: False)
    assert seen(again := looked_over(tmp_path)) == together
    assert (again.linked_notes, again.unreadable) == (walk.linked_notes, walk.unreadable) == (set(), {})


@pytest.mark.skipif(sys.platform == "win32", reason="links want rights there")
def test_a_link_among_many_is_looked_at_closely(tmp_path: Path) -> None:
    folder = tmp_path / "2-memories"
    folder.mkdir()
    for number in range(100):
        (folder / f"note {number}.md").write_text("x")
    outside = tmp_path.parent / f"{tmp_path.name} outside.md"
    outside.write_text("not of this vault")
    (folder / "inside.md").symlink_to(folder / "note 1.md")
    (folder / "outside.md").symlink_to(outside)
    (folder / "nowhere.md").symlink_to(folder / "gone.md")
    os.link(folder / "note 2.md", folder / "twin.md")
    found = seen(walk := looked_over(tmp_path))["2-memories/"]
    assert len(found) == 102
    assert "outside.md" not in found
    assert walk.linked_notes == {f"2-memories/{name}.md" for name in ("inside", "outside", "nowhere", "note 2", "twin")}
    assert set(walk.unreadable) == {"2-memories/outside.md", "2-memories/nowhere.md"}


def test_what_is_hidden_among_many_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "2-memories"
    folder.mkdir()
    for number in range(100):
        (folder / f"note {number}.md").write_text("x")
    walk = VaultWalk(tmp_path, OURS, lambda path: path.endswith("note 7.md"))
    assert len(seen(walk)["2-memories/"]) == 99
    assert len(seen(VaultWalk(tmp_path, OURS, lambda path: path.endswith("other.md")))["2-memories/"]) == 100


# -- what stands in a folder: as it was put down, and with a mark that is another as soon as anything is

NUMBER = st.integers(0, 2**63 - 1)
NAME = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=6)
FOLDER = st.dictionaries(NAME, st.tuples(NUMBER, NUMBER, NUMBER, NUMBER), max_size=5)


@given(held=FOLDER)
def test_what_was_put_down_comes_back_in_the_order_of_names(held: dict[str, StatKey]) -> None:
    entries = entries_of(held.items())
    assert list(entries) == sorted(held.items())
    assert len(entries) == len(held)


@given(one=FOLDER, other=FOLDER)
def test_two_folders_have_one_mark_only_if_they_hold_the_same(
    one: dict[str, StatKey], other: dict[str, StatKey]
) -> None:
    marks = [b"".join(entries_of(sorted(held.items())).digest_parts()) for held in (one, other)]
    assert (marks[0] == marks[1]) == (one == other)


def test_many_notes_have_the_mark_that_they_had_in_one_piece() -> None:
    entries = entries_of((f"{number}.md", (number, 1, 2, 3)) for number in range(10_000))
    whole = "\0".join((str(len(entries)), *entries.names)).encode() + entries.keys
    assert b"".join(entries.digest_parts()) == whole


# -- parts of a vault: a walk straight to some place finds there what the walk through all of it finds there

PART_NAMES = ("a.md", "b.MD", "README.md", "CLAUDE.md", ".hidden.md", "~x.md", "picture.png", "folder.md")
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


places = st.builds(lambda folder, name: folder + name, st.sampled_from(FOLDERS), st.sampled_from(PART_NAMES))


@settings(max_examples=25)
@given(st.sets(places, max_size=12), st.sampled_from(("", "hidden/\n", "b.*\n*.markdown\n")))
@pytest.mark.points(only=True)
def test_straight_to_a_place_or_through_everything_is_the_same(paths: set[str], ignore: str) -> None:
    with TemporaryDirectory() as folder:
        vault = made(Path(folder), ignore=ignore)
        for path in sorted(paths, reverse=True):
            put(vault.root, path)
        listing = dict(vault.list_folders())
        known = {folder + name: key for folder, notes in listing.items() for name, key in notes}
        walk = PartWalk(vault.root, vault.layout, vault.hides)
        everywhere = {folder + name for folder in FOLDERS for name in PART_NAMES}
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
