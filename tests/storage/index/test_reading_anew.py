"""What the settings say of how notes are read holds for those that are known, too."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.core.memory import Place
from memvault.core.query import NO_FILTERS, Filters
from memvault.core.settings.table import SETTING_ROWS
from memvault.recall.ranking.question import query_words
from memvault.storage.index.derived import DerivedValues
from memvault.storage.index.index import Index
from tests.conftest import Opener

LONG = "The portal is open. " * 3_500 + "\n\nA quokka smiles.\n"
READING = {**{row.name: "elsewhere" for row in SETTING_ROWS if row.section == "layout"}, "index.max_kilobytes": 16}


def put(vault: Memvault, path: str, text: str) -> None:
    note = vault.root / path
    note.parent.mkdir(exist_ok=True)
    note.write_text(text)


def place(vault: Memvault, word: str) -> Place | None:
    return vault.recall(word, min_similarity=0.0).hits[0].memory.place


def journalled(vault: Memvault) -> str:
    return "".join(path.read_text() for path in (vault.root / ".memvault/journal").rglob("*.jsonl"))


def test_a_folder_that_becomes_a_tier_takes_its_notes_along(vault: Memvault, open_vault: Opener) -> None:
    put(vault, "other/plover.md", "The plover rests.\n")
    assert place(vault, "plover") is Place.FOREIGN
    config = vault.root / "memvault.toml"
    before = config.read_bytes()
    config.write_text('[layout]\nmemories = "other"\n')
    assert place(open_vault(vault.root), "plover") is Place.MEMORIES
    config.write_bytes(before)
    assert place(open_vault(vault.root), "plover") is Place.FOREIGN


def test_more_of_a_long_note_is_found_when_more_is_to_be_read(vault: Memvault, open_vault: Opener) -> None:
    put(vault, "2-memories/long.md", LONG)
    clipped = open_vault(vault.root, settings={"index.max_kilobytes": 16})
    assert not clipped.recall("quokka").hits
    assert vault.recall("quokka").hits
    put(vault, "2-memories/long.md", f"{LONG}\nAnd a numbat.\n")
    assert not clipped.recall("numbat").hits
    assert vault.recall("numbat").hits  # whoever reads less takes nothing from the others


def test_to_read_otherwise_is_no_edit(vault: Memvault, open_vault: Opener) -> None:
    put(vault, "2-memories/long.md", LONG)
    for kilobytes in (1024, 16, 1024):
        open_vault(vault.root, settings={"index.max_kilobytes": kilobytes}).refresh()
    assert "edit" not in journalled(vault)
    put(vault, "2-memories/long.md", "It says otherwise.\n")
    vault.refresh()
    assert '"edit"' not in journalled(vault)  # nobody has read it by these settings before
    open_vault(vault.root, settings={"index.max_kilobytes": 1024}).refresh()
    assert '"edit"' in journalled(vault)


@pytest.mark.parametrize("name", READING)
def test_whatever_decides_what_is_read_is_told_apart(name: str, vault: Memvault, open_vault: Opener) -> None:
    other = open_vault(vault.root, settings={name: READING[name]})
    assert other.index_folder != vault.index_folder
    assert other.index_folder == open_vault(vault.root, settings={name: READING[name]}).index_folder


def test_who_asks_otherwise_reads_the_same(vault: Memvault, open_vault: Opener, tmp_path: Path) -> None:
    asked = open_vault(vault.root, settings={"recall.limit": 1, "people.aliases": ("Sara Uy=Sara",)}, folder=tmp_path)
    assert asked.index_folder == vault.index_folder


# -- what is worked out from the rows is kept as long as they stay as they are, and not a moment longer


def test_it_does_not_grow_without_end() -> None:
    kept = DerivedValues(lambda: 1)
    for number in range(1_000):
        kept.current()[number] = number
    assert len(kept.current()) < 50


def test_conditions_are_met_by_whatever_meets_them_now(vault: Memvault) -> None:
    kept = Filters(places=frozenset({Place.MEMORIES}))

    def found(catalogue: Index) -> list[str]:
        rows = catalogue.search(query_words("heron"), filters=kept, limit=10)
        return sorted(row.memory.title for row in rows)

    vault.remember("A heron stands at the weir.", title="Weir")
    vault.refresh()
    catalogue = vault._make_context().index
    assert found(catalogue) == found(catalogue) == ["Weir"]
    vault.remember("Another heron flies over the lake.", title="Lake")
    vault.refresh()
    assert found(catalogue) == ["Lake", "Weir"]
    vault.forget("Weir")
    vault.refresh()
    assert found(catalogue) == ["Lake"]


def test_rows_that_were_met_before_are_those_that_are_there_now(vault: Memvault) -> None:
    note = vault.root / "2-memories/weir.md"
    note.write_text("---\ntitle: Weir\n---\nA heron stands.\n")
    vault.refresh()
    catalogue = vault._make_context().index

    def titles() -> list[str]:
        return [row.memory.title for row in catalogue.search(query_words("heron"), filters=NO_FILTERS, limit=10)]

    assert titles() == titles() == ["Weir"]
    note.write_text("---\ntitle: Lake\n---\nA heron stands.\n")
    vault.refresh()
    assert titles() == ["Lake"]


def test_a_use_that_was_noted_since_is_told(vault: Memvault) -> None:
    made = vault.remember("A heron stands at the weir.", title="Weir").memory
    [before] = vault.recall("heron").hits
    vault.show(made.id)
    [after] = vault.recall("heron").hits
    assert after.use.count == before.use.count + 1


def test_what_was_found_out_about_memories_is_known_as_it_is_now(tmp_path: Path) -> None:
    with closing(Index.open(tmp_path / "catalogue")) as kept, closing(Index.open(tmp_path / "catalogue")) as other:
        assert kept.contradicted_among(["a", "b", "c"]) == frozenset()
        other.write_pairs("then", [("a", "b", "contradiction", ""), ("b", "c", "same", "")])
        assert kept.contradicted_among(["a", "b", "c"]) == {"a", "b"}
        assert kept.contradicted_among(["b", "c"]) == {"b"}
        standing = other.state_digest()
        other.drop_pair("b", "a")
        assert kept.contradicted_among(["a", "b", "c"]) == frozenset()
        assert other.state_digest() == standing, "of the memories themselves that says nothing"


def test_those_that_are_drawn_first_are_the_first_of_all(vault: Memvault) -> None:
    for number in range(29):
        (vault.root / f"2-memories/{number}.md").write_text(f"A heron stands. {'It rains. ' * number}")
    vault.refresh()
    catalogue = vault._make_context().index

    def found(limit: int, drawn: int) -> list[tuple[str, float]]:
        rows = catalogue.search(query_words("heron rains"), filters=NO_FILTERS, limit=limit)
        return [(row.memory.path, row.score) for row in islice(rows, drawn)]

    every = found(50, 50)
    assert len(every) == 29
    assert all(found(limit, drawn) == every[: min(limit, drawn)] for limit in (1, 13, 50) for drawn in (1, 14, 50))
