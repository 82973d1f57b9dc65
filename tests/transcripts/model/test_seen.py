"""What came by is remembered in bounded room."""

from __future__ import annotations

from memvault.transcripts.model.record import MOST, SeenSet


def test_seen_set_knows_recent_items() -> None:
    seen = SeenSet(most=10)
    assert [seen.add(number) for number in range(15)] == [False] * 15
    assert all(seen.add(number) for number in range(15))
    assert 14 in seen
    assert 15 not in seen


def test_seen_set_forgets_the_oldest_items() -> None:
    seen = SeenSet(most=10)
    for number in range(1_000):
        seen.add(str(number))
    known = [number for number in range(1_000) if str(number) in seen]
    assert 10 <= len(known) <= 20
    assert known == list(range(1_000 - len(known), 1_000))


def test_seen_set_fits_two_million_turns() -> None:
    assert MOST >= 3 * 2_000_000  # to fill it takes too long for a test
    seen = SeenSet()
    assert not any(seen.add((number, "x")) for number in range(50_000))
    assert all((number, "x") in seen for number in range(50_000))
    assert not any((number, "y") in seen for number in range(50_000))
