"""The benchmark of finding notes: a set that holds together, and measures that say what they mean."""

from __future__ import annotations

from collections import Counter

from tests.benchmarks.note_set import NONE, PARTS, Question, notes, questions
from tests.benchmarks.notes import row


def test_every_answer_is_a_note_and_no_name_is_given_twice() -> None:
    names = [note.name for note in notes()]
    assert len(names) == len(set(names))
    assert all(question.gold <= set(names) for question in questions())


def test_only_what_has_no_answer_has_none_and_no_question_is_asked_twice_in_a_part() -> None:
    assert all((question.sort == NONE) == (not question.gold) for question in questions())
    asked = Counter((question.part, question.text) for question in questions())
    assert max(asked.values()) == 1


def test_every_part_asks_what_can_be_answered_and_what_cannot() -> None:
    for part in PARTS:
        sorts = {question.sort for question in questions() if question.part == part}
        assert {NONE, "paraphrase", "code", "language", "cjk"} <= sorts


def test_the_answers_to_a_part_are_notes_of_that_part_alone() -> None:
    by_part = [{name for question in questions() if question.part == part for name in question.gold} for part in PARTS]
    assert not by_part[0] & by_part[1]
    assert not by_part[2] & (by_part[0] | by_part[1])


def test_ranks_are_counted_by_the_answers_there_are() -> None:
    question = Question("development", "list", "?", frozenset({"a", "b"}))
    assert row([("a", 1.0), ("x", 1.0), ("b", 1.0)], question) == (0.5, 1.0, 1.0)
    assert row([("x", 1.0), ("x", 1.0), ("b", 1.0)], question) == (0.0, 0.5, 1 / 3)
    assert row([], question) == (0.0, 0.0, 0.0)
