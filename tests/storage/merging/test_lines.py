"""Two versions of a text are woven into one: what either changed is there, and nobody's line is lost."""

from __future__ import annotations

from collections import Counter
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis import strategies as st

from memvault.storage.merging.merge_lines import (
    count_lost_lines,
    merge_list,
    merge_records,
    merge_text,
    merge_text_bytes,
)

LINES = some.lists(some.sampled_from("abcdefgh"), max_size=12)


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_the_same_change_on_both_sides_is_made_once() -> None:
    assert merge_text("a\n", "a\nnew\n", "a\nnew\n") == "a\nnew\n"


def test_two_changes_of_one_line_are_nobodys_to_decide() -> None:
    assert merge_text("at noon\n", "at one\n", "at two\n") is None


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        (["", "ours"], ["", "theirs"], ["", "ours", "", "theirs"]),
        (["- ours"], ["- theirs"], ["- ours", "- theirs"]),
        (["", "b 1", "b 2"], ["", "a 1", "", "a 2"], ["", "a 1", "", "a 2", "", "b 1", "b 2"]),
        (["", "a paragraph"], ["z, of the line above"], ["z, of the line above", "", "a paragraph"]),
        (["", "x", "", "y"], ["", "x"], ["", "x", "", "y"]),
        (["", "x", "", "y"], ["", "y"], ["", "x", "", "y"]),
        (["", "x", "", "y"], ["", "x", "", "z"], ["", "x", "", "y", "", "z"]),
        (["", "x", "", "y"], ["", "y", "", "z"], ["", "x", "", "y", "", "z"]),
    ],
)
def test_additions_at_one_place_are_kept_once_in_whole_runs(
    ours: list[str], theirs: list[str], both: list[str]
) -> None:
    for one, two in ((ours, theirs), (theirs, ours)):
        assert merge_text("a\n", text(["a", *one]), text(["a", *two])) == text(["a", *both])
        assert merge_text("a\n\nb\n", text(["a", *one, "", "b"]), text(["a", *two, "", "b"])) is not None


def test_paragraphs_that_both_put_between_two_others_stay_paragraphs() -> None:
    assert merge_text("a\n\nb\n", "a\n\ny\n\nb\n", "a\n\nx\n\nb\n") == "a\n\nx\n\ny\n\nb\n"


def test_a_change_of_a_line_beside_what_was_added_there_stays_contested() -> None:
    assert merge_text("a\nb\n", "a\nB\n", "a\nb\nnew\n") is None
    assert merge_text("a\nb\nc\n", "a\nc\n", "a\nnew\nc\n") is None


def test_the_same_change_with_more_behind_it_is_that() -> None:
    assert merge_text("a\nb\n", "a\nB\n", "a\nB\nnew\n") == "a\nB\nnew\n"
    assert merge_text("a\nb\nc\n", "a\nC\n", "a\nb\nC\n") is None  # one side took a line out


def test_files_in_which_a_line_may_stand_only_once_take_nothing_twice() -> None:
    assert merge_text_bytes(b"[a]\n", b"[a]\nb = 1\n", b"[a]\nb = 2\n") is None


def test_a_line_break_at_the_end_is_no_change_of_the_last_line() -> None:
    assert merge_text("a\nb", "a\nb\n", "A\nb") == "A\nb\n"
    assert merge_text("a\nb\n", "a\nb", "A\nb\n") == "A\nb"


def test_a_text_that_was_emptied_and_changed_is_nobodys_to_decide() -> None:
    assert merge_text("a\n", "", "b\n") is None


@given(LINES, LINES)
def test_one_sided_changes_always_stand(base: list[str], side: list[str]) -> None:
    assert merge_text(text(base), text(side), text(base)) == text(side)
    assert merge_text(text(base), text(base), text(side)) == text(side)


@given(LINES, LINES, LINES)
def test_merged_text_is_the_same_on_both_machines(base: list[str], ours: list[str], theirs: list[str]) -> None:
    assert merge_text(text(base), text(ours), text(theirs)) == merge_text(text(base), text(theirs), text(ours))


