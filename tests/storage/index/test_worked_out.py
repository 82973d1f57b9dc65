"""What is worked out from the rows is kept as long as they stay as they are, and not a moment longer."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from pathlib import Path

from memvault import Memvault
from memvault.core.memory import Place
from memvault.core.query import NO_FILTERS, Filters
from memvault.recall.ranking.question import query_words
from memvault.storage.index.derived import DerivedValues
from memvault.storage.index.index import Index


def test_it_is_kept_until_something_changes() -> None:
    turns = [1, 1, 2, 2]
    kept = DerivedValues(lambda: turns.pop(0))
    before = kept.current()
    before["sum"] = 3
    assert kept.current() == {"sum": 3}
    assert kept.current() == {}
    before["late"] = 4
    assert kept.current() == {}, "what was worked out from what was before is kept for nobody"


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
