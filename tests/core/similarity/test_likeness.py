"""How alike two texts are in meaning, and what becomes of pairs in other words."""

from __future__ import annotations

import pytest

from memvault.core.similarity.alignment import align_tokens, find_slots
from memvault.core.similarity.likeness import are_strangers, compare_words, measure_likeness
from memvault.core.similarity.pairs import find_candidates
from memvault.core.similarity.statements import cached_statements
from memvault.core.similarity.tokens import read_tokens
from memvault.core.similarity.verdict import compare_texts

DOCTOR = "My doctor wants the children to drink water before breakfast."
PHYSICIAN = "Before they have breakfast the kids should drink some water, says our physician."


def _likeness(one: str, other: str) -> float:
    sides = cached_statements(one), cached_statements(other)
    return measure_likeness(align_tokens(*map(read_tokens, sides)), *sides)


def test_a_word_is_near_to_one_that_means_the_same() -> None:
    assert compare_words("physician", "doctor") > 0.7 > compare_words("physician", "kitchen")
    assert compare_words("doctor", "xyzzyq") == 0


def test_texts_in_other_words_are_more_alike_than_texts_about_other_things() -> None:
    assert _likeness(DOCTOR, PHYSICIAN) > 0.5 > _likeness(DOCTOR, "The lorry brakes were replaced in the workshop.")


def test_texts_of_unknown_words_are_not_alike() -> None:
    assert _likeness("Blorf wexit naddle pring.", "Blorf wexit naddle pring krom.") == 0


def test_words_that_nothing_in_the_other_text_is_near_to_are_strangers() -> None:
    words = align_tokens(
        read_tokens(cached_statements("The court is closed for hearings until June.")),
        read_tokens(cached_statements("The court is closed for tennis until June.")),
    )
    assert [are_strangers(slot, words) for slot in find_slots(words)] == [True]


def test_the_same_in_other_words_is_offered_and_never_merged() -> None:
    assert compare_texts(DOCTOR, PHYSICIAN) == "propose"


@pytest.mark.parametrize("count", [0, 300])
def test_texts_that_share_few_words_are_found_by_meaning(count: int) -> None:
    texts = {f"{number:03}": f"Blorf{number} wexit{number} naddle{number} pring{number}." for number in range(count)}
    texts |= {
        "one": "The physician prescribed tablets for my headache.",
        "other": "A doctor gave me pills for head pain.",
    }
    assert ("one", "other") in set(find_candidates(texts))


def test_opposites_in_free_wording_contradict() -> None:
    one = "Our lawyer thinks that the contract clause is void."
    assert compare_texts(one, "According to the attorney this clause of the contract is valid.") == "contradiction"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use red, not blue, for the wires.", "Use red for the wires."),
        ("The cabin in Hot Springs has two beds.", "The cold cabin at the lake has two beds."),
    ],
)
def test_what_is_denied_beside_what_is_meant_and_parts_of_names_are_no_opposites(one: str, other: str) -> None:
    assert compare_texts(one, other) != "contradiction"
