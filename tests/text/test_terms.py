"""Terms: which of some stand in a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memvault.text.terms import extract_terms, find_terms

WORDS = st.sampled_from(
    "dying aed a eing Die died ties tying lies lying skis skies by cry cries e-mail E-Mails don't wasn't ParsedName APIServer iOS17 "
    "1,000 v1.2.3 src/main.py C++ c# co-operation naïve naive relational relate capability capable hoping hop hopping generously generous sky_blue well-known x-ray .net a.b.c Straße über 東京タワー 東京都 привет U.S.A. (word) *bold* "
    "connection connected connections yes yoga ayes ox is as gas eye I'm x y ##head [[Link]] “quoted” e.g.".split()
)
TEXTS = st.lists(WORDS | st.text(max_size=8), max_size=12).map(" ".join)


@given(text=TEXTS, asked=TEXTS)
def test_the_terms_found_in_a_text_are_those_that_all_of_its_terms_have_in_common_with_the_wanted(
    text: str, asked: str
) -> None:
    wanted = frozenset(extract_terms(asked))
    assert find_terms(text, wanted) == wanted & set(extract_terms(text))


@given(word=st.from_regex(r"[a-z]{1,7}(?:s|es|ies|ing|ed|ly|y|ness|ation)?", fullmatch=True))
def test_a_word_is_found_by_its_stem(word: str) -> None:
    assert find_terms(f"a {word}, then", frozenset(extract_terms(word))) == set(extract_terms(word))
