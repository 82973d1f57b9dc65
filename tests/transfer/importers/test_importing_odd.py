"""Odd dates, odd letters, odd names, and what is not to come in: each is told, none stops the rest."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import AlreadyThere, Forgotten
from memvault.memories.draft import MemoryDraft
from memvault.memories.remember import remember
from memvault.storage.journal.apply import ApplyResult, apply
from memvault.text.file_names import is_safe, is_within
from memvault.transfer.importers.item import NOT_UTF8
from tests.conftest import Clock, Opener
from tests.transfer.importers.test_importing_sources import kept, outcomes

FIRST = datetime(1, 1, 1, tzinfo=UTC)
SAID = "Zyxomma keeps the spare key of the boathouse under the third plank"


def bytes_of(vault: Memvault) -> dict[str, bytes]:
    return {row.memory.path: (vault.root / row.memory.path).read_bytes() for row in vault.list().rows}


# -- dates


@pytest.fixture
def western(tmp_path: Path, clock: Clock, environment: dict[str, str]) -> Iterator[Memvault]:
    """The vault of somebody west of Greenwich."""
    root = tmp_path / "west"
    Memvault.init(root, clock=clock)
    with Memvault(root, clock=clock, zone=timezone(timedelta(hours=-5)), environment=environment) as vault:
        yield vault


def test_a_date_that_nobody_has_set_is_none(western: Memvault, tmp_path: Path) -> None:
    path = tmp_path / "mem0.json"
    rows = [{"id": "a", "memory": "The pump needs new oil.", "created_at": "0001-01-01T00:00:00Z"}]
    path.write_text(json.dumps([*rows, {"id": "b", "memory": "The gate is painted green."}]))
    assert outcomes(western.import_memories("mem0", path)) == ["new", "new"]
    assert {f"{memory.created:%Y}" for memory in kept(western).values()} == {"2026"}


def test_a_note_with_such_a_date_has_the_day_of_its_name(western: Memvault, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "2024-05-06 pump.md").write_text("---\ncreated: 0001-01-01\n---\nThe pump needs new oil.\n")
    assert outcomes(western.import_memories("obsidian", folder)) == ["new"]
    assert f"{western.find('2024-05-06 pump').created:%Y-%m-%d}" == "2024-05-06"


def test_the_first_day_there_is_may_be_told(western: Memvault) -> None:
    assert western.run(lambda context: remember(context, MemoryDraft(text="The first day.", created=FIRST))).op


def test_a_bare_day_is_one_where_the_vault_is(western: Memvault, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("---\ncreated: 2024-05-06\n---\nThe pump needs new oil.\n")
    (folder / "2024-05-07 b.md").write_text("The gate is painted green.\n")
    western.import_memories("folder", folder)
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps([{"id": "a", "memory": "The quay has four lamps.", "created_at": "2024-05-08"}]))
    western.import_memories("mem0", path)
    (tmp_path / "c.txt").write_text("[2024-05-09] - Prefers metric units.\n")
    western.import_memories("chatgpt", tmp_path / "c.txt")
    days = {path.removeprefix("2-memories/")[:10] for path in bytes_of(western)}
    assert days == {f"2024-05-0{number}" for number in (6, 7, 8, 9)}
    assert {f"{memory.created:%H:%M}" for memory in kept(western).values()} == {"05:00"}


# -- letters


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("source", ["chatgpt", "mem0"])
def test_json_is_read_however_it_is_laid_out_and_saved(
    vault: Memvault, tmp_path: Path, encoding: str, source: str
) -> None:
    path = tmp_path / "all.json"
    told = json.dumps([{"memory": "Café au lait at the quay."}, {"memory": "The gate is green."}], indent=4)
    path.write_text("\n\n" + told.replace("[\n", "[\n\n"), encoding=encoding)
    found = vault.import_memories(source, path)
    assert (outcomes(found), found.unread) == (["new", "new"], ())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le-bom", "utf-8-sig"])
def test_texts_say_what_they_are_written_in(vault: Memvault, tmp_path: Path, encoding: str) -> None:
    text = "- Café au lait at the quay.\n"
    data = b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16-le-bom" else text.encode(encoding)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_bytes(data)
    (tmp_path / "c.txt").write_bytes(data.replace(b"a\x00u", b"o\x00u"))
    vault.import_memories("chatgpt", tmp_path / "c.txt")
    vault.import_memories("folder", tmp_path / "notes")
    assert all("Café" in data.decode() for data in bytes_of(vault).values())


@pytest.mark.parametrize("source", ["folder", "obsidian", "claude-memory", "chatgpt"])
def test_a_text_that_nobody_can_tell_is_told_and_not_guessed(vault: Memvault, tmp_path: Path, source: str) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_bytes("Café au lait at the quay.\n".encode("latin-1"))
    found = vault.import_memories(source, folder / "a.md" if source == "chatgpt" else folder)
    assert (found.memories, [each.why for each in found.unread]) == ((), [NOT_UTF8])


# -- what is not to come in


def purged(vault: Memvault) -> None:
    vault.purge(vault.remember(f"{SAID}.").memory.id)


def a_title(folder: Path) -> tuple[str, Path]:
    (folder / "a.md").write_text(f"---\ntitle: {SAID}\n---\nAs it was told at breakfast.\n")
    return "folder", folder


def an_alias(folder: Path) -> tuple[str, Path]:
    (folder / "a.md").write_text(f"---\naliases: [Boat, {SAID}]\n---\nAs it was told at breakfast.\n")
    return "obsidian", folder


def a_name(folder: Path) -> tuple[str, Path]:
    (folder / f"{SAID}.md").write_text("---\ntitle: Told\n---\nAs it was told at breakfast.\n")
    return "folder", folder


def a_slug(folder: Path) -> tuple[str, Path]:
    (folder / f"{SAID.lower().replace(' ', '-')}.md").write_text(
        "---\ntitle: Told\n---\nAs it was told at breakfast.\n"
    )
    return "obsidian", folder


def of_lines(folder: Path, **more: object) -> tuple[str, Path]:
    (folder / "a.jsonl").write_text(json.dumps({"text": "As it was told at breakfast.", **more}))
    return "jsonl", folder / "a.jsonl"


def an_entity(folder: Path) -> tuple[str, Path]:
    row = {"type": "entity", "name": SAID, "entityType": "thing", "observations": ["As it was told at breakfast."]}
    (folder / "memory.jsonl").write_text(json.dumps(row))
    return "mcp-memory", folder / "memory.jsonl"


@pytest.mark.parametrize(
    "made",
    [
        a_title,
        an_alias,
        a_name,
        a_slug,
        an_entity,
        lambda folder: of_lines(folder, title=SAID),
        lambda folder: of_lines(folder, triggers=[SAID]),
        lambda folder: of_lines(folder, people=[SAID]),
        lambda folder: of_lines(folder, condition=SAID, kind="prospective"),
    ],
    ids=["title", "alias", "name", "slug", "entity", "title of a line", "trigger", "person", "condition"],
)
def test_purged_texts_are_not_imported_in_any_field(vault: Memvault, tmp_path: Path, made: object) -> None:
    purged(vault)
    folder = tmp_path / "in"
    folder.mkdir()
    source, path = made(folder)  # type: ignore[operator]
    assert outcomes(vault.import_memories(source, path)) == ["refused"]
    assert bytes_of(vault) == {}


@pytest.mark.parametrize("field", ["title", "aliases", "odd"])
@pytest.mark.parametrize("as_mine", [False, True])
def test_purged_texts_are_not_imported_in_a_field_of_a_bundle(
    vault: Memvault, tmp_path: Path, clock: Clock, open_vault: Opener, field: str, *, as_mine: bool
) -> None:
    purged(vault)
    Memvault.init(tmp_path / "other", clock=clock)
    other = open_vault(tmp_path / "other")
    value = f"[Boat, {SAID}]" if field == "aliases" else SAID
    (other.root / "2-memories" / "a.md").write_text(f"---\n{field}: {value}\n---\nAs it was told.\n")
    other.export(tmp_path / "all.zip")
    assert outcomes(vault.import_memories("bundle", tmp_path / "all.zip", as_mine=as_mine)) == ["refused"]


def test_purged_texts_are_not_imported_into_a_memory_that_is_here(vault: Memvault, tmp_path: Path) -> None:
    memory = vault.remember("The pump needs new oil.").memory
    path = vault.path_of(memory.id)
    before = path.read_text()
    path.write_text(before.replace("---\n", f"---\nodd: {SAID}\n", 1))
    vault.export(tmp_path / "all.zip")
    path.write_text(before)
    purged(vault)
    assert outcomes(vault.import_memories("bundle", tmp_path / "all.zip")) == ["refused"]
    assert path.read_text() == before


def test_a_person_is_asked_for_their_word_for_a_title_too(vault: Memvault) -> None:
    purged(vault)
    with pytest.raises(Forgotten):
        vault.remember("As it was told at breakfast.", title=SAID)
    assert vault.remember("As it was told at breakfast.", title=SAID, again=True).op


def test_private_text_comes_in_by_no_name(vault: Memvault, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.md").write_text("---\naliases: ['nick <private>the badger</private>']\n---\nIt is a boat.\n")
    assert outcomes(vault.import_memories("obsidian", folder)) == ["new"]
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps([{"id": "x <private>the badger</private>", "memory": "The gate is green."}]))
    assert outcomes(vault.import_memories("mem0", path)) == ["new"]
    assert "nick" in {alias for memory in kept(vault).values() for alias in memory.aliases}
    assert b"badger" not in b"".join(bytes_of(vault).values())


# -- the names of notes in a bundle

NAMES = ("colon: what?.md", "CON.md", "What is love?.md", "TW.md", "tw.md", "latin.md", "signed.md")


@pytest.fixture
def named(vault: Memvault) -> dict[str, bytes]:
    """Notes as people name them where their system lets them."""
    for name in NAMES:
        above = "---\ntags: [cool]\n---\n" if name == "signed.md" else ""
        said = "Der Käse liegt kühl" if name in ("latin.md", "signed.md") else "This is"
        data = f"{above}{said}: {name}\n".encode("latin-1")
        (vault.root / "2-memories" / name).write_bytes(data)
    return bytes_of(vault)


@pytest.mark.skipif(sys.platform != "linux", reason="its disks can hold such names")
def test_every_name_that_this_system_can_hold_comes_back(
    vault: Memvault, named: dict[str, bytes], tmp_path: Path, clock: Clock, open_vault: Opener
) -> None:
    done = vault.export(tmp_path / "all.zip")
    assert {path.rpartition("/")[2] for path, _ in done.barred} == {*NAMES[:3], "latin.md"}
    for path in named:
        (vault.root / path).unlink()
    vault.import_memories("bundle", tmp_path / "all.zip")
    assert bytes_of(vault) == named
    Memvault.init(tmp_path / "other", clock=clock)
    other = open_vault(tmp_path / "other")
    other.import_memories("bundle", tmp_path / "all.zip", as_mine=True)
    assert bytes_of(other) == named


@pytest.mark.skipif(sys.platform != "linux", reason="its disks can hold such names")
def test_another_vault_is_told_the_name_and_takes_the_rest(
    vault: Memvault, named: dict[str, bytes], tmp_path: Path, clock: Clock, open_vault: Opener
) -> None:
    vault.export(tmp_path / "all.zip")
    Memvault.init(tmp_path / "other", clock=clock)
    found = open_vault(tmp_path / "other").import_memories("bundle", tmp_path / "all.zip")
    told = {one.origin.rpartition("/")[2]: one for one in found.memories}
    assert {name for name, one in told.items() if one.outcome == "refused"} == {*NAMES[:3], "latin.md"}
    assert "--as-mine" in told["CON.md"].why
    assert told["signed.md"].outcome == "new"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems hold no such name")
def test_a_name_that_is_no_text_is_told_when_it_stays(vault: Memvault) -> None:
    path = os.fsencode(vault.root) + b"/2-memories/caf\xe9.md"
    with open(path, "wb") as file:  # noqa: PTH123 - a name that pathlib cannot be given
        file.write(b"It stays.\n")
    assert any("caf" in name for name in vault.export().unread)


@pytest.mark.parametrize("path", ["", "/a.md", "a//b.md", "../a.md", "a/./b.md", "a\x00.md", "\ud800.md", "a" * 256])
def test_no_system_lets_a_path_lead_out(path: str) -> None:
    assert not is_within(path, windows=False)
    assert not is_within(path, windows=True)
    assert not is_safe(path)


@pytest.mark.parametrize("path", ["CON.md", "a:b.md", "what?.md", "a\\b.md", "dot./a.md"])
def test_names_that_windows_reads_otherwise_are_names_elsewhere(path: str) -> None:
    assert is_within(path, windows=False)
    assert not is_within(path, windows=True)


# -- what comes of it


def test_an_import_that_wrote_nothing_offers_no_undo(
    vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.md").write_text("The pump needs new oil.\n")

    def late(plan: object, context: object, **more: object) -> ApplyResult:
        apply(plan, context)  # type: ignore[arg-type]  # somebody else brings in the same a moment before
        return apply(plan, context, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("memvault.transfer.importers.import_memories.apply", late)
    found = vault.import_memories("folder", folder)
    assert (outcomes(found), found.op) == (["refused"], "")
    assert str(AlreadyThere(path=found.memories[0].path)) == found.memories[0].why
