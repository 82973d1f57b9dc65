"""Two opinions made one: what is added, what is kept apart, and how sure the outcome is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memvault.recall.semantic import add_nearness, best_by_group, fill_similarities

SCORES = st.dictionaries(st.integers(0, 20), st.floats(0, 100), max_size=10)


def test_nearness_is_added_to_the_scores_of_words() -> None:
    assert add_nearness({1: 10.0, 2: 8.0}, {2: 3.0, 3: 1.0}, weight=2.0) == {1: 10.0, 2: 14.0, 3: 2.0}


@given(SCORES)
def test_scores_stay_without_nearness(scores: dict[int, float]) -> None:
    assert add_nearness(scores, {}, weight=5.0) == scores


@given(SCORES, SCORES)
def test_a_weight_of_nothing_changes_no_order(scores: dict[int, float], near: dict[int, float]) -> None:
    found = add_nearness(scores, near, weight=0.0)
    assert {item: found[item] for item in scores} == scores


def test_best_of_each_group_comes_once() -> None:
    assert best_by_group({1: 5.0, 2: 9.0, 11: 7.0, 21: 1.0}, lambda item: item % 10, limit=2) == [(2, 9.0), (11, 7.0)]


def test_first_of_equals_stays_first() -> None:
    assert [item for item, _ in best_by_group({"b": 1.0, "a": 1.0}, str, limit=5)] == ["b", "a"]


def test_hit_without_words_is_as_similar_as_the_next_within_a_limit() -> None:
    assert fill_similarities([None, 0.9, None, 0.2, None], most=0.39) == [0.39, 0.9, 0.2, 0.2, 0.0]


@given(st.lists(st.one_of(st.none(), st.floats(0, 1))))
def test_hit_of_words_keeps_its_similarity(own: list[float | None]) -> None:
    found = fill_similarities(own, most=0.39)
    assert [after for before, after in zip(own, found, strict=True) if before is not None] == [
        before for before in own if before is not None
    ]
    assert all(after <= 0.39 for before, after in zip(own, found, strict=True) if before is None)
