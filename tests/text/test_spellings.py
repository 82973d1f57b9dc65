"""Keywords that are one in two spellings, keywords that are two, and which spelling stands."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memvault.text import keyword_spelling as naming
from memvault.text.keyword_spelling import (
    Spellings,
    compose_renames,
    keyword_key,
    lookup_keys,
    nearest_keys,
    normalize_keyword,
    same_keyword,
)
from memvault.text.stem import edit_distance

PAIRS = Path(__file__).parents[1] / "labelled" / "keyword_pairs.txt"

WORDS = st.text("abcdefgiklmnorstuvxyäéßçñøşıжйёως東京データ베이스हिن", min_size=2, max_size=12)
KEYWORDS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
NEAR = st.text("ab", min_size=8, max_size=14)


def pairs() -> list[tuple[str, str, bool]]:
    lines = (line for line in PAIRS.read_text(encoding="utf-8").splitlines() if line[:1] in "=/")
    found = []
    for line in lines:
        one, _, other = line[1:].partition(" | ")
        found.append((one.strip(), other.strip(), line[0] == "="))
    return found


@pytest.mark.parametrize(("one", "other", "same"), pairs())
def test_labelled_pairs_are_told_right(one: str, other: str, same: bool) -> None:
    assert same_keyword(one, other) is same
    assert (Spellings([one]).settle(other) == one) is same


def test_there_are_pairs_enough() -> None:
    assert len(pairs()) >= 80


@given(KEYWORDS)
def test_a_keyword_is_the_same_in_every_case_with_hyphens_or_spaces(word: str) -> None:
    for other in (word, word.upper(), word.title(), word.replace(" ", "-"), word.replace(" ", "_"), f" {word} "):
        assert same_keyword(word, other)
        assert keyword_key(word) == keyword_key(other)


@given(NEAR, NEAR)
def test_being_the_same_goes_both_ways(one: str, other: str) -> None:
    assert same_keyword(one, other) == same_keyword(other, one)


@given(KEYWORDS, st.integers(0, 99), st.integers(0, 99))
def test_differing_digits_keep_keywords_apart(word: str, one: int, other: int) -> None:
    assume(one != other)
    assert not same_keyword(f"{word}-{one}", f"{word}-{other}")


@given(st.text(max_size=40))
def test_a_normal_form_is_its_own_normal_form_and_the_same_keyword(word: str) -> None:
    assert normalize_keyword(normalize_keyword(word)) == normalize_keyword(word)
    assert same_keyword(word, normalize_keyword(word))


@given(NEAR, st.lists(NEAR, max_size=8))
def test_the_settled_spelling_is_the_same_keyword(word: str, known: list[str]) -> None:
    found = Spellings(known).settle(word)
    assert same_keyword(found, word)
    assert found in known or not any(same_keyword(word, other) for other in known)


@given(NEAR, st.lists(NEAR, max_size=8))
def test_keys_near_a_keyword_are_those_of_its_spellings(word: str, known: list[str]) -> None:
    by_key = {one: other for other in known for one in lookup_keys(other)}
    found = {by_key[one] for one in nearest_keys(word, by_key)}
    assert {keyword_key(other) for other in found} == {
        keyword_key(other) for other in known if same_keyword(word, other)
    }


def test_the_spelling_that_is_used_most_stands() -> None:
    known = Spellings({"pipe-wire": 2, "PipeWire": 9, "pipewire": 4})
    assert known.settle("Pipe Wire") == "PipeWire"


def test_the_same_letters_are_preferred_to_near_ones() -> None:
    assert Spellings(["kubernetes", "kubernets"]).settle("kubernets") == "kubernets"


def test_an_unknown_keyword_is_written_in_lower_case_with_hyphens() -> None:
    assert Spellings(["garden"]).settle("  Sound_Server (new) ") == "sound-server-(new"
    assert Spellings([]).settle("#Garden!") == "garden"


def test_an_added_keyword_is_known() -> None:
    known = Spellings()
    known.add("Quillmark")
    assert known.settle("quill mark") == "Quillmark"
    assert known.find_exact("quillmerk") == ""


def test_only_known_keywords_that_begin_alike_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counting(one: str, other: str, *, most: int) -> int:
        compared.append(other)
        return edit_distance(one, other, most=most)

    monkeypatch.setattr(naming, "edit_distance", counting)
    known = Spellings(
        f"{first}{''.join(rest)}" for first in "bdfgk" for rest in product(("ra", "lon", "vek"), repeat=5)
    )
    assert known.settle("bralonrorara") == "bralonrarara"
    assert compared
    assert {word[0] for word in compared} == {"b"}
    assert {len(word) for word in compared} <= {11, 12, 13}


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        *(("tea", "tea", 0), ("tea", "tae", 1), ("tea", "teas", 1), ("tea", "toa", 1), ("kitten", "sitting", 3)),
        ("", "ab", 2),
    ],
)
def test_corrections_are_counted(one: str, other: str, count: int) -> None:
    assert edit_distance(one, other, most=5) == count
    assert edit_distance(other, one, most=5) == count


@given(st.text("ab", max_size=7), st.text("ab", max_size=7))
def test_one_correction_is_told_as_by_counting(one: str, other: str) -> None:
    assert (edit_distance(one, other, most=1) == 1) == (edit_distance(one, other, most=9) == 1)


# -- renamed


def test_a_renamed_keyword_stands_under_its_last_name() -> None:
    stands = compose_renames([("k8s", "kube"), ("kube", "kubernetes")])
    assert {keyword_key("k8s"): "kubernetes", keyword_key("Kube"): "kubernetes"} == stands


def test_a_keyword_that_was_renamed_back_stands() -> None:
    stands = compose_renames([("tea", "infusion"), ("infusion", "tea")])
    assert keyword_key("tea") not in stands
    assert stands[keyword_key("infusion")] == "tea"


def test_a_spelling_can_be_settled_by_renaming() -> None:
    assert compose_renames([("pipe-wire", "PipeWire")]) == {keyword_key("pipewire"): "PipeWire"}
