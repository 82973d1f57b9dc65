"""What in a prompt warrants a look-up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.statements.prompt_cues import CUES, find_cue


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("Is it red?", "a question"),
        ("(is it red?)", "a question"),
        ("what did Sara say", "a question"),
        ("so who reviews it", "a question"),
        ("Wie heißt das Ding", "a question"),
        ("这是什么", "a question"),
        ("これは赤い？", "a question"),
        ("fix src/app.py", "a file"),
        ("open `README.md`", "a file"),
        ("look at ~/.config", "a file"),
        (r"see C:\Users\noor\a.txt", "a file"),
        ("the tests/ folder", "a file"),
        ("like yesterday", "a time"),
        ("as in last week", "a time"),
        ("mach es nach dem Muster letzte Woche", "a time"),
        ("三天前的会议，昨天", "a time"),
        ("the log of 2026-01-05", "a time"),
        ("run it again", "what was before"),
        ("we decided otherwise", "what was before"),
        ("comme d’habitude", "what was before"),
        ("one two three four five six seven eight nine ten eleven", "many words"),
        ("一二三四五六七八九十一二三四五六七八九十一二", "many words"),
    ],
)
def test_a_cue_is_found_and_named(prompt: str, found: str) -> None:
    assert find_cue(prompt) == found


@pytest.mark.parametrize(
    "prompt",
    [
        *("", "yes", "ok, go on", "fix the bug", "lgtm, thanks!", "commit", "continue please", "no, the other one"),
        *("and/or", "he/she", "TCP/IP", "3/4", "e.g. this", "1.5", "a?b:c", "https://x.org/a?b=c", "noor@example.org"),
        "one two three four five six seven eight nine ten",
    ],
)
def test_plain_prompts_have_no_cue(prompt: str) -> None:
    assert not find_cue(prompt)


def test_cue_words_can_be_set() -> None:
    assert find_cue("add the test here", words=3)
    assert not find_cue("add the test here", words=4)


@given(st.text(max_size=200))
def test_any_text_is_looked_at(prompt: str) -> None:
    assert isinstance(find_cue(prompt), str)


@pytest.mark.parametrize(
    ("prompt", "holds"),
    [
        ("do it as we did before", True),
        ("before that it was a list", True),
        ("test before pushing", False),
        ("stop before the release", False),
    ],
)
def test_before_is_a_cue_where_it_speaks_of_the_past(prompt: str, holds: bool) -> None:
    assert bool(find_cue(prompt)) is holds


@pytest.mark.parametrize(
    ("name", "prompt"), [("question", "why so"), ("file", "a.py"), ("time", "yesterday"), ("before", "again")]
)
def test_each_cue_can_be_switched_off(name: str, prompt: str) -> None:
    assert find_cue(prompt) == CUES[name]
    assert find_cue(prompt, without=[CUES[name]]) == ""
    assert find_cue("one two three", words=0) == ""
