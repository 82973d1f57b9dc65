"""The format page, the vault template and the sample memories say the same things."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import unicodedata
import uuid
from datetime import datetime
from pathlib import Path

import frontmatter
import pathspec
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
TEMPLATE = ROOT / "vault_template"
SAMPLE = ROOT / "memvault" / "storage" / "vault" / "sample"

OBSIDIAN_TYPES = {
    "id": "text",
    "word": "text",
    "text": "text",
    "number": "number",
    "count": "number",
    "flag": "checkbox",
    "date": "datetime",
    "list": "multitext",
    "tags": "tags",
    "links": "multitext",
    "map": "text",
}

# The contract's own list, so that a field cannot vanish from the page and from Obsidian's types together.
PROMISED = """
id type kind title created last_accessed access_count weight emotional_flag pinned decay_eligible status
tags topics people triggers refs aliases ref_session base_weight merged_from merged_into supersedes
superseded_by contested agent device promoted_from reinforces contradicts extends refines source session
project scope state due priority condition condition_type completed_at category steps prerequisites
success_conditions failure_patterns usage_count success_rate last_used_at confidence evidence_count
source_sessions event_type valence task expires_at cleared_at
"""

ALWAYS_WRITTEN = "id title aliases created last_accessed weight"

# Days before or after the moment a sample vault is made.
RELATIVE_DATE = re.compile(r"[+-]\d+(\.\d+)?d")
WIKILINK = re.compile(r"\[\[([^\]|#]+)")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []


def field_forms() -> dict[str, str]:
    forms: dict[str, str] = {}
    inside = False
    for line in PAGE.splitlines():
        row = cells(line)
        inside = bool(row) and (inside or row[:2] == ["field", "form"])
        if inside and row[0].startswith("`"):
            name = row[0].strip("`")
            assert name not in forms, f"{name} stands in two field tables"
            forms[name] = re.split(r"[ :]", row[1])[0]
    return forms


FORMS = field_forms()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def sample_files() -> list[Path]:
    return sorted(SAMPLE.rglob("*.md"))


def sample_memories() -> dict[str, frontmatter.Post]:
    files = [path for path in sample_files() if path.parent.name != "deep-context"]
    return {path.stem: frontmatter.load(str(path)) for path in files}


def sha(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


# -- the field table


def test_every_promised_field_has_a_row() -> None:
    assert set(PROMISED.split()) - FORMS.keys() == set()


def test_every_form_in_a_field_table_is_defined() -> None:
    assert set(FORMS.values()) <= OBSIDIAN_TYPES.keys()


def test_obsidian_knows_exactly_the_fields_of_the_page_by_their_forms() -> None:
    types = json.loads((TEMPLATE / ".obsidian" / "types.json").read_text(encoding="utf-8"))["types"]
    assert types == {name: OBSIDIAN_TYPES[form] for name, form in FORMS.items()} | {"aliases": "aliases"}


def test_the_forms_table_names_the_same_obsidian_types() -> None:
    rows = [cells(line) for line in PAGE.splitlines()]
    start = next(number for number, row in enumerate(rows) if row[:2] == ["form", "read"])
    said = {row[0]: row[3] for row in rows[start + 2 : start + 2 + len(OBSIDIAN_TYPES)]}
    assert said == OBSIDIAN_TYPES


# -- the page itself


def anchors() -> set[str]:
    found = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", PAGE, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_links_within_the_page_lead_somewhere() -> None:
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors()


def test_sections_that_are_referred_to_exist() -> None:
    numbers = set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", PAGE, re.MULTILINE))
    referred = set(re.findall(r"§+(\d+(?:\.\d+)?)", PAGE))
    assert referred - numbers == set()


def test_the_identity_vectors_are_right() -> None:
    vault = uuid.UUID("7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11")
    sources = ["5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b", "0d1c5c5e-3f0a-4a39-8a55-0f2b1d3c4e5f"]
    names = ["notes/tides.md", "notes/tides.md#2", "merged:" + ",".join(sorted(sources))]
    assert [f"`{uuid.uuid5(vault, name)}`" in PAGE for name in names] == [True, True, True]


def test_the_hash_vectors_are_right() -> None:
    text = "High water at Hollin is 40 minutes after the harbour."
    assert f"`{sha(text.encode())}`" in PAGE
    normal = " ".join(unicodedata.normalize("NFC", text).split()).casefold()
    key = bytes.fromhex("0" * 63 + "1")
    assert f"`{hmac.new(key, normal.encode(), 'sha256').hexdigest()}`" in PAGE


def test_the_journal_and_ledger_of_the_example_are_lines_of_json() -> None:
    lines = [line for block in blocks("json") for line in block.splitlines() if line.startswith('{"t"')]
    entries = [json.loads(line) for line in lines]
    events = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert len(entries) >= 6
    assert all(len(line.encode()) < 4096 and entry["e"] in events for line, entry in zip(lines, entries, strict=True))


def test_the_notes_of_the_example_are_whole_memories() -> None:
    notes = [frontmatter.loads(block) for block in blocks("markdown") if block.startswith("---\n")]
    assert len(notes) == 1
    for note in notes:
        assert set(note.keys()) <= FORMS.keys()
        assert set(ALWAYS_WRITTEN.split()) <= set(note.keys())
        assert list(note.keys()) == [name for name in FORMS if name in note], "fields stand in the order of the tables"


def test_the_operation_of_the_example_has_the_true_hashes() -> None:
    before = next(block for block in blocks("markdown") if "title: High water at Hollin" in block)
    after = before
    for old, new in (
        ("last_accessed: 2026-01-29T03:00:00Z", "last_accessed: 2026-01-31T08:02:40Z"),
        ("access_count: 0", "access_count: 1"),
        ("weight: 0.8", "weight: 0.6"),
        ("triggers: [high water]\n", "triggers: [high water]\nbase_weight: 0.8\n"),
    ):
        after = after.replace(old, new)
    steps = [json.loads(line) for block in blocks("json") for line in block.splitlines() if '"e":"step"' in line]
    assert [(step["before"], step["after"]) for step in steps] == [(sha(before.encode()), sha(after.encode()))]
    assert f"undo/{steps[0]['op']}/{steps[0]['before']}`" in PAGE


def test_the_foreign_note_of_the_example_has_the_true_version() -> None:
    tides = next(block for block in blocks("markdown") if block.startswith("# Tides"))
    assert f'"sha":"{sha(tides.encode())}"' in PAGE


# -- the vault template


@pytest.mark.parametrize("path", sorted((TEMPLATE / ".obsidian").iterdir()), ids=lambda path: path.name)
def test_obsidian_settings_are_json_objects(path: Path) -> None:
    assert isinstance(json.loads(path.read_text(encoding="utf-8")), dict)


def test_obsidian_settings_hold_nothing_personal() -> None:
    names = {path.name for path in (TEMPLATE / ".obsidian").iterdir()}
    assert names == {"app.json", "core-plugins.json", "graph.json", "templates.json", "types.json"}


def test_the_folders_of_the_vault_are_laid_down() -> None:
    kept = {path.parent.relative_to(TEMPLATE).as_posix() for path in TEMPLATE.rglob(".gitkeep")}
    assert kept == {
        "0-identity",
        "1-hot",
        "2-memories",
        "2-memories/deep-context",
        "3-raw/transcripts",
        "3-raw/archived",
        "quarantine",
        "templates",
    }
    readme = (TEMPLATE / "README.md").read_text(encoding="utf-8")
    assert [folder for folder in kept if f"`{folder}`" not in readme] == []


def base() -> dict[str, object]:
    loaded = yaml.safe_load((TEMPLATE / "Memories.base").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_the_base_has_its_five_views() -> None:
    views = base()["views"]
    assert isinstance(views, list)
    assert [view["name"] for view in views] == ["By weight", "Stale", "Pinned", "Due", "Recent"]


def test_the_base_of_the_inbox_shows_quarantine_and_what_else_waits() -> None:
    table = yaml.safe_load((TEMPLATE / "Inbox.base").read_text(encoding="utf-8"))
    assert [view["name"] for view in table["views"]] == ["Quarantine", "Perhaps not worth keeping", "Due", "Contested"]
    assert table["views"][0]["filters"] == {"and": ['file.inFolder("quarantine")']}
    named = {name for view in table["views"] for name in view["order"]} - {"file.name"}
    assert {name.removeprefix("formula.") for name in named} <= set(FORMS) | set(table["formulas"])


def test_the_base_shows_only_what_lies_in_the_memory_folders() -> None:
    filters = base()["filters"]
    assert isinstance(filters, dict)
    assert {"or": [f'file.inFolder("{name}")' for name in ("0-identity", "1-hot", "2-memories")]} in filters["and"]


def test_the_base_names_only_fields_and_formulas_that_exist() -> None:
    table = base()
    views, formulas = table["views"], table["formulas"]
    assert isinstance(views, list)
    assert isinstance(formulas, dict)
    shown = {name for view in views for name in view["order"]} | {
        key["property"] for view in views for key in view.get("sort", [])
    }
    known = FORMS.keys() | {"file.name"} | {f"formula.{name}" for name in formulas}
    assert shown - known == set()


@pytest.mark.parametrize("path", sorted((TEMPLATE / "templates").glob("*.md")), ids=lambda path: path.stem)
@pytest.mark.parametrize("title", ["Tides", "Maja's hazelnuts: no", "潮の満ち引き"])
def test_note_templates_are_sound_before_and_after_obsidian_fills_them(path: Path, title: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert set(frontmatter.loads(text).keys()) <= FORMS.keys()
    filled = text.replace("{{title}}", title)
    filled = filled.replace("{{date:YYYY-MM-DD}}", "2026-01-29").replace("{{time:HH:mm:ss}}", "03:00:00")
    note = frontmatter.loads(filled)
    assert "{{" not in filled
    assert (note["title"], note["aliases"]) == (title, [title])
    assert datetime.fromisoformat(str(note["created"])) == datetime(2026, 1, 29, 3)  # noqa: DTZ001  (local, as Obsidian writes it)


def test_git_keeps_the_journal_and_leaves_out_what_is_of_this_machine() -> None:
    lines = (TEMPLATE / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = pathspec.GitIgnoreSpec.from_lines(lines).match_file
    local = [
        ".memvault/undo/20260129T030000Z-4f2a/ef5d18e6ba31dec997dc41f919120ebd",
        ".memvault/lock",
        "3-raw/transcripts/2026/01/2026-01-29-a.turns.jsonl.gz",
        ".trash/x.md",
        ".obsidian/workspace.json",
        ".obsidian/workspace-mobile.json",
        "private/key.txt",
        "me.agekey",
        "2-memories/.x.tmp",
    ]
    shared = [
        ".memvault/vault.json",
        ".memvault/journal/k3v9xq2m/2026-01.jsonl",
        ".memvault/ledger/k3v9xq2m.jsonl",
        ".memvault/ledger/key",
        "3-raw/transcripts/.gitkeep",
        "3-raw/archived/x.md",
        "private/0123456789abcdef.md.age",
        "private/.recipients",
        ".obsidian/types.json",
        "2-memories/2026-01-29-going-places.md",
    ]
    assert [path for path in local if not ignored(path)] == []
    assert [path for path in shared if ignored(path)] == []


# -- the sample memories


def test_there_is_a_sample_of_every_kind_and_tier() -> None:
    implied = {"learning": "semantic", "reference": "semantic", "milestone": "episodic"}
    kinds = {str(note.get("kind") or implied[str(note["type"])]) for note in sample_memories().values()}
    folders = {path.parent.relative_to(SAMPLE).as_posix() for path in sample_files()}
    tags = {tag for note in sample_memories().values() for tag in note["tags"]}  # type: ignore[attr-defined]
    assert len(sample_memories()) >= 12
    assert kinds == {"episodic", "semantic", "prospective", "procedural", "working"}
    assert folders == {"0-identity", "1-hot", "2-memories", "2-memories/deep-context", "3-raw/archived"}
    assert tags >= {"preference", "decision", "gotcha", "identity"}


def test_samples_carry_what_every_new_memory_carries_in_the_order_of_the_page() -> None:
    for name, note in sample_memories().items():
        assert set(ALWAYS_WRITTEN.split()) <= set(note.keys()) <= FORMS.keys(), name
        text = next(SAMPLE.rglob(f"{name}.md")).read_text(encoding="utf-8")
        keys = re.findall(r"^(\w+):", text.partition("\n---\n")[0], re.MULTILINE)
        written = [key for key in keys if key != "base_weight"]
        assert written == [key for key in FORMS if key in written], name
        assert ("kind" in note) == (note["type"] == "memory" or note.get("kind") == "procedural"), name


def test_samples_are_told_apart() -> None:
    notes = sample_memories()
    names = [unicodedata.normalize("NFC", path.stem).casefold() for path in sample_files()]
    ids = {str(uuid.UUID(str(note["id"]))) for note in notes.values()}
    titles = {str(note["title"]) for note in notes.values()}
    assert len(set(names)) == len(names)
    assert len(ids) == len(titles) == len(notes)


def test_links_between_samples_lead_somewhere() -> None:
    names = {path.stem for path in sample_files()}
    linked = {target for path in sample_files() for target in WIKILINK.findall(path.read_text(encoding="utf-8"))}
    assert linked
    assert linked - names == set()


def test_sample_dates_are_relative_and_in_order() -> None:
    for name, note in sample_memories().items():
        dates = {key: str(value) for key, value in note.metadata.items() if FORMS[key] == "date"}
        assert all(RELATIVE_DATE.fullmatch(value) for value in dates.values()), name
        assert days(dates["created"]) <= days(dates["last_accessed"]) <= 0, name
        assert all(days(dates[key]) > 0 for key in ("due", "expires_at") if key in dates), name


def days(relative: str) -> float:
    return float(relative.removesuffix("d"))


def test_sample_statuses_are_what_their_weights_say() -> None:
    for name, note in sample_memories().items():
        idle = -days(str(note["last_accessed"]))
        base_weight = float(str(note.get("base_weight", note["weight"])))
        decay = max(0.99**idle, 0.8 if note["emotional_flag"] else 0.0)
        still = note.get("decay_eligible") is False or note["pinned"]
        weight = base_weight * (1.0 if still else decay) + min(0.02 * int(str(note["access_count"])), 0.3)
        assert (weight < 0.3) == (note["status"] != "active"), name
        if "base_weight" in note:
            assert round(weight, 1) == note["weight"], name


def test_a_stale_sample_is_not_archived_by_the_first_maintenance() -> None:
    stale = [note for note in sample_memories().values() if note["status"] == "stale"]
    assert stale
    for note in stale:
        a_month_ago = -days(str(note["last_accessed"])) - 30
        assert float(str(note["base_weight"])) * 0.99**a_month_ago >= 0.3


def test_sample_weights_vary_and_their_texts_stand_alone() -> None:
    notes = sample_memories()
    assert len({note["weight"] for note in notes.values()}) >= 5
    assert all(len(note.content) >= 150 for note in notes.values())
    assert not [
        name
        for name, note in notes.items()
        if re.search(r"\b20\d\d-\d\d-\d\d\b", note.content) and name != "short-answers-first"
    ]


def test_identity_is_small_enough_to_be_loaded_always() -> None:
    assert sum(path.stat().st_size for path in (SAMPLE / "0-identity").glob("*.md")) < 3_000
