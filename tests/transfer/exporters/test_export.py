"""What goes out of a vault: every byte of a note in a bundle, and nothing that is private unless it is asked for."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.core.query import Filters
from memvault.errors import AlreadyThere, BadInput
from tests.conftest import Opener


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_holds_every_note_byte_for_byte_with_its_hash(sample: Memvault) -> None:
    parts = unzipped(sample.export().data)
    said = json.loads(parts["manifest.json"])
    assert len(said["notes"]) == sample.list().total
    for row in said["notes"]:
        data = parts[f"notes/{row['path']}"]
        assert data == (sample.root / row["path"]).read_bytes()
        assert (row["sha256"], row["bytes"]) == (sha256(data).hexdigest(), len(data))


def test_the_same_notes_make_the_same_bundle(sample: Memvault) -> None:
    assert sample.export().data == sample.export().data


def test_lines_of_json_carry_all_of_a_memory(sample: Memvault) -> None:
    rows = [json.loads(line) for line in sample.export(format="jsonl").data.decode().splitlines()]
    assert len(rows) == sample.list().total
    row = next(row for row in rows if row["kind"] == "procedural")
    assert row["text"].strip() in (sample.root / row["path"]).read_text()
    assert 0 <= row["effective_weight"] <= 1
    assert {"id", "title", "tags", "created", "uses", "tier"} <= row.keys()


def test_a_page_has_every_memory_once_below_its_kind(sample: Memvault) -> None:
    page = sample.export(format="markdown").data.decode()
    for row in sample.list().rows:
        assert page.count(f"\n### {row.memory.title}\n") == 1
    kinds = {row.memory.kind.capitalize() for row in sample.list().rows}
    assert {line[3:] for line in page.splitlines() if line.startswith("## ")} == kinds


@pytest.mark.parametrize("format_", ["bundle", "jsonl", "markdown"])
def test_private_text_goes_out_only_where_it_is_asked_for(vault: Memvault, format_: str) -> None:
    path = vault.root / "2-memories" / "boat.md"
    path.write_text("---\ntitle: Boat\n---\nIt is red.\n\n<private>It cost a kumquat.</private>\n")
    held = vault.export(format=format_)
    whole = vault.export(format=format_, with_private=True)
    plain = [b"".join(unzipped(each.data).values()) if format_ == "bundle" else each.data for each in (held, whole)]
    assert b"kumquat" not in plain[0]
    assert b"kumquat" in plain[1]
    assert held.private == (("2-memories/boat.md",) if format_ == "bundle" else ())


def test_conditions_choose_and_quarantine_stays(sample: Memvault) -> None:
    (sample.root / "quarantine" / "odd.md").write_text("Do as I say.\n")
    some = sample.export(format="jsonl", filters=Filters(kinds=frozenset({"procedural"})))
    assert {json.loads(line)["kind"] for line in some.data.decode().splitlines()} == {"procedural"}
    assert b"Do as I say." not in sample.export(format="jsonl").data


def test_a_file_that_is_there_is_written_over_by_force_alone(sample: Memvault, tmp_path: Path) -> None:
    target = tmp_path / "all.zip"
    sample.export(target)
    before = target.read_bytes()
    sample.remember("One more thing.")
    with pytest.raises(AlreadyThere):
        sample.export(target)
    assert target.read_bytes() == before
    sample.export(target, force=True)
    assert target.read_bytes() != before


def test_a_note_too_long_for_the_index_goes_out_whole(vault: Memvault, open_vault: Opener) -> None:
    path = vault.root / "2-memories" / "long.md"
    path.write_bytes(b"A line of it, and the last of them is not indexed.\n" * 1_000)
    short = open_vault(vault.root, settings={"index.max_kilobytes": 16})
    assert unzipped(short.export().data)["notes/2-memories/long.md"] == path.read_bytes()


def test_nothing_in_the_vault_changes(sample: Memvault) -> None:
    sample.list()
    before = {path: path.read_bytes() for path in sample.root.rglob("*") if path.is_file()}
    sample.export()
    assert {path: path.read_bytes() for path in sample.root.rglob("*") if path.is_file()} == before


def test_an_unknown_format_is_told(vault: Memvault) -> None:
    with pytest.raises(BadInput, match="csv"):
        vault.export(format="csv")


@pytest.mark.parametrize("format_", ["jsonl", "markdown"])
def test_a_private_span_that_reaches_out_of_the_frontmatter_keeps_the_note_here(vault: Memvault, format_: str) -> None:
    """No field behind its beginning, and no text before its end, is told from what may be read."""
    for name, above, below in (
        ("out", "title: Boat <private>\ntags: [nine]\n", "It cost a kumquat.</private> It is red.\n"),
        ("in", "title: <private>x\naliases: [nine]\nagent: y</private>\n", "It is red.\n"),
    ):
        (vault.root / "2-memories" / f"{name}.md").write_text(f"---\n{above}---\n{below}")
    (vault.root / "2-memories" / "kept.md").write_text("---\ntitle: <private>x</private> Oar\n---\nIt is blue.\n")
    done = vault.export(format=format_)
    assert done.private == ("2-memories/in.md", "2-memories/out.md")
    assert b"nine" not in done.data
    assert b"kumquat" not in done.data
    assert b"It is blue." in done.data


def test_export_reports_notes_that_not_every_vault_accepts(vault: Memvault) -> None:
    odd = vault.root / "2-memories" / "odd\nname.md"
    with contextlib.suppress(OSError):  # not every system can call a file so
        odd.write_text("A note whose name breaks its line.\n")
    told = dict(vault.export().barred)
    assert len(told) == odd.exists()
