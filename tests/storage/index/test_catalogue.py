"""What the catalogue knows of memories, and how it finds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memvault.core.memory import IndexEntry, Place
from memvault.core.query import NO_FILTERS, Filters
from memvault.core.weight import MemoryUse, TypedValue, current_use
from memvault.recall.ranking.question import query_words
from memvault.storage.index.derived import JournalNews
from memvault.storage.index.index import Index
from tests.storage.index.cards import MADE, card, entries_of, found, freshen, id_of, listing, notes

FULL = card(
    "2-memories/work/2026-01-05-hollin-weir.md",
    "The weir went silent.",
    type="learning",
    kind="procedural",
    title="Hollin weir",
    created=datetime(2025, 3, 1, 8, 30, 15, 250_000, tzinfo=UTC),
    last_accessed=datetime(2025, 6, 1, tzinfo=UTC),
    access_count=3,
    weight=0.73,
    base_weight=0.9,
    emotional_flag=True,
    pinned=True,
    decay_eligible=False,
    status="stale",
    tags=("work/gauges", "Größe"),
    topics=("water",),
    people=("Sara Uy",),
    triggers=("the weir",),
    aliases=("Old weir",),
    refs=MappingProxyType({"deep_context": ("detail.md",)}),
    more=MappingProxyType({"due": MADE, "priority": 2, "steps": ("one", "two"), "condition": "if it rains"}),
    version="0f" * 16,
    problem="line 3: it is no YAML",
)
PLAIN = card("1-hot/short-answers.md", "Short answers first.", place=Place.HOT, last_accessed=MADE + timedelta(days=9))
RAW = card("3-raw/archived/nightly.md", "An import at night.", place=Place.ARCHIVED, kind="episodic")


@pytest.fixture(params=["whoosh", "scan"])
def catalogue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    opened = Index.open(tmp_path / "index", backend=request.param)
    yield opened
    opened.close()


@pytest.fixture
def filled(catalogue: Index) -> Index:
    freshen(catalogue, notes(FULL, PLAIN, RAW))
    return catalogue


@pytest.mark.parametrize("given", [FULL, PLAIN, RAW], ids=["full", "plain", "raw"])
def test_a_memory_comes_out_as_it_went_in(filled: Index, given: IndexEntry) -> None:
    assert filled.find_memories(given.memory.path) == [given.memory]


def test_what_is_known_outlives_closing(filled: Index, tmp_path: Path) -> None:
    before = filled.memories(NO_FILTERS)
    filled.close()
    backend = "whoosh" if (tmp_path / "index/whoosh").exists() else "scan"
    with_new_eyes = Index.open(tmp_path / "index", backend=backend)
    assert with_new_eyes.memories(NO_FILTERS) == before
    assert found(with_new_eyes, "silent weir") == [FULL.memory.path]
    with_new_eyes.close()


# -- references


@pytest.mark.parametrize(
    "ref",
    [
        FULL.memory.path,
        FULL.memory.id,
        FULL.memory.id.upper(),
        FULL.memory.id[:6],
        "2026-01-05-hollin-weir",
        "2026-01-05-HOLLIN-weir.md",
        "hollin WEIR",
        "old weir",
    ],
)
def test_a_memory_is_found_by_whatever_names_it(filled: Index, ref: str) -> None:
    assert [memory.path for memory in filled.find_memories(ref)] == [FULL.memory.path]


@pytest.mark.parametrize("ref", ["", "%", "_" * 22, "2026", "nothing/2026-01-05-hollin-weir.md", "\0", "'; --"])
def test_what_names_nothing_finds_nothing(filled: Index, ref: str) -> None:
    assert filled.find_memories(ref) == []


def test_an_ambiguous_reference_finds_all_it_may_mean(catalogue: Index) -> None:
    freshen(catalogue, notes(card("a/same.md", "x"), card("b/same.md", "y"), card("c/other.md", "z", title="Same")))
    assert [memory.path for memory in catalogue.find_memories("same")] == ["a/same.md", "b/same.md"]


def test_composed_and_decomposed_letters_name_the_same(catalogue: Index) -> None:
    freshen(catalogue, notes(card("cafe\u0301.md", "x")))
    assert [memory.path for memory in catalogue.find_memories("Caf\u00e9")] == ["cafe\u0301.md"]
    assert catalogue.has_name("CAF\u00c9.md")


def test_a_name_is_taken_whatever_its_case(filled: Index) -> None:
    assert filled.has_name("Short-Answers.md")
    assert not filled.has_name("short.md")


# -- conditions


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (NO_FILTERS, [FULL, PLAIN, RAW]),
        (Filters(kinds=frozenset({"procedural"})), [FULL]),
        (Filters(kinds=frozenset({"procedural", "episodic"})), [FULL, RAW]),
        (Filters(types=frozenset({"learning"})), [FULL]),
        (Filters(statuses=frozenset({"active"})), [PLAIN, RAW]),
        (Filters(tiers=frozenset({2, 3})), [FULL, RAW]),
        (Filters(places=frozenset({Place.HOT})), [PLAIN]),
        (Filters(pinned=True), [FULL]),
        (Filters(pinned=False), [PLAIN, RAW]),
        (Filters(tags=frozenset({"WORK"})), [FULL]),
        (Filters(tags=frozenset({"work/gauges"})), [FULL]),
        (Filters(tags=frozenset({"wor"})), []),
        (Filters(tags=frozenset({"work", "größe"})), [FULL]),
        (Filters(tags=frozenset({"work", "other"})), []),
        (Filters(people=frozenset({"sara"})), [FULL]),
        (Filters(people=frozenset({"Sara Uy"})), [FULL]),
        (Filters(people=frozenset({"sar"})), []),
        (Filters(since=MADE + timedelta(days=1)), [PLAIN]),
        (Filters(since=MADE), [PLAIN, RAW]),
        (Filters(kinds=frozenset({"procedural"}), pinned=False), []),
    ],
)
def test_conditions_let_pass_what_meets_them_all(filled: Index, filters: Filters, expected: list[IndexEntry]) -> None:
    wanted = {each.memory.path for each in expected}
    assert {memory.path for memory in filled.memories(filters)} == wanted
    hits = filled.search(query_words("weir answers import"), filters=filters, limit=10)
    assert {hit.memory.path for hit in hits} == wanted


def test_the_latest_used_comes_first(filled: Index) -> None:
    assert [memory.path for memory in filled.memories(NO_FILTERS, limit=2)] == [PLAIN.memory.path, RAW.memory.path]


# -- changes


def test_a_changed_note_is_found_by_what_it_says_now(filled: Index) -> None:
    changed = card(PLAIN.memory.path, "A heron instead.", title="Herons")
    freshen(filled, notes(FULL, changed, RAW), {PLAIN.memory.path: 2})
    assert found(filled, "first") == []
    assert found(filled, "heron") == [PLAIN.memory.path]
    assert filled.find_memories("herons") == [changed.memory]
    assert filled.count() == 3


def test_what_is_gone_leaves_no_trace(filled: Index) -> None:
    freshen(filled, notes(PLAIN, RAW))
    assert found(filled, "silent weir") == []
    assert filled.find_memories("Hollin weir") == filled.find_memories("old weir") == []
    assert filled.memories(Filters(tags=frozenset({"work"}))) == []
    assert not filled.has_name("2026-01-05-hollin-weir.md")
    rows, texts = filled.row_and_backend_numbers()
    assert rows == texts


def test_the_text_that_is_known_is_told_by_its_digest(filled: Index) -> None:
    assert filled.text_digest(PLAIN.memory.path) == PLAIN.text
    assert filled.text_digest("nowhere.md") == ""


def test_notes_that_could_not_be_read_whole_are_told(filled: Index) -> None:
    assert list(filled.unreadable_notes()) == [f"{FULL.memory.path}: line 3: it is no YAML"]


# -- ids


def test_of_two_notes_with_one_id_the_first_by_path_keeps_it(catalogue: Index) -> None:
    id_ = id_of("shared")
    first, second, third = (card(f"{name}.md", name, id=id_) for name in "abc")
    freshen(catalogue, notes(second, third))
    assert [memory.path for memory in catalogue.find_memories(id_)] == ["b.md"]
    freshen(catalogue, notes(first, second, third))
    assert [memory.path for memory in catalogue.find_memories(id_)] == ["a.md"]
    assert [memory.path for memory in catalogue.find_memories(id_of("instead of b.md"))] == ["b.md"]
    assert catalogue.duplicate_ids() == {id_: ["a.md", "b.md", "c.md"]}
    assert {memory.id for memory in catalogue.memories(NO_FILTERS)} == {
        id_,
        id_of("instead of b.md"),
        id_of("instead of c.md"),
    }


def test_the_next_claimant_gets_the_id_when_the_first_is_gone(catalogue: Index) -> None:
    id_ = id_of("shared")
    first, second = (card(f"{name}.md", name, id=id_) for name in "ab")
    freshen(catalogue, notes(first, second))
    freshen(catalogue, notes(second))
    assert [memory.path for memory in catalogue.find_memories(id_)] == ["b.md"]
    assert catalogue.duplicate_ids() == {}


# -- links


def test_links_are_known_from_both_ends(catalogue: Index) -> None:
    freshen(
        catalogue, notes(card("a.md", "x", links=("B", "nowhere")), card("b.md", "y"), card("c.md", "z", links=("b",)))
    )
    assert [memory.path for memory in catalogue.links_to("b")] == ["a.md", "c.md"]
    assert {link.casefold() for link in catalogue.links_from("a.md")} == {"b", "nowhere"}
    assert catalogue.links_to("a") == []


# -- uses

DAY = datetime(2026, 2, 1, 23, 30, tzinfo=UTC)
USED = card("m.md", "x", id="m").memory


def take_in(catalogue: Index, name: str, **told: Iterable[object]) -> None:
    catalogue.fold_news(name, 300, JournalNews(**told), now=DAY + timedelta(days=9))  # type: ignore[arg-type]


def use_of(catalogue: Index) -> MemoryUse:
    return current_use(USED, catalogue.usage_histories(["m"])["m"], DAY + timedelta(days=9))


def test_a_late_line_never_lowers_the_last_use(catalogue: Index) -> None:
    take_in(catalogue, "a/2026-02", touches=[("m", "s1", DAY)])
    take_in(catalogue, "b/2026-02", touches=[("m", "s1", DAY - timedelta(hours=3))])
    assert use_of(catalogue).last == DAY
    assert catalogue.usage_histories(["m"])["m"].uses == ((DAY - timedelta(hours=3), DAY),)


def test_of_what_was_typed_the_latest_holds_and_of_counts_the_first(catalogue: Index) -> None:
    later = DAY + timedelta(days=1)
    take_in(catalogue, "a/2026-02", typed_values=[("m", "weight", 0.7, later), ("m", "status", "stale", DAY)])
    take_in(
        catalogue,
        "b/2026-02",
        typed_values=[("m", "weight", 0.2, DAY)],
        baseline_counts=[("m", 9, later), ("m", 2, DAY)],
    )
    found = catalogue.usage_histories(["m"])["m"]
    assert (found.weight, found.status, found.baseline) == (TypedValue(0.7, later), TypedValue("stale", DAY), 2)
    assert catalogue.all_usage_histories() == {"m": found}


def test_every_news_of_a_memory_changes_the_standing(catalogue: Index) -> None:
    seen = {catalogue.state_digest()}
    take_in(catalogue, "a/2026-02", touches=[("m", "s1", DAY)])
    seen.add(catalogue.state_digest())
    take_in(catalogue, "a/2026-02", typed_values=[("m", "weight", 0.7, DAY)])
    seen.add(catalogue.state_digest())
    take_in(catalogue, "a/2026-02")
    seen.add(catalogue.state_digest())
    assert len(seen) == 3


# -- names that no encoding knows

# -- what differs: told from stat keys alone, and the same whatever the order of asking


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
