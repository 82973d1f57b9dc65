"""Where things lie, and which files are memories, as the format page has it."""

from __future__ import annotations

import pytest

from memvault.core.memory import Place
from memvault.core.settings import Settings
from memvault.storage.vault.layout import Layout, is_conflict_copy

LAYOUT = Layout.from_settings(Settings({}), adopted=False)
AT_HOME = Layout.from_settings(Settings({"layout.home": "memory", "layout.hot": "warm/er"}), adopted=True)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("0-identity/me.md", Place.IDENTITY),
        ("1-hot/sub/folder/a.md", Place.HOT),
        ("2-memories/a.markdown", Place.MEMORIES),
        ("2-memories/A.MD", Place.MEMORIES),
        ("2-memories/deep-context/a.md", Place.DEEP),
        ("3-raw/archived/a.md", Place.ARCHIVED),
        ("quarantine/a.md", Place.QUARANTINE),
        ("notes/a.md", Place.FOREIGN),
        ("a.md", Place.FOREIGN),
        ("notes/README.md", Place.FOREIGN),
        ("2-memories-of-mine/a.md", Place.FOREIGN),
        ("README.md", None),
        ("CLAUDE.md", None),
        ("notes/agents.MD", None),
        ("Claude.local.md", None),
        ("2-memories/gemini.md", None),
        ("3-raw/a.md", None),
        ("3-raw/transcripts/2026/01/a.md", None),
        ("private/a.md", None),
        ("templates/a.md", None),
        (".obsidian/a.md", None),
        ("notes/.hidden/a.md", None),
        ("notes/.a.md", None),
        ("notes/~a.md", None),
        ("notes/a.txt", None),
        ("notes/a.md.age", None),
        ("notes/md", None),
    ],
)
def test_the_folder_is_the_place(path: str, place: Place | None) -> None:
    assert LAYOUT.place_of(path) is place


def test_folders_are_settings_and_the_home_folder_holds_them_all() -> None:
    assert AT_HOME.place_of("memory/0-identity/a.md") is Place.IDENTITY
    assert AT_HOME.place_of("memory/warm/er/a.md") is Place.HOT
    assert AT_HOME.place_of("memory/warm/a.md") is AT_HOME.place_of("0-identity/a.md") is Place.FOREIGN
    assert AT_HOME.place_of("README.md") is Place.FOREIGN, "an adopted vault's own page is a note of the person's"
    assert AT_HOME.transcripts == "memory/3-raw/transcripts/"


@pytest.mark.parametrize("layout", [LAYOUT, AT_HOME], ids=["plain", "home"])
@pytest.mark.parametrize("place", [place for place in Place if place is not Place.FOREIGN])
def test_a_note_put_into_the_folder_of_a_place_lies_there(layout: Layout, place: Place) -> None:
    assert layout.place_of(f"{layout.folder_of(place)}a.md") is place
    assert layout.place_of(f"{layout.folder_of(place)}b/c/a.md") is place


@pytest.mark.parametrize(
    "name",
    [
        *("note.sync-conflict-20260129-030000-ABCDEFG.md", "note (conflicted copy 2026-01-29).md"),
        *("note (Sara's conflicted copy 2026-01-29).md", "note (SARA's Conflicted Copy).md"),
        *("note conflicted copy 2026-01-29.md", "note (Case Conflict).md", "note (case conflict 1).md"),
        *("note (conflict 2026-01-29 1).md", "note.conflict-1.md"),
    ],
)
def test_copies_of_syncing_programs_are_no_memories(name: str) -> None:
    assert is_conflict_copy(name)
    assert LAYOUT.place_of(f"2-memories/{name}") is None


@pytest.mark.parametrize(
    "name", ["conflict.md", "a conflicted copy of me.md", "the (conflict) at work.md", "note 2.md", "note (1).md"]
)
def test_a_word_alone_makes_no_copy(name: str) -> None:
    assert not is_conflict_copy(name)
    assert LAYOUT.place_of(f"2-memories/{name}") is Place.MEMORIES


@pytest.mark.parametrize(
    ("folder", "entered"),
    [
        ("notes/", True),
        ("3-raw/", True),
        ("3-raw/archived/x/", True),
        ("3-raw/transcripts/", False),
        ("quarantine/", False),
        ("private/", False),
        ("templates/", False),
        (".git/", False),
        ("notes/.trash/", False),
    ],
)
def test_folders_without_memories_are_not_walked(folder: str, entered: bool) -> None:
    assert LAYOUT.walks_into(folder) is entered
