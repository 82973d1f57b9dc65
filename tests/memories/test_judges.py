"""Reviewers by rules: what is worth keeping scores above the thresholds, what is not below, novelty by the memories."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.memories.reviewers import (
    LEAST_NOVELTY,
    RULE_REVIEWERS,
    ReviewNeighbor,
    combine_answers,
    find_nearest,
    is_trivial,
    rate_importance,
    rate_novelty,
    rate_relevance,
)

TEA = ReviewNeighbor("tea", "Tea", "Sara prefers green tea to coffee in the morning.")
DEPLOY = ReviewNeighbor("deploy", "Deploys", "Deploys run from the release branch every Tuesday at 14:00.")
NEAREST = (DEPLOY, TEA)


def verdict(text: str, nearest: tuple[ReviewNeighbor, ...] = ()) -> str:
    return combine_answers([judge(text, nearest) for judge in RULE_REVIEWERS.values()]).outcome


@pytest.mark.parametrize(
    "text",
    [
        "Sara prefers green tea.",
        "We decided to use PostgreSQL because the reporting queries need window functions.",
        "Always run the migrations before the tests; the tests do not create the schema.",
        "The root cause of the outage was a certificate that had expired on the load balancer.",
        "My daughter Mira is allergic to peanuts.",
        "The deploy script lives in tools/deploy.sh and takes the name of the stage.",
        "Renew the passport before 2026-05-01.",
        "会議は毎週火曜日の午後三時にあります。",
        "Die Datenbank läuft auf dem alten Server im Keller.",
    ],
)
def test_worthwhile_texts_are_stored(text: str) -> None:
    assert verdict(text) == "store"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "Thanks!",
        "thank you so much",
        "Got it.",
        "sounds good",
        "haha nice",
        "hi there",
        "👍",
        "...",
        "ja danke",
    ],
)
def test_filler_is_trivial_to_all_and_rejected(text: str) -> None:
    assert is_trivial(text)
    assert all(judge(text, ()).trivial for judge in RULE_REVIEWERS.values())
    assert verdict(text) == "reject"


@pytest.mark.parametrize(
    "text",
    [
        "Good morning! How are you today, my friend?",
        "Could you please open the second file for me?",
        "What time is it over there in Lisbon?",
        "Traceback (most recent call last):\n  File x\nKeyError: 'a'",
        "hold on, let me check the logs right now",
    ],
)
def test_texts_of_the_moment_are_rejected(text: str) -> None:
    assert verdict(text) == "reject"


def test_a_rule_with_its_reason_outweighs_a_remark() -> None:
    rule = "Never force-push to main, because the release job reads its history."
    remark = "The window was open in the afternoon."
    assert (rate_importance(rule).importance or 0) > (rate_importance(remark).importance or 0)
    assert (rate_relevance(rule).relevance or 0) > (rate_relevance(remark).relevance or 0)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("Sara prefers green tea to coffee in the morning.", 0, 0.5),
        ("In the morning Sara prefers green tea to coffee.", 0, LEAST_NOVELTY),
        ("The cat sleeps on the printer when it is warm.", 8, 10),
    ],
)
def test_novelty_is_what_the_nearest_memories_do_not_say(text: str, least: float, most: float) -> None:
    found = rate_novelty(text, NEAREST).novelty
    assert found is not None
    assert least <= found <= most
    assert rate_novelty(text, ()).novelty == 10


@pytest.mark.parametrize(
    "text",
    ["Deploys run from the release branch every Tuesday at 16:00.", "Sara prefers green tea to coffee in the evening."],
)
def test_contradicting_texts_are_never_old(text: str) -> None:
    assert (rate_novelty(text, NEAREST).novelty or 0) >= LEAST_NOVELTY
    assert verdict(text, NEAREST) == "store"


def test_a_known_text_updates_the_memory_that_says_it() -> None:
    assert verdict(TEA.text, NEAREST) == "update"
    assert find_nearest(TEA.text, NEAREST) == (1.0, TEA)
    assert find_nearest(TEA.text, ()) == (0.0, None)


@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=3))
def test_every_score_of_any_text_is_within_its_bounds_and_the_same_again(text: str, others: list[str]) -> None:
    nearest = tuple(ReviewNeighbor(str(number), "", other) for number, other in enumerate(others))
    for name, judge in RULE_REVIEWERS.items():
        found = judge(text, nearest)
        assert 0 <= getattr(found, name) <= 10
        assert judge(text, nearest) == found
