"""What is asked of notes: words with all that may stand for them, and the days of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from memvault.recall.ranking import question as notes
from memvault.recall.ranking.question import NamedDays, RankedQuestion
from memvault.recall.ranking.weights import WEIGHTS

NOW = datetime(2026, 1, 29, 12, tzinfo=UTC)


def nothing(_terms: Sequence[str]) -> Mapping[str, Sequence[str]]:
    return {}


def asked(text: str, *, people: tuple[str, ...] = (), near: notes.FindNear = nothing) -> RankedQuestion:
    return notes.read_note_question(text, now=NOW, people=people, near=near)


def others(question: RankedQuestion, term: str) -> dict[str, float]:
    return next(dict(word.others) for word in question.words if word.term == term)


def test_a_person_is_looked_for_by_all_names() -> None:
    question = asked("what does SU drink", people=("Sara Uy = Sara, SU",))
    assert others(question, "su") == {"sara": WEIGHTS.namesake, "uy": WEIGHTS.namesake}
    assert "sara" not in others(question, "drink")


def test_a_whole_name_is_looked_for_by_a_nickname() -> None:
    question = asked("what does Sara Uy drink", people=("Sara Uy = Sara, SU",))
    assert "su" in others(question, "sara")
    assert "sara" not in others(question, "sara")


def test_person_without_aliases_is_searched_as_typed() -> None:
    assert asked("what does Maria drink", people=("Sara Uy = SU",)) == asked("what does Maria drink")


def test_a_word_that_stands_nowhere_is_looked_for_by_those_spelled_alike() -> None:
    question = asked("zeppelim museum", near=lambda _: {"zeppelim": ["zeppelin"]})
    assert "zeppelin" in others(question, "zeppelim")
    assert "zeppelin" not in others(question, "museum")


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


def test_few_days_put_further_ahead_than_many() -> None:
    assert notes.day_bonus([(10, 12)]) > notes.day_bonus([(10, 400)])
