"""What holds until a day is given up to it, and only found afterwards."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from memvault import Memvault
from memvault.agents.hooks.prompt import inject_prompt
from memvault.agents.hooks.session import inject_session
from memvault.text.dates.due import find_end
from tests.conftest import Clock

POOL = "I swim in the lake, as the Hollin pool is closed for repairs."
ASKED = "Is the Hollin pool closed for repairs?"


def ask(vault: Memvault, session: str) -> str:
    return inject_prompt(vault, ASKED, event="UserPromptSubmit", session=session, project="").text


def start(vault: Memvault, session: str) -> str:
    return inject_session(vault, event="SessionStart", session=session, project="", source="startup").text


def test_a_memory_ends_on_its_day_and_is_found_afterwards(vault: Memvault, clock: Clock) -> None:
    ends = (clock.now + timedelta(days=2)).date()
    made = vault.remember(POOL, kind="semantic", more={"until": f"{ends}", "scope": "global"}).memory
    assert f"until: {ends}\n" in (vault.root / made.path).read_text()
    assert POOL in ask(vault, "s1")
    assert "Hollin pool" in start(vault, "s2")
    clock.now += timedelta(days=2)
    assert POOL in ask(vault, "s3")
    clock.now += timedelta(days=1)  # no note was changed: the day alone decides
    assert POOL not in ask(vault, "s4")
    assert "Hollin pool" not in start(vault, "s5")
    assert [hit.memory.id for hit in vault.recall(ASKED).hits] == [made.id]
    assert vault.show(made.id).has_ended
    vault.edit(made.id, fields={"until": None})
    assert POOL in ask(vault, "s6")


def test_what_is_said_to_hold_until_a_day_does(vault: Memvault, clock: Clock) -> None:
    ends = vault.remember("The north gate is shut, only until tomorrow.").memory.more["until"]
    assert isinstance(ends, datetime)
    assert ends.date() == (clock.now + timedelta(days=1)).date()
    assert "until" not in vault.remember("We only eat until we are full.").memory.more


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The lift is out of order, only until Friday.", date(2026, 11, 27)),
        ("Nur bis Freitag ist der Hof gesperrt.", date(2026, 11, 27)),
        ("Solo hasta el 4 de diciembre trabajo de noche.", date(2026, 12, 4)),
        ("For this week the soup is leek.", date(2026, 11, 29)),
        ("For this month I park in bay 4.", date(2026, 11, 30)),
        ("I work here until Friday.", None),
        ("I made a list for this week's market.", None),
    ],
)
def test_a_text_names_the_day_on_which_it_ends(text: str, day: date | None) -> None:
    found = find_end(text, now=datetime(2026, 11, 26, 12, tzinfo=UTC), zone=UTC)
    assert (found and found.date()) == day
