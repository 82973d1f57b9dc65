"""Days of which a text speaks: each expression means what people mean by it, and what is none is left alone."""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.dates.calendar import DateSpan
from memvault.text.dates.expressions import DateMatch, add_dates, find_spans

NOW = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)  # a Monday


def pairs(table: str) -> list[tuple[str, str]]:
    rows = (row.strip() for row in re.split(r"[;\n]", table))
    return [(text, meant) for text, sign, meant in (row.partition(" = ") for row in rows) if sign]


# What is said, the first day it means and the last; one day where there is no last.
PAST = pairs(
    """
    today = 2023-05-08; this morning = 2023-05-08; earlier today = 2023-05-08; tonight = 2023-05-08
    yesterday = 2023-05-07; yesterday morning = 2023-05-07; last night = 2023-05-07
    the day before yesterday = 2023-05-06; the other day = 2023-05-01 2023-05-07; this week = 2023-05-08 2023-05-14
    last week = 2023-05-01 2023-05-07; the previous week = 2023-05-01 2023-05-07
    the week before last = 2023-04-24 2023-04-30; this month = 2023-05-01 2023-05-31
    last month = 2023-04-01 2023-04-30; the month before last = 2023-03-01 2023-03-31
    this year = 2023-01-01 2023-12-31; last year = 2022-01-01 2022-12-31; last quarter = 2023-01-01 2023-03-31
    last weekend = 2023-05-06 2023-05-07; this past weekend = 2023-05-06 2023-05-07
    We hiked over the weekend = 2023-05-06 2023-05-07; last Tuesday = 2023-05-02; last Monday = 2023-05-01
    last Sunday evening = 2023-05-07; this past Friday = 2023-05-05; the Friday before last = 2023-04-28
    on Friday = 2023-05-05; on Sat = 2023-05-06; on Monday = 2023-05-01; Wednesday of last week = 2023-05-03
    Tuesday last week = 2023-05-02; two days ago = 2023-05-06; 10 days ago = 2023-04-28
    twenty-five days ago = 2023-04-13; two nights ago = 2023-05-06; a week ago = 2023-05-01 2023-05-07
    two weeks ago = 2023-04-24 2023-04-30; a fortnight ago = 2023-04-24 2023-04-30
    two weekends ago = 2023-04-29 2023-04-30; a week ago today = 2023-05-01; a week ago on Friday = 2023-04-28
    a month ago = 2023-04-01 2023-04-30; three months ago = 2023-02-01 2023-02-28
    six months back = 2022-11-01 2022-11-30; half a year ago = 2022-11-01 2022-11-30
    a year ago = 2022-01-01 2022-12-31; ten years ago = 2013-01-01 2013-12-31
    a couple of days ago = 2023-05-05 2023-05-06; a few days ago = 2023-05-03 2023-05-06
    several days ago = 2023-05-01 2023-05-05; a couple of weeks ago = 2023-04-17 2023-04-30
    a few weeks ago = 2023-04-03 2023-04-30; a few months ago = 2022-12-01 2023-03-31
    a few years ago = 2018-01-01 2021-12-31; the last two weeks = 2023-04-24 2023-05-08
    in the past three months = 2023-02-08 2023-05-08; over the last month = 2023-04-08 2023-05-08
    the past week = 2023-05-01 2023-05-08; the last few days = 2023-05-03 2023-05-08
    for the past year = 2022-05-08 2023-05-08; in May = 2023-05-01 2023-05-31; in March = 2023-03-01 2023-03-31
    in June = 2022-06-01 2022-06-30; in december = 2022-12-01 2022-12-31; back in January = 2023-01-01 2023-01-31
    last May = 2022-05-01 2022-05-31; last March = 2023-03-01 2023-03-31; last October = 2022-10-01 2022-10-31
    May last year = 2022-05-01 2022-05-31; in October of last year = 2022-10-01 2022-10-31
    May 2021 = 2021-05-01 2021-05-31; may 2021 = 2021-05-01 2021-05-31; in March of 2020 = 2020-03-01 2020-03-31
    Sept. 2022 = 2022-09-01 2022-09-30; 2023-02 = 2023-02-01 2023-02-28; early March = 2023-03-01 2023-03-10
    in mid-April = 2023-04-11 2023-04-20; at the end of March = 2023-03-21 2023-03-31
    the last week of March = 2023-03-25 2023-03-31; the first week of April = 2023-04-01 2023-04-07
    the first Monday in March = 2023-03-06; the last Friday of April = 2023-04-28; on 3 June = 2022-06-03
    on 8 May = 2023-05-08; on the 3rd of March = 2023-03-03; April 3rd = 2023-04-03; on Friday, 3 March = 2023-03-03
    on 29 February = 2020-02-29; on the 2nd = 2023-05-02; on the 14th = 2023-04-14; Friday the 13th = 2023-01-13
    June 3rd, 2021 = 2021-06-03; 3 June 2021 = 2021-06-03; 3-Jun-2021 = 2021-06-03; 2021-06-03 = 2021-06-03
    2021-06-03T10:15:00Z = 2021-06-03; 2021/06/03 = 2021-06-03; 13/6/2021 = 2021-06-13; 6/13/2021 = 2021-06-13
    03.06.2021 = 2021-06-03; June 3-5, 2021 = 2021-06-03 2021-06-05; from 3 to 5 April = 2023-04-03 2023-04-05
    last summer = 2022-06-01 2022-08-31; last winter = 2022-12-01 2023-02-28; last spring = 2022-03-01 2022-05-31
    last fall = 2022-09-01 2022-11-30; this spring = 2023-03-01 2023-05-31; in the winter = 2022-12-01 2023-02-28
    the summer of 2021 = 2021-06-01 2021-08-31; in autumn 2019 = 2019-09-01 2019-11-30
    in 2022 = 2022-01-01 2022-12-31; early 2022 = 2022-01-01 2022-03-31
    at the end of last year = 2022-10-01 2022-12-31; last Christmas = 2022-12-25; on New Year's Eve = 2022-12-31
    the day after Christmas = 2022-12-26; three Fridays ago = 2023-04-21
    a year and a half ago = 2021-11-01 2021-11-30; the first weekend of April = 2023-04-01 2023-04-02
    on the weekend of 15 April = 2023-04-15 2023-04-16
    between the 3rd and the 10th of March = 2023-03-03 2023-03-10; May to July 2021 = 2021-05-01 2021-07-31
    1 March - 3 March = 2023-03-01 2023-03-03; the 3rd of last month = 2023-04-03
    in the 1990s = 1990-01-01 1999-12-31; in the last 24 hours = 2023-05-07 2023-05-08
    since March = 2023-03-01 2023-05-08; since 2021 = 2021-01-01 2023-05-08
    since last Tuesday = 2023-05-02 2023-05-08; after 3 March = 2023-03-04 2023-05-08
    between May and July = 2022-05-01 2022-07-31; between March and April = 2023-03-01 2023-04-30
    from November to January = 2022-11-01 2023-01-31; between May and July 2021 = 2021-05-01 2021-07-31
    from 2019 to 2021 = 2019-01-01 2021-12-31; from Monday to Friday = 2023-05-01 2023-05-05
    the week of 12 April = 2023-04-10 2023-04-16; the weekend before 20 July = 2022-07-16 2022-07-17
    the weekend before 20 July 2021 = 2021-07-17 2021-07-18; the weekend after 3 March = 2023-03-04 2023-03-05
    the week before 12 April = 2023-04-03 2023-04-09; the Friday before 15 July 2021 = 2021-07-09
    the Sunday after 3 March = 2023-03-05; the day before 3 March = 2023-03-02
    two weeks before 14 February = 2023-01-31; two days after 14 February = 2023-02-16
    two weeks before last Friday = 2023-04-21; three days before the end of March = 2023-03-18
    """
)
AHEAD = pairs(
    """
    tomorrow = 2023-05-09; tomorrow night = 2023-05-09; the day after tomorrow = 2023-05-10
    next week = 2023-05-15 2023-05-21; the week after next = 2023-05-22 2023-05-28
    next month = 2023-06-01 2023-06-30; next year = 2024-01-01 2024-12-31; next weekend = 2023-05-20 2023-05-21
    this weekend = 2023-05-13 2023-05-14; next Tuesday = 2023-05-09; this Friday = 2023-05-12
    this coming Friday = 2023-05-12; Tuesday next week = 2023-05-16; next week on Tuesday = 2023-05-16
    Friday after next = 2023-05-26; a week from Friday = 2023-05-19; a week from today = 2023-05-15
    the 1st of next month = 2023-06-01; Thursday week = 2023-05-18; on Friday = 2023-05-12
    in three days = 2023-05-11; in two weeks = 2023-05-22 2023-05-28; in a month = 2023-06-01 2023-06-30
    three days from now = 2023-05-11; over the next two weeks = 2023-05-08 2023-05-22
    in May = 2023-05-01 2023-05-31; in March = 2024-03-01 2024-03-31; next March = 2024-03-01 2024-03-31
    on 3 March = 2024-03-03; on the 14th = 2023-05-14; until Friday = 2023-05-08 2023-05-12
    end of next week = 2023-05-19 2023-05-21; between June and August = 2023-06-01 2023-08-31
    next summer = 2023-06-01 2023-08-31
    """
)
ABROAD = pairs(
    """
    heute = 2023-05-08; heute in einer Woche = 2023-05-15; heute Morgen = 2023-05-08; gestern Abend = 2023-05-07
    vorgestern = 2023-05-06; letzte Woche = 2023-05-01 2023-05-07; vorletzte Woche = 2023-04-24 2023-04-30
    letzten Dienstag = 2023-05-02; Dienstag letzter Woche = 2023-05-02
    am letzten Wochenende = 2023-05-06 2023-05-07; Am Wochenende waren wir wandern = 2023-05-06 2023-05-07
    letzten Monat = 2023-04-01 2023-04-30; letztes Jahr = 2022-01-01 2022-12-31
    vor zwei Wochen = 2023-04-24 2023-04-30; vor drei Tagen = 2023-05-05; vor einem Monat = 2023-04-01 2023-04-30
    vor ein paar Tagen = 2023-05-03 2023-05-06; in den letzten drei Wochen = 2023-04-17 2023-05-08
    im März = 2023-03-01 2023-03-31; im Mai 2021 = 2021-05-01 2021-05-31; im Sommer = 2022-06-01 2022-08-31
    letzten Sommer = 2022-06-01 2022-08-31; am 3. März = 2023-03-03; am 3. Juni 2021 = 2021-06-03
    am 14.03. = 2023-03-14; seit März = 2023-03-01 2023-05-08; zwischen März und April = 2023-03-01 2023-04-30
    Ende März = 2023-03-21 2023-03-31; im Jahr 2021 = 2021-01-01 2021-12-31; nächste Woche = 2023-05-15 2023-05-21
    übermorgen = 2023-05-10; hier = 2023-05-07; hier soir = 2023-05-07; avant-hier = 2023-05-06
    aujourd'hui = 2023-05-08; ce matin = 2023-05-08; la semaine dernière = 2023-05-01 2023-05-07
    lundi dernier = 2023-05-01; le mois dernier = 2023-04-01 2023-04-30; l’année dernière = 2022-01-01 2022-12-31
    l'été dernier = 2022-06-01 2022-08-31; le week-end dernier = 2023-05-06 2023-05-07
    il y a deux jours = 2023-05-06; il y a deux semaines = 2023-04-24 2023-04-30
    il y a un an et demi = 2021-11-01 2021-11-30; il y a quelques jours = 2023-05-03 2023-05-06
    en mars = 2023-03-01 2023-03-31; le 3 juin 2021 = 2021-06-03; depuis mars = 2023-03-01 2023-05-08
    entre mars et avril = 2023-03-01 2023-04-30; demain = 2023-05-09; la semaine prochaine = 2023-05-15 2023-05-21
    hoy = 2023-05-08; ayer por la noche = 2023-05-07; anoche = 2023-05-07; anteayer = 2023-05-06
    la semana pasada = 2023-05-01 2023-05-07; el lunes pasado = 2023-05-01; el pasado martes = 2023-05-02
    el mes pasado = 2023-04-01 2023-04-30; el año pasado = 2022-01-01 2022-12-31
    el verano pasado = 2022-06-01 2022-08-31; el fin de semana pasado = 2023-05-06 2023-05-07
    hace dos días = 2023-05-06; hace una semana = 2023-05-01 2023-05-07; hace unos días = 2023-05-03 2023-05-06
    en marzo = 2023-03-01 2023-03-31; el 3 de junio de 2021 = 2021-06-03; desde marzo = 2023-03-01 2023-05-08
    entre marzo y abril = 2023-03-01 2023-04-30; la semana que viene = 2023-05-15 2023-05-21
    """
)
NONE = [
    *("you may do it", "May I come in?", "It may 3 times fail", "we march on", "the march on the capital"),
    *("the sun came out", "Sun-dried tomatoes", "she sat down", "they wed young", "Mon ami"),
    *("a second thought", "give me a second", "the second time", "in 20 minutes", "half an hour"),
    *("version 1.2.3", "v2.3.2021", "Python 3.11", "10.0.0.1", "3/4 cup of sugar", "3/6/2023", "1/2 of it", "24/7"),
    *("every Monday", "each week", "on Mondays", "jeden Montag", "cada lunes", "tous les lundis", "once a week"),
    *("next time", "last but not least", "the last straw", "the next day", "at last", "this way", "last name"),
    *("in 2000 words", "room 2022", "2023", "555-2023", "2,023 people", "It costs 14.03.", "page 12"),
    *("hier ist es schön", "guten Morgen", "am Morgen", "por la mañana", "la mañana era fría", "Black Friday"),
    *("two weeks of holiday", "for three days", "five days a week", "a year's worth", "years ago", "long ago"),
    *(
        *("31 February", "2023-02-30", "2023-13-01", "99 May", "on the 5th floor", "on the 3rd attempt"),
        "April is my sister",
    ),
    *("me@may2023.example", "may_2023", "x=2023-06-03", "notes/2023-06-03.md", "", " ", "soon", "later", "recently"),
    *(
        *("We built it in two weeks", "two days later", "the following week", "since then", "Augustus"),
        *("Freitags", "monday.com", "a Tuesday", "the last week of my holiday"),
    ),
]


