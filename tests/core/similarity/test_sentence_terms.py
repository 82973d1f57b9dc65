"""What a sentence is read as."""

from __future__ import annotations

import pytest

from memvault.text.sentence.opposites import OppositeSide, opposite_sides
from memvault.text.sentence.quantity import month_alone, read_amount, read_day, same_on_dial, weekday_number
from memvault.text.sentence.reading import read_terms, significant_terms
from memvault.text.sentence.terms import TermKind


def read(text: str) -> list[tuple[str, str]]:
    return [(term.kind.value, term.key) for term in read_terms(text) if term.kind is not TermKind.WORD]


READ = (
    ("1,000 rows and 2.5 million users", [("number", "1000"), ("number", "2500000")]),
    ("two hundred and fifty of twenty-five", [("number", "250"), ("number", "25")]),
    ("30 s or 30ms or 0.5 minutes", [("number", "30 time"), ("number", "0.03 time"), ("number", "30 time")]),
    ("a 30-day trial", [("number", "2592000 time")]),
    ("$5M, 5 million dollars", [("number", "5000000 dollars"), ("number", "5000000 dollars")]),
    ("50% is 50 percent", [("number", "50 percent"), ("number", "50 percent")]),
    ("requests per second, 5 GB/s", [("unit", "time 1"), ("number", "5000000000 bytes"), ("unit", "time 1")]),
    ("the 3rd and the third", [("number", "3 rank"), ("number", "3 rank")]),
    ("on 3 May 2026 or 2026-05-03", [("date", "2026-5-3"), ("date", "2026-5-3")]),
    ("am 3. Mai 2026 um 14 Uhr", [("date", "2026-5-3"), ("time", "14:00")]),
    ("le 3 mai 2026 à 8 h 30", [("date", "2026-5-3"), ("time", "08:30")]),
    ("el 3 de mayo de 2026", [("date", "2026-5-3")]),
    ("2026年5月3日の午後3時", [("date", "2026-5-3"), ("time", "15:00")]),
    ("on Fridays", [("date", "weekday 4")]),
    ("you may do it in May", [("date", "-5-")]),
    ("noon is not 12:00 am", [("time", "00:00")]),
    ("Python 3.11, v2.0.0, 1.2.3-rc1", [("version", "3.11"), ("version", "2"), ("version", "1.2.3-rc1")]),
    (
        "`~/.config/x.toml`, src/app/main.py, .env",
        [("path", "~/.config/x.toml"), ("path", "src/app/main.py"), ("path", ".env")],
    ),
    (r"C:\Temp\a.txt and/or tests/", [("path", "C:/Temp/a.txt"), ("path", "tests")]),
    ("ADR-016 at 10.0.0.1:80 by a@b.example", [("name", "adr-016"), ("name", "10.0.0.1:80"), ("name", "a@b.example")]),
    ("K8s, PostgreSQL and 4xx", [("name", "kubernetes"), ("name", "postgresql"), ("name", "4xx")]),
    ("see https://a.example/b?c=1.", [("name", "https://a.example/b?c=1")]),
    ("[[gauge-time|the gauges]]", [("name", "[[gauge-time|the gauges]]")]),
    ("Is it so? ~~No~~", [("sign", "?"), ("sign", "~~"), ("sign", "~~")]),
)


@pytest.mark.parametrize(("text", "found"), READ)
def test_numbers_dates_paths_and_names_are_read(text: str, found: list[tuple[str, str]]) -> None:
    assert read(text) == found


@pytest.mark.parametrize(
    ("written", "number", "other"),
    [
        ("1,000", "1000", ""),
        ("1.000", "1", "1000"),
        ("1.000,50", "1000.5", ""),
        ("1,000.50", "1000.5", ""),
        ("12,5", "12.5", ""),
        ("1.234.567", "1234567", ""),
        ("12 500", "12500", ""),
        ("2.50", "2.50", "2.5"),
        ("007", "007", ""),
        ("-5", "-5", ""),
        ("12345678901234567890", "12345678901234567890", ""),
    ],
)
def test_an_amount_is_read_in_the_ways_it_may_be_meant(written: str, number: str, other: str) -> None:
    amount = read_amount(written)
    assert (amount.number, amount.other) == (number, other)


@pytest.mark.parametrize("written", ["2026-13-40", "32.13.2026", "45/99/2026", "May 40"])
def test_impossible_dates_are_no_days(written: str) -> None:
    assert read_day(written) is None


def test_a_month_by_itself_needs_to_be_one() -> None:
    assert month_alone("January", opens=False) is not None
    assert month_alone("may", opens=False) is None
    assert month_alone("May", opens=True) is None
    assert weekday_number("Sunday") == 6
    assert weekday_number("Sun") is None


@pytest.mark.parametrize(
    ("left", "right", "same"), [("2:30", "14:30", True), ("2:30 am", "14:30", False), ("02:30", "14:30", False)]
)
def test_a_time_without_its_half_may_be_either(left: str, right: str, same: bool) -> None:
    assert same_on_dial(left, right) is same
    assert same_on_dial(right, left) is same


def test_a_letter_is_not_an_article() -> None:
    assert [term.key for term in significant_terms(read_terms("a plan is better than plan A"))] == [
        "plan",
        "better",
        "than",
        "plan",
        "a",
    ]


def test_no_line_of_opposites_has_two_meanings() -> None:
    lines: dict[str, set[str]] = {}
    for word in ("enabled", "forbidden", "before", "faster", "weekly", "always"):
        for place in opposite_sides(word):
            assert isinstance(place, OppositeSide)
            lines.setdefault(place.line, set()).add(word)
    assert set(lines) == {"enable", "allow", "before", "faster", "hourly", "always"}


@pytest.mark.parametrize(("one", "other"), [("enabled", "disables"), ("öffentliche", "private"), ("closed", "opening")])
def test_opposites_are_known_in_all_their_forms(one: str, other: str) -> None:
    mine, others = opposite_sides(one)[0], opposite_sides(other)[0]
    assert mine.line == others.line
    assert mine.side != others.side


def test_derived_words_are_no_opposites() -> None:
    assert opposite_sides("connection") == ()
