"""Names that other systems cannot hold, take for one another or lead astray by: every verb is safe with them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import MemvaultError, NotFound
from tests.hostile import FILE_NAMES

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere such names cannot even be made")

TWINS = (
    (unicodedata.normalize("NFC", "Café.md"), unicodedata.normalize("NFD", "Café.md")),
    ("Readme note.md", "README NOTE.md"),
)
VERBS: dict[str, Callable[[Memvault, str], object]] = {
    "show": lambda vault, path: vault.show(path),
    "pin": lambda vault, path: vault.pin(path),
    "edit": lambda vault, path: vault.edit(path, append="One more line."),
    "move": lambda vault, path: vault.move(path, "hot"),
    "archive": lambda vault, path: vault.move(path, "archived"),
    "forget": lambda vault, path: vault.forget(path),
}


def written(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Notes with these names, as far as the disk can hold them; what each says."""
    said = {}
    for number, name in enumerate(names):
        text = f"Sentence {number} is said by one note alone."
        try:
            (folder / name).write_text(text)
        except OSError:
            continue
        said[name] = text
    return said


def everything(vault: Memvault) -> str:
    return "\n".join(path.read_text(errors="replace") for path in vault.root.rglob("*.md") if path.is_file())


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.points(only=True)
def test_a_note_of_any_name_is_changed_or_refused_and_never_lost(vault: Memvault, verb: str) -> None:
    said = written(vault.root / "2-memories", (*FILE_NAMES, *TWINS[0], *TWINS[1]))
    outside = {path.name for path in vault.root.parent.iterdir()}
    done = 0
    for name in said:
        try:
            VERBS[verb](vault, f"2-memories/{name}")
        except MemvaultError:
            continue
        done += 1
    assert done > len(said) // 2
    assert all(text in everything(vault) for text in said.values())
    assert {path.name for path in vault.root.parent.iterdir()} == outside


def test_twins_are_two_memories_and_stay_two(vault: Memvault) -> None:
    pairs = [twins for twins in TWINS if len(written(vault.root / "2-memories", twins)) == 2]
    names = {name for twins in pairs for name in twins}
    there = {path.name for path in (vault.root / "2-memories").glob("*.md")}
    if not names <= there:
        pytest.skip("this disk takes them for one another")
    assert {row.memory.path for row in vault.list().rows} == {f"2-memories/{name}" for name in names}
    for twins in pairs:
        for name in twins:
            try:
                vault.move(f"2-memories/{name}", "hot")
            except MemvaultError:  # elsewhere the second would be taken for the first: it stays where it is
                assert (vault.root / "2-memories" / name).exists()
    assert vault.list().total == 2 * len(pairs)


def test_upkeep_and_the_doctor_lose_none_of_them(vault: Memvault) -> None:
    said = written(vault.root / "2-memories", (*FILE_NAMES, *TWINS[0], *TWINS[1]))
    vault.maintain()
    vault.doctor(fix=True)
    assert all(text in everything(vault) for text in said.values())
    assert vault.recall("sentence", limit=100).hits


def test_files_with_a_second_name_elsewhere_are_read_and_never_written(vault: Memvault, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere.md"
    other.write_text("An ibis outside of the vault.")
    os.link(other, vault.root / "2-memories" / "linked.md")
    assert vault.recall("ibis").hits
    for act in (VERBS["pin"], VERBS["edit"]):
        with pytest.raises(MemvaultError):
            act(vault, "2-memories/linked.md")
    vault.maintain()
    vault.doctor(fix=True)
    assert other.read_text() == "An ibis outside of the vault."


def test_what_is_no_file_hinders_no_verb(vault: Memvault) -> None:
    folder = vault.root / "2-memories"
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "circle.md").symlink_to(folder / "circle.md")
    (folder / "up").symlink_to(vault.root, target_is_directory=True)
    made = vault.remember("A sound note about an ostrich.")
    vault.maintain()
    vault.doctor(fix=True)
    assert vault.recall("ostrich").hits[0].memory.id == made.memory.id
    for name in ("folder.md", "pipe.md", "circle.md"):
        with pytest.raises(MemvaultError):
            vault.pin(f"2-memories/{name}")


@pytest.mark.parametrize(
    "title", ["CON", "a/b/../../c", "..", "x" * 4_000, "a:b?", "\x00", "\u202eabc", "é" * 300, "~", "."]
)
def test_what_memvault_names_itself_every_system_can_hold(vault: Memvault, title: str) -> None:
    try:
        path = vault.remember("Whatever it is called, it says this.", title=title).memory.path
    except MemvaultError:
        return
    name = path.rpartition("/")[2]
    assert path.startswith("2-memories/")
    assert len(name.encode()) <= 255
    assert not set(name) & set('\\/:*?"<>|\x00\u202e')
    assert unicodedata.is_normalized("NFC", name)


def test_a_reference_that_is_no_text_means_nothing(vault: Memvault) -> None:
    vault.remember("An ordinary note.")
    ref = os.fsdecode(b"latin-\xe9.md")
    more: tuple[Callable[[Memvault, str], object], ...] = (Memvault.restore, Memvault.open_conversation)
    for act in (*VERBS.values(), *more):
        with pytest.raises(NotFound):
            act(vault, ref)
