"""Two copies of a memory, made one by what both began with: kept by upkeep, within bounds, and never what is private."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.api import Memvault
from memvault.core.plan import OperationStep
from memvault.storage import frontmatter
from memvault.storage.journal.journal import Journal
from memvault.storage.journal.merge_bases import KEPT_OF_ONE, SeenVersion, SeenVersions, _nearest_ancestor
from memvault.storage.merging.merge_note import NoteContext, merge_note
from tests.conftest import Clock
from tests.maintenance.upkeep import note

NAME = "2-memories/boat"
COPIES = (
    "{}.sync-conflict-20260129-093000-ABCDEFG.md",
    "{} (Conflicted copy phone 202601290930).md",
    "{} (Sara's conflicted copy 2026-01-29).md",
    "{} 2.md",
)
THREE = "It lies at the quay.\n\nIts sail is red.\n\nIt is for sale.\n"
OURS, THEIRS = THREE.replace("red.", "red.\n\nIts mast is of ash."), f"The boat of Tom.\n\n{THREE}"


def kept(vault: Memvault) -> str:
    found = (vault.root / ".memvault/undo").glob("seen/*/*.seen")
    return "".join(path.read_text() for path in found)


def put(vault: Memvault, text: str, name: str = f"{NAME}.md", *lines: str) -> Path:
    path = vault.root / name
    path.write_bytes(note("boat", "kind: semantic", *lines, body=text.removesuffix("\n")))
    return path


def uses(vault: Memvault) -> int:
    journal = Journal(vault.root / ".memvault/journal", "desk")
    return sum(entry["e"] == "touch" for _, entry in journal.entries())


def begun(vault: Memvault, text: str = THREE) -> Path:
    path = put(vault, text)
    vault.maintain()
    return path


def text_of(path: Path) -> str:
    return frontmatter.parse(path.read_bytes()).text


@pytest.mark.parametrize("copy", COPIES)
def test_what_both_sides_added_is_in_one_note(vault: Memvault, copy: str) -> None:
    path = begun(vault)
    put(vault, OURS)
    other = put(vault, THEIRS, copy.format(NAME))
    found = next(found for found in vault.doctor().findings if "nothing in the two contradicts" in found.sentence)
    assert found.severity == "warning"
    done = vault.doctor(fix=True)
    assert not other.exists()
    assert text_of(path) == f"The boat of Tom.\n\n{OURS}"
    assert vault.list_conflicts().total == 0
    vault.undo(done.op)
    assert (text_of(path), text_of(other)) == (OURS, THEIRS)


def test_without_what_both_began_with_neither_is_mixed_into_the_other(vault: Memvault) -> None:
    path = put(vault, OURS)
    put(vault, THEIRS, COPIES[0].format(NAME))
    vault.doctor(fix=True)
    assert text_of(path) == OURS
    assert vault.list_conflicts().total == 1


def test_what_one_side_lacks_is_not_taken_for_deleted_by_it(vault: Memvault) -> None:
    """Perhaps it never had that line: nobody noted what an edit by hand was made in."""
    path = begun(vault, OURS)
    put(vault, THREE.replace("sale", "hire"), COPIES[0].format(NAME))
    vault.doctor(fix=True)
    assert text_of(path) == OURS
    assert vault.list_conflicts().total == 1


def test_a_copy_of_a_memory_that_was_moved_meanwhile_finds_it(vault: Memvault) -> None:
    path = begun(vault)
    put(vault, THEIRS, COPIES[0].format(NAME))
    path.rename(vault.root / "1-hot/boat.md")
    vault.doctor(fix=True)
    assert text_of(vault.root / "1-hot/boat.md") == THEIRS


def test_a_copy_that_somebody_numbered_and_rewrote_stays(vault: Memvault) -> None:
    path = begun(vault)
    other = put(vault, "Another boat lies at another quay.\n", f"{NAME} 2.md")
    assert vault.doctor(fix=True).left
    assert (text_of(path), other.exists()) == (THREE, True)


def test_two_edits_that_memvault_made_of_one_version_are_merged_line_by_line(vault: Memvault) -> None:
    """As after a sync over git: what each was made of stands in the journal, and its bytes are kept for undo."""
    path = begun(vault)
    before = path.read_bytes()
    vault.edit("boat", body=THREE.replace("red", "blue"))
    ours = path.read_bytes()
    path.write_bytes(before)  # as another machine has it
    vault.edit("boat", body=THREE.replace("for sale", "sold"))
    theirs = path.read_bytes()
    path.write_bytes(ours)
    (vault.root / COPIES[0].format(NAME)).write_bytes(theirs)
    vault.doctor(fix=True)
    assert text_of(path) == THREE.replace("red", "blue").replace("for sale", "sold")


def test_where_it_was_changed_and_changed_back_nobody_says_what_both_began_with() -> None:
    def made(*pairs: tuple[str, str]) -> list[tuple[str, OperationStep]]:
        return [("op", OperationStep("rewrite", NAME, before=before, after=after)) for before, after in pairs]

    assert _nearest_ancestor(made(("a", "b"), ("a", "c")), "b", "c") == "a"
    assert _nearest_ancestor(made(("a", "b"), ("b", "c")), "b", "c") == "b"
    assert _nearest_ancestor(made(("a", "b"), ("b", "a"), ("b", "c")), "a", "c") == ""
    assert _nearest_ancestor(made(("a", "b")), "b", "x") == ""


# -- copies of records


def test_a_copy_of_a_journal_counts_nothing_twice_and_is_taken_in(vault: Memvault) -> None:
    made = vault.remember("It lies at the quay.", title="Boat", kind="semantic").memory
    vault.show(made.id)
    (journal,) = (vault.root / ".memvault/journal").glob("*/*.jsonl")
    used = f'{{"t":"2026-01-29T09:30:00Z","e":"touch","id":"{made.id}","why":"show","session":"phone"}}\n'
    journal.with_name("2026-01.sync-conflict-20260129-093000-ABCDEFG.jsonl").write_text(journal.read_text() + used)
    assert uses(vault) == 1
    vault.doctor(fix=True)
    assert [path.name for path in journal.parent.iterdir()] == [journal.name]
    assert journal.read_text().count(used) == 1
    assert uses(vault) == 2


def test_keys_that_two_machines_made_at_once_are_both_kept(vault: Memvault) -> None:
    vault.forget(vault.remember("It lies at the quay.", title="Boat", kind="semantic").memory.id)
    key = vault.root / ".memvault/ledger/key"
    own, other = key.read_text(), "a" * 64 + "\n"
    key.with_name("key.sync-conflict-20260129-093000-ABCDEFG").write_text(other)
    vault.doctor(fix=True)
    assert sorted(key.read_text().splitlines(keepends=True)) == sorted((own, other))


# -- what is kept


def test_private_text_is_not_kept_nor_what_nobody_may_change(vault: Memvault) -> None:
    put(vault, "It lies at the quay. <private>The key is under the mat.</private>\n")
    put(vault, "Somebody's own.\n", "letters.md")
    vault.maintain()
    assert kept(vault) == ""


def test_nothing_is_kept_twice_nor_by_a_dry_run(vault: Memvault) -> None:
    put(vault, THREE)
    vault.maintain(dry_run=True)
    assert kept(vault) == ""
    for _ in range(3):
        vault.maintain(only=["decay"])
    assert kept(vault).count("memvault-seen ") == kept(vault).count("for sale") == 1


def test_a_version_is_let_go_of_when_undo_would(vault: Memvault, clock: Clock) -> None:
    for text in (THREE, OURS):
        put(vault, text)
        vault.maintain(only=["decay"])
    assert kept(vault).count("memvault-seen ") == 2
    clock.pass_(days=91)
    put(vault, THEIRS)
    vault.maintain(only=["decay"])
    assert "ash" not in kept(vault)
    assert "boat of Tom" in kept(vault)


def test_what_is_forgotten_for_good_is_not_kept_either(vault: Memvault) -> None:
    secret = "The key to the shed lies below the third blue flower pot."
    made = vault.remember(secret, title="Key", kind="semantic")
    put(vault, THREE)
    put(vault, f"{THREE}\n{secret}\n", "2-memories/shed.md", "id: 7d1f8f64-3c0e-4c52-9d43-5a8f5a3f9e01")
    vault.maintain()
    assert secret in kept(vault)
    vault.purge(made.memory.id)
    assert secret not in kept(vault)
    put(vault, OURS)
    vault.maintain()
    assert (secret in kept(vault), "mast" in kept(vault)) == (False, True)


# -- the law

LINES = st.lists(st.sampled_from([f"Line {letter}." for letter in "abcdef"]), max_size=6)


@given(LINES, LINES, LINES)
def test_whatever_they_are_said_to_begin_with_no_line_of_either_is_lost(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    ground = NoteContext(f"{NAME}.md", "0" * 32, UTC)
    sides = [note("boat", body="\n".join(lines)) for lines in (base, ours, theirs)]
    found = merge_note(*sides, ground, is_sure=False)
    said = (found.raw + b"\n" + (found.parked or b"")).decode().split("\n")
    assert {*ours, *theirs} <= set(said)


# -- versions of notes that were seen: found again by their note, bounded, and none the worse for a torn file

ID, OTHER = "7d1f8f64-3c0e-4c52-9d43-5a8f5a3f9e01", "0b1f8f64-3c0e-4c52-9d43-5a8f5a3f9e01"


def version(number: int, id_: str = ID, text: str = "") -> SeenVersion:
    return SeenVersion(id_, f"20260129T0930{number:02d}Z", (text or f"Text {number}.").encode())


@pytest.fixture
def seen(tmp_path: Path) -> SeenVersions:
    return SeenVersions(tmp_path, tmp_path, "desk")


def test_versions_are_found_by_their_note_the_newest_first_whoever_saw_them(seen: SeenVersions, tmp_path: Path) -> None:
    seen.add_versions([version(1), version(2, OTHER)])
    SeenVersions(tmp_path, tmp_path, "laptop").add_versions([version(3)])
    assert seen.versions_of(ID) == [version(3), version(1)]
    assert seen.digests() == {(ID, version(1).digest), (OTHER, version(2).digest)}


def test_a_text_that_looks_like_the_beginning_of_another_is_only_text(seen: SeenVersions) -> None:
    sly = version(1, text=version(2).encode().decode())
    seen.add_versions([sly, version(3)])
    assert seen.versions_of(ID) == [version(3), sly]


@pytest.mark.parametrize("cut", [1, 5, 12])
def test_a_torn_file_loses_what_was_torn_and_takes_more(seen: SeenVersions, tmp_path: Path, cut: int) -> None:
    seen.add_versions([version(1), version(2)])
    (path,) = tmp_path.rglob("*.seen")
    path.write_bytes(path.read_bytes()[:-cut])
    seen.add_versions([version(3)])
    assert seen.versions_of(ID)[0] == version(3)
    assert seen.versions_of(ID)[-1] == version(1)


def test_of_each_note_the_last_versions_stay(seen: SeenVersions) -> None:
    seen.add_versions([version(number) for number in range(KEPT_OF_ONE + 3)])
    seen.drop_versions(lambda _version: True, {ID}, keep_bytes=10_000)
    assert seen.versions_of(ID) == [version(number) for number in range(KEPT_OF_ONE + 2, 2, -1)]


def test_what_is_not_wanted_goes_but_for_the_last_of_a_note_that_lives(seen: SeenVersions) -> None:
    seen.add_versions([version(1), version(2), version(3, OTHER)])
    seen.drop_versions(lambda _version: False, {ID}, keep_bytes=10_000)
    assert (seen.versions_of(ID), seen.versions_of(OTHER)) == ([version(2)], [])


def test_what_is_forgotten_goes_whoever_saw_it_and_nothing_else(seen: SeenVersions, tmp_path: Path) -> None:
    other = SeenVersions(tmp_path, tmp_path, "laptop")
    for each in (seen, other):
        each.add_versions([version(1), version(2, OTHER)])
    assert seen.forget_versions(lambda found: found.id == ID) == 2
    assert (seen.versions_of(ID), len(other.versions_of(OTHER))) == ([], 2)
    assert b"Text 1." not in b"".join(path.read_bytes() for path in tmp_path.rglob("*.seen"))


def test_the_oldest_make_room_for_the_others(seen: SeenVersions) -> None:
    seen.add_versions([version(number, text="x" * 100) for number in range(5)])
    seen.drop_versions(lambda _version: True, {ID}, keep_bytes=250)
    assert [found.at[-3:] for found in seen.versions_of(ID)] == ["04Z", "03Z"]
