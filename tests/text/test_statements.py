"""Standing statements and topics: what is told of a text by its wording alone."""

from __future__ import annotations

import pytest

from memvault.text.statements.standing import LEAST, LONGEST, is_about_answers, is_errand, is_safety, rate_statement
from memvault.text.statements.topics import TOPIC_TABLE, rate_topics


@pytest.mark.parametrize(
    "text",
    [
        "I never take the lift.",
        "My brother Noor lives in Aden.",
        "No meetings before ten.",
        "Please answer in Dutch.",
        "We don't keep pets.",
        "Strawberries give me hives.",
        "Ich esse kein Fleisch.",
        "Je n'aime pas les réunions du lundi.",
    ],
)
def test_a_statement_of_a_person_a_taste_or_a_rule_stands(text: str) -> None:
    assert rate_statement(text) >= LEAST


@pytest.mark.parametrize(
    "text",
    [
        "The parser reads tariffs from tariff_rows and caches them.",
        "On 3 January the allocator was down for forty minutes.",
        "The appraisal is due on 4 May.",
        "",
        "I never take the lift. " * LONGEST,
    ],
)
def test_a_fact_of_a_program_an_event_and_a_long_text_do_not(text: str) -> None:
    assert rate_statement(text) < LEAST


def test_what_may_do_harm_is_surer_than_a_taste() -> None:
    assert rate_statement("I am allergic to nuts.") > rate_statement("I am fond of nuts.")
    assert is_safety("Peanuts send me to the emergency room.")
    assert not is_safety("Peanuts are cheap in autumn.")


def test_an_errand_is_told_from_a_rule() -> None:
    assert is_errand("Remind me to feed the cat.")
    assert is_errand("Call Maja about the lease.")
    assert not is_errand("Never call before ten.")


def test_how_answers_are_to_be_worded_is_told_apart() -> None:
    assert is_about_answers("Give me the answer in two lines.")
    assert not is_about_answers("My sister lives in Turin.")


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What shall I cook for supper?", "food"),
        ("Book me a hotel and a train.", "travel"),
        ("Which tablets help against a headache?", "health"),
        ("Is £40 too much to spend?", "money"),
        ("Refactor src/poller.py and run the linter.", "code"),
        ("A birthday present for my niece", "family"),
        ("Can we meet at 7pm on Tuesday?", "schedule"),
    ],
)
def test_a_prompt_is_put_under_its_topic(text: str, topic: str) -> None:
    assert rate_topics(text).most_common(1)[0][0] == topic


def test_a_text_without_a_known_word_has_no_topic() -> None:
    assert not rate_topics("Zyx qwv.")


def test_each_topic_has_a_row_of_its_own() -> None:
    names = [row.partition(":")[0] for row in TOPIC_TABLE.strip().replace("\n ", " ").split("\n")]
    assert len(names) == len(set(names))
    assert all(name.isalpha() for name in names)
