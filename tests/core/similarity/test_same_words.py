"""Texts that say the same in equal words and any order, and texts that only seem to."""

from __future__ import annotations

import pytest

from memvault.core.similarity.merge_memories import unite_texts
from memvault.core.similarity.same_words import holds_all
from memvault.core.similarity.verdict import compare_texts

SAME = (
    ("The kiln is fired on Mondays, because the power is cheap then.", "As the power is cheap then, on Mondays the kiln is fired."),
    ("Tobin waters the ferns at noon.", "At noon the ferns are watered by Tobin."),
    ("Never leave the winch without a second man at the brake.", "Always leave the winch with a second man at the brake."),
    ("Don't saw before seven.", "Saw only after seven."),
    ("Gerda, my aunt, keeps the spare key.", "My aunt Gerda keeps the spare key."),
    ("The ladder in the shed is broken.", "The shed ladder is broken."),
    ("Der Ofen in der Werkstatt gehört Anton.", "Anton gehört der Ofen in der Werkstatt."),
)  # fmt: skip
OTHER = (
    ("Tobin helps Marit.", "Marit helps Tobin."),
    ("Tobin was hired by Marit.", "Marit was hired by Tobin."),
    ("The red cable goes to port 1 and the blue cable to port 2.", "The blue cable goes to port 1 and the red cable to port 2."),
    ("On Monday at 10:00 the crew meets, on Tuesday at 11:00.", "On Monday at 11:00 the crew meets, on Tuesday at 10:00."),
    ("The crew eats before the shift.", "The crew eats after the shift."),
    ("My locker is green.", "Your locker is green."),
    ("The gate is locked.", "The gate was locked."),
    ("Visitors may park here.", "Visitors must park here."),
    ("Tobin is allergic to plums, not to pears.", "Tobin is allergic to pears, not to plums."),
    ("Use the crane in the yard.", "Use the crane in the yard or the lift."),
    ("The court is closed until June.", "The tennis court is closed until June."),
    ("The parcel is with Marit.", "The parcel is lost with Marit."),
    ("Is the kiln on?", "The kiln is on."),
    ("The pump is repaired.", "The pump is repaired, then it broke down again."),
)  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_in_any_order_active_or_passive_is_one_text(a: str, b: str) -> None:
    assert compare_texts(a, b) == "duplicate"
    assert holds_all(a, b)
    assert holds_all(b, a)


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_roles_places_times_denials_and_duties_are_not_exchanged(a: str, b: str) -> None:
    assert compare_texts(a, b) != "duplicate"
    assert compare_texts(b, a) != "duplicate"
    assert not (holds_all(a, b) and holds_all(b, a))


def test_a_whole_part_more_makes_the_fuller_text_the_merged_one() -> None:
    short = "Strain the stock through muslin in the morning. The pot must never boil."
    full = "Never let the pot boil. In the morning strain the stock through muslin, and put it in the cellar."
    assert compare_texts(short, full) == "duplicate"
    assert holds_all(full, short)
    assert not holds_all(short, full)
    assert unite_texts([short, full]) == full == unite_texts([full, short])


def test_one_word_in_the_place_of_another_contradicts_and_a_phrase_does_not() -> None:
    assert compare_texts("Marit's kite is torn at the tail.", "Marit's kite is torn at the nose.") == "contradiction"
    cold, hot = "The key of the cold store hangs at the bar.", "The key of the cabin in Hot Springs hangs at the bar."
    assert compare_texts(cold, hot) == "distinct"
    assert compare_texts("Tobin likes chess.", "Tobin likes hiking.") == "distinct"
    assert compare_texts("Beans climb up the poles.", "Peas climb up the poles.") == "distinct"


def test_two_things_in_one_template_contradict_nothing() -> None:
    one = "Cabin 3 sleeps four and its stove burns wood."
    assert compare_texts(one, "Cabin 5 sleeps six and its stove burns gas.") == "distinct"
    assert compare_texts(f"# Port winch\n\n{one}", f"# Aft winch\n\n{one.replace('four', 'five')}") == "distinct"
