"""What differs: told from stat keys alone, and the same whatever the order of asking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memvault.storage.index.index import Index
from tests.storage.index.cards import card, entries_of, freshen, listing, notes


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Index]:
    opened = Index.open(tmp_path / "index")
    yield opened
    opened.close()


def test_a_comparison_takes_nothing_in(catalogue: Index) -> None:
    held = notes(card("a.md", "one"))
    assert catalogue.compare_listing(listing(held))
    assert catalogue.compare_listing(listing(held))
    assert catalogue.count() == 0


@pytest.mark.parametrize("part", range(4), ids=["size", "mtime", "ctime", "inode"])
def test_any_part_of_the_stat_key_tells_a_change(catalogue: Index, part: int) -> None:
    held = notes(card("a.md", "one"), card("b.md", "two"))
    freshen(catalogue, held)
    ((folder, [(name, key), other]),) = listing(held)
    another = tuple(value + (index == part) for index, value in enumerate(key))
    diff = catalogue.compare_listing([(folder, entries_of([(name, another), other]))])  # type: ignore[list-item]
    assert (list(diff.added), list(diff.changed), list(diff.gone)) == ([], ["a.md"], [])


def test_a_renamed_note_is_told_by_its_file(catalogue: Index) -> None:
    before, after = card("old.md", "one", id="5f0c1d2e-0000-4000-8000-000000000001"), None
    freshen(catalogue, notes(before, card("other.md", "two")))
    after = card("work/new.md", "one", id=before.memory.id)
    diff = catalogue.compare_listing(listing(notes(after, card("other.md", "two"))))
    assert dict(diff.moved) == {"old.md": "work/new.md"}


PATHS = st.sampled_from(["a.md", "b.md", "work/a.md", "work/b.md", "work/deep/a.md", "home/ß.md"])
STATES = st.dictionaries(PATHS, st.integers(1, 3), max_size=6)


@settings(max_examples=15)
@given(st.lists(STATES, min_size=1, max_size=4))
def test_after_taking_in_the_catalogue_holds_what_is_listed(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, int]]
) -> None:
    catalogue = Index.open(tmp_path_factory.mktemp("index"), backend="scan")
    before: dict[str, int] = {}
    for versions in states:
        held = notes(*(card(path, f"text {version}") for path, version in versions.items()))
        diff = freshen(catalogue, held, versions)
        assert set(diff.added) == versions.keys() - before.keys()
        assert set(diff.gone) == before.keys() - versions.keys()
        assert set(diff.changed) == {path for path in versions.keys() & before.keys() if versions[path] != before[path]}
        assert catalogue.count() == len(versions)
        assert not catalogue.compare_listing(listing(held, versions))
        before = versions
    catalogue.close()