@given(LINES, LINES, LINES)
def test_no_line_that_either_added_is_lost(base: list[str], ours: list[str], theirs: list[str]) -> None:
    new = [f"new {number} {line}" for number, line in enumerate(ours)]
    other = [f"other {number} {line}" for number, line in enumerate(theirs)]
    both = merge_text(text(base), text([*new, *base]), text([*base, *other]))
    if base:
        assert both is not None
        assert both.splitlines() == [*new, *base, *other]


SAID = some.lists(some.sampled_from(["", "- x", "one", "two", "three"]), min_size=1, max_size=6)


@given(LINES, SAID, SAID, some.integers(0, 12))
def test_no_line_of_two_additions_at_one_place_is_lost_or_torn_from_its_run(
    base: list[str], ours: list[str], theirs: list[str], at: int
) -> None:
    one, two = ([*base[:at], *added, *base[at:]] for added in (ours, theirs))
    both = merge_text(text(base), text(one), text(two))
    if base:
        assert both is not None
        assert Counter(both.splitlines()) >= Counter(one) | Counter(two)
        rest = iter(both.splitlines())
        assert all(line in rest for line in one if line)
        if not {*ours} & {*theirs} - {""}:
            assert f"\n{text(ours)}" in f"\n{both}"


@given(LINES, some.integers(0, 11), some.integers(0, 11))
def test_two_lines_changed_far_apart_are_both_changed(base: list[str], one: int, two: int) -> None:
    lines = [f"{number} {line}" for number, line in enumerate(base)]
    if not (one < len(lines) and two < len(lines) and abs(one - two) > 1):
        return
    ours = [*lines[:one], "ours", *lines[one + 1 :]]
    theirs = [*lines[:two], "theirs", *lines[two + 1 :]]
    wanted = [*lines]
    wanted[one], wanted[two] = "ours", "theirs"
    assert merge_text(text(lines), text(ours), text(theirs)) == text(wanted)


# -- texts that are slow to compare: woven in moments all the same, or left to a person

_MANY = 19_000


def with_lines(lines: list[str], changes: dict[int, str]) -> str:
    return "\n".join(changes.get(number, line) for number, line in enumerate(lines))


def test_both_changes_are_found_among_thousands_of_equal_lines() -> None:
    lines = ["- [ ] again"] * _MANY
    found = merge_text(with_lines(lines, {}), with_lines(lines, {100: "ours"}), with_lines(lines, {15_000: "theirs"}))
    assert found == with_lines(lines, {100: "ours", 15_000: "theirs"})


def test_texts_too_large_to_compare_are_left_to_a_person() -> None:
    lines = ["- [ ] again"] * _MANY
    sides = (with_lines(lines, dict.fromkeys(range(first, _MANY, 3), name)) for first, name in enumerate(("o", "t")))
    assert merge_text(with_lines(lines, {}), *sides) is None


@pytest.mark.points(only=True)
def test_many_changes_in_a_long_text_are_merged() -> None:
    lines = [f"line {number}" for number in range(_MANY)]
    ours, theirs = (
        {number: f"{number} {name}" for number in range(first, _MANY, 4)} for first, name in ((0, "o"), (2, "t"))
    )
    found = merge_text(with_lines(lines, {}), with_lines(lines, ours), with_lines(lines, theirs))
    assert found == with_lines(lines, {**ours, **theirs})


def test_a_line_that_moved_past_another_is_not_taken_twice() -> None:
    base, ours = "one\ntwo\nthree\nfour\n", "two\nthree\nfour\none\n"
    assert merge_text(base, ours, base) == ours
    assert merge_text(base, ours, "one\ntwo\nthree\nfour\nfive\n") == "two\nthree\nfour\nfive\none\n"


# -- files that only grow, from two sides: every line once, and what either side made void stays void

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


NUMBERS = st.lists(st.integers(0, 10_000), unique=True, max_size=12)


@given(NUMBERS, NUMBERS, NUMBERS, st.sets(st.integers(0, 11)), st.sets(st.integers(0, 11)))
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
