"""The expressions of time that are known: tables of patterns, one row for each."""

from __future__ import annotations

from functools import cache

from memvault.text.dates import months, nearby, weekdays
from memvault.text.dates import relative as relations
from memvault.text.dates.patterns import Grammar, Read

_THE_YEAR = "<YEAR>?"

# What makes the year of a date or month.
_YEAR: tuple[tuple[str, Read], ...] = (
    (",? <of>? <of>? <year>", months.year),
    ("<of>? <the>? <which> <unit=6>", months.year_shifted),
    ("<of>? <the>? <unit=6> <behind>", months.year_shifted),
)
_PLAIN_YEAR: tuple[tuple[str, Read], ...] = (("<year>", months.year),)

_DATE: tuple[tuple[str, Read], ...] = (
    ("<date>", months.written_date),
    (f"<day> .? <of>? <month> .? {_THE_YEAR}", months.day_of_month),
    (f"<month> .? <the>? <day> {_THE_YEAR}", months.day_of_month),
    ("<nth> of <the>? <which> <unit=4>", months.day_of_month_shifted),
    ("<day> - <month> - <YEAR>", months.day_of_month),
    ("<day-month> .", months.day_of_month),
    (f"<nth> <of>? <weak-month> {_THE_YEAR}", months.day_of_month),
    (f"<day> of <weak-month> {_THE_YEAR}", months.day_of_month),
    ("<day> <weak-month> <year>", months.day_of_month),
    (f"<weak-month> <nth> {_THE_YEAR}", months.day_of_month),
    ("<weak-month> <day> , <year>", months.day_of_month),
    ("<weak-month> <day> <year>", months.day_of_month),
    (f"<days> .? <of>? <month> .? {_THE_YEAR}", months.days_of_month),
    (f"<month> .? <days> {_THE_YEAR}", months.days_of_month),
    (f"<day> .? <to>/<and> <day> .? <of>? <month> {_THE_YEAR}", months.days_of_month),
    (f"<month> .? <day> <to>/<and> <day> {_THE_YEAR}", months.days_of_month),
)

_WITH_YEAR: tuple[tuple[str, Read], ...] = (
    ("<month> .? <YEAR>", months.month_of_year),
    ("<weak-month> ,? <of>? <PLAINYEAR>", months.month_of_year),
    ("<year-month>", months.month_of_year),
    ("<season> <YEAR>", months.season_of_year),
    ("<feast> <YEAR>", months.feast),
)

# What needs something before it that leaves no doubt: "in May", "since 2022".
_PERIOD: tuple[tuple[str, Read], ...] = (
    *_WITH_YEAR,
    ("<month> .?", months.month),
    ("<weak-month>", months.month),
    ("<year> !words/lines/files/people/steps/pieces/tokens/rows/users/euros/dollars/kilometres/miles", months.year),
    ("<unit=6> <year>", months.year),
    ("<season>", months.season),
    ("<decade>", months.decade),
    ("<stage> -? <of>? <the>? <PERIOD>", relations.stage),
    ("<stage> <of>? <the>? <WHEN>", relations.stage),
    ("<feast>", months.feast),
)