def days(text: str, *, now: datetime = NOW, future: bool = False) -> str:
    found = [place.days for place in find_spans(text, now=now, tense="future" if future else "past")]
    return "; ".join(f"{s.first}" if s.first == s.last else f"{s.first} {s.last}" for s in found)


@pytest.mark.parametrize(("text", "meant"), [*PAST, *ABROAD])
def test_an_expression_means_these_days(text: str, meant: str) -> None:
    assert days(text) == meant
    assert days(f"(Anna: {text}, I think.)".replace("I think", "..")) == meant


@pytest.mark.parametrize(("text", "meant"), AHEAD)
def test_an_expression_of_what_is_to_come_means_these_days(text: str, meant: str) -> None:
    assert days(text, future=True) == meant


@pytest.mark.parametrize("text", NONE)
def test_text_without_a_day_has_no_span(text: str) -> None:
    assert find_spans(text, now=NOW) == ()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *(("We met on Friday", "2023-05-05"), ("We will meet on Friday", "2023-05-12")),
        ("On Friday I'm going to see her", "2023-05-12"),
        ("She visited in July. She'll come back in July.", "2022-07-01 2022-07-31; 2023-07-01 2023-07-31"),
        ("He comes on Friday; AI day is on Saturday", "2023-05-05; 2023-05-06"),
        *(("Did he say he'll call on Friday?", "2023-05-12"), ("Wir werden am Freitag fahren", "2023-05-12")),
        *(("Nous allons partir vendredi", "2023-05-12"), ("Vamos a salir el viernes", "2023-05-12")),
    ],
)
def test_the_verb_of_the_sentence_tells_the_tense(text: str, meant: str) -> None:
    assert days(text) == meant


