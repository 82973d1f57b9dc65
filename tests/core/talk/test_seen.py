"""What came by is remembered in bounded room."""

from __future__ import annotations

from memvault.core.talk.seen import Seen


def test_what_came_by_lately_is_known() -> None:
    seen = Seen(most=10)
    assert [seen.add(number) for number in range(15)] == [False] * 15
    assert all(seen.add(number) for number in range(15))
    assert 14 in seen
    assert 15 not in seen


def test_the_oldest_is_forgotten_before_there_is_too_much() -> None:
    seen = Seen(most=10)
    for number in range(1_000):
        seen.add(str(number))
    known = [number for number in range(1_000) if str(number) in seen]
    assert 10 <= len(known) <= 20
    assert known == list(range(1_000 - len(known), 1_000))
