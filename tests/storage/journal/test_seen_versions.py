"""Versions of notes that were seen: found again by their note, bounded, and none the worse for a torn file."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault.storage.journal.merge_bases import KEPT_OF_ONE, SeenVersion, SeenVersions

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
