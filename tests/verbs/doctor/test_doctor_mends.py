"""What `--fix` mends: only that, whole, so that a second look finds nothing, and undo brings it back."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.verbs.doctor import Diagnosis, Finding
from tests.verbs.doctor.conftest import Examine
from tests.verbs.doctor.damage import ID, all_of, differing, note, own_device, own_journal, remove_folder, snapshot

A = "2-memories/a.md"
B = "2-memories/b.md"
TWIN = f"---\nid: {ID}\ntitle: One\n---\nOne.\n"
CONFLICT = "2-memories/a (conflict 2026-01-29 1).md"


def path_of(vault: Memvault, title: str) -> Path:
    return vault.path_of(title)


@dataclass(frozen=True)
class Case:
    """A damage, the finding it leads to, and all that mending it may change."""

    check: str
    damage: Callable[[Memvault], object]
    path: str
    severity: str
    says: str
    changes: frozenset[str] = field(default_factory=frozenset)  # nothing else, by a byte or a mode
    undoable: bool = False


def on_disk(damage: Callable[[Path], object]) -> Callable[[Memvault], object]:
    return lambda vault: damage(vault.root)


def taken_out_of_the_archive(vault: Memvault) -> None:
    name = "gauges-keep-winter-time.md"
    vault.move(name, "archived")
    (vault.root / "3-raw/archived" / name).rename(vault.root / A)
    (vault.root / A).rename(vault.root / "2-memories" / name)


def interrupted(vault: Memvault) -> None:
    line = {"t": "2026-01-29T09:00:00Z", "e": "op", "op": "20260129T090000Z-abcdef", "verb": "remember"}
    step = {"t": line["t"], "e": "step", "op": line["op"], "do": "create", "path": A, "after": "0" * 32}
    with own_journal(vault.root).open("a") as journal:
        journal.writelines(f"{json.dumps(part)}\n" for part in (line, step))


def saved_late(vault: Memvault) -> None:
    with (vault.root / "1-hot/short-answers-first.md").open("a") as editor:
        vault.pin("short-answers-first")
        editor.write("Said after all.\n")


def killed_writer(root: Path) -> None:
    # No system counts its processes this far.
    (root / "2-memories/.mv-99999999-0123456789ab.tmp").write_text("half")


def open_to_all(root: Path) -> None:
    root.chmod(0o755)
    (root / "2-memories").chmod(0o755)
    (root / A).write_text("Text.")
    (root / A).chmod(0o644)
    (root / B).write_text("Text.")
    (root / B).chmod(0o640)


def much_to_undo(vault: Memvault) -> None:
    note("memvault.toml", "[undo]\nkeep_megabytes = 1\n")(vault.root)
    note(".memvault/undo/20250101T000000Z-aaaaaa/x", b"x" * 800_000)(vault.root)
    note(".memvault/undo/20250102T000000Z-bbbbbb/x", b"x" * 700_000)(vault.root)


def rows(statement: str) -> Callable[[Memvault], None]:
    def change(vault: Memvault) -> None:
        vault.freshen()
        with sqlite3.connect(vault._bench().catalogue.folder / "rows.sqlite") as database:
            database.execute(statement)
        database.close()

    return change


CASES: dict[str, Case] = {
    "settings that are gone": Case(
        "settings",
        on_disk(lambda root: (root / "memvault.toml").unlink()),
        "memvault.toml",
        "warning",
        "missing",
        frozenset({"memvault.toml"}),
        undoable=True,
    ),
    "a folder never filled": Case(
        "folders", on_disk(remove_folder("3-raw")), "3-raw/", "note", "not there", frozenset({"3-raw"})
    ),
    "a conflict copy that is the same": Case(
        "conflict-copies",
        on_disk(all_of(note(A, "Ours."), note(CONFLICT, "Ours."))),
        CONFLICT,
        "warning",
        f"{A}, and the same to the last byte",
        frozenset({CONFLICT, ".trash", f".trash/{CONFLICT.removeprefix('2-memories/')}"}),
        undoable=True,
    ),
    "a copy of a note": Case(
        "twins",
        on_disk(all_of(note(A, TWIN), note("2-memories/a 2.md", TWIN))),
        "2-memories/a 2.md",
        "warning",
        f"a copy of {A}, to the last byte",
        frozenset({"2-memories/a 2.md", ".trash", ".trash/a 2.md"}),
        undoable=True,
    ),
    "a copy of a note that is linked to": Case(
        "twins",
        on_disk(all_of(note(A, TWIN), note("2-memories/linked.md", TWIN), note(B, "See [[linked]]."))),
        A,
        "warning",
        "a copy of 2-memories/linked.md",
        frozenset({A, ".trash", ".trash/a.md"}),
        undoable=True,
    ),
    "an active memory in the archive": Case(
        "status",
        on_disk(note("3-raw/archived/a.md", "---\nstatus: stale  # tired\n---\nText.\n")),
        "3-raw/archived/a.md",
        "warning",
        "its status says stale",
        frozenset({"3-raw/archived/a.md"}),
        undoable=True,
    ),
    "an archived memory taken out": Case(
        "status",
        taken_out_of_the_archive,
        "2-memories/gauges-keep-winter-time.md",
        "warning",
        "taken out of the archive",
        frozenset({"2-memories/gauges-keep-winter-time.md"}),
        undoable=True,
    ),
    "an interrupted operation": Case("interrupted", interrupted, A, "warning", "20260129T090000Z-abcdef (remember)"),
    "a late save": Case(
        "late-writes",
        saved_late,
        "1-hot/short-answers-first.md",
        "warning",
        "kept aside",
        frozenset({"1-hot/short-answers-first.md"}),
    ),
    "a killed writer": Case(
        "leftovers",
        on_disk(killed_writer),
        "2-memories/.mv-99999999-0123456789ab.tmp",
        "warning",
        "left 1 temporary file",
        frozenset({"2-memories/.mv-99999999-0123456789ab.tmp"}),
    ),
    "too much to undo": Case("undo-store", much_to_undo, ".memvault/undo/", "warning", "takes 1.4 MB"),
    "a note the index lost": Case(
        "index",
        rows("delete from note where path = '1-hot/short-answers-first.md'"),
        "1-hot/short-answers-first.md",
        "error",
        "does not know this note",
    ),
    "a row that is damaged": Case(
        "index",
        rows("update note set data = '{}' where path = '1-hot/short-answers-first.md'"),
        "1-hot/short-answers-first.md",
        "error",
        "does not know this note",
    ),
    "rows that are gone": Case("index", rows("drop table note"), "", "error", "The index cannot be read"),
    "an index set aside": Case(
        "set-aside",
        lambda vault: shutil.copytree(folder := vault._bench().catalogue.folder, f"{folder}.damaged"),
        "",
        "note",
        "set aside",
    ),
}


def of(check: str, findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.check == check]


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def damaged(case: Case, lived_in: Memvault, examine: Examine) -> Memvault:
    assert of(case.check, examine().findings) == []
    case.damage(lived_in)
    return lived_in


def test_it_is_found_where_it_is(case: Case, damaged: Memvault, examine: Examine) -> None:
    before = snapshot(damaged.root, whole=True)
    (found,) = of(case.check, examine().findings)
    assert found.severity == case.severity
    assert case.says in found.sentence
    assert found.path == case.path or not case.path
    assert found.mendable
    assert found.cure
    assert found.advice
    assert differing(before, snapshot(damaged.root, whole=True)) == set()


def test_fix_mends_it_and_nothing_else(case: Case, damaged: Memvault, examine: Examine) -> None:
    before = snapshot(damaged.root)
    diagnosis = examine(fix=True)
    assert len(of(case.check, diagnosis.fixed)) == 1
    assert of(case.check, diagnosis.left) == []
    changed = differing(before, snapshot(damaged.root))
    assert changed >= case.changes
    # A folder that was made again may hold others.
    assert {path for path in changed if not path.startswith("3-raw/")} <= case.changes
    assert of(case.check, examine().findings) == []
    assert bool(diagnosis.op) == case.undoable


def test_undo_takes_the_mend_back(case: Case, damaged: Memvault, examine: Examine) -> None:
    if not case.undoable:
        pytest.skip("what is no note is put right in place")
    before = {name: part for name, part in snapshot(damaged.root).items() if name != ".trash"}
    diagnosis = examine(fix=True)
    assert damaged.operation(diagnosis.op).verb == "doctor"
    damaged.undo(diagnosis.op)
    after = {name: part for name, part in snapshot(damaged.root).items() if name != ".trash"}
    assert differing(before, after) == set()
    assert len(of(case.check, examine().findings)) == 1


def test_a_dry_run_says_what_would_be_mended_and_changes_nothing(
    case: Case, damaged: Memvault, examine: Examine
) -> None:
    before = snapshot(damaged.root, whole=True)
    diagnosis = examine(fix=True, dry_run=True)
    assert len(of(case.check, diagnosis.fixed)) == 1
    assert not diagnosis.op
    assert differing(before, snapshot(damaged.root, whole=True)) == set()
