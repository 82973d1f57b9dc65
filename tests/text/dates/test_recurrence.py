"""Rules by which something comes again: read, written, and the days that they mean."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from memvault.text.dates.task_lines import parse_recurrence

MONDAY = date(2026, 3, 16)


@pytest.mark.parametrize(
    "rule",
    [
        *("every day", "every 3 days", "every week", "every week on Thursday", "every 2 weeks on Monday, Friday"),
        *("every weekday", "every month", "every month on the 5th", "every month on the last", "every 3 months"),
        *("every month on the 1st Monday", "every month on the last Friday", "every month on the 1st and 15th"),
        *("every year", "every week when done"),
    ],
)
def test_a_rule_is_written_as_it_was_read(rule: str) -> None:
    assert str(parse_recurrence(rule)) == rule


@pytest.mark.parametrize(
    "text",
    ["", "weekly", "every", "every blue moon", "every 0 days", "every month on the 32nd", "every week on the 5th"],
)
def test_what_is_no_rule_is_none(text: str) -> None:
    assert parse_recurrence(text) is None


@pytest.mark.parametrize(
    ("rule", "first", "days"),
    [
        ("every 2 weeks on Monday", "2026-03-16", "2026-03-16 2026-03-30 2026-04-13"),
        ("every week on Tuesday, Thursday", "2026-03-17", "2026-03-17 2026-03-19 2026-03-24"),
        ("every month on the 31st", "2026-01-31", "2026-01-31 2026-02-28 2026-03-31"),
        ("every month on the 1st and 15th", "2026-03-15", "2026-03-15 2026-04-01 2026-04-15"),
        ("every month on the last Friday", "2026-03-27", "2026-03-27 2026-04-24 2026-05-29"),
        ("every 3 months", "2026-11-30", "2026-11-30 2027-02-28 2027-05-30"),
        ("every year", "2024-02-29", "2024-02-29 2025-02-28 2026-02-28"),
        ("every 10 days", "2026-03-16", "2026-03-16 2026-03-26 2026-04-05"),
        ("every weekday", "2026-03-20", "2026-03-20 2026-03-23 2026-03-24"),
    ],
)
def test_a_rule_gives_one_day_after_the_other(rule: str, first: str, days: str) -> None:
    found, since = [], date.fromisoformat(first)
    read = parse_recurrence(rule)
    assert read is not None
    for _ in range(3):
        found.append(read.next_day(date.fromisoformat(first), since=since))
        since = found[-1] + timedelta(days=1)
    assert " ".join(map(str, found)) == days


def test_a_missed_day_is_told_for_a_few_days() -> None:
    weekly, monthly = parse_recurrence("every week"), parse_recurrence("every month")
    assert weekly is not None
    assert monthly is not None
    assert weekly.missed_day(MONDAY, today=MONDAY + timedelta(days=2)) == MONDAY
    assert weekly.missed_day(MONDAY, today=MONDAY + timedelta(days=3)) is None
    assert monthly.missed_day(MONDAY, today=MONDAY + timedelta(days=7)) == MONDAY
    assert monthly.missed_day(MONDAY, today=MONDAY) is None
