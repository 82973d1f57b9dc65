"""Placeholders for personal data: one for each, in every text of a question, and back in the answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memvault.models.placeholders import Placeholders

TEXT = (
    "Anna (anna@example.org) pays from DE89 3704 0044 0532 0130 00; write to anna@example.org or call +49 170 1234567."
)


def test_the_same_has_the_same_placeholder_wherever_it_stands() -> None:
    hidden = Placeholders().hide(TEXT)
    assert hidden == (
        "Anna ([e-mail address 1]) pays from [IBAN 2]; write to [e-mail address 1] or call [phone number 3]."
    )


def test_what_was_hidden_is_put_back_in_answers_of_any_shape() -> None:
    placeholders = Placeholders()
    hidden = placeholders.hide(TEXT)
    answer = {"text": hidden, "parts": [hidden, {"score": 3, "why": "[IBAN 2] is hers"}]}
    assert placeholders.put_back(answer) == {
        "text": TEXT,
        "parts": [TEXT, {"score": 3, "why": "DE89 3704 0044 0532 0130 00 is hers"}],
    }


def test_a_placeholder_never_is_what_the_text_says_already() -> None:
    placeholders = Placeholders()
    text = "[e-mail address 1] stands for anna@example.org"
    assert placeholders.hide(text) == "[e-mail address 1] stands for [e-mail address 2]"
    assert placeholders.put_back("[e-mail address 1]") == "[e-mail address 1]"


@given(st.lists(st.sampled_from([*TEXT.split(), "born 4 May 1990", "\n", "[IBAN 1]"]), max_size=12).map(" ".join))
def test_hiding_and_putting_back_changes_nothing(text: str) -> None:
    placeholders = Placeholders()
    assert placeholders.put_back(placeholders.hide(text)) == text
