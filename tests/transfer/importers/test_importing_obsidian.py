"""An Obsidian vault on its way in: folders, names and files stay, and every link that led somewhere goes on doing so."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.storage.vault.obsidian import ObsidianSettings, read_obsidian_settings
from tests import points

FOLDERS = ("Projects/Atlas", "Projects/Borealis", "Areas/Health", "Resources/Reading list", "Daily", "")
NOTES = points.of(45, 300)  # each form of link three times, or twenty times
LINKS = (
    "[[{name}]]",
    "[[{path}]]",
    "[[{path}.md]]",
    "[[{name}|as we call it]]",
    "[[{name}#What it says]]",
    "[[{name}#^block]]",
    "![[{name}]]",
    "[[Alias of {name}]]",
    "[a note](<{up}{path}.md>)",
    "![[pictures/quay.png|300]]",
    "![a view]({up}pictures/quay.png)",
    "[[minutes.pdf]]",
    "[[{name}]] and ![[board.excalidraw]]",
    "[[Nothing yet]]",
    "[[sheet]]",
)


def notes(folder: Path) -> list[str]:
    """Write a vault of many notes with every form of link; return their paths."""
    names = [f"{FOLDERS[number % len(FOLDERS)]}/Note {number}".strip("/") for number in range(NOTES)]
    for number, path in enumerate(names):
        target = names[(number * 7 + 3) % len(names)]
        link = LINKS[number % len(LINKS)].format(
            name=target.rpartition("/")[2], path=target, up="../" * path.count("/")
        )
        name = path.rpartition("/")[2]
        text = f"# {name} at large\n\n## What it says\n\nThis is what number {number} says. ^block\n\nSee {link}.\n"
        file = folder / f"{path}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\naliases: [Alias of {name}]\n---\n{text}")
    (folder / "pictures").mkdir()
    (folder / "pictures" / "quay.png").write_bytes(b"\x89PNG")
    (folder / "files").mkdir()
    (folder / "files" / "minutes.pdf").write_bytes(b"%PDF")
    (folder / "Drawings").mkdir()
    (folder / "Drawings" / "board.excalidraw.md").write_text("---\nexcalidraw-plugin: parsed\n---\n# Text Elements\n")
    (folder / "Nothing yet.md").write_text("")
    (folder / "Meta").mkdir()
    (folder / "Meta" / "sheet.md").write_text("# {{title}}\n")
    settings = folder / ".obsidian"
    settings.mkdir()
    (settings / "templates.json").write_text(json.dumps({"folder": "Meta"}))
    return names


def dangling(vault: Memvault) -> list[str]:
    return [found.path for found in vault.doctor().findings if found.check == "links"]


def test_every_link_that_led_somewhere_still_does(vault: Memvault, tmp_path: Path) -> None:
    names = notes(tmp_path / "notes")
    found = vault.import_memories("obsidian", tmp_path / "notes")
    assert {one.outcome for one in found.memories} == {"new"}
    assert {one.path for one in found.memories} == {f"2-memories/{name}.md" for name in names}
    for name in ("pictures/quay.png", "files/minutes.pdf", "Drawings/board.excalidraw.md", "Nothing yet.md"):
        assert (vault.root / "2-memories" / name).read_bytes() == (tmp_path / "notes" / name).read_bytes()
    assert (vault.root / "templates" / "sheet.md").exists()
    assert dangling(vault) == []
    (tmp_path / "notes" / "Note 5.md").write_text("It leads to [[Nobody wrote this]].\n")
    vault.import_memories("obsidian", tmp_path / "notes")
    assert dangling(vault) == ["2-memories/Note 5.md"]


def test_links_between_notes_lead_to_files_of_those_names(vault: Memvault, tmp_path: Path) -> None:
    names = notes(tmp_path / "notes")
    vault.import_memories("obsidian", tmp_path / "notes")
    shown = vault.show("2-memories/Projects/Atlas/Note 0.md")
    assert [link.casefold() for link in shown.links] == [names[3].rpartition("/")[2].casefold()]
    assert shown.memory.aliases == ("Note 0 at large", "Alias of Note 0")  # its heading and its own alias, not its name
    body = shown.memory.body or ""
    assert (
        body.strip()
        == (tmp_path / "notes" / "Projects/Atlas/Note 0.md")
        .read_text()
        .partition("---\n")[2]
        .partition("---\n")[2]
        .strip()
    )


def test_an_undo_leaves_the_vault_as_it_was(vault: Memvault, tmp_path: Path) -> None:
    notes(tmp_path / "notes")
    before = {
        path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file() and ".memvault" not in path.parts
    }
    vault.import_memories("obsidian", tmp_path / "notes")
    vault.undo()
    after = {
        path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file() and ".memvault" not in path.parts
    }
    assert after == before


def test_a_daily_note_has_its_day_and_is_episodic(vault: Memvault, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / ".obsidian").mkdir(parents=True)
    (folder / ".obsidian" / "daily-notes.json").write_text(json.dumps({"folder": "Journal", "format": "DD.MM.YYYY"}))
    (folder / "Journal").mkdir()
    (folder / "Journal" / "07.03.2025.md").write_text("We moved the boat to the north quay today.\n")
    vault.import_memories("obsidian", folder)
    memory = vault.find("07.03.2025")
    assert (memory.kind, memory.created.date(), memory.path) == (
        "episodic",
        date(2025, 3, 7),
        "2-memories/Journal/07.03.2025.md",
    )


@pytest.mark.parametrize(
    ("settings", "path", "day"),
    [
        (ObsidianSettings(), "2025-03-07.md", date(2025, 3, 7)),
        (ObsidianSettings(), "2025-03-07 walk.md", None),
        (ObsidianSettings(daily="Journal"), "2025-03-07.md", None),
        (ObsidianSettings(daily="Journal"), "journal/2025-03-07.md", date(2025, 3, 7)),
        (ObsidianSettings(daily_format="YYYY/MM/YYYY-MM-DD"), "2025/03/2025-03-07.md", date(2025, 3, 7)),
        (ObsidianSettings(daily_format="dddd, MMMM Do YYYY"), "Friday, March 7th 2025.md", date(2025, 3, 7)),
        (ObsidianSettings(daily_format="[Day] D-M-YY"), "Day 7-3-25.md", date(2025, 3, 7)),
        (ObsidianSettings(daily_format="100%"), "100%.md", date(1900, 1, 1)),
    ],
)
def test_the_day_of_a_daily_note_is_read_by_its_format(settings: ObsidianSettings, path: str, day: date | None) -> None:
    assert settings.daily_date(path) == day


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("Templates/person.md", True),
        ("meta/TEMPLATES/person.md", True),
        ("Bin/x.md", True),
        ("Forms/a.md", True),
        ("templates.md", False),
        ("Projects/a.md", False),
    ],
)
def test_templates_are_known_by_their_folder_in_any_case_and_by_the_settings(path: str, is_one: bool) -> None:
    assert ObsidianSettings(templates=("Forms", "bin")).is_template(path) is is_one


def test_settings_that_cannot_be_read_say_nothing(tmp_path: Path) -> None:
    (tmp_path / ".obsidian" / "plugins" / "templater-obsidian").mkdir(parents=True)
    (tmp_path / ".obsidian" / "templates.json").write_text("{not json")
    (tmp_path / ".obsidian" / "daily-notes.json").write_text("[1, 2]")
    assert read_obsidian_settings(tmp_path) == ObsidianSettings()
    (tmp_path / ".obsidian" / "plugins" / "templater-obsidian" / "data.json").write_text(
        '{"templates_folder": "/Tpl/"}'
    )
    assert read_obsidian_settings(tmp_path).templates == ("Tpl",)
