"""What comes from different places stays apart, however alike it is called; no text takes the place of another's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.ids import derive_id
from tests.conftest import Opener
from tests.transfer.importers.test_importing_bundles import notes_of
from tests.transfer.importers.test_importing_sources import outcomes, written


def texts_of(vault: Memvault) -> set[str]:
    return {data.decode().rpartition("\n---\n")[2].strip() for data in notes_of(vault).values()}


def note(folder: Path, text: str) -> Path:
    return written(folder / "todo.md", text).parent


def page(folder: Path, text: str) -> Path:
    return written(folder / "app" / "CLAUDE.md", f"# Rules\n\n{text}\n")


def topic(folder: Path, text: str) -> Path:
    return written(folder / "app" / "topics" / "rules.md", f"---\nname: rules\n---\n{text}\n").parent


def store(folder: Path, text: str) -> Path:
    row = {"type": "entity", "name": "default_user", "entityType": "thing", "observations": [text]}
    return written(folder / "memory.jsonl", json.dumps(row))


def entries(folder: Path, text: str) -> Path:
    return written(folder / "mem0.json", json.dumps([{"id": "1", "memory": text}]))


def lines(folder: Path, text: str) -> Path:
    return written(folder / "all.jsonl", json.dumps({"title": "The pump", "text": text}))


PLACES: tuple[tuple[str, Callable[[Path, str], Path]], ...] = (
    ("folder", note),
    ("obsidian", note),
    ("basic-memory", note),
    ("claude-memory", page),
    ("claude-memory", topic),
    ("mcp-memory", store),
    ("mem0", entries),
    ("jsonl", lines),
)


@pytest.mark.parametrize(("name", "made"), PLACES)
def test_two_places_keep_their_texts_apart(
    vault: Memvault, tmp_path: Path, name: str, made: Callable[[Path, str], Path]
) -> None:
    one = made(tmp_path / "in" / "a", "The pump of the quay needs new oil each spring.")
    two = made(tmp_path / "in" / "b", "The gate of the lock is to be painted green.")
    assert outcomes(vault.import_memories(name, one)) == ["new"]
    assert outcomes(vault.import_memories(name, two)) == ["new"]
    said = " ".join(texts_of(vault))
    assert "new oil" in said
    assert "painted green" in said
    assert (outcomes(vault.import_memories(name, one)), outcomes(vault.import_memories(name, two))) == (
        ["unchanged"],
        ["unchanged"],
    )


@pytest.mark.parametrize(("name", "made"), PLACES)
def test_a_memory_changed_in_its_own_place_is_renewed(
    vault: Memvault, tmp_path: Path, name: str, made: Callable[[Path, str], Path]
) -> None:
    path = made(tmp_path / "a", "The pump of the quay needs new oil each spring.")
    vault.import_memories(name, path)
    changed = path / next(iter(path.iterdir())).name if path.is_dir() else path
    changed.write_text(changed.read_text().replace("each spring", "each autumn"))
    assert outcomes(vault.import_memories(name, path)) == ["renewed"]
    assert len(notes_of(vault)) == 1


def test_the_same_place_below_the_homes_of_two_machines_is_one(
    vault: Memvault, tmp_path: Path, environment: dict[str, str], open_vault: Opener
) -> None:
    vault.import_memories("folder", note(Path(environment["HOME"]) / "notes", "The pump needs new oil each spring.\n"))
    there = note(tmp_path / "other" / "notes", "The pump needs new oil each autumn.\n")
    other = open_vault(vault.root, environment={**environment, "HOME": str(tmp_path / "other")})
    assert outcomes(other.import_memories("folder", there)) == ["renewed"]


def as_before(vault: Memvault, name: str, origin: str) -> None:
    """The one memory as it was brought in before the place counted."""
    path = next(iter(notes_of(vault)))
    memory = vault.list().rows[0].memory
    id_ = json.loads((vault.root / ".memvault" / "vault.json").read_text())["id"]
    file = vault.root / path
    file.write_text(file.read_text().replace(memory.id, derive_id(id_, f"import:{name}:{origin}")))


def test_memories_imported_before_places_counted_are_known_and_never_replaced(vault: Memvault, tmp_path: Path) -> None:
    one = note(tmp_path / "a", "The pump needs new oil each spring.\n")
    vault.import_memories("folder", one)
    as_before(vault, "folder", "todo.md")
    before = notes_of(vault)
    assert outcomes(vault.import_memories("folder", one)) == ["unchanged"]
    assert notes_of(vault) == before
    two = note(tmp_path / "b", "The gate is to be painted green.\n")
    assert outcomes(vault.import_memories("folder", two)) == ["new"]
    assert before.items() <= notes_of(vault).items()


# -- of one name in one place


def test_sections_that_share_a_heading_all_come_in(vault: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(
        "# A\n\n## Build\n\nRun `make all` first.\n\n## Build\n\nThen run `make check`.\n\n## Build\n\nRun `make all` first.\n"
    )
    found = vault.import_memories("claude-memory", path)
    assert outcomes(found) == ["new", "new", "known"]
    assert texts_of(vault) == {"Run `make all` first.", "Then run `make check`."}
    assert outcomes(vault.import_memories("claude-memory", path)) == ["unchanged", "unchanged", "known"]


def test_parts_of_claude_ais_memory_that_share_a_heading_all_come_in(vault: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "memories.json"
    said = "**Work**\n\nNoor measures the tides.\n\n**Work**\n\nNoor mends the pumps."
    path.write_text(json.dumps([{"conversations_memory": said, "account_uuid": "acc"}]))
    assert outcomes(vault.import_memories("claude-ai", path)) == ["new", "new"]
    assert outcomes(vault.import_memories("claude-ai", path)) == ["unchanged", "unchanged"]


def test_two_entries_of_one_id_both_come_in(vault: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    id_ = "00000000-0000-4000-8000-00000000000a"
    rows = ({"id": id_, "text": "The pump needs new oil."}, {"id": id_, "text": "The gate is painted green."})
    path.write_text("\n".join(map(json.dumps, rows)))
    assert outcomes(vault.import_memories("jsonl", path)) == ["new", "new"]
    assert outcomes(vault.import_memories("jsonl", path)) == ["unchanged", "unchanged"]


def test_a_relation_of_what_is_no_entity_is_kept(vault: Memvault, tmp_path: Path) -> None:
    path = store(tmp_path / "a", "It is asked each morning.")
    path.write_text(
        f"{path.read_text()}\n"
        + json.dumps({"type": "relation", "from": "Ada", "to": "Quay 4", "relationType": "works at"})
    )
    assert outcomes(vault.import_memories("mcp-memory", path)) == ["new", "new"]
    assert "- works at [[Quay 4]]" in texts_of(vault)


# -- the files that notes show


def shown_in(folder: Path, name: str, picture: bytes, link: str = "![[img.png]]") -> None:
    below = folder / name
    below.mkdir(parents=True, exist_ok=True)
    (below / "img.png").write_bytes(picture)
    (below / f"{name}.md").write_text(f"What the {name} looks like. {link}\n")


def test_files_come_once_and_one_that_was_deleted_comes_again(vault: Memvault, tmp_path: Path) -> None:
    shown_in(tmp_path / "notes", "quay", b"the quay")
    assert vault.import_memories("obsidian", tmp_path / "notes").attached == 1
    picture = vault.root / "2-memories" / "quay" / "img.png"
    assert picture.read_bytes() == b"the quay"
    assert vault.import_memories("obsidian", tmp_path / "notes").op == ""
    picture.unlink()
    assert vault.import_memories("obsidian", tmp_path / "notes").attached == 1
    assert picture.read_bytes() == b"the quay"


@pytest.mark.parametrize("link", ["![[img.png|300]]", "![a view](img.png)"])
def test_each_note_shows_its_own_picture(vault: Memvault, tmp_path: Path, link: str) -> None:
    folder = tmp_path / "notes"
    shown_in(folder, "lock", b"the lock", link)
    shown_in(folder, "quay", b"the quay", link)
    assert vault.import_memories("obsidian", folder).attached == 2
    for name in ("lock", "quay"):
        below = vault.root / "2-memories" / name
        assert (below / "img.png").read_bytes() == f"the {name}".encode()
        assert link in (below / f"{name}.md").read_text()
    before = notes_of(vault)
    assert outcomes(vault.import_memories("obsidian", folder)) == ["unchanged", "unchanged"]
    assert notes_of(vault) == before


def test_where_another_file_lies_the_note_shows_its_own_by_another_name(vault: Memvault, tmp_path: Path) -> None:
    shown_in(tmp_path / "notes", "quay", b"the quay")
    (vault.root / "2-memories" / "quay").mkdir(parents=True)
    (vault.root / "2-memories" / "quay" / "img.png").write_bytes(b"another")
    assert vault.import_memories("obsidian", tmp_path / "notes").attached == 1
    [text] = [text for text in texts_of(vault) if "quay" in text]
    name = text.partition("![[")[2].partition("]]")[0]
    assert (vault.root / "2-memories" / "quay" / name).read_bytes() == b"the quay"
    assert (vault.root / "2-memories" / "quay" / "img.png").read_bytes() == b"another"


def test_a_file_that_is_too_large_is_told(vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memvault.transfer.importers.obsidian._LONGEST_FILE", 4)
    shown_in(tmp_path / "notes", "quay", b"the quay")
    found = vault.import_memories("obsidian", tmp_path / "notes")
    assert found.attached == 0
    assert [each.path.name for each in found.unread] == ["img.png"]
    assert "larger" in found.unread[0].why
