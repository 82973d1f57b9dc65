"""Texts without one of their clauses, all else word for word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.sentence.clauses import remove_clause, split_clauses

TEXT = "The kiln is in the barn, the key is on the hook, and the fuse is spare."
CUT = (
    (TEXT, "the key is on the hook", "The kiln is in the barn, and the fuse is spare."),
    (TEXT, "the fuse is spare", "The kiln is in the barn, the key is on the hook."),
    (TEXT, "The kiln is in the barn", "the key is on the hook, and the fuse is spare."),
    ("Mara rides, hates rain and comes on foot.", "hates rain", "Mara rides, and comes on foot."),
    ("Dr. Ruiz is away. Ask Nils.", "Dr. Ruiz is away", "Ask Nils."),
    ("- Salt goes last.\n- Stir it.\n", "Stir it", "- Salt goes last.\n"),
    ("# Oven\n\nIt costs 1,450 a year. It is old.\n", "It is old", "# Oven\n\nIt costs 1,450 a year.\n"),
    ("Der Kahn ist leck, und das Ruder fehlt.", "das Ruder fehlt", "Der Kahn ist leck."),
)


def cut(text: str, clause: str) -> str | None:
    found = next(each for each in split_clauses(text) if text[each.start : each.end] == clause)
    return remove_clause(text, found)


@pytest.mark.parametrize(("text", "clause", "rest"), CUT)
def test_a_clause_goes_and_the_rest_stays_word_for_word(text: str, clause: str, rest: str) -> None:
    assert cut(text, clause) == rest


def test_what_would_lack_its_subject_is_not_cut() -> None:
    assert cut("Mara hates rain and comes on foot.", "Mara hates rain") is None


def test_lists_of_things_and_code_are_no_clauses() -> None:
    assert len(split_clauses("Bring salt, pepper and two knives.")) == 1
    assert split_clauses("```\na, b and c\n```\n") == ()


@given(st.text(alphabet="ab ,;.\n-and", max_size=60))
def test_whatever_is_cut_only_takes_words_away(text: str) -> None:
    for clause in split_clauses(text):
        rest = remove_clause(text, clause)
        words = iter(text.replace(",", " , ").split())
        assert rest is None or all(word in words for word in rest.replace(",", " ").split())
