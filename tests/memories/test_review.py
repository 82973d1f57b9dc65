"""The verdict on a text by what its reviewers said: every branch of the rules, each side of every threshold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.memories.reviewers import ReviewAnswer, combine_answers, parse_answer


def answers(*given: dict[str, Any]) -> list[ReviewAnswer]:
    return [ReviewAnswer(by=f"r{number}", **values) for number, values in enumerate(given)]


T = {"trivial": True}
GOOD = {"importance": 7, "relevance": 7, "novelty": 7}


@pytest.mark.parametrize(
    ("given_", "outcome", "weight"),
    [
        # three answers
        ((GOOD, GOOD, GOOD), "store", 0.7),
        ((T | GOOD, GOOD, GOOD), "store", 0.7),
        ((T | GOOD, T | GOOD, GOOD), "reject", 0.7),
        ((T, T, T), "reject", 0.5),
        (({"importance": 4}, {"relevance": 5}, {"novelty": 4}), "store", 0.4),
        (({"importance": 3.9}, {"relevance": 9}, {"novelty": 9}), "reject", 0.4),
        (({"importance": 9}, {"relevance": 4.9}, {"novelty": 9}), "reject", 0.9),
        (({"importance": 9}, {"relevance": 9}, {"novelty": 3.9}), "update", 0.9),
        (({"importance": 3}, {"relevance": 9}, {"novelty": 1}), "reject", 0.4),
        (({"importance": 9}, {"relevance": 4}, {"novelty": 1}), "reject", 0.9),
        (({"importance": 10}, {"relevance": 10}, {"novelty": 10}), "store", 1.0),
        # means over those who judged it: (3 + 5) / 2 = 4, (4 + 6) / 2 = 5
        (({"importance": 3, "relevance": 4}, {"importance": 5, "relevance": 6}, {}), "store", 0.4),
        (({"importance": 3, "relevance": 4}, {"importance": 4.9, "relevance": 6}, {}), "reject", 0.4),
        (({}, {}, {}), "store", 0.5),
        # two answers: the same rules
        ((GOOD, GOOD), "store", 0.7),
        ((T, T), "reject", 0.5),
        ((T | GOOD, GOOD), "store", 0.7),
        (({"importance": 2}, {"relevance": 9}), "reject", 0.4),
        (({"importance": 8}, {"novelty": 2}), "update", 0.8),
        # one answer: its importance alone
        (({"importance": 3},), "store", 0.4),
        (({"importance": 2.9},), "reject", 0.4),
        (({"importance": 8, "relevance": 1, "novelty": 1, "trivial": True},), "store", 0.8),
        (({"relevance": 9},), "store", 0.5),
    ],
)
def test_the_verdict_follows_from_the_answers(given_: tuple[dict[str, Any], ...], outcome: str, weight: float) -> None:
    verdict = combine_answers(answers(*given_))
    assert (verdict.outcome, verdict.weight) == (outcome, weight)
    assert verdict.reason


@pytest.mark.parametrize(("trivial", "outcome"), [(False, "store"), (True, "reject")])
def test_rules_decide_with_importance_5_if_no_reviewer_answers(trivial: bool, outcome: str) -> None:
    verdict = combine_answers((), trivial=trivial)
    assert (verdict.outcome, verdict.importance, verdict.weight) == (outcome, 5, 0.5)


scores = st.none() | st.floats(0, 10)
answer = st.builds(
    ReviewAnswer,
    by=st.just("r"),
    importance=scores,
    relevance=scores,
    novelty=scores,
    trivial=st.none() | st.booleans(),
)


@given(st.lists(answer, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_answers_makes_no_difference(given_: list[ReviewAnswer], random: Any) -> None:
    shuffled = list(given_)
    random.shuffle(shuffled)
    one, other = combine_answers(given_), combine_answers(shuffled)
    assert one.outcome == other.outcome
    assert one.importance == pytest.approx(other.importance)


def test_an_answer_keeps_what_was_given_and_leaves_out_the_rest() -> None:
    found = parse_answer(
        "importance", {"importance": 8, "novelty": None, "trivial": False, "reason": "a\n rule ", "x": 1}
    )
    assert found == ReviewAnswer(by="importance", importance=8.0, trivial=False, reason="a rule")
    assert found.journal_entry() == {"by": "importance", "importance": 8.0, "trivial": False, "reason": "a rule"}
