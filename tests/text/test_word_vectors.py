"""Texts compared by the meanings of their words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.statements.word_vectors import DIMENSIONS, compare_meaning, text_vector, word_vector

ENGLISH = st.lists(st.sampled_from("the doctor asked about my fear of heights and animals".split()), min_size=1)


@given(ENGLISH, ENGLISH)
def test_comparison_is_a_cosine(one: list[str], other: list[str]) -> None:
    first, second = " ".join(one), " ".join(other)
    assert compare_meaning(first, second) == pytest.approx(compare_meaning(second, first))
    assert -1.000001 <= compare_meaning(first, second) <= 1.000001
    assert compare_meaning(first, first) == pytest.approx(1)


@pytest.mark.parametrize(
    ("word", "kin", "stranger"),
    [
        ("doctor", "physician", "bicycle"),
        ("soup", "stew", "invoice"),
        ("flight", "airport", "violin"),
        ("cat", "kitten", "mortgage"),
        ("salary", "wages", "forest"),
    ],
)
def test_kin_is_nearer_than_a_stranger(word: str, kin: str, stranger: str) -> None:
    assert compare_meaning(word, kin) > compare_meaning(word, stranger) + 0.2


def test_wish_is_near_to_the_question_that_it_bears_on() -> None:
    question = "Which dishes should I try while I visit Bangkok?"
    wish, other = "I avoid spicy food since my stomach is sensitive.", "I dislike cars with leather seats."
    assert compare_meaning(question, wish) > compare_meaning(question, other)


def test_word_is_known_with_its_ending() -> None:
    assert len(word_vector("gardens")) == DIMENSIONS
    assert word_vector("unfathomablest") == ()


@pytest.mark.parametrize(
    "text", ["", "42 %", "Ich esse weder Schweinefleisch noch Meeresfrüchte.", "辛い料理は食べません。"]
)
def test_text_without_english_words_has_no_meaning_here(text: str) -> None:
    assert text_vector(text) == ()
    assert compare_meaning(text, "I eat no pork.") == 0
