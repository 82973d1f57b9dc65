"""How much a find says: more for rarer words and more finds, less in longer fields, never without end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.storage.index.search.bm25 import BODY, CONTEXT, FEWEST, FIELDS, K1, saturated_share, term_rarity

COUNTS = st.integers(0, 10_000)


@given(COUNTS, COUNTS)
def test_a_rarer_word_says_more_and_every_word_says_something(holding: int, total: int) -> None:
    assert term_rarity(holding, total) > 0
    assert term_rarity(holding + 1, total + 1) <= term_rarity(holding, total + 1)


@given(st.integers(0, 50), st.integers(1, FEWEST))
def test_a_small_vault_is_reckoned_as_one_of_a_hundred(holding: int, total: int) -> None:
    assert term_rarity(holding, total) == term_rarity(holding, FEWEST)


def test_more_texts_make_the_same_word_rarer() -> None:
    found = [term_rarity(5, total) for total in (100, 1_000, 10_000)]
    assert found == sorted(set(found))


@pytest.mark.parametrize("name", FIELDS)
@given(length=st.integers(1, 5_000), average=st.floats(1, 500))
def test_more_finds_earn_more_but_never_more_than_the_ceiling(name: str, length: int, average: float) -> None:
    weight = FIELDS[name]
    earned = [saturated_share(frequency, length, average, weight) for frequency in (0, 1, 2, 5, 50, 5_000)]
    assert earned[0] == 0
    assert all(less < more for less, more in pairwise(earned))
    assert earned[-1] <= weight.boost * (K1 + 1)


@pytest.mark.parametrize("name", FIELDS)
@given(length=st.integers(1, 5_000), frequency=st.integers(1, 20))
def test_a_find_in_a_longer_field_earns_less(name: str, length: int, frequency: int) -> None:
    weight = FIELDS[name]
    assert saturated_share(frequency, length + 1, 40, weight) < saturated_share(frequency, length, 40, weight)


def test_a_field_that_no_text_has_yet_is_no_trouble() -> None:
    assert saturated_share(1, 0, 0.0, FIELDS[BODY]) == pytest.approx(1.0)


def test_a_find_in_the_title_or_a_trigger_counts_for_more_than_one_in_the_text() -> None:
    usual = {name: saturated_share(1, 10, 10, weight) for name, weight in FIELDS.items()}
    assert usual["title"] > usual["names"] > usual[BODY] > usual["headings"]
    assert usual["triggers"] > usual[BODY]
    assert set(CONTEXT) == set(FIELDS) - {BODY}
