"""Texts that are slow to compare: woven in moments all the same, or left to a person."""

from __future__ import annotations

from memvault.storage.merging.merge_lines import merge_text

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
