"""Days in texts: what is certain is understood, the rest is left alone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.fields import ScalarValue, to_yaml_value
from memvault.text.dates.dates import WholeDay
from memvault.text.dates.due import find_due, read_due, read_when, split_moment
from tests.text.dates.test_when_spans import pairs

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)  # a Thursday

DAYS = pairs(
    """
    Renew it by next Friday = 2026-01-30; Look again in two weeks = 2026-02-12; in 3 days = 2026-02-01
    within a month = 2026-02-28; tomorrow = 2026-01-30; the day after tomorrow = 2026-01-31; today = 2026-01-29
    on Monday = 2026-02-02; before Monday = 2026-02-01; before Friday = 2026-01-29; next week = 2026-02-02
    next month = 2026-02-01; next year = 2027-01-01; by the end of June = 2026-06-30
    by the end of the month = 2026-01-31; end of the year = 2026-12-31; on 3 June = 2026-06-03
    June 3rd = 2026-06-03; 3rd of June 2027 = 2027-06-03; on 3 January = 2027-01-03; on 29 February = 2028-02-29
    in June = 2026-06-01; on the 14th = 2026-02-14; on the 29th = 2026-01-29; on the 31st = 2026-01-31
    14.03. = 2026-03-14; bis 14.3.2027 = 2027-03-14; 2026-02-14 = 2026-02-14; morgen = 2026-01-30
    übermorgen = 2026-01-31; nächsten Freitag = 2026-01-30; in zwei Wochen = 2026-02-12; am 3. Juni = 2026-06-03
    bis Ende März = 2026-03-31; am Montag = 2026-02-02; mañana = 2026-01-30; pasado mañana = 2026-01-31
    el próximo lunes = 2026-02-02; dentro de tres días = 2026-02-01; la semana que viene = 2026-02-02
    el 3 de junio = 2026-06-03; demain = 2026-01-30; après-demain = 2026-01-31; vendredi prochain = 2026-01-30
    dans deux semaines = 2026-02-12; le 3 juin = 2026-06-03; avant fin juin = 2026-06-29
    by the end of next week = 2026-02-06; by the end of the week = 2026-01-30; at the end of next month = 2026-02-28
    next week Tuesday = 2026-02-03; Tuesday next week = 2026-02-03; nächste Woche Dienstag = 2026-02-03
    Friday the 13th = 2026-02-13; Freitag, den 13. = 2026-02-13; the Friday after next = 2026-02-13
    a week from Friday = 2026-02-06; a week from tomorrow = 2026-02-06; Tuesday week = 2026-02-10
    Freitag in einer Woche = 2026-02-06; two days before 14 February = 2026-02-12
    the day before 3 March = 2026-03-02; two weeks after 3 March = 2026-03-17
    the Monday after 14 February = 2026-02-16; not before Monday = 2026-02-02; not until Monday = 2026-02-02
    nicht vor Montag = 2026-02-02; no antes del lunes = 2026-02-02; pas avant lundi = 2026-02-02
    no later than Friday = 2026-01-30; after Monday = 2026-02-03; not tomorrow but on Friday = 2026-01-30
    nicht morgen, sondern am Montag = 2026-02-02; the first Monday in March = 2026-03-02
    the last Friday of the month = 2026-01-30; next weekend = 2026-02-07; on Monday, 2 March = 2026-03-02
    1 March 2027 = 2027-03-01
    """
)
MOMENTS = pairs(
    """
    tomorrow at 9 = 2026-01-30 09:00; tomorrow at 14:30 = 2026-01-30 14:30; at 5pm tomorrow = 2026-01-30 17:00
    tomorrow evening at 7 = 2026-01-30 19:00; on Monday at noon = 2026-02-02 12:00
    am 3. Juni um 9 Uhr = 2026-06-03 09:00; mañana a las 10 = 2026-01-30 10:00; demain à 9h = 2026-01-30 09:00
    half past nine tomorrow = 2026-01-30 09:30; tomorrow at nine = 2026-01-30 09:00
    at a quarter to ten tomorrow = 2026-01-30 09:45; tomorrow evening at half past seven = 2026-01-30 19:30
    by Friday 5pm = 2026-01-30 17:00; morgen um halb zehn = 2026-01-30 09:30
    mañana a las nueve y media = 2026-01-30 09:30; demain à neuf heures et demie = 2026-01-30 09:30
    in two hours = 2026-01-29 11:30; in 3 hours = 2026-01-29 12:30
    """
)
UNSURE = [
    *("soon", "later", "one of these days", "next time", "03/04/2026", "on Thursday", "13.13."),
    *("every Friday", "last Friday", "jeden Montag", "cada lunes", "tous les lundis", "chaque lundi", "each Monday"),
    *("heute Morgen", "por la mañana", "2026-02-30", "31 February", "you may do it", "we march in line", "Fridays"),
    *("not tomorrow", "Thursday week", "in a few days", "after Thursday", "this morning", "in summer"),
    *("It costs 14.03.", "Good Friday", "a Friday", "since Monday"),
    *("in version 3", "in a way", "2025-01-01", "", "in 99 potatoes", "sun and sea"),
]


@pytest.mark.parametrize(("text", "day"), DAYS)
def test_a_day_is_understood_as_a_whole_day(text: str, day: str) -> None:
    found = find_due(text, now=NOW, zone=UTC)
    assert isinstance(found, WholeDay)
    assert to_yaml_value(found) == ScalarValue(day)


@pytest.mark.parametrize(("text", "moment"), MOMENTS)
def test_a_time_of_day_goes_with_its_day(text: str, moment: str) -> None:
    found = find_due(text, now=NOW, zone=UTC)
    assert found is not None
    assert f"{found:%Y-%m-%d %H:%M}" == moment


@pytest.mark.parametrize("text", UNSURE)
def test_an_uncertain_day_is_no_date(text: str) -> None:
    assert find_due(text, now=NOW, zone=UTC) is None


@pytest.mark.parametrize(
    "text", ["tomorrow at 3", "tomorrow at half past three", "morgen um halb vier", "tomorrow at 25"]
)
def test_an_hour_that_may_be_either_leaves_the_day(text: str) -> None:
    assert isinstance(find_due(text, now=NOW, zone=UTC), WholeDay)


def test_a_day_that_is_over_is_no_due_date_but_can_be_said() -> None:
    assert find_due("2026-01-28", now=NOW, zone=UTC) is None
    said = read_when("2026-01-28", now=NOW, zone=UTC)
    assert said is not None
    assert to_yaml_value(said) == ScalarValue("2026-01-28")


@pytest.mark.parametrize(
    ("text", "trouble", "day"),
    [
        *(("tomorrow", "", "2026-01-30"), ("2026-01-29", "", "2026-01-29"), ("2020-01-01", "over", "2020-01-01")),
        *(("1 January 2020", "over", "2020-01-01"), ("2026-01-29 09:00", "over", "2026-01-29")),
        *(("yesterday", "over", "2026-01-28"), ("last Friday", "over", "2026-01-23"), ("", "empty", "")),
        *((" \n", "empty", ""), ("soon", "unclear", ""), ("every Friday", "unclear", "")),
        ("03/04/2026", "unclear", ""),
    ],
)
def test_read_due_reports_what_is_wrong_with_a_moment(text: str, trouble: str, day: str) -> None:
    found = read_due(text, now=NOW, zone=UTC)
    assert (found.problem, str(found.moment.date()) if found.moment else "") == (trouble, day)


def test_the_first_day_that_is_not_over_counts() -> None:
    found = find_due("Broken since 2026-01-02; fix it by 2026-02-14 or on 3 June.", now=NOW, zone=UTC)
    assert found is not None
    assert found.date() == date(2026, 2, 14)


def test_days_are_those_of_the_place() -> None:
    zone = ZoneInfo("Pacific/Auckland")
    late = datetime(2026, 1, 29, 23, 30, tzinfo=UTC)  # the 30th there
    found = find_due("tomorrow at 9", now=late, zone=zone)
    assert found == datetime(2026, 1, 31, 9, tzinfo=zone)


@given(st.integers(1, 300), st.integers(10**9, 3 * 10**9), st.integers(-12, 14))
def test_a_number_of_days_is_counted_from_today(count: int, stamp: int, offset: int) -> None:
    zone, now = timezone(timedelta(hours=offset)), datetime.fromtimestamp(stamp, UTC)
    found = find_due(f"in {count} days", now=now, zone=zone)
    assert found is not None
    assert found.astimezone(zone).date() == now.astimezone(zone).date() + timedelta(days=count)


WORDS = [*"next in on at by the of and every 3 14 31 12:30 2026".split(), *(text for text, _ in DAYS), *UNSURE]


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=8), st.datetimes(timezones=st.just(UTC)))
def test_no_text_is_due_before_today_and_none_is_a_failure(words: list[str], now: datetime) -> None:
    found = find_due(" ".join(words), now=now, zone=UTC)
    assert found is None or (now - found.astimezone(UTC)).days < 1


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Call Ann at 3pm", "2026-01-29 15:00"),
        ("ring the vet at half past eight", "2026-01-30 08:30"),  # that hour is over today
        ("Reparto a las nueve de la noche", "2026-01-29 21:00"),
        ("On New Year's Eve my shift starts at eleven at night.", "2026-12-31 23:00"),
        ("We start the reroof on Monday at half nine.", "2026-02-02 09:30"),
        ("Lunch at Marjorie's on Boxing Day", "2026-12-26 00:00"),
        ("book the ferry for Good Friday", "2026-04-03 00:00"),
        ("a week today the shop has been open ten years", "2026-02-05 00:00"),
        ("in exactly seven days the cast comes off", "2026-02-05 00:00"),
        ("pay it by the end of the month", "2026-01-31 00:00"),
    ],
)
def test_an_hour_alone_a_holiday_and_the_end_of_a_month_are_dates(text: str, meant: str) -> None:
    found = find_due(text, now=NOW, zone=UTC)
    assert f"{found:%Y-%m-%d %H:%M}" == meant


@pytest.mark.parametrize(
    "text", ["The choir meets at 7pm on Thursdays", "every night at 9pm", "ratio 3:4", "at 9 o'clocks"]
)
def test_an_hour_that_comes_again_and_again_is_no_date(text: str) -> None:
    assert find_due(text, now=NOW, zone=UTC) is None


def test_every_moment_of_the_seen_half_is_read() -> None:
    from tests.benchmarks.judgement.commands import measure

    assert measure(Path(__file__).parents[2] / "labelled" / "seen")["moments: day and hour"] >= "29 of 30"


@pytest.mark.parametrize(
    ("text", "thing", "moment"),
    [
        ("ring Anna tomorrow at nine", "ring Anna", "tomorrow at nine"),
        ("morgen den Zahnarzt anzurufen", "den Zahnarzt anzurufen", "morgen"),
        ("see the Tuesday group", "see the Tuesday group", ""),
        ("tomorrow", "tomorrow", ""),
    ],
)
def test_what_is_to_be_done_is_told_apart_from_when(text: str, thing: str, moment: str) -> None:
    assert split_moment(text) == (thing, moment)
