"""Files that only grow, from two sides: every line once, and what either side made void stays void."""

from __future__ import annotations

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from memvault.storage.merging.merge_lines import count_lost_lines, merge_list, merge_records

FIRST, SECRET, LATER = b'{"e":"touch","n":1}\n', b'{"e":"step","why":"the key"}\n', b'{"e":"touch","n":2}\n'
VOID = b"{}".ljust(len(SECRET) - 1) + b"\n"


def test_lines_added_on_either_side_are_kept() -> None:
    assert merge_records(FIRST, FIRST + LATER, FIRST + SECRET) == FIRST + LATER + SECRET


def test_a_redacted_line_stays_redacted_in_its_place() -> None:
    before, here, there = FIRST + SECRET, FIRST + SECRET + LATER, FIRST + VOID
    for base in (before, FIRST, None):
        assert merge_records(base, here, there) == merge_records(base, there, here) == FIRST + VOID + LATER


def test_a_redacted_line_stays_redacted_if_its_place_differs() -> None:
    for base in (SECRET, None):
        assert SECRET not in merge_records(base, FIRST + SECRET + LATER, VOID + LATER)
        assert SECRET not in merge_records(base, VOID + LATER, FIRST + SECRET + LATER)


def test_a_line_redacted_on_both_sides_shows_nothing_either_removed() -> None:
    partly = b'{"e":"step"}'.ljust(len(SECRET) - 1) + b"\n"
    assert merge_records(SECRET, partly, VOID) == VOID


def test_lines_of_one_length_are_no_voids_of_each_other() -> None:
    assert merge_records(None, FIRST, LATER) == FIRST + LATER


def test_a_torn_end_gets_its_line_break() -> None:
    assert merge_records(FIRST, FIRST + SECRET[:-1], FIRST + LATER) == FIRST + SECRET + LATER


def test_lines_lost_on_one_side_are_kept() -> None:
    for less in (b"", FIRST, LATER, bytes(40), FIRST + SECRET[:7]):
        assert merge_records(FIRST + SECRET + LATER, FIRST + SECRET + LATER, less) == FIRST + SECRET + LATER
        assert sorted(
            merge_records(FIRST + SECRET + LATER, less.strip(b"\0"), FIRST + SECRET + LATER).splitlines()
        ) == sorted((FIRST + SECRET + LATER).splitlines())
    assert [
        count_lost_lines(FIRST + SECRET, each) for each in (b"", FIRST + VOID, VOID + FIRST, FIRST + SECRET + LATER)
    ] == [2, 0, 0, 0]


def test_a_replacement_of_equal_length_counts_as_redacted() -> None:
    said = b'{"t":"2026-01-29T03:00:00Z","why":"hello world"}\n'
    left = said.replace(b"hello world", b"[forgotten]")
    assert len(said) == len(left)
    assert merge_records(said, said + LATER, left) == merge_records(said, left, said + LATER) == left + LATER


def test_a_list_loses_what_either_side_took_out() -> None:
    assert merge_list(b"a\nb\n", b"a\nb\nc\n", b"b\nd\n") == b"b\nc\nd\n"


def test_long_records_that_have_little_in_common_are_united_in_a_moment() -> None:
    def lines(first: int) -> list[bytes]:
        return [b'{"t":"2026-01-29T03:00:00Z","n":%06d}\n' % number for number in range(first, first + 20_000)]

    one, two = lines(0), lines(100_000)
    voided = [VOID.strip().ljust(len(two[0]) - 1) + b"\n", *two]
    begun = process_time()
    assert len(merge_records(None, b"".join(one), b"".join(voided))) >= len(b"".join(one))
    assert process_time() - begun < 5


LINES = st.lists(st.integers(0, 10_000), unique=True, max_size=12)


@given(LINES, LINES, LINES, st.sets(st.integers(0, 11)), st.sets(st.integers(0, 11)))
def test_no_redacted_line_comes_back_and_no_other_line_is_lost(
    begun: list[int], mine: list[int], other: list[int], void_here: set[int], void_there: set[int]
) -> None:
    def line(number: int) -> bytes:
        return b'{"n":%d}\n' % number

    def side(own: list[int], voided: set[int]) -> list[bytes]:
        kept = [b"{}".ljust(len(line(n)) - 1) + b"\n" if at in voided else line(n) for at, n in enumerate(begun)]
        return [*kept, *(line(n) for n in own if n not in begun)]

    base = b"".join(map(line, begun))
    found = merge_records(base, b"".join(side(mine, void_here)), b"".join(side(other, void_there))).splitlines(
        keepends=True
    )
    dead = {line(n) for at, n in enumerate(begun) if at in void_here | void_there}
    assert not dead & set(found)
    assert {line(n) for n in (*begun, *mine, *other)} - dead <= set(found)
