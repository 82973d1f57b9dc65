"""In what two texts differ, and what is no difference."""

from __future__ import annotations

import pytest

from memvault.core.similarity.contradiction import Difference
from memvault.core.similarity.verdict import find_differences
from memvault.text.sentence.terms import TermKind

DIFFERENT = (
    ("The limit is 30.", "The limit is 50.", TermKind.NUMBER, "30", "50"),
    ("We need two reviewers.", "We need three reviewers.", TermKind.NUMBER, "two", "three"),
    ("It costs 1,000 euros.", "It costs 1,500 euros.", TermKind.NUMBER, "1,000 euros", "1,500 euros"),
    ("The third attempt worked.", "The fourth attempt worked.", TermKind.NUMBER, "third", "fourth"),
    ("The timeout is 30 s.", "The timeout is 30 ms.", TermKind.UNIT, "30 s", "30 ms"),
    ("It takes 90 seconds.", "It takes 2 minutes.", TermKind.NUMBER, "90 seconds", "2 minutes"),
    ("Due on 3 May 2026.", "Due on 4 May 2026.", TermKind.DATE, "3 May 2026", "4 May 2026"),
    ("Lunch is on Friday.", "Lunch is on Thursday.", TermKind.DATE, "Friday", "Thursday"),
    ("Lunch is at 12:30.", "Lunch is at 1 pm.", TermKind.TIME, "12:30", "1 pm"),
    ("It runs on Node v20.1.", "It runs on Node v20.2.", TermKind.VERSION, "v20.1", "v20.2"),
    ("Look in /etc/app.toml.", "Look in /opt/app.toml.", TermKind.PATH, "/etc/app.toml", "/opt/app.toml"),
    ("Ask Sara about it.", "Ask Noor about it.", TermKind.NAME, "Sara", "Noor"),
    ("Write to a@x.example soon.", "Write to b@x.example soon.", TermKind.NAME, "a@x.example", "b@x.example"),
    ("See ADR-016 for why.", "See ADR-017 for why.", TermKind.NAME, "ADR-016", "ADR-017"),
    ("The cache is enabled.", "The cache is disabled.", TermKind.STATE, "enabled", "disabled"),
    ("Lint before tests.", "Lint after tests.", TermKind.ANTONYM, "before", "after"),
    ("All tests pass.", "Some tests pass.", TermKind.QUANTIFIER, "All", "Some"),
    ("The build is broken.", "The build is not broken.", TermKind.NEGATION, "", "not"),
    ("Sara works with Noor on it.", "Noor works with Sara on it.", TermKind.ORDER, "Sara … Noor", "Noor … Sara"),
)

NO_DIFFERENCE = (
    ("The limit is 30.", "The limit is 30. The burst is 50."),
    ("The limit is 30.", "The limit is 30 and the burst is 50."),
    ("The meeting is on Monday.", "The meeting is on Monday, 5 May."),
    ("The meeting is on 5 May.", "The meeting is on 5 May 2026."),
    ("The meeting is on 03/04/2026.", "The meeting is on 4 March 2026."),
    ("The meeting is on 03/04/2026.", "The meeting is on 3 April 2026."),
    ("The meeting is on 5 May 2026.", "The meeting is on May 5th, 2026."),
    ("It holds 1,000 rows.", "It holds 1000 rows."),
    ("It holds 1.000 Zeilen.", "It holds 1000 Zeilen."),
    ("It costs 2.50 €.", "It costs 2,50 €."),
    ("It takes an hour, 60 minutes.", "It takes an hour, 1 h."),
    ("It runs on v2.0.", "It runs on v2.0.0."),
    ("Standup is at 2:30.", "Standup is at 14:30."),
    ("Sara Uy approved it.", "Sara approved it."),
    ("We host on AWS in Oslo.", "We host on Amazon Web Services in Oslo."),
    ("New York City is the place.", "NYC is the place."),
    ("Friday deploys are forbidden.", "Friday deploys are not allowed."),
    ("User dislikes mushrooms.", "User does not like mushrooms."),
    ("Don't forget the keys.", "Remember the keys."),
    ("Use pnpm, not npm.", "Use pnpm."),
    ("We use Redis, Postgres and Kafka.", "We use Kafka, Postgres and Redis."),
    ("Not only tests but also lints run in CI.", "Tests and also lints run in CI."),
    ("Merge no later than Friday.", "Merge by Friday."),
    ("Die Datei ist am 3. Mai fertig.", "Am 3. Mai ist die Datei fertig."),
    ("必须在周五之前完成。", "周五之前必须完成。"),
    ("Nothing in common here.", "The limit is 50."),
)


@pytest.mark.parametrize(("a", "b", "sort", "left", "right"), DIFFERENT)
def test_a_difference_is_named_with_what_each_side_says(a: str, b: str, sort: TermKind, left: str, right: str) -> None:
    assert Difference(sort, left, right) in find_differences(a, b)


@pytest.mark.parametrize(("a", "b", "sort", "left", "right"), DIFFERENT)
def test_a_difference_turns_round_with_its_texts(a: str, b: str, sort: TermKind, left: str, right: str) -> None:
    assert Difference(sort, right, left) in find_differences(b, a)


@pytest.mark.parametrize(("a", "b"), NO_DIFFERENCE)
def test_additions_and_spellings_are_no_differences(a: str, b: str) -> None:
    assert find_differences(a, b) == ()
    assert find_differences(b, a) == ()


def test_differences_are_found_in_the_sentence_they_belong_to() -> None:
    a = "The API timeout is 30 s. The web limit is 5 MB. Sara is on call."
    b = "Sara is on call. The web limit is 5 MB. The API timeout is 50 s."
    assert find_differences(a, b) == (Difference(TermKind.NUMBER, "30 s", "50 s"),)


def test_numbered_steps_in_another_order_are_a_difference() -> None:
    a = "1. Stop the server\n2. Copy the data\n3. Start the server"
    b = "1. Copy the data\n2. Stop the server\n3. Start the server"
    assert [found.sort for found in find_differences(a, b)] == [TermKind.ORDER]


def test_an_open_box_is_not_a_ticked_one() -> None:
    assert find_differences("- [ ] Call Ilse today", "- [x] Call Ilse today") == (
        Difference(TermKind.STATE, "[ ]", "[x]"),
    )
