from __future__ import annotations

import pytest

from memvault.recall.ranking import synonyms
from memvault.recall.ranking.synonyms import find_related
from memvault.recall.ranking.weights import WEIGHTS, RankingWeights
from memvault.text.stem import stem


def others(word: str, weights: RankingWeights = WEIGHTS) -> dict[str, float]:
    return dict(find_related(stem(word), weights))


@pytest.mark.parametrize(
    ("asked", "told", "share"),
    [
        ("buy", "bought", WEIGHTS.irregular),
        ("bought", "buy", WEIGHTS.irregular),
        ("children", "child", WEIGHTS.irregular),
        ("trip", "vacation", WEIGHTS.kin),
        ("instruments", "guitar", WEIGHTS.member),
    ],
)
def test_words_that_belong_together_are_found(asked, told, share):
    assert others(asked)[stem(told)] == share


def test_a_thing_of_a_kind_does_not_stand_for_the_kind():
    assert "instrument" not in others("guitar")
    assert "countri" not in others("portugal")


def test_a_word_never_stands_for_itself():
    words = {
        stem(word)
        for table in (synonyms.IRREGULAR_TABLE, synonyms.SYNONYM_TABLE)
        for word in table.replace(";", " ").split()
    }
    assert all(word not in dict(find_related(word, WEIGHTS)) for word in words)


def test_no_row_is_spelled_so_that_it_is_never_found():
    # A row is found by the first letters of a stem, so they must be those of the word.
    words = {
        *synonyms.IRREGULAR_TABLE.replace(";", " ").split(),
        *synonyms.SYNONYM_TABLE.replace(";", " ").split(),
        *(
            name
            for row in synonyms.MEMBER_TABLE.replace("\n  ", " ").splitlines()
            for name in row.partition(":")[0].split()
        ),
    }
    assert {word for word in words if stem(word)[:2] != word[:2]} == set()
    assert all(word.isascii() and word == word.lower() for word in words)


def test_words_that_could_be_left_out_are_spelled_as_they_are_said():
    assert all(word.isalpha() and word == word.lower() for word in synonyms.VAGUE)
