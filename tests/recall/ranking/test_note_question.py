"""What is asked of notes: words with all that may stand for them, and the days of the question."""

from __future__ import annotations

from datetime import UTC, date, datetime

from memvault.recall.ranking import question as notes
from memvault.recall.ranking.question import NamedDays

NOW = datetime(2026, 1, 29, 12, tzinfo=UTC)


def test_days_are_ordinals_and_a_day_without_its_year_is_of_any() -> None:
    first = date(2025, 6, 3).toordinal()
    assert list(notes.day_ranges([NamedDays(first, first + 1)])) == [(first, first + 1)]
    found = dict(notes.day_ranges([NamedDays(first, first, of_any_year=True)]))
    assert {date.fromordinal(day).year for day in found} == set(range(2015, 2026))
    assert {(date.fromordinal(day).month, date.fromordinal(day).day) for day in found} == {(6, 3)}


def test_the_last_of_february_is_the_first_of_march_where_there_is_none() -> None:
    leap = date(2024, 2, 29).toordinal()
    days = [date.fromordinal(first) for first, _ in notes.day_ranges([NamedDays(leap, leap, of_any_year=True)])]
    assert date(2024, 2, 29) in days
    assert date(2023, 3, 1) in days


def test_stamps_are_by_the_clock_of_whoever_asks() -> None:
    day = date(2026, 1, 5).toordinal()
    ((first, last),) = notes.to_timestamps([(day, day)], NOW)
    assert first == datetime(2026, 1, 5, tzinfo=UTC).timestamp()
    assert last == datetime(2026, 1, 5, 23, 59, 59, tzinfo=UTC).timestamp()


def test_before_all_time_is_no_trouble() -> None:
    stretches = list(notes.day_ranges([NamedDays(1, date(2020, 1, 1).toordinal())]))
    ((first, _),) = notes.to_timestamps(stretches, NOW)
    assert first > 0
