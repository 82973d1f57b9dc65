from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.recall.ranking.turns import strip_small_talk

TOLD = "I sold the red kayak to my neighbour and bought a piano."


@pytest.mark.parametrize("talk", ["Hey Mara! Good to see you!", "Thanks, Ilja!", "How are you?", "Wow, that's great!"])
def test_small_talk_is_left_out(talk):
    assert TOLD in strip_small_talk(f"{talk} {TOLD}")
    assert len(strip_small_talk(f"{talk} {TOLD}")) < len(f"{talk} {TOLD}")


@pytest.mark.parametrize("told", ["She died.", "I'm vegan.", "Her name is Coco.", "It's twins!", "I was born in 1990."])
def test_a_short_sentence_that_tells_something_stays(told):
    assert told in strip_small_talk(f"{told} {TOLD} How are you?")


def test_a_sentence_with_a_wanted_word_stays():
    text = f"{TOLD} Shall we go sailing?"
    assert strip_small_talk(text) == TOLD
    assert strip_small_talk(text, {"sail"}) == text


@pytest.mark.parametrize(
    "text", ["", "Thanks!", "How are you? And the family?", "```\nx = 1?\n```\nThanks!", "| a? | b |"]
)
def test_turn_that_would_lose_too_much_stays_whole(text):
    assert strip_small_talk(text) in (text, "How are you?", "And the family?")


@given(st.text("abcd efgh. ?! Thanks\n", max_size=120))
@pytest.mark.points(only=True)
def test_a_gist_is_never_longer_and_never_empty(text):
    short = strip_small_talk(text)
    assert len(short) <= len(text)
    assert bool(short.strip()) == bool(text.strip())
