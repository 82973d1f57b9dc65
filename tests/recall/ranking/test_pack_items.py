"""A budget is never exceeded, and what does not fit is counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memvault.recall.ranking.weights import pack_items
from memvault.text.terms import estimate_tokens

TEXTS = st.lists(st.text("ab cd.\n潮汐", max_size=200), max_size=12)


@given(TEXTS, st.integers(-5, 300), st.integers(0, 10))
def test_budget_is_never_exceeded(texts: list[str], budget: int, overhead: int) -> None:
    packed = pack_items(list(enumerate(texts)), budget=budget, overhead=overhead)
    assert packed.used == sum(estimate_tokens(text) + overhead for _, text in packed.kept)
    assert packed.used <= max(budget, 0)


def test_the_one_that_crosses_the_line_is_cut_and_the_rest_left_out() -> None:
    long = "word " * 100
    packed = pack_items([("a", long), ("b", long), ("c", "tiny")], budget=200)
    (first, second), left_out = packed.kept, packed.left_out
    assert first == ("a", long)
    assert second[0] == "b"
    assert second[1].endswith("…")
    assert left_out == 1


def test_a_scrap_is_not_worth_showing() -> None:
    packed = pack_items([("a", "word " * 100), ("b", "word " * 100)], budget=estimate_tokens("word " * 100) + 19)
    assert [item for item, _ in packed.kept] == ["a"]
    assert packed.left_out == 1
