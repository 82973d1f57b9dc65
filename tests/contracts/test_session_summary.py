"""What a model may do to a session's summary: nothing that the turns do not bear out gets in, and nothing is lost."""

from __future__ import annotations

import pytest

from memvault.models.llm.ask import Failure
from memvault.transcripts.progress import SessionSummary, summarize_with_model
from tests.contracts.test_extraction import SECRET, TURNS, Liar

RULES = SessionSummary(asked=("Where to keep the cache",), decided=("We decided to keep the cache on port 8080.",))

LIES: dict[str, object] = {
    "prose": "Here is what came of it.",
    "nothing": None,
    "a list": [["We decided to keep the cache."]],
    "wrong types": {"asked": "the cache", "decided": [1, None, {"text": "cache"}], "learnt": {}},
    "empty": {name: [] for name in ("asked", "decided", "learnt", "changed", "left_open")},
    "invented": {"decided": ["The team moved the whole archive to Lisbon in spring."]},
    "another number": {"decided": ["We decided to keep the cache on port 9090."]},
    "denied": {"decided": ["We decided not to keep the cache on port 8080."]},
    "too long": {"decided": ["We decided to keep the cache on port 8080. " * 9]},
    "several lines with signs": {"decided": ["We decided to keep\x1b[31m the cache on port 8080."]},
    "a failure": Failure("late", "no answer"),
}


@pytest.mark.parametrize("answer", LIES.values(), ids=LIES)
def test_what_the_turns_do_not_bear_out_is_not_taken(answer: object) -> None:
    assert summarize_with_model(TURNS, RULES, Liar(answer)) == RULES


def test_what_they_bear_out_takes_the_place_of_what_the_rules_found() -> None:
    answer = {"decided": ["The cache stays on port 8080, as the user decided to keep it there."], "asked": ["Lies."]}
    found = summarize_with_model(TURNS, RULES, Liar(answer))
    assert found.decided == tuple(answer["decided"])
    assert found.asked == RULES.asked


def test_without_a_model_the_rules_stand() -> None:
    found = summarize_with_model(TURNS, RULES, None)
    assert found == RULES


def test_no_secret_is_shown_or_kept() -> None:
    from dataclasses import replace

    turns = [replace(TURNS[0], text=f"The cache key is {SECRET} for port 8080, please keep the cache."), *TURNS[1:]]
    liar = Liar({"decided": [f"We decided to keep the cache {SECRET} on port 8080."]})
    found = summarize_with_model(turns, RULES, liar)
    assert all(SECRET not in shown for shown in liar.shown)
    assert SECRET not in str(found)
