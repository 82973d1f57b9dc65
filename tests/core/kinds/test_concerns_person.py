"""What concerns the person is for every project; what they are working on is not."""

from __future__ import annotations

import pytest

from memvault.core.kinds.infer_tags import concerns_person


@pytest.mark.parametrize(
    "text",
    [
        "I prefer tabs over spaces",
        "Sara prefers tea over coffee in the morning",
        "My sister Maja is allergic to hazelnuts",
        "I live in Hollin and play the viola on Tuesdays",
        "I'm allergic to cats",
        "Call me Noor",
        "my birthday is on 3 May",
        "Ich heiße Noor und wohne in Hollin",
        "Meine Schwester kommt im Mai",
        "Je préfère le thé",
        "Me llamo Noor",
        "I hate long meetings",
    ],
)
def test_these_concern_the_person(text: str) -> None:
    assert concerns_person(text)


@pytest.mark.parametrize(
    "text",
    [
        "The release branch is called hotfix-lane and is cut on Tuesdays",
        "I deployed the gauge service to port 8080",
        "My branch is called feature/poller",
        "Our server restarts at six",
        "The poller needs two reviewers for each release",
        "I am working on the parser today",
        "We decided to use PostgreSQL for the gauge data",
        "To change the battery, close the valve first",
        "Der Dienst läuft auf Port 8080",
        "my function returns a list of homes",
    ],
)
def test_these_do_not(text: str) -> None:
    assert not concerns_person(text)
