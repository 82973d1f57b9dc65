"""What `--fix` mends: only that, whole, so that a second look finds nothing, and undo brings it back."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.maintenance.doctor import DoctorFinding
from memvault.maintenance.doctor.scan import VaultScan
from tests.conftest import write_own_config
from tests.maintenance.doctor.conftest import Examine
from tests.maintenance.doctor.damage import ID, all_of, differing, note, own_journal, remove_folder, snapshot

A = "2-memories/a.md"
B = "2-memories/b.md"
TWIN = f"---\nid: {ID}\ntitle: One\n---\nOne.\n"
CONFLICT = "2-memories/a (conflict 2026-01-29 1).md"


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
    fixed_as: str = ""  # where mending begins with putting the index aside


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


def much_to_undo(vault: Memvault) -> None:
    write_own_config(vault.environment, "[undo]\nkeep_megabytes = 1\n")
    note(".memvault/undo/20250101T000000Z-aaaaaa/x", b"x" * 800_000)(vault.root)
    note(".memvault/undo/20250102T000000Z-bbbbbb/x", b"x" * 700_000)(vault.root)


def rows(statement: str) -> Callable[[Memvault], None]:
    def change(vault: Memvault) -> None:
        vault.refresh()
        with sqlite3.connect(vault._make_context().index.folder / "rows.sqlite") as database:
            database.executescript(statement)
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
    "a conflict copy of which only fields differ": Case(
        "conflict-copies",
        on_disk(all_of(note(A, TWIN), note(CONFLICT, TWIN.replace("---\n", "---\ntags: [theirs]\n", 1)))),
        CONFLICT,
        "warning",
        "nothing in the two contradicts",
        frozenset({A, CONFLICT, ".trash", f".trash/{CONFLICT.removeprefix('2-memories/')}"}),
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
        fixed_as="set-aside",
    ),
    "a row that is damaged": Case(
        "index",
        rows("update note set data = '{}' where path = '1-hot/short-answers-first.md'"),
        "1-hot/short-answers-first.md",
        "error",
        "does not know this note",
    ),
    "words that belong to no note": Case(
        "index",
        rows("delete from note where number = 1; delete from folder"),
        "",
        "error",
        "they are not the same",
        fixed_as="set-aside",
    ),
    "rows that are gone": Case("set-aside", rows("drop table note"), "", "note", "set aside"),
    "an index set aside": Case(
        "set-aside",
        lambda vault: shutil.copytree(folder := vault._make_context().index.folder, f"{folder}.damaged"),
        "",
        "note",
        "set aside",
    ),
}


def of(check: str, findings: tuple[DoctorFinding, ...]) -> list[DoctorFinding]:
    return [finding for finding in findings if finding.check == check]


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def damaged(case: Case, lived_in: Memvault, examine: Examine) -> Memvault:
    assert of(case.check, examine().findings) == []
    case.damage(lived_in)
    return lived_in


@pytest.mark.points(quick=6)
def test_damage_is_found_where_it_is_and_fix_mends_it_and_nothing_else(
    case: Case, damaged: Memvault, examine: Examine
) -> None:
    before = snapshot(damaged.root, whole=True)
    (found,) = of(case.check, examine().findings)
    assert found.severity == case.severity
    assert case.says in found.sentence
    assert found.path == case.path or not case.path
    assert found.is_fixable
    assert found.fix_reason
    assert found.advice
    planned = examine(fix=True, dry_run=True)
    assert len(of(case.check, planned.fixed)) == 1
    assert not planned.op
    assert differing(before, snapshot(damaged.root, whole=True)) == set()

    before = snapshot(damaged.root)
    diagnosis = examine(fix=True)
    assert len(of(case.fixed_as or case.check, diagnosis.fixed)) == 1
    assert of(case.check, diagnosis.left) == []
    changed = differing(before, snapshot(damaged.root))
    assert changed >= case.changes
    # A folder that was made again may hold others.
    assert {path for path in changed if not path.startswith("3-raw/")} <= case.changes
    assert of(case.check, examine().findings) == []
    assert bool(diagnosis.op) == case.undoable


@pytest.mark.parametrize("case", [case for case in CASES.values() if case.undoable], ids=lambda case: case.check)
def test_undo_takes_the_mend_back(case: Case, damaged: Memvault, examine: Examine) -> None:
    before = {name: part for name, part in snapshot(damaged.root).items() if name != ".trash"}
    diagnosis = examine(fix=True)
    assert damaged.log()[0].verb == "doctor"
    damaged.undo(diagnosis.op)
    after = {name: part for name, part in snapshot(damaged.root).items() if name != ".trash"}
    assert differing(before, after) == set()
    assert len(of(case.check, examine().findings)) == 1


def test_all_changes_of_notes_are_one_operation(lived_in: Memvault, examine: Examine) -> None:
    for case in CASES.values():
        if case.undoable:
            case.damage(lived_in)
    done = len(lived_in.log())
    diagnosis = examine(fix=True)
    assert {finding.check for finding in diagnosis.fixed} >= {"settings", "twins", "status"}
    assert len(lived_in.log()) == done + 1


def test_the_first_of_two_fixes_of_one_file_is_made(lived_in: Memvault, examine: Examine) -> None:
    wrong = f"---\nid: {ID}\nstatus: active\n---\nOne.\n"
    for name in ("a", "b"):
        note(f"3-raw/archived/{name}.md", wrong)(lived_in.root)
    first = examine(fix=True)
    assert {finding.check for finding in first.fixed} == {"twins", "status"}
    assert [finding.path for finding in of("status", first.left)] == ["3-raw/archived/b.md"]
    assert not {"twins", "status"} & {finding.check for finding in examine().findings}


def test_a_note_that_changes_meanwhile_is_left_as_it_was_made(
    lived_in: Memvault, examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lived_in.root / "3-raw/archived/a.md"
    note("3-raw/archived/a.md", "---\nstatus: active\n---\nText.\n")(lived_in.root)

    def look_and_edit(self: VaultScan, *given: object) -> None:
        survey(self, *given)  # type: ignore[arg-type]
        path.write_text("---\nstatus: active\n---\nAnother text.\n")

    survey = VaultScan.__init__
    monkeypatch.setattr(VaultScan, "__init__", look_and_edit)
    diagnosis = examine(fix=True)
    (left,) = of("status", diagnosis.left)
    assert "It could not be fixed" in left.advice
    assert path.read_text() == "---\nstatus: active\n---\nAnother text.\n"
    assert not diagnosis.op


def test_a_status_is_set_without_another_byte(lived_in: Memvault, examine: Examine) -> None:
    path = lived_in.root / "3-raw/archived/a.md"
    path.write_bytes(b"---\r\n# mine\r\nstatus:   active   # so far\r\nweight: 0.30\r\n---\r\nText.\r\n\r\n")
    examine(fix=True)
    assert (
        path.read_bytes() == b"---\r\n# mine\r\nstatus:   archived   # so far\r\nweight: 0.30\r\n---\r\nText.\r\n\r\n"
    )


def test_fix_brings_a_late_write_back_into_the_note(lived_in: Memvault, examine: Examine) -> None:
    saved_late(lived_in)
    assert "Said after all." not in (lived_in.root / "1-hot/short-answers-first.md").read_text()
    examine(fix=True)
    assert "Said after all." in (lived_in.root / "1-hot/short-answers-first.md").read_text()


# -- permissions

posix = pytest.mark.skipif(sys.platform == "win32", reason="rights are lists there")


def modes(root: Path, *paths: str) -> list[int]:
    return [stat.S_IMODE((root / path).stat().st_mode) for path in paths]


@posix
def test_rights_that_others_should_not_have_are_taken_away(lived_in: Memvault, examine: Examine) -> None:
    note(A, "Text.")(lived_in.root)
    note(B, "Text.")(lived_in.root)
    for path, mode in ((".", 0o755), ("2-memories", 0o755), (A, 0o644), (B, 0o660)):
        (lived_in.root / path).chmod(mode)
    found = of("permissions", examine().findings)
    assert [finding.path for finding in found] == ["2-memories/", "2-memories/"]
    assert [finding.sentence.partition(" (")[0] for finding in found] == [
        "Others on this machine can read it.",
        "Others on this machine can read 2 files and folders in it",
    ]
    examine(fix=True)
    assert modes(lived_in.root, ".", "2-memories", A, B) == [0o755, 0o700, 0o600, 0o600]
    assert of("permissions", examine().findings) == []


@posix
def test_files_in_a_private_folder_count_as_private(lived_in: Memvault, examine: Examine) -> None:
    (lived_in.root / "1-hot/short-answers-first.md").chmod(0o666)
    assert of("permissions", examine().findings) == []


@posix
def test_files_that_anybody_can_change_are_an_error(lived_in: Memvault, examine: Examine) -> None:
    lived_in.root.chmod(0o777)
    (lived_in.root / "1-hot").chmod(0o777)
    found = of("permissions", examine().findings)
    assert [(finding.path, finding.severity) for finding in found] == [(".", "error"), ("1-hot/", "error")]
    examine(fix=True)
    assert modes(lived_in.root, ".", "1-hot") == [0o775, 0o700]


@posix
def test_a_shared_vault_lets_the_group_read_and_no_more(lived_in: Memvault, examine: Examine) -> None:
    write_own_config(lived_in.environment, "[files]\nshared = true\n")
    for path, mode in ((".", 0o750), ("1-hot", 0o750), ("1-hot/short-answers-first.md", 0o640), ("2-memories", 0o770)):
        (lived_in.root / path).chmod(mode)
    assert [finding.path for finding in of("permissions", examine().findings)] == ["2-memories/"]
    examine(fix=True)
    assert modes(lived_in.root, "1-hot", "1-hot/short-answers-first.md", "2-memories") == [0o750, 0o640, 0o750]


def test_a_conflict_copy_that_says_otherwise_becomes_a_memory_that_contradicts(sample: Memvault) -> None:
    all_of(note(A, TWIN), note(CONFLICT, f"{TWIN}And more.\n"))(sample.root)
    finding = next(found for found in sample.doctor().findings if found.check == "conflict-copies")
    assert (finding.severity, "say different things" in finding.sentence) == ("error", True)
    before = snapshot(sample.root)
    done = sample.doctor(fix=True)
    assert not (sample.root / CONFLICT).exists()
    ours, theirs = sample.root / A, next(sample.root.glob("2-memories/a-????????.md"))
    assert (b"And more." in ours.read_bytes(), b"And more." in theirs.read_bytes()) == (False, True)
    assert sample.list_conflicts().total == 1
    told = dict(cure for found in done.fixed for cure in found.file_fixes)
    assert "contradicts" in told[A]
    assert theirs.name in told[CONFLICT]
    assert "memvault review" in told[CONFLICT]
    assert ["memvault review" in found.then for found in done.fixed] == [True]
    sample.undo(done.op)
    assert differing(before, snapshot(sample.root)) <= {".trash"}
