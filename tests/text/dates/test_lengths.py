"""Lengths of time as people write them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.dates.time_words import read_length


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        *(("1h", 60), ("1 h", 60), ("90", 90), ("30m", 30), ("30 min", 30), ("an hour", 60), ("half an hour", 30)),
        *(
            *(("1h30m", 90), ("1 hour and 30 minutes", 90), ("2 days", 2880), ("a week", 10_080), ("1.5h", 90)),
            ("1,5 h", 90),
        ),
        *(
            *(("eine Stunde", 60), ("zwei Tage", 2880), ("une heure", 60), ("2 horas", 120), ("due", None)),
            ("un'ora", None),
        ),
        *(("", None), ("soon", None), ("0m", None), ("-1h", None), ("1 fortnight", None), ("1h nonsense", None)),
        *(("99999 weeks", None), ("hour", None), ("for now", None)),
    ],
)
def test_a_length_is_read_or_it_is_none(text: str, minutes: float | None) -> None:
    assert read_length(text) == (None if minutes is None else timedelta(minutes=minutes))


@given(st.integers(1, 500), st.sampled_from([("m", 1), ("h", 60), ("days", 1440)]))
def test_numbers_and_units_mean_what_they_say(count: int, unit: tuple[str, int]) -> None:
    assert read_length(f"{count} {unit[0]}") == timedelta(minutes=count * unit[1])


@given(st.text(max_size=30))
def test_any_text_is_read(text: str) -> None:
    found = read_length(text)
    assert found is None or found > timedelta(0)
