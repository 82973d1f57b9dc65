"""Numbers and days are looked for in every way in which a note may write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memvault.core.query import Word
from memvault.recall.ranking.question import add_written_forms, day_ranges, read_terms
from memvault.text.terms import extract_terms

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
SHARE = 0.9


def read(text: str) -> dict[str, Word]:
    question = read_terms(text, now=NOW)
    asked = add_written_forms(question, day_ranges(question.days), share=SHARE)
    return {word.term: word for word in asked.words}


def forms(text: str) -> set[str]:
    return {form for word in read(text).values() for form, share in word.others if share == SHARE}


@pytest.mark.parametrize("heading", ["2026-05-03", "03.05.2026", "3.5.2026", "2026/05/03", "2026-05-03 Sunday"])
@pytest.mark.parametrize(
    "question", ["what happened on 3 May 2026", "on May 3rd, 2026", "am 3. Mai 2026", "2026-05-03"]
)
def test_a_day_is_found_in_figures(question: str, heading: str) -> None:
    asked = read(question)
    assert (forms(question) | asked.keys()).intersection(extract_terms(heading)) - {"2026", "3", "03", "5", "05"}


@pytest.mark.parametrize("text", ["3 May 2026", "May 3, 2026", "3. Mai 2026", "el 3 de mayo de 2026", "le 3 mai 2026"])
def test_a_day_that_is_asked_for_in_figures_is_found_by_name(text: str) -> None:
    asked = read("2026-05-03")
    said = set(extract_terms(text))
    for figure in ("2026", "05", "03"):
        assert said.intersection((figure, *(form for form, _ in asked[figure].others)))


def test_a_number_is_found_with_zeros_before_it_and_without() -> None:
    assert {"017", "0017"} <= forms("ADR 17")
    assert {"17", "0017"} <= forms("ADR-017")
    assert "017" not in forms("ADR 117")


def test_written_form_counts_once_when_asked_for_itself() -> None:
    assert not {"7", "07"}.intersection(forms("7 and 07"))
