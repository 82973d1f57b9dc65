from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from memvault.recall.ranking.question import RankedQuestion, day_ranges, read_question
from memvault.text.dates.patterns import TIME_CLASSES
from memvault.text.dates.time_words import may_name_days
from memvault.text.dates.tokens import word_meanings

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def asked(text: str) -> RankedQuestion:
    return read_question(text, now=NOW)


def test_a_question_of_question_words_alone_still_looks_for_something():
    assert asked("who are you?").words


def test_words_that_could_be_left_out_count_less():
    recently, boiler = asked("recently boiler").words
    assert recently.weight < boiler.weight == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "When did she move?",
        "since when",
        "On what day is it?",
        "Do you know when did it start",
        "Wann war das?",
        "¿Cuándo fue?",
    ],
)
def test_question_asks_for_a_time(text):
    assert asked(text).asks_when


@pytest.mark.parametrize("text", ["Where did she go when it rained?", "What is it?", "the whenever project"])
def test_other_questions_do_not_want_a_time(text):
    assert not asked(text).asks_when


@pytest.mark.parametrize(
    "text", ["What did you recommend for the boiler?", "the list you gave me", "What was your advice on tiles?"]
)
def test_question_asks_for_the_assistants_words(text):
    assert asked(text).asks_assistant


@pytest.mark.parametrize(
    "text", ["Can you list my trips?", "Have I told you my age?", "What did I say about your city?"]
)
def test_a_request_is_no_question_for_what_the_assistant_said(text):
    assert not asked(text).asks_assistant


def test_a_day_with_its_year_is_that_day():
    (days,) = asked("What happened on 3 June 2024?").days
    assert (days.first, days.last, days.of_any_year) == (
        date(2024, 6, 3).toordinal(),
        date(2024, 6, 3).toordinal(),
        False,
    )


def test_a_month_without_a_year_may_be_of_any():
    (days,) = asked("When did we go camping in July?").days
    assert days.of_any_year
    assert days.last - days.first == 30


def test_days_that_are_counted_from_now_are_of_this_year():
    (days,) = asked("What did I do yesterday?").days
    assert (days.first, days.of_any_year) == (date(2026, 3, 9).toordinal(), False)


def test_substitute_counts_once_when_asked_for_itself():
    words = {word.term: dict(word.others) for word in asked("Did she buy or sell what she bought?").words}
    assert "bought" not in words["buy"]
    assert "buy" not in words["bought"]


def test_no_word_that_names_a_time_is_passed_over():
    told = {word for word, senses in word_meanings().items() if any(sense[0] in TIME_CLASSES for sense in senses)}
    passed_over = {word for word in told if not may_name_days(word.replace("·", " "))}
    assert passed_over <= {"an"}  # French for a year; in English it stands in every other sentence


def test_without_such_a_word_dates_are_not_even_looked_for(monkeypatch):
    monkeypatch.setattr("memvault.text.dates.expressions", None)
    assert asked("Which instruments does Mara play?").days == ()


@pytest.mark.parametrize(
    "text",
    [
        "How many scenes had I filmed by July 5?",
        "What was decided before March?",
        "What came up since 3 June?",
        "What is due before 9999-12-31?",
        "What happened in 1 or in the year 0?",
    ],
)
def test_days_that_are_open_towards_one_side_are_no_days_of_every_year(text: str) -> None:
    question = read_question(text, now=datetime(2026, 1, 29, 9, 30, tzinfo=UTC))
    assert not any(days.of_any_year for days in question.days)
    assert all(first <= last for first, last in day_ranges(question.days))


@pytest.mark.parametrize(
    "text", ["Who called after Christmas?", "What stood there until 0001-01-01?", "Since 9999-12-31?"]
)
def test_days_at_the_ends_of_the_calendar_are_no_trouble(text: str) -> None:
    assert list(day_ranges(read_question(text, now=datetime(2026, 1, 29, 9, 30, tzinfo=UTC)).days))
