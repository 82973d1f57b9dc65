"""What becomes of two texts: merged, offered, held against each other, left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.similarity.merge_memories import unite_texts
from memvault.core.similarity.verdict import AUTOMATIC, compare_texts, find_differences, text_similarity
from tests.core.similarity.pairs import APART, CONTRADICTORY, REWORDED, SAME, SIMILAR

WORDS = (
    "the gauge reads level every five minutes and tells when river will reach their street never before deploy 30 50 "
    "Sara Oslo Monday May v2.1 config.yaml not all some enabled disabled on off it she is was must can"
).split()
words = st.sampled_from(WORDS)
sentences = st.lists(words, min_size=3, max_size=9).map(lambda found: " ".join(found).capitalize() + ".")
texts = st.lists(sentences, min_size=1, max_size=5).map(" ".join)

SELF_CONTAINED = (
    "The gauges keep winter time all year.",
    "Ilse Marrow looks after the harbour gauges.",
    "Readings go into PostgreSQL, keyed by gauge and UTC time.",
    "Alerts say what to do in one sentence.",
    "Households near Quay Street are told first.",
)


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_in_other_spellings_is_merged(a: str, b: str) -> None:
    assert compare_texts(a, b) == "duplicate"
    assert find_differences(a, b) == ()


@pytest.mark.parametrize(("a", "b"), REWORDED)
def test_the_same_in_other_words_is_merged_or_offered(a: str, b: str) -> None:
    assert compare_texts(a, b) in ("duplicate", "propose")


@pytest.mark.parametrize(("sort", "a", "b"), CONTRADICTORY)
def test_statements_that_cannot_both_be_right_contradict(sort: str, a: str, b: str) -> None:
    assert compare_texts(a, b) == "contradiction"
    assert sort in {difference.sort.value for difference in find_differences(a, b)}


@pytest.mark.parametrize(("a", "b"), SIMILAR)
def test_similar_texts_are_never_merged(a: str, b: str) -> None:
    assert compare_texts(a, b) != "duplicate"
    assert text_similarity(a, b) < AUTOMATIC


@pytest.mark.parametrize(("a", "b"), APART)
def test_unrelated_texts_are_distinct(a: str, b: str) -> None:
    assert compare_texts(a, b) == "distinct"


@pytest.mark.parametrize(("a", "b"), [*SAME, *REWORDED, *((a, b) for _, a, b in CONTRADICTORY), *SIMILAR, *APART])
def test_the_order_of_the_two_makes_no_difference(a: str, b: str) -> None:
    assert compare_texts(a, b) == compare_texts(b, a)
    assert text_similarity(a, b) == pytest.approx(text_similarity(b, a))


@given(st.permutations(SELF_CONTAINED))
def test_the_order_of_sentences_makes_no_difference(order: list[str]) -> None:
    assert compare_texts(" ".join(SELF_CONTAINED), " ".join(order)) == "duplicate"


def test_an_added_sentence_does_not_keep_two_texts_apart() -> None:
    whole = " ".join(SELF_CONTAINED)
    assert compare_texts(whole, f"{whole} The limit is 30 cm.") == "duplicate"


def test_a_text_that_is_a_small_part_of_another_is_offered_but_not_merged() -> None:
    part, whole = SELF_CONTAINED[0], " ".join(SELF_CONTAINED)
    assert 0.8 < text_similarity(part, whole) < AUTOMATIC
    assert compare_texts(part, whole) == "propose"


def test_additions_on_both_sides_are_offered_and_not_merged() -> None:
    a, b = " ".join(SELF_CONTAINED[:4]), " ".join(SELF_CONTAINED[1:])
    assert compare_texts(a, b) == "propose"


def test_a_sentence_that_points_back_is_read_with_the_one_before_it() -> None:
    a = "Redis is new and fast. It runs in Oslo now. Kafka is old and slow. It runs in Bergen now."
    b = "Redis is new and fast. It runs in Bergen now. Kafka is old and slow. It runs in Oslo now."
    assert compare_texts(a, b) != "duplicate"


def test_the_same_pattern_about_others_is_no_contradiction() -> None:
    assert compare_texts("Anna's birthday is 3 May.", "Bob's birthday is 4 June.") == "distinct"


def test_one_line_that_contradicts_a_long_text_is_found() -> None:
    whole = " ".join(SELF_CONTAINED) + " The API limit is 50 requests per minute."
    assert compare_texts("The API limit is 30 requests per minute.", whole) == "contradiction"


@given(texts)
def test_every_text_is_like_itself(text: str) -> None:
    assert text_similarity(text, text) == 1.0
    assert compare_texts(text, text) == "duplicate"
    assert find_differences(text, text) == ()


@given(texts, texts)
def test_likeness_is_a_share_and_symmetric(a: str, b: str) -> None:
    assert 0.0 <= text_similarity(a, b) <= 1.0
    assert text_similarity(a, b) == pytest.approx(text_similarity(b, a))


TELLING = ("never", "not", "30", "Oslo", "before", "enabled", "some", "config.yaml", "v2.1", "Monday", "river")


@given(st.lists(sentences, min_size=1, max_size=4, unique_by=str.casefold), st.data())
def test_a_word_more_is_never_merged_away_and_another_word_never_merged(found: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(found) - 1))
    said = found[place].rstrip(".").split()
    where = data.draw(st.integers(1, len(said) - 1))
    word = data.draw(st.sampled_from([word for word in TELLING if word.casefold() not in found[place].casefold()]))
    kept = where + data.draw(st.integers(0, 1))
    changed = [*found[:place], " ".join((*said[:where], word, *said[kept:])) + ".", *found[place + 1 :]]
    verdict = compare_texts(" ".join(found), " ".join(changed))
    if kept > where or word in ("never", "not"):
        assert verdict != "duplicate"
    elif verdict == "duplicate":  # the fuller text says all
        assert word in unite_texts([" ".join(found), " ".join(changed)])


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_judged(a: str, b: str) -> None:
    assert compare_texts(a, b) in ("duplicate", "propose", "contradiction", "distinct")
