"""Similarity is a share: 0 where nothing is found, 1 where all is, and never less for finding more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memvault.core.ranking.similarity import coverage, found_in, similarity
from memvault.core.words import stem

TERMS = st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.floats(0.01, 12), min_size=1, max_size=8)


@st.composite
def found_some(draw: st.DrawFn) -> tuple[dict[str, float], dict[str, tuple[str, ...]]]:
    wanted = draw(TERMS)
    held = draw(st.sets(st.sampled_from(sorted(wanted))))
    return wanted, {term: ("text",) if term in held else () for term in wanted}


@given(found_some())
def test_it_lies_between_0_and_1_and_never_above_the_coverage(case) -> None:  # type: ignore[no-untyped-def]
    wanted, places = case
    assert 0 <= similarity(wanted, places) <= coverage(wanted, places) <= 1 + 1e-12


@given(TERMS)
def test_nothing_found_is_0_and_all_found_is_1(wanted: dict[str, float]) -> None:
    assert similarity(wanted, {}) == coverage(wanted, {}) == 0
    assert similarity(wanted, dict.fromkeys(wanted, ("title",))) == 1


@given(found_some(), st.data())
def test_finding_one_more_never_lowers_it(case, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    wanted, places = case
    term = data.draw(st.sampled_from(sorted(wanted)))
    more = {**places, term: ("title",)}
    assert similarity(wanted, more) >= similarity(wanted, places)
    if not places[term]:
        assert similarity(wanted, more) > similarity(wanted, places)


@given(found_some(), st.floats(0.1, 10))
def test_it_does_not_depend_on_the_scale_of_the_rarities(case, scale: float) -> None:  # type: ignore[no-untyped-def]
    wanted, places = case
    scaled = {term: rarity * scale for term, rarity in wanted.items()}
    assert abs(similarity(scaled, places) - similarity(wanted, places)) < 1e-9


def test_one_rare_word_of_several_is_a_weak_sign() -> None:
    wanted = {"rare": 8.0, "plain": 1.0, "other": 1.0}
    only_rare = similarity(wanted, {"rare": ("text",)})
    assert only_rare < coverage(wanted, {"rare": ("text",)}) == 0.8


def test_a_query_that_asks_for_nothing_is_like_nothing() -> None:
    assert similarity({}, {}) == coverage({}, {"a": ("title",)}) == 0


def test_terms_are_found_in_every_part_that_holds_a_form_of_them() -> None:
    wanted = {stem("tides"): 1.0, stem("harbour"): 1.0, "missing": 1.0}
    places = found_in(wanted, {"title": "High tide", "text": "Tides at the harbour", "tags": ""})
    assert places == {stem("tides"): ("title", "text"), stem("harbour"): ("text",), "missing": ()}
