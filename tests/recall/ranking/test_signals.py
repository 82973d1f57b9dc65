from __future__ import annotations

import pytest

from memvault.text.dates.time_words import ASKS, TIMED, find_signals


@pytest.mark.parametrize(
    "text", ["How are you?", 'She said "why?"', "Und jetzt?  ", "你好吗？", "New one? [photo: a car]", "? " * 300]
)
def test_a_text_that_ends_in_a_question_asks(text):
    assert find_signals(text) & ASKS


@pytest.mark.parametrize("text", ["Really? I did not know.", "", "Fine.", "a?b"])
def test_other_texts_do_not_ask(text):
    assert not find_signals(text) & ASKS


@pytest.mark.parametrize(
    "text",
    [
        "We met yesterday.",
        "in 2019",
        "on the 3rd",
        "at 7 pm",
        "LAST WEEK",
        "vor zwei Wochen",
        "hace dos años",
        "昨天下雨",
    ],
)
def test_a_text_that_tells_a_time_is_known(text):
    assert find_signals(text) & TIMED


@pytest.mark.parametrize("text", ["We met at the harbour.", "", "an apple", "weekdays", "12345 crowns"])
def test_other_texts_tell_no_time(text):
    assert not find_signals(text) & TIMED
