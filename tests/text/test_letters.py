"""How characters are folded and sorted before a text comes apart."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memvault.text.characters import class_string, fold_text, fold_with_origins

MARKED = st.text(
    st.sampled_from("aeеиιกאاカ가ㅎㅏ\u0301\u0308\u0306\u093c\u3099\u05b8\u0651\u200d\u00adﾞﬁ½①é ."), max_size=30
)
CLUSTERS = st.sampled_from(
    [
        *("á", "ë́", "é", "İ", "ß", "Æ", "ѐ", "ё", "й", "ї́", "ѓ", "ᾳ", "ς", "אָ", "آ", "ؤَ", "ガ", "ﾊﾟ"),
        *("가", "ㅎ", "ㅏ", "ก่", "क़", "ﬁ", "½", "ﷺ", "\u200d", "\xad", "'", "ʼn", "1", "A"),
    ]
)


def test_shape_gives_each_character_its_class() -> None:
    assert class_string("Ab1 東カ가ก่🙂.") == "Aa0 hkgtce."


@given(st.one_of(st.text(max_size=40), MARKED))
def test_shape_is_as_long_as_the_text(text: str) -> None:
    assert len(class_string(text)) == len(text)


@given(st.one_of(st.text(max_size=40), MARKED))
def test_origins_flattens_alike_and_in_order(text: str) -> None:
    flat, places = fold_with_origins(text)

    assert flat == fold_text(text)
    assert len(places) == len(flat)
    assert places == sorted(places)
    assert all(0 <= start < end <= len(text) for start, end in places)


@given(st.lists(CLUSTERS, max_size=12).map("".join))
def test_flattening_twice_changes_nothing_more(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


def test_case_is_kept() -> None:
    assert fold_text("ÉcoleNationale") == "EcoleNationale"


def test_piled_marks_take_time_in_proportion() -> None:
    start = time.process_time()
    flat = fold_text("a" + "\u0301\u0316" * 200_000)

    assert flat == "a"
    assert time.process_time() - start < 5
