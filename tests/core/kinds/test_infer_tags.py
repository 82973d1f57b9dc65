"""Tags that a text earns by itself: cautious, and never by accident."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.kinds.infer_tags import DECISION, GOTCHA, PREFERENCE, infer_tags


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Sara prefers tea.", (PREFERENCE,)),
        ("I really hate meetings.", (PREFERENCE,)),
        ("Always use tabs.", (PREFERENCE,)),
        ("Never ask on a Friday.", (PREFERENCE,)),
        ("My favourite colour is green. My favorite too.", (PREFERENCE,)),
        ("Decided to keep the sheep and sell the herd.", (DECISION,)),
        ("We decided to drop it.", (DECISION,)),
        ("The team agreed on Postgres.", (DECISION,)),
        ("Decision: Postgres.", (DECISION,)),
        ("We are going with plan B.", (DECISION,)),
        ("GOTCHA: the cache is stale.", (GOTCHA,)),
        ("Beware of the dog.", (GOTCHA,)),
        ("It turns out the clock is wrong.", (GOTCHA,)),
        ("It doesn't work unless it is warm.", (GOTCHA,)),
        ("The import fails silently.", (GOTCHA,)),
        ("We decided on it because Noor prefers it; watch out.", (PREFERENCE, DECISION, GOTCHA)),
        ("The capital of Australia is Canberra.", ()),
        ("A preferred supplier.", ()),
        ("The decision was hard.", ()),
        ("", ()),
        ("x" * 3_000 + " Sara prefers tea.", ()),
    ],
)
def test_tags_are_inferred_from_the_text(text: str, tags: tuple[str, ...]) -> None:
    assert infer_tags(text) == tags


@given(st.text(max_size=100))
def test_letter_case_and_the_order_of_the_table_do_not_depend_on_the_text(text: str) -> None:
    tags = infer_tags(f"{text}\nWatch out: we decided. I prefer tea.")
    assert tags == (PREFERENCE, DECISION, GOTCHA)
