"""The doctor as a whole: sound vaults are called sound, garbage stops nothing, a look changes nothing."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import MemvaultError, Unreadable
from memvault.maintenance.doctor import CHECKS, VERIFY_CHECKS, DoctorFinding
from memvault.maintenance.doctor.copies import original_of
from memvault.maintenance.doctor.scan import VaultScan
from memvault.storage.finding import SEVERITIES
from memvault.storage.vault.vault import Vault, VaultNote
from tests.conftest import Clock, Opener
from tests.maintenance.doctor.conftest import Examine
from tests.maintenance.doctor.damage import ID, differing, note, snapshot

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "errors.md").read_text(encoding="utf-8")

FEATURES = ("conversations", "still-true", "private", "hooks", "sync")  # which bring checks of their own

# -- sound vaults


def sentences(findings: tuple[DoctorFinding, ...]) -> list[str]:
    return [f"{finding.path}: {finding.sentence}" for finding in findings if finding.severity != "note"]


def test_a_new_vault_is_sound(vault: Memvault) -> None:
    diagnosis = vault.doctor()
    assert diagnosis.findings == ()
    assert diagnosis.is_sound
    assert diagnosis.checked["notes"] == 0
    assert diagnosis.checked["checks"] == len(CHECKS) + len(FEATURES)


def test_the_sample_vault_is_sound(sample: Memvault) -> None:
    diagnosis = sample.doctor()
    assert sentences(diagnosis.findings) == []
    assert diagnosis.is_sound
    assert diagnosis.checked["notes"] == sample.list().total == 17


def test_a_vault_that_is_used_is_sound(sample: Memvault) -> None:
    made = sample.remember("The tide tables moved to the hall cupboard.", tags=("tides",), significant=True)
    other = sample.remember("The key of the cupboard is with Dov.")
    sample.link(made.memory.id, other.memory.id)
    sample.pin(made.memory.id)
    sample.move(other.memory.id, "archived")
    sample.restore(other.memory.id)
    sample.forget("rowing-club-flood-marks")
    sample.undo()
    sample.recall("tide tables")
    sample.edit(made.memory.id, append="And the old ones were thrown away.")
    assert sentences(sample.doctor().findings) == []
    assert sentences(sample.doctor(fix=True).findings) == []


OBSIDIAN = {
    "Index.md": "# Index\nSee [[People/Sara Uy]], [[nothing yet]] and ![[picture.png]].\n",
    "People/Sara Uy.md": "---\naliases: Sara\nstatus: done\nweight: 82\ncreated: 2031-01-01\n---\nA friend.\n",
    "Projects/README.md": "One.\n",
    "People/README.md": "Two.\n",
    "Daily/2026-01-29.md": "",
    "attachments/picture.png": "not really\n",
    ".obsidian/app.json": "{}\n",
    ".trash/Old.md": "Old.\n",
}


def test_an_adopted_folder_of_notes_is_sound_whatever_rights_it_has(
    tmp_path: Path, clock: Clock, open_vault: Opener
) -> None:
    for path, text in OBSIDIAN.items():
        (tmp_path / "notes" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / path).write_text(text)
    for folder, _, names in os.walk(tmp_path / "notes"):
        Path(folder).chmod(0o775)
        for name in names:
            (Path(folder) / name).chmod(0o664)
    Memvault.init(tmp_path / "notes", home="memory", clock=clock)
    adopted = open_vault(tmp_path / "notes")
    before = snapshot(adopted.root)
    assert sentences(adopted.doctor(fix=True).findings) == []
    assert differing(before, snapshot(adopted.root)) == set()


# -- a look changes nothing


def test_a_look_changes_nothing_at_all(sample: Memvault) -> None:
    note("2-memories/no-id.md", "A note without an id.")(sample.root)
    before = snapshot(sample.root, whole=True)
    sample.doctor()
    assert differing(before, snapshot(sample.root, whole=True)) == set()


def test_every_note_is_read_once(sample: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(self: Vault, path: str, *, limit: int | None = None) -> VaultNote:
        read.append(path)
        return original(self, path, limit=limit)

    original = Vault.read_note
    monkeypatch.setattr(Vault, "read_note", counted)
    sample.doctor()
    assert sorted(read) == sorted(memory.memory.path for memory in sample.list().rows)


def test_a_check_that_comes_to_grief_stops_no_other(sample: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    def hapless(survey: VaultScan) -> Iterator[DoctorFinding]:
        yield DoctorFinding(severity="note", path="a.md", sentence="So far.")
        raise Unreadable(path="b.md", reason="of a test")

    rows = (("hapless", hapless), *CHECKS)
    monkeypatch.setattr("memvault.maintenance.doctor.CHECKS", rows)
    found = [finding for finding in sample.doctor().findings if finding.check == "hapless"]
    assert [finding.sentence for finding in found] == [
        "So far.",
        "This check could not be completed: b.md cannot be read: of a test.",
    ]


def test_a_note_that_nobody_foresaw_is_a_finding(sample: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    def surprised(self: Vault, path: str, *, limit: int | None = None) -> VaultNote:
        if path.endswith("odd.md"):
            raise RecursionError("too deep")
        return original(self, path, limit=limit)

    original = Vault.read_note
    note("2-memories/odd.md", "Odd.")(sample.root)
    monkeypatch.setattr(Vault, "read_note", surprised)
    found = [finding for finding in sample.doctor().findings if finding.path == "2-memories/odd.md"]
    assert [finding.check for finding in found] == ["unreadable"]


def test_a_vault_that_cannot_be_written_is_looked_at_all_the_same(
    sample: Memvault, monkeypatch: pytest.MonkeyPatch
) -> None:
    note("3-raw/archived/a.md", "---\nstatus: active\n---\nText.\n")(sample.root)

    def refuse(*_given: object, **_named: object) -> None:
        raise MemvaultError

    monkeypatch.setattr("memvault.system.files.append_line", refuse)
    diagnosis = sample.doctor(fix=True)
    assert diagnosis.fixed == ()
    assert [finding.check for finding in diagnosis.left if finding.is_fixable] == ["status"]


# -- garbage

GARBAGE: dict[str, bytes] = {
    "2-memories/broken.md": b"---\ntitle: [\n---\nText.\n",
    "2-memories/open.md": b"---\ntitle: x\nText.\n",
    "2-memories/deep.md": b"---\nx: " + b"[" * 25_000 + b"\n---\nText.\n",
    "2-memories/latin.md": "---\ntitle: caf\u00e9\n---\nText.\n".encode("latin-1"),
    "2-memories/wide.md": "Wide.\n".encode("utf-16"),
    "2-memories/binary.md": bytes(range(256)) * 40,
    "2-memories/empty.md": b"",
    "2-memories/merge.md": b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n",
    "2-memories/bom.md": b"\xef\xbb\xbf---\nweight: 82\n---\nText.\n",
    "2-memories/lone-cr.md": b"---\rstatus: done\r---\rText.\r",
    "2-memories/typed.md": b"---\nid: [1, {a: b}]\nrefs: {deep_context: {x: y}}\nextends: {a: [[b]]}\nrefines: [[[]]]\n---\n",
    "2-memories/numbers.md": b"---\n2026: x\ncreated: 2026-02-30\nlast_accessed: 9999-12-31T23:59:59Z\n---\nText.\n",
    "2-memories/early.md": b"---\ncreated: 0001-01-01\nlast_accessed: 0000-00-00\n---\nText.\n",
    "2-memories/links.md": b"[[]] [[ ]] [[|x]] [[#h]] [[../../etc/passwd]] [[a\x00b]] [["
    + b"x" * 500
    + b"]] [[nobody]]\n",
    "2-memories/refs.md": b"---\nrefs: {deep_context: lost.md, artifacts: [[x]]}\n---\nText.\n",
    "2-memories/twin one.md": f"---\nid: {ID}\n---\nOne.\n".encode(),
    "2-memories/twin two.md": f"---\nid: {ID.upper()}\n---\nTwo.\n".encode(),
    "2-memories/same.md": b"---\nid: 11111111-1111-4111-8111-111111111111\n---\nSame.\n",
    "2-memories/same 2.md": b"---\nid: 11111111-1111-4111-8111-111111111111\n---\nSame.\n",
    "2-memories/a.md": b"Ours.\n",
    "2-memories/a (conflict 2026-01-29 1).md": b"Theirs.\n",
    "2-memories/con.md": b"Device.\n",
    "2-memories/sub/A.md": b"Other.\n",
    "2-memories/closed.md": b"---\nstatus: archived\n---\nText.\n",
    "3-raw/archived/open.md": b"---\nstatus: active\n---\nText.\n",
    "0-identity/long.md": b"word " * 1_000,
    "1-hot/long.md": b"word " * 5_000,
    "inner/.memvault/vault.json": b"{}",
    "2-memories/.mv-99999999-0123456789ab.tmp": b"half",
    ".memvault/journal/elsewhere/2026-01.jsonl": b'nonsense\n\x00\x00\n[1]\n{"t":"2031-01-01T00:00:00Z","e":"op","op":7}\n{"t":5}\n',
    ".memvault/ledger/elsewhere.jsonl": b'{"t":null,"e":"id","id":5}\n\xff\xfe\n{"e":"tombstone"}\n',
    ".memvault/undo/held/strange.held": b"?",
    ".memvault/undo/2026-not-an-op": b"?",
    ".memvault/whatever": b"?",
}
FOUND = {
    *("frontmatter", "encoding", "empty", "merge-markers", "values", "dates", "ids", "links", "references", "twins"),
    *("conflict-copies", "portable-names", "shared-names", "status", "always-loaded", "nested", "leftovers"),
    *("log-lines", "log-dates", "faded-links"),
}


def litter(root: Path) -> None:
    for path, data in GARBAGE.items():
        note(path, data)(root)
    if sys.platform == "linux":
        (root / "2-memories/loop").symlink_to(root)
        (root / "2-memories/nowhere.md").symlink_to("/nowhere/at/all.md")
        (root / "2-memories/circle.md").symlink_to(root / "2-memories/circle.md")
        os.mkfifo(root / "2-memories/pipe.md")
        note("2-memories/caf\udce9.md", "Text.")(root)
        note("2-memories/Tea\u202e.md", "Text.")(root)
    (root / "2-memories/folder.md").mkdir(mode=0o700)


def test_thirty_kinds_of_garbage_at_once_are_all_reported(lived_in: Memvault, examine: Examine) -> None:
    litter(lived_in.root)
    diagnosis = examine()
    assert {finding.check for finding in diagnosis.findings} >= FOUND
    assert all(finding.severity in SEVERITIES for finding in diagnosis.findings)
    reported = {finding.path for finding in diagnosis.findings}
    sound = {"2-memories/a.md", "2-memories/twin one.md", "2-memories/same.md", "inner/.memvault/vault.json"}
    passed_over = {path for path in GARBAGE if path.startswith((".memvault/undo/", ".memvault/whatever"))}
    told_with_others = {"0-identity/long.md", "1-hot/long.md"}
    assert reported >= GARBAGE.keys() - sound - passed_over - told_with_others
    if sys.platform == "linux":
        assert reported >= {"2-memories/loop", "2-memories/nowhere.md", "2-memories/circle.md", "2-memories/pipe.md"}


def test_garbage_is_left_alone_where_it_is_not_mended(lived_in: Memvault, examine: Examine) -> None:
    litter(lived_in.root)
    before = snapshot(lived_in.root)
    diagnosis = examine(fix=True)
    assert {finding.check for finding in diagnosis.fixed} == {"twins", "status", "leftovers"}
    touched = {"2-memories/same 2.md", "3-raw/archived/open.md", "2-memories/.mv-99999999-0123456789ab.tmp"}
    assert differing(before, snapshot(lived_in.root)) == touched | {".trash", ".trash/same 2.md"}
    assert not any(finding.is_fixable for finding in examine().findings)


# -- small parts


@pytest.mark.parametrize(
    ("copy", "original"),
    [
        ("x/a.sync-conflict-20260129-093000-ABCDEFG.md", "x/a.md"),
        ("a.sync-conflict-20260129-093000.md", "a.md"),
        ("a (conflicted copy 2026-01-29 093000).md", "a.md"),
        ("a (Sara's conflicted copy 2026-01-29).md", "a.md"),
        ("a (Conflicted copy phone 202601290930).md", "a.md"),
        ("a (Case Conflict).md", "a.md"),
        ("a (conflict 2026-01-29 1).md", "a.md"),
        ("a.conflict-20260129T093000Z.md", "a.md"),
        ("notes (old).md", ""),
        ("Sara's conflicted copy 2026-01-29.md", ""),
    ],
)
def test_a_conflict_copys_name_says_what_it_is_a_copy_of(copy: str, original: str) -> None:
    assert original_of(copy) == original


# -- the page


def rows_of_the_page() -> dict[str, str]:
    """What the page says that `doctor fix` does about each check, by its name."""
    return dict(re.findall(r"^\| `([\w-]+)` \| [^|]{10,} \| ([^|]*)\|$", PAGE, re.MULTILINE))


def test_the_page_has_a_row_for_every_check_in_their_order() -> None:
    names = [name for name, _ in CHECKS]
    assert list(rows_of_the_page()) == [*names, *FEATURES, *VERIFY_CHECKS]
    assert len(set(names)) == len(names)


def test_the_page_says_what_fix_does(lived_in: Memvault, examine: Examine) -> None:
    litter(lived_in.root)
    fixable = {finding.check for finding in examine().findings if finding.is_fixable}
    assert [name for name in fixable if len(rows_of_the_page()[name]) < 10] == []


def test_the_table_holds_every_check_there_is() -> None:
    rooms = {inspect.getmodule(check) for _, check in CHECKS}
    written = {
        function
        for room in rooms
        for name, function in inspect.getmembers(room, inspect.isfunction)
        if not name.startswith("_") and function.__annotations__.get("return") == "Iterator[DoctorFinding]"
    }
    assert written == {check for _, check in CHECKS}
