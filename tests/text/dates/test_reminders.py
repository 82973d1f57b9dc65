"""Reminders as people say them: their first day, their rule, their condition and how urgent they are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memvault.text.dates.reminders import describe_due, read_reminder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)  # a Thursday


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (
            "Once a year, at the beginning of October, have the chimney swept.",
            "Thursday, 1 October 2026, then every year",
        ),
        ("Every 12th of August it's Ana's birthday.", "Wednesday, 12 August 2026, then every year"),
        ("The domain lapses annually on March 3rd.", "Wednesday, 3 March 2027, then every year"),
        ("Every March do the tax return.", "Monday, 1 March 2027, then every year"),
        ("On the last day of every month send my hours.", "Tuesday, 31 March 2026, then every month on the last"),
        (
            "Every first Monday of the month water the cactus.",
            "Monday, 6 April 2026, then every month on the 1st Monday",
        ),
        (
            "Pay him on the 1st and the 15th of every month.",
            "Wednesday, 1 April 2026, then every month on the 1st and 15th",
        ),
        ("Every other Tuesday put out the paper.", "Tuesday, 17 March 2026, then every 2 weeks on Tuesday"),
        ("Fortnightly on Mondays, check the traps.", "Monday, 16 March 2026, then every 2 weeks on Monday"),
        ("Every weekday at 17:00 log my hours.", "Thursday, 12 March 2026 at 17:00, then every weekday"),
        ("Jeden Freitag die Tonne rausstellen.", "Friday, 13 March 2026, then every week on Friday"),
        ("Chaque mois, le 15 mars, payer Olga.", "Sunday, 15 March 2026, then every month"),
        ("In half an hour take the bread out.", "Thursday, 12 March 2026 at 09:30"),
        ("In forty minutes move the sprinkler.", "Thursday, 12 March 2026 at 09:40"),
        ("Ten days from now chase the refund.", "Sunday, 22 March 2026"),
        ("Before lunch ring Omar.", "Thursday, 12 March 2026"),
        ("Next Friday, the hearing.", "Friday, 13 March 2026"),
        ("Next Thursday, the dentist.", "Thursday, 19 March 2026"),
        ("Next Friday, so not tomorrow but the week after, the hearing.", "Friday, 20 March 2026"),
    ],
)
def test_a_day_and_a_rule_are_read_as_they_are_meant(text: str, meant: str) -> None:
    found = read_reminder(text, now=NOW, zone=UTC)
    assert found.due is not None
    assert describe_due(found.due, found.repeat, zone=UTC) == meant


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Once the tenants move out, have the boiler looked at.", "Once the tenants move out"),
        ("Take the blue folder when I go to see the notary.", "when I go to see the notary"),
        ("The next time we talk about the roof, ask for the guarantee.", "The next time we talk about the roof"),
        ("Ask whether the form came, and look if it is signed.", ""),
        ("Return the ladder.", ""),
    ],
)
def test_a_condition_is_what_is_waited_for(text: str, condition: str) -> None:
    assert read_reminder(text, now=NOW, zone=UTC).condition == condition


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        *(("URGENT: ring the bank tomorrow.", 5), ("It can't be missed: lodge the appeal by 2 April.", 5)),
        *(("No rush, descale the kettle on Saturday.", 2), ("Not urgent, sort the cables.", 2), ("Ring Omar.", 0)),
    ],
)
def test_how_urgent_it_is_stands_in_the_words(text: str, priority: int) -> None:
    assert read_reminder(text, now=NOW, zone=UTC).priority == priority
