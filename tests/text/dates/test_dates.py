"""Moments and days: read as people write them, written in one form."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.dates.dates import parse_day, read_moment, write_moment

EAST = timezone(timedelta(hours=2))
NOW = datetime(2026, 3, 31, 12, 0, tzinfo=EAST)  # a Tuesday


@pytest.mark.parametrize(
    "text",
    [
        *("2026-01-29T03:00:00Z", "2026-01-29T03:00:00z", "2026-01-29T03:00:00.000Z"),
        *("2026-01-29T03:00:00.123456789Z", "2026-01-29T03:00:00,5+00:00", "2026-01-29T05:00:00+02:00"),
        *("2026-01-29T05:00:00+0200", "2026-01-29T05:00:00 +02", "2026-01-28T22:00:00−05:00"),
        *("2026-01-29 05:00:00", "2026-01-29T05:00", "2026-01-29T05", "2026-01-29 05:00", "2026-01-29 5:00 AM"),
        *("2026-01-29 at 5am", "2026-01-29 05-00", "2026-01-29T05-00-00", "2026/01/29 05:00", "2026-1-29 5:00"),
        *("20260129T030000Z", "202601290500", "20260129050000", "2026-01-29 (Thu) 05:00"),
        *("<2026-01-29 Thu 05:00>", '"2026-01-29T03:00:00Z"', "29.01.2026 05:00", "29 January 2026 05:00"),
        *("Jan 29th, 2026, 05:00", "Thu, 29 Jan 2026 03:00:00 +0000"),
        *("Thu Jan 29 2026 05:00:00 GMT+0200 (Eastern European Standard Time)", "2026-01-29 03:00:00 UTC"),
        *("1769655600", "1769655600000"),
    ],
)
def test_the_same_moment_in_many_forms(text: str) -> None:
    moment = read_moment(text, local=EAST)

    assert moment is not None
    assert moment.replace(microsecond=0) == datetime(2026, 1, 29, 3, tzinfo=UTC)
    assert moment.tzinfo is UTC


@pytest.mark.parametrize(
    "text", ["2026-01-29", "2026/01/29", "2026.1.29", "20260129", "[[2026-01-29]]", "29 Jan 2026", "2026-01-28 24:00"]
)
def test_a_day_alone_begins_at_local_midnight(text: str) -> None:
    assert read_moment(text, local=EAST) == datetime(2026, 1, 28, 22, tzinfo=UTC)


def test_without_a_zone_or_place_times_are_utc() -> None:
    assert read_moment("2026-01-29 03:00") == datetime(2026, 1, 29, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-02-30",
        "2026-13-01",
        "0000-01-01",
        "2026-01-29 25:00",
        "2026-01-29 12:60",
        "2026-01-29T03:00:00+99:00",
        "2026-01-29 2",
        "2026-01-29 13pm",
        "03/04/2026",
        "9999-12-31T23:59:59-10:00",
        "2026-01-29 and more",
        "2026",
        "2026-01",
        "٢٠٢٦-٠١-٢٩",
        "1" * 500,
        "2026-01-29T24:01:00Z",
    ],
)
def test_text_that_is_no_moment_is_refused(text: str) -> None:
    assert read_moment(text, local=EAST) is None


def test_a_leap_second_is_the_second_before() -> None:
    assert read_moment("2016-12-31T23:59:60Z") == datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)


@given(st.one_of(st.text(max_size=40), st.text("0123456789-/.:TZ +apm", max_size=30)))
def test_reading_never_raises(text: str) -> None:
    moment = read_moment(text, local=EAST)
    assert moment is None or moment.tzinfo is UTC
    assert parse_day(text) is None or isinstance(parse_day(text), date)


@given(st.datetimes(timezones=st.just(EAST), min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)))  # noqa: DTZ001
def test_a_written_moment_reads_back_to_the_second(moment: datetime) -> None:
    written = write_moment(moment)

    assert len(written) == 20
    assert read_moment(written, local=EAST) == moment.replace(microsecond=0)


def test_writing_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="zone"):
        write_moment(datetime(2026, 1, 29))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-29", date(2026, 1, 29)),
        (" 29.1.2026 ", date(2026, 1, 29)),
        ("January 29, 2026", date(2026, 1, 29)),
        ("2026-01-29 Thu", date(2026, 1, 29)),
        ("2026-01-29 05:00", None),
        ("2026-02-29", None),
        ("going-plac", None),
    ],
)
def test_parse_day_reads_a_day_alone(text: str, expected: date | None) -> None:
    assert parse_day(text) == expected