def test_without_a_tense_what_may_be_either_is_left_out() -> None:
    assert find_spans("dinner on Friday, in May", now=NOW, tense=None) == ()
    assert len(find_spans("dinner on Friday, we met last week", now=NOW, tense=None)) == 2


def test_several_stand_in_order_and_say_where() -> None:
    text = "Yesterday I wrote to Ana; two weeks ago she'd moved, and in May 2021 they met."
    found = find_spans(text, now=NOW)
    assert [text[span.start : span.end] for span in found] == ["Yesterday", "two weeks ago", "in May 2021"]
    day = date(2023, 5, 7)
    assert found[0] == DateMatch(0, 9, DateSpan(day, day, day))


@pytest.mark.parametrize(
    ("text", "side", "first"),
    [("before 3 March 2023", "before", "2023-03-03"), ("not before Friday", "after", "2023-05-12")],
)
def test_an_open_span_says_on_which_side_it_lies(text: str, side: str, first: str) -> None:
    (span,) = find_spans(text, now=NOW, tense="future")
    assert (span.days.side, str(span.days.first)) == (side, first)


def test_days_are_those_of_the_zone_of_now() -> None:
    late = datetime(2023, 5, 8, 23, 30, tzinfo=timezone(timedelta(hours=12)))
    assert days("yesterday", now=late) == "2023-05-07"


