"""What two texts are about: another fact about one thing contradicts, the same fact about another thing does not."""

from __future__ import annotations

import pytest

from memvault.core.similarity.verdict import compare_texts, find_differences

OTHER_THINGS = (
    ("The heron printer holds 250 sheets of paper.", "The egret scanner holds 50 sheets of paper."),
    ("The upper pump runs at 40 percent in winter.", "The garden pump runs at 70 percent in winter."),
    ("Restart the gateway after 5 minutes.", "Restart the indexer after 10 minutes."),
    ("The orders service is enabled in staging.", "The billing service is disabled in staging."),
    ("Ship the ferry report on Monday.", "Ship the kiosk report on Thursday."),
    (
        "The red kiln fires for 9 hours. It needs 40 kilowatts.",
        "The small furnace fires for 6 hours. It needs 25 kilowatts.",
    ),
    (
        "How to empty the boiler:\n\n1. Close the tap.\n2. Wait 5 minutes.",
        "How to air the radiator:\n\n1. Open the tap.\n2. Wait 9 minutes.",
    ),
)
ONE_THING = (
    ("The upper pump runs at 40 percent in winter.", "In winter the upper pump runs at 70 percent."),
    ("The nightly backup takes 20 minutes.", "The nightly backup runs for 35 minutes."),
    (
        "The Sparrow importer rounds prices to 5 cents.",
        "The importer of Sparrow brings prices to a multiple of 9 cents.",
    ),
    ("Keep logs for 30 days because the disk is small.", "Keep logs for 60 days because the auditors want it."),
    ("The API key lives in config/prod.yaml.", "The API key is stored in secrets/prod.yaml."),
    ("There are 14 columns in the users table.", "The users table has 12 columns."),
)


@pytest.mark.parametrize(("a", "b"), OTHER_THINGS)
def test_another_value_for_another_thing_is_no_contradiction(a: str, b: str) -> None:
    assert compare_texts(a, b) == compare_texts(b, a) == "distinct"


@pytest.mark.parametrize(("a", "b"), ONE_THING)
def test_another_value_for_the_same_thing_in_other_words_is_one(a: str, b: str) -> None:
    assert compare_texts(a, b) == compare_texts(b, a) == "contradiction"
    assert find_differences(a, b)


def test_addition_about_another_thing_is_proposed_not_merged() -> None:
    one = "The heron printer holds 250 sheets of paper."
    assert compare_texts(one, f"{one} The egret scanner holds 50 sheets of paper.") == "propose"
