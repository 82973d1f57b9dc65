"""The token estimate, and cutting a text to a budget."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.characters import DENSE, GAP, MARK, class_string
from memvault.text.terms import clip_to_budget, count_words, estimate_tokens

TEXTS = st.lists(
    st.one_of(st.text(max_size=10), st.sampled_from(["word", "東京都", "End.", "\n", "สวัสดี", "—", "é"]))
).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("word", 2),
        ("ten words are here for you to count them now", 13),
        ("東京都", 3),
        ("東京都 has three", 6),
        ("天気。", 3),
        ("한국어", 3),
        ("x" * 100, 25),
        ("naïve café", 3),
    ],
)
def test_estimate_follows_the_stated_rule(text: str, expected: int) -> None:
    assert estimate_tokens(text) == expected


@pytest.mark.points(only=True)
def test_texts_that_are_counted_by_their_words_alone_are_counted_as_any_other() -> None:
    for first in range(0, 0x30000, 64):
        text = " ".join(f"a{chr(first + step)}b" for step in range(64) if not 0xD800 <= first + step < 0xE000)
        forms = class_string(text)
        spaced = re.sub(f"[{DENSE}][{DENSE}{MARK}]*", GAP, forms)
        runs = len(re.findall(f"[{DENSE}][{DENSE}{MARK}]*", forms))
        assert count_words(text) == (len(spaced.split()), len(forms) - len(spaced) + runs)


@given(TEXTS, TEXTS)
def test_more_text_never_costs_less_nor_more_than_its_parts(one: str, other: str) -> None:
    together = estimate_tokens(one + other)

    assert (
        max(estimate_tokens(one), estimate_tokens(other)) <= together <= estimate_tokens(one) + estimate_tokens(other)
    )


@given(TEXTS, st.integers(min_value=0, max_value=60))
def test_clip_keeps_to_the_budget(text: str, budget: int) -> None:
    clipped = clip_to_budget(text, budget)

    assert estimate_tokens(clipped) <= budget
    assert (clipped == text) == (estimate_tokens(text) <= budget)
    assert not clipped or text.startswith(clipped.removesuffix("…").rstrip())


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (1, ""),
        (6, "The first…"),
        (10, "The first sentence is here. …"),
        (15, "The first sentence is here. And the second one…"),
        (40, "The first sentence is here. And the second one follows, longer than that."),
    ],
)
def test_clip_ends_at_a_sentence_or_a_word(budget: int, expected: str) -> None:
    text = "The first sentence is here. And the second one follows, longer than that."

    assert clip_to_budget(text, budget) == expected


def test_clip_cuts_unspaced_scripts_between_characters() -> None:
    assert clip_to_budget("東京都庁会議" * 5, 10) == "東京都庁会議東京…"
    assert clip_to_budget("x" * 100, 10) == "x" * 32 + "…"


def test_clip_uses_most_of_the_budget() -> None:
    text = "some plain words without an end " * 500

    assert 990 <= estimate_tokens(clip_to_budget(text, 1_000)) <= 1_000
