"""What came by is remembered in bounded room."""

from __future__ import annotations

from memvault.transcripts.model.record import MOST, SeenSet


def test_what_came_by_lately_is_known() -> None:
    seen = SeenSet(most=10)
    assert [seen.add(number) for number in range(15)] == [False] * 15
    assert all(seen.add(number) for number in range(15))
    assert 14 in seen
    assert 15 not in seen


def test_the_oldest_is_forgotten_before_there_is_too_much() -> None:
    seen = SeenSet(most=10)
    for number in range(1_000):
        seen.add(str(number))
    known = [number for number in range(1_000) if str(number) in seen]
    assert 10 <= len(known) <= 20
    assert known == list(range(1_000 - len(known), 1_000))


def test_a_conversation_of_two_million_turns_fits_in() -> None:
    assert MOST >= 3 * 2_000_000  # to fill it takes too long for a test
    seen = SeenSet()
    assert not any(seen.add((number, "x")) for number in range(50_000))
    assert all((number, "x") in seen for number in range(50_000))
    assert not any((number, "y") in seen for number in range(50_000))
