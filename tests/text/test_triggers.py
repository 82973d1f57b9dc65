"""Triggers of memories in a prompt: whole phrases, in whatever case, width and script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.terms import LONGEST, key_ranges, normalize_prompt, trigger_key

letters = st.text("abc", min_size=1, max_size=3)


def stands_in(prompt: str, phrase: str) -> bool:
    key = trigger_key(phrase)
    return bool(key) and key in normalize_prompt(prompt)


@pytest.mark.parametrize(
    ("phrase", "prompt"),
    [
        *(("going places", "We are GOING places."), ("going places", "our going-places\nproject")),
        *(("Ｗｉｄｅ Word", "a wide word"), ("wide word", "a ｗｉｄｅ　ｗｏｒｄ"), ("café", "at the cafe")),
        *(("Straße", "in der Straße"), ("ADR-016", "see adr 016"), ("don't panic", "Don’t panic!")),
        *(("C++", "in C++, please"), ("会议", "明天的会议室"), ("お茶", "お茶を飲む"), ("서울", "서울에서 봐요")),
        *(("กาแฟ", "ดื่มกาแฟเย็น"), ("портал", "наш Портал?"), ("v2.1", "since v2.1")),
    ],
)
def test_a_phrase_that_is_said_is_found(phrase: str, prompt: str) -> None:
    assert stands_in(prompt, phrase)


@pytest.mark.parametrize(
    ("phrase", "prompt"),
    [
        *(("port", "the portal"), ("portal", "the port"), ("going places", "places going")),
        *(("going places", "going to places"), ("016", "ADR-0161"), ("C", "in C++"), ("C", "in C#")),
        *(("서울", "대서울"), ("会议", "会 计 议"), ("...", "wait ... what"), ("", "anything")),
        ("   ", "anything"),
    ],
)
def test_a_part_of_a_word_and_words_apart_are_not(phrase: str, prompt: str) -> None:
    assert not stands_in(prompt, phrase)


def test_only_the_beginning_of_a_giant_prompt_is_looked_at() -> None:
    assert not stands_in("x " * LONGEST + "tea", "tea")


@given(st.lists(letters, min_size=1, max_size=8), st.lists(letters, min_size=1, max_size=3))
def test_a_phrase_is_found_exactly_where_its_words_stand_side_by_side(said: list[str], phrase: list[str]) -> None:
    stands = any(said[at : at + len(phrase)] == phrase for at in range(len(said)))
    assert stands_in(", ".join(said).upper(), " ".join(phrase)) == stands


@given(st.text(max_size=40), st.text(max_size=10))
def test_any_text_is_looked_at(prompt: str, phrase: str) -> None:
    assert stands_in(prompt, phrase) in (True, False)


@given(st.text("ab c서울에言+#'", max_size=30), st.text("ab c서울에言+#'", max_size=8))
def test_a_key_that_stands_in_a_prompt_lies_in_one_of_its_ranges(prompt: str, phrase: str) -> None:
    words, look = normalize_prompt(prompt), trigger_key(phrase)
    if look and look in words:
        assert any(least <= look < below for least, below in key_ranges(words))
