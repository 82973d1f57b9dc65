"""A bundle brought in: byte for byte where it is one's own, no more trusted than any import where it is not."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from memvault import Memvault
from memvault.errors import Unreadable
from memvault.storage.journal import apply
from memvault.transfer.importers.import_memories import ImportResult
from tests.conftest import START, Clock, Opener

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def other(tmp_path: Path, clock: Clock, open_vault: Opener) -> Memvault:
    """Another vault, still empty."""
    Memvault.init(tmp_path / "other", clock=clock)
    return open_vault(tmp_path / "other")


def notes_of(vault: Memvault) -> dict[str, bytes]:
    """Every memory of a vault with its bytes."""
    return {row.memory.path: (vault.root / row.memory.path).read_bytes() for row in vault.list().rows}


def outcomes(found: ImportResult) -> set[str]:
    return {one.outcome for one in found.memories}


def bundled(vault: Memvault, folder: Path) -> Path:
    vault.export(folder / "all.zip", force=True)
    return folder / "all.zip"


def emptied(vault: Memvault) -> None:
    for path in list(notes_of(vault)):
        (vault.root / path).unlink()


def test_exported_notes_come_back_byte_for_byte(sample: Memvault, tmp_path: Path) -> None:
    (sample.root / "2-memories" / "by hand.md").write_bytes(b"---\r\ntitle: By hand # mine\r\nodd: 1\r\n---\r\nText.")
    (sample.root / "2-memories" / "bare.md").write_bytes(b"No frontmatter at all.\n")
    bundle = bundled(sample, tmp_path)
    before = notes_of(sample)
    ids = {row.memory.path: row.memory.id for row in sample.list().rows}
    emptied(sample)
    assert outcomes(sample.import_memories("bundle", bundle)) == {"new"}
    assert notes_of(sample) == before
    assert {row.memory.path: row.memory.id for row in sample.list().rows} == ids


def test_a_vault_takes_nothing_of_its_own_bundle(sample: Memvault, tmp_path: Path) -> None:
    before = notes_of(sample)
    found = sample.import_memories("bundle", bundled(sample, tmp_path))
    assert (outcomes(found), found.op, found.unread) == ({"unchanged"}, "", ())
    assert notes_of(sample) == before


def test_into_another_vault_as_mine_every_byte_is_the_same(sample: Memvault, other: Memvault, tmp_path: Path) -> None:
    (sample.root / "2-memories" / "bare.md").write_bytes(b"No frontmatter at all.\n")
    other.import_memories("bundle", bundled(sample, tmp_path), as_mine=True)
    assert notes_of(other) == notes_of(sample)
    assert bundled(other, tmp_path).read_bytes()  # and goes out again
    assert outcomes(other.import_memories("bundle", bundled(sample, tmp_path), as_mine=True)) == {"unchanged"}


@pytest.mark.points(only=True)
def test_notes_of_another_vault_are_trusted_as_imports(sample: Memvault, other: Memvault, tmp_path: Path) -> None:
    ids = {row.memory.id for row in sample.list().rows}
    bundle = bundled(sample, tmp_path)
    other.import_memories("bundle", bundle)
    rows = [row.memory for row in other.list().rows]
    assert {memory.id for memory in rows} == ids
    assert {memory.more["source"] for memory in rows} == {"import"}
    assert not any(memory.path.startswith(("0-", "1-")) for memory in rows)
    before = notes_of(other)
    assert outcomes(other.import_memories("bundle", bundle)) == {"unchanged"}
    assert notes_of(other) == before


def test_the_same_memory_with_other_fields_takes_them_in(sample: Memvault, tmp_path: Path) -> None:
    memory = sample.remember("The pump needs new oil each spring.", tags=("pump",)).memory
    bundle = bundled(sample, tmp_path)
    path = sample.path_of(memory.id)
    path.write_text(path.read_text().replace("tags: [pump]", "tags: [spring]"))
    found = sample.import_memories("bundle", bundle)
    assert [one.outcome for one in found.memories if one.id == memory.id] == ["merged"]
    assert set(sample.show(memory.id).memory.tags) == {"spring", "pump"}
    assert outcomes(sample.import_memories("bundle", bundle)) == {"unchanged"}


def test_the_same_memory_with_another_text_is_kept_beside_and_listed(sample: Memvault, tmp_path: Path) -> None:
    memory = sample.remember("The pump needs new oil each spring.").memory
    bundle = bundled(sample, tmp_path)
    path = sample.path_of(memory.id)
    path.write_text(path.read_text().replace("each spring", "each autumn"))
    found = sample.import_memories("bundle", bundle)
    beside = next(one for one in found.memories if one.outcome == "beside")
    assert "autumn" in path.read_text()
    assert "each spring" in (sample.root / beside.path).read_text()
    assert beside.id in sample.show(memory.id).memory.more["contested"]  # type: ignore[operator]
    before = notes_of(sample)
    assert outcomes(sample.import_memories("bundle", bundle)) == {"unchanged"}
    assert notes_of(sample) == before


def test_a_path_that_is_taken_is_not_written_over(sample: Memvault, other: Memvault, tmp_path: Path) -> None:
    memory = sample.remember("The pump needs new oil each spring.").memory
    taken = other.root / memory.path
    taken.parent.mkdir(exist_ok=True)
    taken.write_text("Something else.\n")
    found = other.import_memories("bundle", bundled(sample, tmp_path))
    assert taken.read_text() == "Something else.\n"
    assert next(one.path for one in found.memories if one.id == memory.id) == memory.path.replace(".md", "-2.md")


def test_forgotten_notes_are_not_imported_and_one_undo_takes_all_back(sample: Memvault, tmp_path: Path) -> None:
    memory = sample.remember("The pump needs new oil each spring.").memory
    bundle = bundled(sample, tmp_path)
    sample.forget(memory.id)
    assert {one.origin: one.outcome for one in sample.import_memories("bundle", bundle).memories}[
        memory.path
    ] == "refused"
    emptied(sample)
    sample.import_memories("bundle", bundle)
    sample.undo()
    assert notes_of(sample) == {}


def test_another_vault_has_no_say_in_what_is_mine(vault: Memvault, other: Memvault, tmp_path: Path) -> None:
    memory = vault.remember("The pump needs new oil each spring.").memory
    bundle = packed(tmp_path, [(memory.path, vault.path_of(memory.id).read_bytes().replace(b"spring", b"year"))])
    before = notes_of(vault)
    assert outcomes(vault.import_memories("bundle", bundle)) == {"yours"}
    assert notes_of(vault) == before


def test_a_source_of_somebody_elses_meaning_stays_and_rises_no_higher(vault: Memvault, tmp_path: Path) -> None:
    note = b"---\nsource: https://example.org/gates\n---\nThe gate is painted green.\n"
    vault.import_memories("bundle", packed(tmp_path, [("1-hot/a.md", note)]))
    memory = vault.show("2-memories/a.md").memory
    assert memory.more.get("tainted") is True
    assert b"source: https://example.org/gates\n" in (vault.root / "2-memories/a.md").read_bytes()


def test_many_batches_are_one_operation(
    sample: Memvault, other: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apply, "_BATCH_BYTES", 1_000)
    other.import_memories("bundle", bundled(sample, tmp_path), as_mine=True)
    assert notes_of(other) == notes_of(sample)
    other.undo()
    assert notes_of(other) == {}


def test_secrets_of_another_vault_are_left_out(vault: Memvault, other: Memvault, tmp_path: Path) -> None:
    (vault.root / "2-memories" / "a.md").write_text(f"The token is {TOKEN}.\n")
    (vault.root / "2-memories" / "b.md").write_text(f"---\nnote: {TOKEN}\n---\nA gate.\n")
    found = other.import_memories("bundle", bundled(vault, tmp_path))
    assert sorted(one.outcome for one in found.memories) == ["new", "refused"]
    assert TOKEN.encode() not in b"".join(notes_of(other).values())


@pytest.mark.points(only=True)
def test_lines_of_json_bring_what_they_say(sample: Memvault, other: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    sample.export(path, format="jsonl")
    assert outcomes(other.import_memories("jsonl", path)) == {"new"}
    theirs = {row.memory.id: row.memory for row in sample.list().rows}
    for row in other.list().rows:
        memory = row.memory
        there = theirs[memory.id]
        assert (memory.title, memory.kind, memory.type) == (there.title, there.kind, there.type)
        assert memory.created == min(there.created, START).replace(microsecond=0)
        assert set(there.tags) <= set(memory.tags)
        assert memory.more["source"] == "import"
    assert outcomes(other.import_memories("jsonl", path)) == {"unchanged"}
    assert outcomes(sample.import_memories("jsonl", path)) == {"unchanged"}


# -- hostile ones


def packed(folder: Path, notes: list[tuple[str, bytes]], *, listed: list[object] | None = None, **said: object) -> Path:
    """A bundle that says what it likes."""
    path = folder / "odd.zip"
    rows: list[object] = [
        {"path": name, "id": "", "sha256": sha256(data).hexdigest(), "bytes": len(data)} for name, data in notes
    ]
    manifest = {"memvault": "bundle", "schema": 1, "format": 1, "vault": "v", "notes": listed or rows, **said}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, data in notes:
            archive.writestr(f"notes/{name}", data)
    return path


NOTE = b"The gate is painted green.\n"
HOSTILE = (
    "../outside.md",
    "/etc/outside.md",
    "2-memories/../../outside.md",
    "..\\outside.md",
    "C:outside.md",
    "C:\\outside.md",
    "2-memories/CON.md",
    "2-memories/dot./a.md",
    "2-memories//a.md",
    "2-memories/a\x00.md",
    "2-memories/" + "a" * 300 + ".md",
    ".memvault/ledger/other.jsonl",
    ".memvault/a.md",
    ".git/hooks/post-commit",
    ".obsidian/a.md",
    "CLAUDE.md",
    "2-memories/AGENTS.md",
    "memvault.toml",
    "private/a.md",
    "templates/a.md",
    "3-raw/transcripts/a.md",
    "",
)

# Those lead out of the vault on other systems; here they are names like any other, if the vault is one's own.
ELSEWHERE = ("C:outside.md", "C:\\outside.md", "2-memories/CON.md", "2-memories/dot./a.md")


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("as_mine", [False, True])
@pytest.mark.points(quick=12)
def test_no_path_leads_out_of_the_tiers(vault: Memvault, tmp_path: Path, name: str, *, as_mine: bool) -> None:
    before = {
        path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and ".memvault" not in path.parts
    }
    bundle = packed(tmp_path, [(name, NOTE), ("2-memories/good.md", NOTE + b"2")])
    found = vault.import_memories("bundle", bundle, as_mine=as_mine)
    own = [name] if as_mine and name in ELSEWHERE and sys.platform != "win32" else []
    assert [one.path for one in found.memories if one.outcome == "new"] == [*own, "2-memories/good.md"]
    after = {path for path in tmp_path.rglob("*") if path.is_file() and ".memvault" not in path.parts}
    made = {path.name for path in after - before.keys() if "home" not in path.parts}
    assert made == {"odd.zip", "good.md", *(each.rpartition("/")[2] for each in own)}


def test_a_folder_that_links_away_is_not_followed(vault: Memvault, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (vault.root / "2-memories" / "link").symlink_to(tmp_path / "away")
    found = vault.import_memories("bundle", packed(tmp_path, [("2-memories/link/a.md", NOTE)]))
    assert outcomes(found) == {"refused"}
    assert list((tmp_path / "away").iterdir()) == []


def test_notes_that_differ_from_the_manifest_are_left_out(vault: Memvault, tmp_path: Path) -> None:
    rows: list[object] = [
        {"path": "2-memories/a.md", "id": "", "sha256": "0" * 64, "bytes": len(NOTE)},
        {"path": "2-memories/b.md", "id": "", "sha256": sha256(NOTE).hexdigest(), "bytes": 10**12},
        {"path": "2-memories/c.md", "id": "", "sha256": sha256(NOTE).hexdigest(), "bytes": len(NOTE)},
        {"path": 7},
        "odd",
    ]
    bundle = packed(tmp_path, [("2-memories/a.md", NOTE), ("2-memories/b.md", NOTE)], listed=rows)
    found = vault.import_memories("bundle", bundle)
    assert (found.memories, len(found.unread)) == ((), 5)


@pytest.mark.points(only=True)
def test_a_bomb_is_let_go_of(vault: Memvault, tmp_path: Path) -> None:
    rows: list[object] = [{"path": "2-memories/a.md", "id": "", "sha256": "0" * 64, "bytes": 100}]
    bundle = packed(tmp_path, [("2-memories/a.md", b"a" * 50_000_000)], listed=rows)
    assert len(vault.import_memories("bundle", bundle).unread) == 1


def no_list() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("notes/2-memories/a.md", NOTE)
    return buffer.getvalue()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"text", no_list()], ids=["empty", "cut", "text", "no list"])
def test_import_reports_a_file_that_is_no_bundle(vault: Memvault, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "odd.zip").write_bytes(data)
    with pytest.raises(Unreadable):
        vault.import_memories("bundle", tmp_path / "odd.zip")


@pytest.mark.parametrize("said", [{"schema": 99}, {"memvault": "other"}, {"schema": "one"}])
def test_a_bundle_of_another_kind_or_day_is_told(vault: Memvault, tmp_path: Path, said: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        vault.import_memories("bundle", packed(tmp_path, [("2-memories/a.md", NOTE)], **said))


def test_a_damaged_bundle_keeps_what_came_before_the_damage(sample: Memvault, other: Memvault, tmp_path: Path) -> None:
    bundle = bundled(sample, tmp_path)
    data = bytearray(bundle.read_bytes())
    with zipfile.ZipFile(bundle) as archive:
        inside = archive.infolist()[5]
    start = inside.header_offset + 30 + len(inside.filename)
    data[start : start + 20] = b"\xff" * 20
    bundle.write_bytes(data)
    found = other.import_memories("bundle", bundle)
    assert len(found.unread) == 1
    assert outcomes(found) == {"new"}


def test_import_reports_unwritable_memories_and_goes_on(vault: Memvault, tmp_path: Path) -> None:
    (vault.root / "2-memories" / "gate.md").write_text("It is green.\n")
    bundle = packed(tmp_path, [("2-memories/gate.md/a.md", NOTE), ("2-memories/b.md", NOTE + b"2")])
    found = vault.import_memories("bundle", bundle)
    assert [one.outcome for one in found.memories] == ["refused", "new"]
    assert found.memories[0].why


@pytest.mark.points(only=True)
def test_after_an_undo_it_can_be_brought_again(sample: Memvault, other: Memvault, tmp_path: Path) -> None:
    bundle = bundled(sample, tmp_path)
    other.import_memories("bundle", bundle)
    before = notes_of(other)
    other.undo()
    assert outcomes(other.import_memories("bundle", bundle)) == {"new"}
    assert notes_of(other) == before
