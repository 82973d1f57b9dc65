"""The English stemmer, with an independent one as its oracle."""

from __future__ import annotations

import re
from pydoc_data.topics import topics

import pytest
from whoosh.lang.snowball.english import EnglishStemmer

from memvault.text.stem import stem

WORDS = sorted(set(re.findall("[a-z]{1,30}", " ".join(topics.values()).lower())))
SUFFIXES = (
    *("ness", "ly", "ed", "ing", "ies", "s", "ement", "ously", "fulness", "iveness", "alize", "ative", "ion"),
    "er",
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("connect connected connecting connection connections", "connect"),
        *(("decide decided deciding decides", "decid"), ("review reviews reviewed reviewing reviewer", "review")),
        *(("study studies studied studying", "studi"), ("skis ski", "ski"), ("hopping hopped hop", "hop")),
        ("organization organizations", "organ"),
    ],
)
def test_forms_of_one_word_meet(words: str, expected: str) -> None:
    assert {stem(word) for word in words.split()} == {expected}


def test_agrees_with_the_oracle_on_a_few_thousand_words() -> None:
    oracle = EnglishStemmer()

    assert len(WORDS) > 2_000
    assert {word: stem(word) for word in WORDS} == {word: oracle.stem(word) for word in WORDS}


def test_agrees_with_the_oracle_on_made_up_words() -> None:
    oracle = EnglishStemmer()
    made = [word + suffix for word in WORDS[::9] for suffix in SUFFIXES]

    assert {word: stem(word) for word in made} == {word: oracle.stem(word) for word in made}


@pytest.mark.parametrize(
    "word", ["", "a", "is", "adr016", "2.7.5", "c++", "naïve", "бегущий", "東京", "news", "x" * 65]
)
def test_other_words_than_plain_english_ones_stay(word: str) -> None:
    assert stem(word) == word
