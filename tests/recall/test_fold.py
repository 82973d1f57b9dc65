"""Of memories that say the same one stands for all; what differs in a number or a "not" is never the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.recall.fold import are_alike, content_words, may_be_alike, outline_words, overlaps

TEXT = (
    "The ferry to the small island leaves from the old pier every morning, and tickets are sold on board by the mate."
)


def alike(one: str, other: str, titles: tuple[str, str] = ("Ferry", "Ferry")) -> bool:
    return are_alike(content_words(titles[0], one), content_words(titles[1], other))


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace("leaves", "never leaves"),
        TEXT.replace("sold", "not sold"),
        TEXT.replace("morning,", "morning at 7,"),
        "The train to the big city leaves from the new station every evening.",
        "",
    ],
)
def test_differing_texts_are_not_alike(other: str) -> None:
    assert not alike(TEXT, other)


def test_texts_overlap_when_one_contains_all_words_of_the_other() -> None:
    assert overlaps(f"Decided:\n- {TEXT.upper()}\n- and more", TEXT)
    assert overlaps(TEXT, f"{TEXT} And more.")
    assert not overlaps(TEXT, "the old pier")  # a few words are shared by chance
    assert not overlaps(TEXT, TEXT.replace("old", "new"))


NUMBERS = st.integers(0, 400)


@given(st.integers(0, 3_000), st.sets(NUMBERS, max_size=80), st.sets(NUMBERS, max_size=80))
def test_no_two_that_are_alike_are_told_apart_by_their_outlines(most: int, one: set[int], other: set[int]) -> None:
    said = {f"word-{chr(97 + number % 26)}{'x' * (number // 26)}" for number in range(most % 500)}
    first, second = (content_words(" ".join(said), " ".join("y" * number for number in more)) for more in (one, other))
    if are_alike(first, second):
        assert may_be_alike(outline_words(first), outline_words(second))


def test_very_long_texts_are_compared_by_their_beginning_and_length() -> None:
    text = "the mill stands by the river " * 20_000
    assert are_alike(content_words("Mill", text), content_words("Mill", text))
    assert not are_alike(content_words("Mill", text), content_words("Mill", text + "and grinds"))