@pytest.mark.parametrize(
    ("text", "later"),
    [
        ("I went there yesterday.", "I went there yesterday (2023-05-07)."),
        ("Yesterday's talk was good", "Yesterday's (2023-05-07) talk was good"),
        ("We moved last week", "We moved last week (week of 2023-05-01)"),
        ("We moved last weekend", "We moved last weekend (weekend of 2023-05-06)"),
        ("We moved last month", "We moved last month (April 2023)"),
        ("We moved last year", "We moved last year (2022)"),
        ("We moved a few days ago", "We moved a few days ago (2023-05-03 to 2023-05-06)"),
        ("I've been ill since Friday", "I've been ill since Friday (since 2023-05-05)"),
        ("I'll be ill until Friday", "I'll be ill until Friday (until 2023-05-12)"),
        ("We met on 3 March", "We met on 3 March (2023-03-03)"),
        ("We met on 3 March 2021", "We met on 3 March 2021"),
        ("We met in 2021", "We met in 2021"),
        ("Dinner on Friday", "Dinner on Friday"),
        ("I may go", "I may go"),
        ("Gestern war ich da", "Gestern (2023-05-07) war ich da"),
    ],
)
def test_a_text_for_later_keeps_its_words_and_says_the_date(text: str, later: str) -> None:
    assert add_dates(text, now=NOW) == later
    assert add_dates(later, now=NOW + timedelta(days=40)) == later


