"""Similarity: nothing where nothing is said, near 1 where all is, and never less for saying more."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memvault.core.query import Word
from memvault.recall.query import (
    DAY_LABEL,
    REST_LABEL,
    TermMatch,
    conversation_similarity,
    highest_similarity,
    match_indexed_terms,
    match_terms,
    similarity,
)
from memvault.text.stem import stem
from memvault.text.terms import find_terms

SURE = 0.4
FOUND = st.lists(
    st.builds(TermMatch, st.just("word"), st.floats(0.5, 8), share=st.sampled_from((0.0, 0.3, 1.0))), max_size=8
)


def read(words: list[Word], on_day: bool = False, **parts: str) -> dict[str, TermMatch]:
    rarity = {word.term: 4.0 for word in words}
    return {one.term: one for one in match_terms(words, rarity, parts, on_day=on_day)}


@given(FOUND)
def test_similarity_lies_between_0_and_1(found: list[TermMatch]) -> None:
    assert 0 <= similarity(found) < 1


@given(FOUND.filter(bool), st.data())
def test_saying_one_word_more_never_lowers_it(found: list[TermMatch], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(found) - 1))
    more = [replace(one, share=1.0) if place == at else one for place, one in enumerate(found)]
    assert similarity(more) >= similarity(found)


@given(st.lists(st.floats(0.5, 8), min_size=1, max_size=8))
def test_full_match_is_relevant_and_no_match_is_not(rarities: list[float]) -> None:
    words = [TermMatch("word", rarity) for rarity in rarities]
    assert similarity(words) == 0
    assert similarity([replace(one, share=1.0) for one in words]) > SURE


def test_a_rare_word_says_more_than_a_common_one() -> None:
    rare, common = TermMatch("rare", 5.0), TermMatch("common", 1.5)
    assert similarity([replace(rare, share=1.0), common]) > SURE > similarity([rare, replace(common, share=1.0)])


@given(FOUND)
def test_beside_talk_a_similarity_lies_between_0_and_1_too(found: list[TermMatch]) -> None:
    assert 0 <= conversation_similarity(found) < 1


@given(FOUND.filter(lambda found: any(one.share for one in found)), st.floats(0, 1), st.floats(0, 1))
def test_the_further_behind_the_best_the_less_sure(found: list[TermMatch], one: float, other: float) -> None:
    assert similarity(found, min(one, other)) <= similarity(found, max(one, other)) <= similarity(found)


def test_a_word_that_nobody_wrote_does_not_drown_the_others() -> None:
    known = [TermMatch(word, 4.0, share=1.0) for word in ("harbour", "crane", "lifts")]
    assert similarity(known) > similarity([*known, TermMatch("zeppelin", 7.0)]) > SURE


def test_words_are_found_in_every_part_that_holds_a_form_of_them() -> None:
    words = [Word(stem("tides")), Word(stem("harbour")), Word("missing")]
    found = read(words, title="High tide", text="Tides at the harbour", tags="")
    assert found[stem("tides")].places == ("title", "text")
    assert found[stem("harbour")].places == ("text",)
    assert found["missing"].places == ()
    assert found["missing"].share == 0


def test_another_word_that_stands_for_one_counts_for_less_and_is_named() -> None:
    found = read([Word("client", (("custom", 0.3),))], text="The customer called.")["client"]
    assert found.said == "custom"
    assert 0 < found.share < 1
    itself = read([Word("client", (("custom", 0.3),))], text="The customer is a client.")["client"]
    assert (itself.said, itself.share) == ("", 1.0)


def test_rest_of_the_text_counts_less_than_the_passage() -> None:
    passage = read([Word("heron")], text="A heron.", **{REST_LABEL: "A heron. Rain."})["heron"]
    rest = read([Word("heron")], text="Rain.", **{REST_LABEL: "A heron. Rain."})["heron"]
    assert passage.places == ("text",)
    assert rest.places == (REST_LABEL,)
    assert 0 < rest.share < passage.share


def test_a_date_is_said_by_a_memory_that_was_made_on_it() -> None:
    word = Word("march", is_date=True)
    assert read([word], text="Rain.")["march"].share == 0
    assert read([word], on_day=True, text="Rain.")["march"] == TermMatch("march", 4.0, (DAY_LABEL,), share=1.0)


SAID = st.lists(st.sampled_from(("weir", "heron", "gauge", "lake", "boat")), max_size=6).map(" ".join)
ASKED = st.lists(
    st.builds(
        Word,
        st.sampled_from(("weir", "heron", "gauge", "2024")),
        st.sampled_from(((), (("lake", 0.6),), (("boat", 0.3), ("lake", 0.5)))),
        weight=st.sampled_from((1.0, 0.5)),
        is_date=st.booleans(),
    ),
    max_size=4,
)


@given(ASKED, SAID, SAID, SAID, st.booleans())
def test_indexed_terms_match_like_the_texts(words: list[Word], title: str, text: str, rest: str, on_day: bool) -> None:
    rarity = {word.term: 1.0 + place for place, word in enumerate(words)}
    terms = frozenset(term for word in words for term in word.terms)
    held: dict[str, tuple[str, ...]] = {}
    for label, part in (("title", title), ("text", text)):
        for term in find_terms(part, terms):
            held[term] = (*held.get(term, ()), label)
    around = find_terms(f"{text} {rest}", terms)
    known = match_indexed_terms(words, rarity, held, around, on_day=on_day)
    assert known == match_terms(
        words, rarity, {"title": title, "text": text, REST_LABEL: f"{text} {rest}"}, on_day=on_day
    )
    assert similarity(known) <= highest_similarity(words, rarity, {*held, *around}, on_day=on_day) + 1e-9
