"""Other programs' memories in their true formats: what is taken of each, and that a second time takes nothing."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.memory import Memory
from memvault.errors import NothingToDo, Unreadable
from memvault.system import project
from memvault.system.files import temp
from memvault.transfer.importers.import_memories import ImportResult
from tests.conftest import Opener
from tests.maintenance.upkeep import notes_of

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def kept(vault: Memvault) -> dict[str, Memory]:
    return {row.memory.title: row.memory for row in vault.list().rows}


def text_of(vault: Memvault, title: str) -> str:
    return vault.path_of(title).read_text().partition("\n---\n")[2]


def outcomes(found: ImportResult) -> list[str]:
    return [one.outcome for one in found.memories]


# basic-memory: docs.basicmemory.com/concepts/knowledge-format, and NOTE-FORMAT.md in its repository


def basic_memory(folder: Path) -> Path:
    (folder / "coffee").mkdir(parents=True)
    (folder / "coffee" / "Brewing.md").write_text(
        "---\ntitle: Brewing by hand\ntype: note\ntags: [coffee, kitchen]\npermalink: coffee/brewing-by-hand\n"
        "created: 2025-11-02T07:30:00+00:00\n---\n\n# Brewing by hand\n\n## Observations\n"
        "- [method] Water just off the boil draws out most #heat\n"
        "- [preference] Noor likes a coarse grind (said at breakfast)\n\n## Relations\n"
        "- requires [[Grinder]]\n- extends [[Making coffee]]\n"
    )
    (folder / "Ada.md").write_text("---\ntitle: Ada Brook\ntype: Person\n---\n- [role] Keeps the boat in order\n")
    return folder


def test_basic_memory(vault: Memvault, tmp_path: Path) -> None:
    vault.import_memories("basic-memory", basic_memory(tmp_path / "basic"))
    brewing, ada = kept(vault)["Brewing by hand"], kept(vault)["Ada Brook"]
    assert set(brewing.tags) == {"coffee", "kitchen", "heat", "preference"}
    assert brewing.more["extends"] == ("[[Making coffee]]",)
    assert brewing.more["source"] == "import"
    assert f"{brewing.created:%Y-%m-%d}" == "2025-11-02"
    assert "coffee/brewing-by-hand" in brewing.aliases
    assert "- requires [[Grinder]]" in text_of(vault, "Brewing by hand")
    assert ada.people == ("Ada Brook",)


# claude-mem: src/services/sqlite/migrations/runner.ts and scripts/export-memories.ts in its repository

OBSERVATION = {
    "id": 7,
    "memory_session_id": "5d1f",
    "project": "gauges",
    "text": None,
    "type": "bugfix",
    "title": "The port of the staging gauge",
    "subtitle": "It was read from the wrong file",
    "facts": json.dumps(["The staging gauge listens on port 8443", "config/ports.toml names it"]),
    "narrative": "The client read the port of production and so never reached the staging gauge.",
    "concepts": json.dumps(["gotcha", "how-it-works"]),
    "files_read": json.dumps(["config/ports.toml"]),
    "files_modified": json.dumps(["src/client.py"]),
    "prompt_number": 3,
    "created_at": "2025-12-01T10:00:00.000Z",
    "created_at_epoch": 1764583200000,
}
SUMMARY = {
    "id": 2,
    "memory_session_id": "5d1f",
    "project": "gauges",
    "request": "Find out why staging is silent",
    "investigated": "The client's configuration and the log of the gauge.",
    "learned": "Ports come from config/ports.toml.",
    "completed": "The client reads the right port now.",
    "next_steps": "Look at the tide table.",
    "files_read": "[]",
    "files_edited": json.dumps(["src/client.py"]),
    "notes": None,
    "prompt_number": 3,
    "created_at": "2025-12-01T10:20:00.000Z",
    "created_at_epoch": 1764584400000,
}


def claude_mem_export(folder: Path) -> Path:
    path = folder / "memories.json"
    told = {
        "exportedAt": "2026-01-02T08:00:00.000Z",
        "exportedAtEpoch": 1767340800000,
        "query": "gauge",
        "totalObservations": 1,
        "totalSessions": 1,
        "totalSummaries": 1,
        "totalPrompts": 1,
        "observations": [OBSERVATION],
        "sessions": [{"id": 1, "content_session_id": "c", "memory_session_id": "5d1f", "project": "gauges"}],
        "summaries": [SUMMARY],
        "prompts": [{"id": 1, "content_session_id": "c", "prompt_number": 1, "prompt_text": "why is it silent?"}],
    }
    path.write_text(json.dumps(told, indent=2))
    return path


def claude_mem_database(folder: Path) -> Path:
    path = folder / "claude-mem.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("pragma journal_mode = wal")
        for table, row in (("observations", OBSERVATION), ("session_summaries", SUMMARY)):
            database.execute(f"create table {table} ({', '.join(row)})")
            database.execute(f"insert into {table} values ({', '.join('?' * len(row))})", tuple(row.values()))
    return path


@pytest.mark.parametrize("made", [claude_mem_export, claude_mem_database])
def test_claude_mem(vault: Memvault, tmp_path: Path, made: Callable[[Path], Path]) -> None:
    path = made(tmp_path)
    before, beside = path.read_bytes(), sorted(tmp_path.iterdir())
    found = vault.import_memories("claude-mem", path)
    assert outcomes(found) == ["new", "new"]
    observed, summary = kept(vault)[OBSERVATION["title"]], kept(vault)[SUMMARY["request"]]  # type: ignore[index]
    assert observed.type == "learning"
    assert {"bugfix", "gotcha", "how-it-works"} <= set(observed.tags)
    assert observed.refs["artifacts"] == ("src/client.py", "config/ports.toml")
    assert (observed.more["project"], observed.more["scope"]) == ("folder:gauges", "project")
    assert f"{observed.created:%Y-%m-%dT%H:%M}" == "2025-12-01T10:00"
    assert "- The staging gauge listens on port 8443" in text_of(vault, observed.title)
    assert summary.type == "milestone"
    assert "**Next**: Look at the tide table." in text_of(vault, summary.title)
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == (before, beside)


def test_a_database_in_which_that_program_is_at_work_is_read_too(vault: Memvault, tmp_path: Path) -> None:
    path = claude_mem_database(tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("update observations set title = 'Another title'")
        database.commit()  # it stands in the write-ahead log until that program ends
        vault.import_memories("claude-mem", path)
    assert "Another title" in kept(vault)


def test_the_database_and_the_export_of_claude_mem_are_the_same_memories(vault: Memvault, tmp_path: Path) -> None:
    vault.import_memories("claude-mem", claude_mem_database(tmp_path))
    assert outcomes(vault.import_memories("claude-mem", claude_mem_export(tmp_path))) == ["unchanged", "unchanged"]


def test_claude_mem_lies_where_that_program_keeps_it(vault: Memvault, environment: dict[str, str]) -> None:
    home = Path(environment["HOME"]) / ".claude-mem"
    home.mkdir()
    claude_mem_database(home)
    assert len(vault.import_memories("claude-mem").memories) == 2


# mem0: docs.mem0.ai/api-reference/memory/get-memory, and get_all as in its cookbook on exporting

MEM0 = {
    "count": 2,
    "next": None,
    "previous": None,
    "results": [
        {
            "id": "3c90c3cc-0d44-4b50-8888-8dd25736052a",
            "memory": "Noor is a vegetarian",
            "user_id": "noor",
            "hash": "9d3b",
            "metadata": {"category": "food"},
            "categories": ["personal details"],
            "created_at": "2025-07-01T05:31:56Z",
            "updated_at": "2025-07-01T05:31:56Z",
        },
        {"id": "b", "memory": "Meetings before ten are to be avoided", "created_at": "2025-07-02T00:00:00-07:00"},
    ],
}


@pytest.mark.parametrize("told", [MEM0, MEM0["results"]], ids=["wrapped", "bare"])
def test_mem0(vault: Memvault, tmp_path: Path, told: object) -> None:
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps(told))
    assert outcomes(vault.import_memories("mem0", path)) == ["new", "new"]
    first = kept(vault)["Noor is a vegetarian"]
    assert set(first.tags) == {"food", "personal-details"}
    assert f"{first.created:%Y-%m-%d}" == "2025-07-01"
    assert first.more["scope"] == "global"
    assert first.refs["imported"][0] == "mem0:3c90c3cc-0d44-4b50-8888-8dd25736052a"


# the MCP memory server: src/memory/index.ts in modelcontextprotocol/servers


def mcp_memory(folder: Path) -> Path:
    rows = [
        {"type": "entity", "name": "Ada_Brook", "entityType": "person", "observations": ["Sails", "Lives in Hollin"]},
        {"type": "entity", "name": "Quay 4", "entityType": "Place", "observations": ["Its modem is in the green box"]},
        {"type": "relation", "from": "Ada_Brook", "to": "Quay 4", "relationType": "works_at"},
    ]
    path = folder / "memory.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_the_mcp_memory_server(vault: Memvault, tmp_path: Path) -> None:
    found = vault.import_memories("mcp-memory", mcp_memory(tmp_path))
    assert outcomes(found) == ["new", "new"]
    ada = kept(vault)["Ada_Brook"]
    assert (ada.people, ada.tags) == (("Ada_Brook",), ("person",))
    assert text_of(vault, "Ada_Brook").strip() == "- Sails\n- Lives in Hollin\n\n- works_at [[Quay 4]]"


def test_a_damaged_line_is_passed_over_and_told_with_its_number(vault: Memvault, tmp_path: Path) -> None:
    path = mcp_memory(tmp_path)
    path.write_text(f'{{"type": "entity", "name"\n{path.read_text()}\n[1]\n')
    found = vault.import_memories("mcp-memory", path)
    assert outcomes(found) == ["new", "new"]
    assert [each.where for each in found.unread] == ["line 1", "line 5"]


# ChatGPT: the page "Saved memories" as copied, and the answer to the request for all of them that claude.com/import-memory gives


def test_chatgpt(vault: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "chatgpt.txt"
    path.write_text(
        "```text\n**Instructions**\n[2025-04-12] - Answer in short sentences, and without lists.\n"
        "[unknown] - Noor works as a hydrologist\n  at the harbour of Hollin.\n\nok thanks\n- Prefers metric units.\n```\n"
    )
    found = vault.import_memories("chatgpt", path)
    assert outcomes(found) == ["new", "new", "refused", "new"]
    said = {memory.more["source"]: 0 for memory in kept(vault).values()}
    assert said == {"import": 0}
    assert any("harbour of Hollin." in data.decode() for data in notes_of(vault.root).values())
    assert {f"{memory.created:%Y-%m-%d}" for memory in kept(vault).values()} == {"2025-04-12", "2026-01-29"}


def test_conversations_are_sent_to_ingest(vault: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"title": "A talk", "mapping": {}, "create_time": 1}]))
    assert "ingest" in vault.import_memories("chatgpt", path).unread[0].why
    path.write_text(json.dumps([{"uuid": "u", "name": "A talk", "chat_messages": []}]))
    assert "ingest" in vault.import_memories("claude-ai", path).unread[0].why


# Claude.ai: memories.json as it lies in the data export, alone or in its zip

MEMORIES = [
    {
        "conversations_memory": "**Work context**\n\nNoor measures tides.\n\n**Personal context**\n\nNoor has a boat.",
        "project_memories": {"019a": "The thesis is about floods, and is due in June."},
        "account_uuid": "acc",
    }
]


@pytest.mark.parametrize("form", ["json", "zip", "folder"])
def test_claude_ai(vault: Memvault, tmp_path: Path, form: str) -> None:
    path = tmp_path / "memories.json"
    path.write_text(json.dumps(MEMORIES))
    if form == "zip":
        with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
            archive.writestr("users.json", "[]")
            archive.writestr("memories.json", path.read_bytes())
    places = {"json": path, "zip": tmp_path / "data.zip", "folder": tmp_path}
    assert outcomes(vault.import_memories("claude-ai", places[form])) == ["new"] * 3
    work = kept(vault)["Work context"]
    assert (work.more["scope"], text_of(vault, "Work context").strip()) == ("global", "Noor measures tides.")
    assert "claude-ai:019a" in {memory.more.get("project") for memory in kept(vault).values()}


# CLAUDE.md: a page of instructions, with the block that memvault keeps there


def test_the_sections_of_a_page_of_instructions(vault: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "gauges" / "CLAUDE.md"
    path.parent.mkdir()
    path.write_text(
        "# Gauges\n\n@docs/more.md\n\n## Build\n\nRun `make all` before every push.\n\n## Style\n\nTabs, not spaces.\n\n"
        "<!-- memvault:begin v1 -->\nAn old memory of ours.\n<!-- memvault:end -->\n"
    )
    assert outcomes(vault.import_memories("claude-memory", path)) == ["new", "new"]
    assert kept(vault).keys() == {"Build", "Style"}
    assert kept(vault)["Build"].more["project"] == project.project_of(path.parent)
    assert not any(b"An old memory" in data for data in notes_of(vault.root).values())


# folders and Obsidian


def obsidian(folder: Path) -> Path:
    (folder / "files").mkdir(parents=True)
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "odd.md").write_text("not a note")
    (folder / "files" / "Quay.PNG").write_bytes(b"\x89PNG of the quay")
    (folder / "Harbour.md").write_text(
        "---\naliases: [Port]\ntags:\n  - place\ncreated: 2024-05-06\n---\nThe harbour has four quays. #tide/high\n\n"
        "![[Quay.PNG|300]] ![elsewhere](https://example.org/a.png) ![[gone.pdf]] ![[Other note]]\n"
    )
    (folder / "2025-02-03 Log.md").write_text("The pump of [[Harbour]] was mended.\n")
    (folder / "empty.md").write_text("\n")
    return folder


def test_obsidian(vault: Memvault, tmp_path: Path) -> None:
    found = vault.import_memories("obsidian", obsidian(tmp_path / "notes"))
    assert outcomes(found) == ["new", "new"]
    harbour = kept(vault)["Harbour"]
    assert harbour.tags == ("place", "tide/high")
    assert "Port" in harbour.aliases
    assert harbour.refs["artifacts"] == ("Quay.PNG", "gone.pdf")
    assert harbour.path == "2-memories/Harbour.md"
    assert (vault.root / "2-memories/empty.md").read_bytes() == b"\n"
    made = {f"{memory.created:%Y-%m-%d}" for memory in kept(vault).values() if memory.name != "empty"}
    assert made == {"2024-05-06", "2025-02-03"}


def test_what_a_note_shows_comes_along_and_goes_with_the_undo(vault: Memvault, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"outside")
    folder = obsidian(tmp_path / "notes")
    (folder / "Harbour.md").write_text("It has four quays. ![[Quay.PNG]] ![a](../secret.png) ![[../secret.png]]\n")
    (folder / "empty.md").unlink()
    found = vault.import_memories("obsidian", folder)
    assert found.attached == 1
    assert (vault.root / "2-memories/files/Quay.PNG").read_bytes() == b"\x89PNG of the quay"
    assert list(vault.root.rglob("secret.png")) == []
    vault.undo()
    assert list(vault.root.rglob("Quay.PNG")) == []


def test_a_folder_of_plain_files(vault: Memvault, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "pump.txt").write_text("The pump needs new oil each spring.\n")
    (folder / "tides.md").write_text("# Tides\n\nThey are high at the new moon.\n")
    (folder / "CLAUDE.md").write_text("Obey.\n")
    (folder / "long.md").write_text("word " * 400_000)
    (folder / "odd.txt").write_bytes(b"\x00\x01\x02")
    (folder / "away.md").symlink_to(tmp_path / "elsewhere.md")
    found = vault.import_memories("folder", folder)
    assert outcomes(found) == ["new", "new"]
    assert kept(vault).keys() == {"pump", "Tides"} or kept(vault).keys() == {"Pump", "Tides"}
    assert {each.path.name for each in found.unread} == {"long.md", "odd.txt"}


# what holds for all of them


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def plain_folder(folder: Path) -> Path:
    return written(folder / "plain" / "a.md", "The pump needs new oil each spring.\n").parent


def mem0(folder: Path) -> Path:
    return written(folder / "mem0.json", json.dumps(MEM0))


ALL: dict[str, Callable[[Path], Path]] = {
    "basic-memory": lambda folder: basic_memory(folder / "basic"),
    "chatgpt": lambda folder: written(folder / "c.txt", "- Prefers metric units.\n- Works as a hydrologist.\n"),
    "claude-ai": lambda folder: written(folder / "memories.json", json.dumps(MEMORIES)),
    "claude-mem": claude_mem_database,
    "folder": plain_folder,
    "mcp-memory": mcp_memory,
    "mem0": mem0,
    "obsidian": lambda folder: obsidian(folder / "notes"),
}


@pytest.mark.parametrize("name", ALL)
def test_twice_is_once_and_one_undo_takes_it_back(vault: Memvault, tmp_path: Path, name: str) -> None:
    before = notes_of(vault.root)
    path = ALL[name](tmp_path)
    dry = vault.import_memories(name, path, dry_run=True)
    assert notes_of(vault.root) == before
    done = vault.import_memories(name, path)
    assert [(one.outcome, one.path, one.id) for one in dry.memories] == [
        (one.outcome, one.path, one.id) for one in done.memories
    ]
    brought = notes_of(vault.root)
    again = vault.import_memories(name, path)
    assert set(outcomes(again)) == {"unchanged"}
    assert (again.op, notes_of(vault.root)) == ("", brought)
    vault.undo()
    assert notes_of(vault.root) == before


def test_the_same_text_is_not_taken_twice(vault: Memvault, tmp_path: Path) -> None:
    vault.remember("The pump needs new oil each spring.")
    folder = plain_folder(tmp_path)
    (folder / "b.md").write_text("The gate is painted green.\n")
    (folder / "c.md").write_text("The gate is painted green.\n")
    assert outcomes(vault.import_memories("folder", folder)) == ["known", "new", "known"]


def test_own_blocks_secrets_and_forgotten_texts_are_not_imported(vault: Memvault, tmp_path: Path) -> None:
    vault.forget(vault.remember("The door code of the shed is on the shelf.").memory.id)
    folder = plain_folder(tmp_path)
    (folder / "b.md").write_text("The door code of the shed is on the shelf.\n")
    (folder / "c.md").write_text(f"The token of the gauge is {TOKEN}.\n")
    (folder / "d.md").write_text("<memvault-memory>\nAn old memory of ours.\n</memvault-memory>\n")
    (folder / "e.md").write_text(
        "Before.\n\n<memvault-memory>\nAn old memory of ours.\n</memvault-memory>\nAfter it all.\n"
    )
    found = vault.import_memories("folder", folder)
    assert outcomes(found) == ["new", "refused", "new", "refused", "new"]
    assert "secret" in found.memories[2].why
    said = b"".join(notes_of(vault.root).values())
    assert TOKEN.encode() not in said
    assert b"old memory of ours" not in said
    assert b"After it all." in said


def test_a_source_that_lies_nowhere_must_be_told(vault: Memvault, tmp_path: Path) -> None:
    with pytest.raises(NothingToDo):
        vault.import_memories("mem0")
    (tmp_path / "odd.zip").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(Unreadable):
        vault.import_memories("claude-ai", tmp_path / "odd.zip")


@pytest.mark.points(only=True)
def test_a_file_of_something_else_is_given_up_after_a_while(vault: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"
    path.write_text("[" + "1," * 150_000 + "1]")
    with pytest.raises(Unreadable, match="mem0"):
        vault.import_memories("mem0", path)


@pytest.mark.points(only=True)
def test_the_texts_of_a_large_import_are_not_held_together(
    vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temp, "_IN_MEMORY", 100_000)
    path = tmp_path / "large.json"
    long = "mud " * 30_000
    path.write_text(json.dumps([{"id": str(number), "memory": f"Gauge {number}: {long}"} for number in range(25)]))
    vault.import_memories("mem0", mem0(tmp_path), dry_run=True)  # so that what is loaded once is there
    tracemalloc.start()
    try:
        assert len(vault.import_memories("mem0", path, dry_run=True).memories) == 25
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 3_000_000 > peak


def test_imported_memories_belong_to_no_project_of_this_folder(
    vault: Memvault, tmp_path: Path, open_vault: Opener
) -> None:
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    working = open_vault(vault.root, folder=tmp_path / "repository")
    working.import_memories("folder", plain_folder(tmp_path))
    assert {memory.more.get("project") for memory in kept(working).values()} == {None}