PIECES = st.sampled_from(
    [*(text for text, _ in (*PAST, *AHEAD, *ABROAD)), *NONE, "before", "the week of", "and", "-", "."]
)
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=8).map(" ".join)


@given(TEXTS, st.datetimes(timezones=st.just(UTC)), st.sampled_from(("past", "future", None)))
def test_any_text_yields_spans_in_order_that_lie_in_it(text: str, now: datetime, tense: str | None) -> None:
    after = 0
    for span in find_spans(text, now=now, tense=tense):  # type: ignore[arg-type]
        assert after <= span.start < span.end <= len(text)
        assert span.days.first <= span.days.last
        after = span.end


@given(TEXTS, st.datetimes(timezones=st.just(UTC)))
def test_a_text_made_absolute_once_stays_as_it_is(text: str, now: datetime) -> None:
    once = add_dates(text, now=now)
    assert add_dates(once, now=now) == once


@pytest.mark.parametrize("year", [1899, 2100, 2345])
def test_a_month_of_a_year_far_away_is_dated_once(year: int) -> None:
    once = add_dates("We begin next month.", now=datetime(year, 1, 5, tzinfo=UTC))
    assert once == f"We begin next month (February {year})."
    assert add_dates(once, now=datetime(year, 1, 5, tzinfo=UTC)) == once


LONG = 80_000
SHORT = 5_000
PARTS = [
    *(
        *("two weeks before ", "before ", "between May and ", "last week of ", "in early ", "1", "1.", "3-", "a "),
        *("'", "_"),
    ),
    *("May 3 ", "a few ", "twenty-", "the end of the ", "il y a ", "é", "\n", "   ", "from 3 to ", "not before "),
]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.points(quick=5)
def test_no_text_takes_long(part: str) -> None:
    short, long = (min(_seconds((part * SHORT)[:length]) for _ in range(2)) for length in (SHORT // 4, SHORT))
    assert long < max(0.1, 12 * short)


@pytest.mark.parametrize("text", ["What we did last week was mostly about the house. ", "the end of ", "0-"])
@pytest.mark.points(only=True)
def test_a_very_long_text_is_read_to_its_end(text: str) -> None:
    assert _seconds((text * LONG)[:LONG]) < 12
    assert days(("x " * LONG)[:LONG] + "yesterday") == "2023-05-07"


def _seconds(text: str) -> float:
    start = time.process_time()
    find_spans(text, now=NOW)
    return time.process_time() - start
