"""Where things lie, and which files are memories, as the format page has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.memory import Place
from memvault.core.settings import Settings
from memvault.errors import NotFound
from memvault.storage.vault import layout
from memvault.storage.vault.layout import Layout, is_conflict_copy, is_copy

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


# -- a name alone makes no copy: what is no version of any other note is a note, whatever it is called

ONE, TWO = "7d1f8f64-3c0e-4c52-9d43-5a8f5a3f9e01", "11111111-1111-4111-8111-111111111111"
MARKED = ("Meeting (conflict 2026-01-29 1).md", "Meeting.sync-conflict-20260129-093000-ABCDEFG.md")


def text(id_: str) -> str:
    return f"---\nid: {id_}\n---\nBob and the ferry.\n" if id_ else "Bob and the ferry.\n"


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize(
    ("own", "original", "expected"),
    [
        ("", None, False),
        (ONE, None, True),  # the original was moved, as far as anybody can tell
        (ONE, TWO, False),
        (ONE, ONE.upper(), True),
        (ONE, "", True),
        ("", ONE, True),
        ("", "", True),
    ],
)
def test_a_copy_is_told_by_what_lies_beside_it(
    tmp_path: Path, name: str, own: str, original: str | None, expected: bool
) -> None:
    (tmp_path / name).write_text(text(own))
    if original is not None:
        (tmp_path / "Meeting.md").write_text(text(original))
    assert is_copy(tmp_path, name) is expected


@pytest.mark.parametrize("name", [*MARKED, "Meeting (conflict 2026-01-29 with Bob).md", "Bob's conflicted copy.md"])
@pytest.mark.parametrize("folder", ["2-memories", "letters"])
def test_a_persons_own_note_that_looks_like_one_is_found(vault: Memvault, folder: str, name: str) -> None:
    (vault.root / folder).mkdir(exist_ok=True)
    (vault.root / folder / name).write_text(text(""))
    assert [hit.memory.path for hit in vault.recall("ferry").hits] == [f"{folder}/{name}"]
    (vault.root / folder / "Meeting.md").write_text(text(TWO))
    found = {hit.memory.path for hit in vault.recall("ferry").hits}
    assert (f"{folder}/{name}" in found) == (name not in MARKED)


# -- what a person hides is not read, listed, searched or named, in gitignore's own language


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
