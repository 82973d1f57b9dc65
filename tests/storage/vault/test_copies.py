"""A name alone makes no copy: what is no version of any other note is a note, whatever it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault import Memvault
from memvault.storage.vault.layout import is_copy

ONE, TWO = "7d1f8f64-3c0e-4c52-9d43-5a8f5a3f9e01", "11111111-1111-4111-8111-111111111111"
MARKED = ("Meeting (conflict 2026-01-29 1).md", "Meeting.sync-conflict-20260129-093000-ABCDEFG.md")


def text(id_: str) -> str:
    return f"---\nid: {id_}\n---\nBob and the ferry.\n" if id_ else "Bob and the ferry.\n"


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize(
    ("own", "original", "expected"),
    [
        ("", None, False),
        (ONE, None, True),  # the original was moved, as far as anybody can tell
        (ONE, TWO, False),
        (ONE, ONE.upper(), True),
        (ONE, "", True),
        ("", ONE, True),
        ("", "", True),
    ],
)
def test_a_copy_is_told_by_what_lies_beside_it(
    tmp_path: Path, name: str, own: str, original: str | None, expected: bool
) -> None:
    (tmp_path / name).write_text(text(own))
    if original is not None:
        (tmp_path / "Meeting.md").write_text(text(original))
    assert is_copy(tmp_path, name) is expected


@pytest.mark.parametrize("name", [*MARKED, "Meeting (conflict 2026-01-29 with Bob).md", "Bob's conflicted copy.md"])
@pytest.mark.parametrize("folder", ["2-memories", "letters"])
def test_a_persons_own_note_that_looks_like_one_is_found(vault: Memvault, folder: str, name: str) -> None:
    (vault.root / folder).mkdir(exist_ok=True)
    (vault.root / folder / name).write_text(text(""))
    assert [hit.memory.path for hit in vault.recall("ferry").hits] == [f"{folder}/{name}"]
    (vault.root / folder / "Meeting.md").write_text(text(TWO))
    found = {hit.memory.path for hit in vault.recall("ferry").hits}
    assert (f"{folder}/{name}" in found) == (name not in MARKED)
