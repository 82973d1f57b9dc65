"""Whatever bytes a source holds, an import ends in an answer or an error of ours, and writes nothing outside the vault."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memvault import Memvault
from memvault.errors import MemvaultError
from memvault.text.file_names import is_within
from memvault.transfer.importers.import_memories import SOURCES
from memvault.transfer.importers.item import BundleNote, FoundMemory, UnreadItem
from tests.conftest import START

FOLDERS = ("folder", "obsidian", "basic-memory", "claude-memory")
SEEDS = (
    b'{"results": [{"id": "a", "memory": "The gate is green.", "created_at": 1e999}]}',
    b'[{"conversations_memory": "**A**\\n\\nb", "project_memories": {"x": 7, "y": "z"}}]',
    b'{"observations": [{"id": 1, "title": "t", "facts": "[1", "created_at_epoch": -1e18}], "summaries": [{}]}',
    b'{"type": "entity", "name": "\\ud800", "entityType": "x", "observations": ["a", 7, null]}\n{"type": "relation"}',
    b'{"id": "00000000-0000-4000-8000-000000000000", "text": "\\u0000", "tags": "x", "weight": NaN, "priority": 1e400}',
    b"---\ntitle: [a\ncreated: 0000-00-00\n---\n![[../../etc/passwd.png]] - [a] b #c\n- x [[y]]\n",
    b"SQLite format 3\x00" + b"\x10\x00\x01\x01\x00\x40\x20\x20" + b"\x00" * 80,
    b"PK\x03\x04" + b"\x00" * 40 + b"PK\x05\x06" + b"\x00" * 18,
    b"[" * 100_000,
    b'{"a":' * 5_000,
    b"<memvault-" * 1_000,
    b"**" * 10_000,
    b"- [" * 10_000 + b"\n" + b"[x] [" * 5_000,
)


@st.composite
def spoilt(draw: st.DrawFn) -> bytes:
    """A true beginning with some bytes of it changed, left out or put in; or any bytes at all."""
    data = bytearray(draw(st.sampled_from(SEEDS[:8]) | st.binary(max_size=200)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=4))
    return bytes(data)


def read_all(name: str, path: Path) -> None:
    try:
        for item in SOURCES[name].read(path):
            assert isinstance(item, FoundMemory | BundleNote | UnreadItem)
    except MemvaultError:
        pass


def laid(folder: Path, name: str, data: bytes) -> Path:
    """The bytes where a reader of that name looks for some."""
    folder.mkdir(exist_ok=True)
    path = folder / ("note.md" if name in FOLDERS else "file")
    path.write_bytes(data)
    return folder if name in FOLDERS else path


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_odd_files_are_answered(tmp_path: Path, name: str, seed: int) -> None:
    read_all(name, laid(tmp_path / "odd", name, SEEDS[seed]))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memvault, Path]]:
    """A vault for all examples, in a folder in which nothing else is to change."""
    top = tmp_path_factory.mktemp("top")
    environment = {"HOME": str(top / "home"), "PATH": ""}
    Memvault.init(top / "vault", clock=lambda: START)
    with Memvault(top / "vault", clock=lambda: START, environment=environment) as vault:
        yield vault, top


def outside(vault: Memvault, top: Path) -> set[Path]:
    own = (vault.root, top / "home", top / "given")
    return {path for path in top.rglob("*") if not any(path == each or each in path.parents for each in own)}


@pytest.mark.parametrize("name", SOURCES)
@settings(max_examples=max(15, settings().max_examples // 5))
@given(data=spoilt())
@pytest.mark.points(only=True)
def test_any_bytes_come_in_or_not_and_nothing_lies_outside(home: tuple[Memvault, Path], name: str, data: bytes) -> None:
    vault, top = home
    before = outside(vault, top)
    path = laid(top / "given", name, data)
    try:
        first = vault.import_memories(name, path)
        again = vault.import_memories(name, path)
        assert not {one.outcome for one in again.memories} & {"new", "renewed", "merged", "beside"}, first
    except MemvaultError:
        pass
    assert outside(vault, top) == before


PARTS = (*"ab./\\:~-", "..", "2-memories/", "\x00", "\u202e", "é", "CON", ".md")
NAMES = st.lists(st.sampled_from(PARTS), max_size=9).map("".join)


@given(name=NAMES)
def test_bundle_notes_stay_inside_the_vault_whatever_their_name(home: tuple[Memvault, Path], name: str) -> None:
    vault, top = home
    (top / "given").mkdir(exist_ok=True)
    data = b"The gate is painted green.\n"
    row = {"path": name, "id": "", "sha256": sha256(data).hexdigest(), "bytes": len(data)}
    bundle = top / "given" / "odd.zip"
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"memvault": "bundle", "schema": 1, "vault": "", "notes": [row]}))
        archive.writestr(f"notes/{name}", data)
    before = outside(vault, top)
    found = vault.import_memories("bundle", bundle, as_mine=True)
    assert outside(vault, top) == before
    for one in found.memories:
        assert one.outcome == "refused" or is_within(one.path, windows=sys.platform == "win32")