_WHEN: tuple[tuple[str, Read], ...] = (
    ("<DATE>", relations.same),
    *_WITH_YEAR,
    ("<weekday>/<weak-day> ,? <the>? <DATE>", relations.same),
    ("<on>/<until>/<since>/<before>/<after> <day> <weak-month>", months.day_of_month),
    ("<on>/<until>/<since>/<before>/<after> <weak-month> <day>", months.day_of_month),
    ("<named>", nearby.named),
    ("<named> <part>", nearby.part_of_named),
    ("<named> <by-part> <the>? <part>", nearby.part_of_named),
    ("<which=0> <part>", nearby.part_of_today),
    ("<which=-1> night/evening/nacht/nuit", nearby.last_night),
    ("the? night before", nearby.last_night),
    ("<the> noche/nuit <behind=-1>", nearby.last_night),
    ("the other day/night/evening/week", nearby.lately),
    # weeks, months, years
    ("<the>? <which> <unit> !of", nearby.shifted),
    ("<which> mois - ci", nearby.shifted),
    ("<the>? <unit> <behind>", nearby.shifted),
    ("this/the past <unit=3>", nearby.last_weekend),
    ("<at> <the>? <unit=3> !of", nearby.the_weekend),
    ("am <unit=3>", nearby.the_weekend),
    ("<at>? the <unit=3> !of", nearby.the_weekend),
    ("<the>? <rank> <unit=1>/<unit=3> <of>/in <the>? <POINT>", relations.week_ranked),
    ("<COUNT> <unit> <ago>", nearby.ago),
    ("<ago-> <COUNT> <unit>", nearby.ago),
    ("<COUNT> <unit> <ago> <named=0>", nearby.ago_exactly),
    ("<COUNT> <unit> <ago> on? <weekday>", weekdays.weekday_ago),
    ("<COUNT> <unit> and a half <ago>", nearby.ago_and_half),
    ("<number=1> and a half <unit> <ago>", nearby.ago_and_half),
    ("<ago-> <COUNT> <unit> et/y demi/medio", nearby.ago_and_half),
    ("<named> in <COUNT> <unit=1>", nearby.today_and_weeks),
    ("half a year ago", nearby.half_a_year_ago),
    ("vor einem halben jahr", nearby.half_a_year_ago),
    ("<within> <COUNT> <unit>", nearby.ahead),
    ("<COUNT> <unit> from <now>", nearby.ahead),
    ("<over>? <the>? <past> <COUNT> <unit>", nearby.lasting),
    ("<over>? <the>? <COUNT> <past> <unit>", nearby.lasting),
    ("<over> the <past> <unit> !of", nearby.lasting),
    ("<the> <past> <unit> !of", nearby.lasting),
    ("<over>? the? past <unit> !of", nearby.lasting),
    ("<the>? <ahead> <COUNT> <unit>", nearby.coming),
    ("<the>? <COUNT> <ahead> <unit>", nearby.coming),
    # days of the week
    ("<weekday>", weekdays.weekday),
    ("<weekday> <part>", weekdays.weekday),
    ("<weak-day> <part>", weekdays.weekday),
    ("<on>/<until>/<since> <weak-day> !<noun>", weekdays.weekday),
    ("<which> <weak-day> !<noun>", weekdays.weekday_shifted),
    ("<which> <weekday> !of", weekdays.weekday_shifted),
    ("<the>? <rank> <weekday> <of>/<in> <the>? <POINT>", weekdays.weekday_ranked),
    ("<the>? <rank> <weekday> <of>/<in> <the> <unit=4>", weekdays.weekday_ranked),
    ("<which> <weekday> <part>", weekdays.weekday_shifted),
    ("<the>? <weekday> <behind>", weekdays.weekday_shifted),
    ("this past <weekday>", weekdays.weekday_past),
    ("this coming <weekday>", weekdays.weekday),
    ("<which> <unit=1> ,? <on>? <weekday>", weekdays.weekday_of_week),
    ("<the>? <unit=1> <behind> ,? <on>? <weekday>", weekdays.weekday_of_week),
    ("<weekday> ,? <of>? <the>? <which> <unit=1>", weekdays.weekday_of_week),
    ("<weekday> ,? <of>? <the>? <unit=1> <behind>", weekdays.weekday_of_week),
    ("<COUNT> <weekdays> <ago>", weekdays.weekdays_ago),
    ("<weekday> week", weekdays.weekday_and_weeks),
    ("<weekday> in <COUNT> <unit=1>", weekdays.weekday_and_weeks),
    ("<COUNT> <unit=1> from/on <weekday>", weekdays.weekday_and_weeks),
    ("<weekday> ,? the? <nth> !<noun>", weekdays.weekday_with_number),
    ("<weekday> ,? <the> <day> . !<noun>", weekdays.weekday_with_number),
    # months, seasons, years
    ("<which> <month>", months.month_shifted),
    ("<the>? <month> <behind>", months.month_shifted),
    ("<which=-1>/<which=1> <weak-month>", months.month_shifted),
    ("<sure-month>", months.month_alone),
    ("<which> <season>", months.season_shifted),
    ("<the>? <season> <behind>", months.season_shifted),
    ("<which> <feast>", months.feast_shifted),
    ("<in> <the>? <PERIOD>", relations.same),
    ("<on>/<at>/an/zu/for/to <the>? <feast>", months.feast),
    ("<stage> -? <of>? <the>? <PERIOD>", relations.stage),
    ("<stage> <of>? <the>? <WHEN>", relations.stage),
    ("<stage> <of>? <the>? <unit>", relations.stage_of_unit),
    ("<on>/<until> the <NTH>", relations.same),
    ("am/zum/dem/den/vom <day> . !<noun>/<month>/<unit>", months.nth),
    ("<month> <to> <DATED>", relations.month_to),
    ("<DATE> -/–/— <DATE>", relations.between),
    # counted from something else
    ("<the>? <unit=1>/<unit=3> of/from <the>? <POINT>", relations.week_with),
    ("<the> <unit=1> <of> <the>? <POINT>", relations.week_with),
    ("<COUNT> <unit> <before> <the>? <POINT>", relations.units_before),
    ("<COUNT> <unit> <after>/from <the>? <POINT>", relations.units_after),
    ("<the>? <unit> <before> <the>? <POINT>", relations.unit_before),
    ("<the>? <unit> <after> <the>? <POINT>", relations.unit_after),
    ("the <weekday> <before> <the>? <POINT>", weekdays.weekday_before),
    ("the <weekday> <after> <the>? <POINT>", weekdays.weekday_after),
    ("<since> <the>? <POINT>", relations.since),
    ("<after> <the>? <POINT>", relations.after),
    ("<until> <the>? <POINT>", relations.until),
    ("<before> <the>? <POINT>", relations.before),
    ("<not-before> <the>? <POINT>", relations.not_before),
    ("<between> <the>? <POINT> <and> <the>? <POINT>", relations.between),
    ("<from> <the>? <POINT> <to> <the>? <POINT>", relations.between),
)

_NTH: tuple[tuple[str, Read], ...] = (("<nth> !<noun>/of", months.nth),)

_POINT: tuple[tuple[str, Read], ...] = (
    ("<WHEN>", relations.same),
    ("<PERIOD>", relations.same),
    ("the <NTH>", relations.same),
)


@cache
def grammar() -> Grammar:
    """All tables, made ready when a text is first searched for days."""
    return Grammar(
        {
            "YEAR": _YEAR,
            "PLAINYEAR": _PLAIN_YEAR,
            "DATE": _DATE,
            "PERIOD": _PERIOD,
            "DATED": _WITH_YEAR,
            "NTH": _NTH,
            "WHEN": _WHEN,
            "POINT": _POINT,
        }
    )
