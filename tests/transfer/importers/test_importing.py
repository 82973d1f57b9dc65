"""Another program's memories: each brought in once, and what a person did here since stays."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import BadInput, Unreadable
from memvault.system import project
from memvault.transfer.importers.import_memories import SOURCES, ImportResult
from tests.maintenance.upkeep import notes_of

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def topic(folder: Path, name: str, text: str, sort: str = "project", description: str = "") -> Path:
    path = folder / f"{name}.md"
    path.write_text(
        f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: {sort}\n"
        f"modified: 2026-01-20T08:00:00Z\n---\n\n{text}\n"
    )
    return path


@pytest.fixture
def memory(environment: dict[str, str]) -> Path:
    """Claude Code's memory of one project, with a session that tells where it was held."""
    sessions = Path(environment["HOME"]) / ".claude/projects/-home-noor-gauges"
    folder = sessions / "memory"
    folder.mkdir(parents=True)
    (sessions / "s.jsonl").write_text(json.dumps({"type": "user", "cwd": "/home/noor/gauges"}) + "\n")
    (folder / "MEMORY.md").write_text(
        "# Memory\n\n- [Tabs](tabs.md) — tabs, not spaces\n- The staging gauge answers on port 8443 only.\n- short\n"
    )
    topic(folder, "tabs", "Noor wants tabs in all code. See [[quay-modem]].", "feedback", "Tabs, not spaces")
    topic(folder, "quay-modem", "The spare modem of the quay lies in the green box.", description="Where the modem is")
    topic(folder, "noor", "Noor is a hydrologist and lives in Hollin.", "user", "Who Noor is")
    return folder


def outcomes(found: ImportResult) -> dict[str, str]:
    return {one.origin.rpartition("/")[2].partition("#")[0]: one.outcome for one in found.memories}


def test_every_topic_becomes_a_memory_with_its_source(vault: Memvault, memory: Path) -> None:
    found = vault.import_memories("claude-memory")
    assert outcomes(found) == dict.fromkeys(("MEMORY.md", "tabs.md", "quay-modem.md", "noor.md"), "new")
    kept = {row.memory.title: row.memory for row in vault.list().rows}
    tabs, noor = kept["Tabs, not spaces"], kept["Who Noor is"]
    assert (tabs.more["source"], tabs.more["scope"], tabs.more["project"]) == (
        "import",
        "project",
        project.project_of(Path("/home/noor/gauges")),
    )
    assert "preference" in tabs.tags
    assert "tabs" in tabs.aliases
    assert f"{tabs.created:%Y-%m-%d}" == "2026-01-20"
    assert noor.more["scope"] == "global"
    assert "project" not in noor.more
    assert any("8443" in row.memory.title for row in vault.list().rows)


def test_a_dry_run_says_the_same_and_writes_nothing(vault: Memvault, memory: Path) -> None:
    before = notes_of(vault.root)
    dry = vault.import_memories("claude-memory", dry_run=True)
    assert notes_of(vault.root) == before
    done = vault.import_memories("claude-memory")
    assert [(one.outcome, one.path, one.id) for one in dry.memories] == [
        (one.outcome, one.path, one.id) for one in done.memories
    ]


def test_import_renews_what_changed_there_and_keeps_what_changed_here(vault: Memvault, memory: Path) -> None:
    vault.import_memories("claude-memory")
    mine = vault.edit("Where the modem is", append="I moved it to the hall.").memory
    topic(memory, "quay-modem", "The spare modem of the quay lies in the red box.")
    topic(memory, "tabs", "Noor wants tabs in all code but YAML.", "feedback", "Tabs, not spaces")
    found = vault.import_memories("claude-memory")
    told = outcomes(found)
    assert (told["quay-modem.md"], told["tabs.md"], told["noor.md"]) == ("yours", "renewed", "unchanged")
    assert "I moved it" in vault.path_of(mine.id).read_text()
    assert "but YAML" in vault.path_of("Tabs, not spaces").read_text()
    assert set(outcomes(vault.import_memories("claude-memory")).values()) == {"unchanged", "yours"}


def test_import_leaves_memories_edited_here(vault: Memvault, memory: Path) -> None:
    vault.import_memories("claude-memory")
    vault.edit("Where the modem is", append="I moved it to the hall.")
    assert outcomes(vault.import_memories("claude-memory"))["quay-modem.md"] == "unchanged"


def test_two_of_one_title_and_day_both_come_in(vault: Memvault, memory: Path) -> None:
    topic(memory, "one", "The first of two notes with the same title.", description="A title for two")
    topic(memory, "two", "The second of two notes with that title.", description="A title for two")
    vault.import_memories("claude-memory")
    assert sum(row.memory.title == "A title for two" for row in vault.list().rows) == 2


@pytest.mark.parametrize("below", ["..", "../..", "."])
def test_a_folder_of_topics_of_one_project_or_of_all_may_be_named(vault: Memvault, memory: Path, below: str) -> None:
    found = vault.import_memories("claude-memory", Path(os.path.normpath(memory / below)))
    assert len(found.memories) == 4


def test_the_folder_stands_for_the_project_without_a_session(vault: Memvault, memory: Path) -> None:
    (memory.parent / "s.jsonl").unlink()
    vault.import_memories("claude-memory")
    projects = {row.memory.more.get("project") for row in vault.list().rows}
    assert projects == {None, "folder:-home-noor-gauges"}


def test_an_unknown_source_and_a_folder_that_is_not_there_are_told(vault: Memvault, tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        vault.import_memories("elephant")
    with pytest.raises(Unreadable):
        vault.import_memories("claude-memory", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert vault.import_memories("claude-memory", tmp_path / "empty").memories == ()


def test_the_command_knows_every_source() -> None:
    from memvault.cli.transfer import import_

    assert tuple(SOURCES) == import_.SOURCES
