"""The kind a text most likely is, told by what people write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.fields import TYPES
from memvault.core.kinds import KINDS, implied_kind

SENTENCES = [
    ("prospective", "Remind me to call the dentist."),
    ("prospective", "TODO: rename the staging bucket"),
    ("prospective", "Don't forget to send Ilse the calibration sheet."),
    ("prospective", "We need to renew the certificate by Friday."),
    ("prospective", "I have to hand in the tax form before the end of May."),
    ("prospective", "Follow up with the landlord about the boiler."),
    ("prospective", "Must water the plants tomorrow."),
    ("prospective", "We should move the backups to the new disk next week."),
    ("prospective", "Need to buy a new bicycle lock."),
    ("prospective", "Remember to switch the heating off when leaving."),
    ("prospective", "The report is due on 14 February."),
    ("prospective", "Once the contract is signed, send the invoice."),
    ("prospective", "As soon as the tests are green, tell the team."),
    ("prospective", "Reminder: the library books go back."),
    ("prospective", "We plan to migrate the database in three weeks."),
    ("procedural", "How to change a gauge battery: unscrew the lid, lift the clip."),
    ("procedural", "First open the valve, then start the pump."),
    ("procedural", "Steps\n1. Stop the service.\n2. Copy the data.\n3. Start it again."),
    ("procedural", "1. Wash the rice.\n2. Boil it for ten minutes."),
    ("procedural", "To restart the router, press the red button for five seconds."),
    ("procedural", "To release a version, run the script in tools."),
    ("procedural", "When you publish the page, first run the link checker."),
    ("procedural", "Runbook for a full disk: delete old logs."),
    ("procedural", "In order to reset the alarm, hold both keys."),
    ("procedural", "Recipe for rye bread: rye, water, salt, a day of patience."),
    ("procedural", "First drain the tank, and then rinse it with soda."),
    ("procedural", "The way to get a visa there: book a slot at the consulate."),
    ("episodic", "Yesterday we met Sara at the harbour."),
    ("episodic", "The outage began last night at eleven."),
    ("episodic", "We decided to drop the old API on Monday."),
    ("episodic", "I talked to Noor about the concert."),
    ("episodic", "Today the team shipped version two."),
    ("episodic", "On Tuesday the boiler broke."),
    ("episodic", "She told me about her new job in Lisbon."),
    ("episodic", "Last week I visited the mill."),
    ("episodic", "2026-01-29: the deploy failed twice."),
    ("episodic", "We had a long meeting about prices."),
    ("episodic", "Ilse and I discussed the flood marks."),
    ("episodic", "They won the regatta last year."),
    ("episodic", "The interview with the mayor went well."),
    ("episodic", "In March I bought a cello."),
    ("semantic", "Sara prefers tea."),
    ("semantic", "The capital of Australia is Canberra."),
    ("semantic", "Gauges keep winter time all year."),
    ("semantic", "Maja is allergic to hazelnuts."),
    ("semantic", "The API requires a token in the header."),
    ("semantic", "Noor lives in Bergen."),
    ("semantic", "Never deploy on a Friday."),
    ("semantic", "The parser supports nested lists."),
    ("semantic", "My favourite colour is green."),
    ("semantic", "Rain at the mill gives two hours of warning because the valley is narrow."),
    ("semantic", "The office is on the third floor."),
    ("semantic", "Postgres uses a write-ahead log."),
    ("semantic", "He always drinks his coffee black."),
    ("semantic", "A good alert says what to do."),
    ("semantic", "The password policy means twelve characters or more."),
    ("semantic", "Tabs, not spaces."),
]


@pytest.mark.parametrize(("kind", "text"), SENTENCES)
def test_kinds_are_guessed_from_what_people_write(kind: str, text: str) -> None:
    assert KINDS.guess_kind(text) == kind


@pytest.mark.parametrize(
    ("type_", "kind"),
    [("memory", None), ("learning", "semantic"), ("milestone", "episodic"), ("reference", "semantic"), ("book", None)],
)
def test_some_types_imply_a_kind(type_: str, kind: str | None) -> None:
    assert implied_kind(type_) == kind


def test_kind_is_semantic_without_a_cue() -> None:
    assert KINDS.guess_kind("") == KINDS.guess_kind("Zwölf Äpfel.") == KINDS.guess_kind("潮汐表") == "semantic"


@given(st.text(max_size=200))
def test_any_text_has_a_known_kind_whatever_its_letter_case(text: str) -> None:
    assert KINDS.guess_kind(text) in KINDS


@given(st.sampled_from([text for _, text in SENTENCES]), st.integers(0, 3))
def test_space_around_a_text_says_nothing(text: str, gap: int) -> None:
    assert KINDS.guess_kind(" " * gap + text + "\n" * gap) == KINDS.guess_kind(text)


def test_the_kinds_are_what_the_format_says() -> None:
    lives = {name: (kind.half_life_days, kind.scope) for name, kind in KINDS.items() if name != "working"}
    assert {name: days for name, (days, _) in lives.items()} == {
        "episodic": 7,
        "semantic": 90,
        "prospective": 30,
        "procedural": 180,
    }
    assert {scope for _, scope in lives.values()} == {"project"}
    assert (KINDS["working"].half_life_days, KINDS["working"].scope) == (1, "session")


def test_the_shares_of_a_budget_make_a_whole() -> None:
    assert sum(kind.share for kind in KINDS.values()) == 1


def test_every_type_implies_one_kind_at_most() -> None:
    claims = [type_ for kind in KINDS.values() for type_ in kind.implied_by]
    assert len(claims) == len(set(claims))
    assert set(claims) <= set(TYPES)
