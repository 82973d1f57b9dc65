"""Find the expressions of time in a text: tables of patterns, one row for each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, partial

from memvault.text.dates import months, relative
from memvault.text.dates.calendar import DateContext, DateSpan, Tense, last_of
from memvault.text.dates.patterns import DateGrammar, DateSearch, ResolveDate
from memvault.text.dates.tokens import AGAIN, MONTH_NAMES, DateToken, split_tokens

_THE_YEAR = "<YEAR>?"

# What makes the year of a date or month.
_YEAR: tuple[tuple[str, ResolveDate], ...] = (
    (",? <of>? <of>? <year>", months.resolve_year),
    ("<of>? <the>? <which> <unit=6>", months.year_shifted),
    ("<of>? <the>? <unit=6> <behind>", months.year_shifted),
)
_PLAIN_YEAR: tuple[tuple[str, ResolveDate], ...] = (("<year>", months.resolve_year),)

_DATE: tuple[tuple[str, ResolveDate], ...] = (
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

_WITH_YEAR: tuple[tuple[str, ResolveDate], ...] = (
    ("<month> .? <YEAR>", months.month_of_year),
    ("<weak-month> ,? <of>? <PLAINYEAR>", months.month_of_year),
    ("<year-month>", months.month_of_year),
    ("<season> <YEAR>", months.season_of_year),
    ("<feast> <YEAR>", months.resolve_feast),
)

# What needs something before it that leaves no doubt: "in May", "since 2022".
_PERIOD: tuple[tuple[str, ResolveDate], ...] = (
    *_WITH_YEAR,
    ("<month> .?", months.resolve_month),
    ("<weak-month>", months.resolve_month),
    (
        "<year> !words/lines/files/people/steps/pieces/tokens/rows/users/euros/dollars/kilometres/miles",
        months.resolve_year,
    ),
    ("<unit=6> <year>", months.resolve_year),
    ("<season>", months.resolve_season),
    ("<decade>", months.resolve_decade),
    ("<stage> -? <of>? <the>? <PERIOD>", relative.resolve_stage),
    ("<stage> <of>? <the>? <WHEN>", relative.resolve_stage),
    ("<feast>", months.resolve_feast),
)

_WHEN: tuple[tuple[str, ResolveDate], ...] = (
    ("<DATE>", relative.resolve_inner),
    *_WITH_YEAR,
    ("<weekday>/<weak-day> ,? <the>? <DATE>", relative.resolve_inner),
    ("<on>/<until>/<since>/<before>/<after> <day> <weak-month>", months.day_of_month),
    ("<on>/<until>/<since>/<before>/<after> <weak-month> <day>", months.day_of_month),
    ("<named>", relative.resolve_named),
    ("<named> <part>", relative.part_of_named),
    ("<named> <by-part> <the>? <part>", relative.part_of_named),
    ("<which=0> <part>", relative.part_of_today),
    ("<which=-1> night/evening/nacht/nuit", relative.last_night),
    ("the? night before", relative.last_night),
    ("<the> noche/nuit <behind=-1>", relative.last_night),
    ("the other day/night/evening/week", relative.resolve_lately),
    # weeks, months, years
    ("<the>? <which> <unit> !of", relative.resolve_shifted),
    ("<which> mois - ci", relative.resolve_shifted),
    ("<the>? <unit> <behind>", relative.resolve_shifted),
    ("this/the past <unit=3>", relative.last_weekend),
    ("<at> <the>? <unit=3> !of", relative.the_weekend),
    ("am <unit=3>", relative.the_weekend),
    ("<at>? the <unit=3> !of", relative.the_weekend),
    ("<the>? <rank> <unit=1>/<unit=3> <of>/in <the>? <POINT>", relative.week_ranked),
    ("<COUNT> <unit> <ago>", relative.resolve_ago),
    ("<ago-> <COUNT> <unit>", relative.resolve_ago),
    ("<COUNT> <unit> <ago> <named=0>", relative.ago_exactly),
    ("<COUNT> <unit> <ago> on? <weekday>", relative.weekday_ago),
    ("<COUNT> <unit> and a half <ago>", relative.ago_and_half),
    ("<number=1> and a half <unit> <ago>", relative.ago_and_half),
    ("<ago-> <COUNT> <unit> et/y demi/medio", relative.ago_and_half),
    ("<named> in <COUNT> <unit=1>", relative.today_and_weeks),
    ("<COUNT> <unit=1> <named=0>/<named=1>", relative.today_and_weeks),
    ("<named=0>/<named=1> week", relative.today_and_weeks),
    ("half a year ago", relative.half_a_year_ago),
    ("vor einem halben jahr", relative.half_a_year_ago),
    ("<within> exactly/just/about/only? <COUNT> <unit>", relative.resolve_ahead),
    ("<COUNT> <unit> from <now>", relative.resolve_ahead),
    ("<over>? <the>? <past> <COUNT> <unit>", relative.resolve_lasting),
    ("<over>? <the>? <COUNT> <past> <unit>", relative.resolve_lasting),
    ("<over> the <past> <unit> !of", relative.resolve_lasting),
    ("<the> <past> <unit> !of", relative.resolve_lasting),
    ("<over>? the? past <unit> !of", relative.resolve_lasting),
    ("<the>? <ahead> <COUNT> <unit>", relative.resolve_coming),
    ("<the>? <COUNT> <ahead> <unit>", relative.resolve_coming),
    # days of the week
    ("<weekday>", relative.resolve_weekday),
    ("<weekday> <part>", relative.resolve_weekday),
    ("<weak-day> <part>", relative.resolve_weekday),
    ("<on>/<until>/<since> <weak-day> !<noun>", relative.resolve_weekday),
    ("<which> <weak-day> !<noun>", relative.weekday_shifted),
    ("<which> <weekday> !of", relative.weekday_shifted),
    ("<which=1> <weekday> ,? so? not tomorrow/this", relative.weekday_of_week),
    ("<the>? <rank> <weekday> <of>/<in> <the>? <POINT>", relative.weekday_ranked),
    ("<the>? <rank> <weekday> <of>/<in> <the> <unit=4>", relative.weekday_ranked),
    ("<which> <weekday> <part>", relative.weekday_shifted),
    ("<the>? <weekday> <behind>", relative.weekday_shifted),
    ("this past <weekday>", relative.weekday_past),
    ("this coming <weekday>", relative.resolve_weekday),
    ("<which> <unit=1> ,? <on>? <weekday>", relative.weekday_of_week),
    ("<the>? <unit=1> <behind> ,? <on>? <weekday>", relative.weekday_of_week),
    ("<weekday> ,? <of>? <the>? <which> <unit=1>", relative.weekday_of_week),
    ("<weekday> ,? <of>? <the>? <unit=1> <behind>", relative.weekday_of_week),
    ("<COUNT> <weekdays> <ago>", relative.weekdays_ago),
    ("<weekday> week", relative.weekday_and_weeks),
    ("<weekday> in <COUNT> <unit=1>", relative.weekday_and_weeks),
    ("<COUNT> <unit=1> from/on <weekday>", relative.weekday_and_weeks),
    ("<weekday> ,? the? <nth> !<noun>", relative.weekday_with_number),
    ("<weekday> ,? <the> <day> . !<noun>", relative.weekday_with_number),
    # months, seasons, years
    ("<which> <month>", months.month_shifted),
    ("<the>? <month> <behind>", months.month_shifted),
    ("<which=-1>/<which=1> <weak-month>", months.month_shifted),
    ("<sure-month>", months.month_alone),
    ("<which> <season>", months.season_shifted),
    ("<the>? <season> <behind>", months.season_shifted),
    ("<which> <feast>", months.feast_shifted),
    ("<in> <the>? <PERIOD>", relative.resolve_inner),
    ("<on>/<at>/an/zu/for/to <the>? <feast>", months.resolve_feast),
    ("<stage> -? <of>? <the>? <PERIOD>", relative.resolve_stage),
    ("<stage> <of>? <the>? <WHEN>", relative.resolve_stage),
    ("<stage> <of>? <the>? <unit>", relative.stage_of_unit),
    ("<on>/<until> the <NTH>", relative.resolve_inner),
    ("am/zum/dem/den/vom <day> . !<noun>/<month>/<unit>", months.resolve_nth),
    ("<month> <to> <DATED>", relative.month_to),
    ("<DATE> -/–/— <DATE>", relative.resolve_between),
    # counted from something else
    ("<the>? <unit=1>/<unit=3> of/from <the>? <POINT>", relative.week_with),
    ("<the> <unit=1> <of> <the>? <POINT>", relative.week_with),
    ("<COUNT> <unit> <before> <the>? <POINT>", partial(relative.units_from, sign=-1)),
    ("<COUNT> <unit> <after>/from <the>? <POINT>", partial(relative.units_from, sign=1)),
    ("<the>? <unit> <before> <the>? <POINT>", partial(relative.unit_beside, sign=-1)),
    ("<the>? <unit> <after> <the>? <POINT>", partial(relative.unit_beside, sign=1)),
    ("the <weekday> <before> <the>? <POINT>", relative.weekday_before),
    ("the <weekday> <after> <the>? <POINT>", relative.weekday_after),
    ("<since> <the>? <POINT>", relative.resolve_since),
    ("<after> <the>? <POINT>", relative.resolve_after),
    ("<until> <the>? <POINT>", relative.resolve_until),
    ("<before> <the>? <POINT>", relative.resolve_before),
    ("<not-before> <the>? <POINT>", relative.not_before),
    ("<between> <the>? <POINT> <and> <the>? <POINT>", relative.resolve_between),
    ("<from> <the>? <POINT> <to> <the>? <POINT>", relative.resolve_between),
)

_NTH: tuple[tuple[str, ResolveDate], ...] = (("<nth> !<noun>/of", months.resolve_nth),)

_POINT: tuple[tuple[str, ResolveDate], ...] = (
    ("<WHEN>", relative.resolve_inner),
    ("<PERIOD>", relative.resolve_inner),
    ("the <NTH>", relative.resolve_inner),
)


@cache
def load_grammar() -> DateGrammar:
    """Compile all tables, when a text is first searched for days."""
    return DateGrammar(
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


# Whether the sentence around a place speaks of what was or of what is to come.

_PAST_TEXT = """
was were wasn't weren't did didn't had hadn't went came saw met got gave took made said told knew thought felt found
left lost won bought brought taught caught sold sent spent built kept slept wrote read spoke broke chose drove ate
drank ran began swam sang flew grew threw wore held heard stood understood became paid put cut hurt led fell slid
shot done gone been seen taken given i've we've they've hat haben habe hast habt hatte hatten bin war
waren wurde wurden ging kam kamen sah traf trafen gab nahm fand blieb hemos han fue fui fuimos fueron
era estaba estuve estuvo estuvimos hice hizo hicimos tuve tuvo tuvimos vi vio vimos compré vino j'ai avons
avez ont était étais étions étaient avait avais avions
"""
_PAST = frozenset(_PAST_TEXT.split())
_FUTURE_TEXT = """
will shall won't i'll we'll you'll he'll she'll it'll they'll that'll going gonna plan plans planning planned hope
hoping intend want wants need needs must should let's upcoming scheduled due deadline remind reminder wird werde
werden werdet soll sollen sollte muss müssen will möchte wollen voy vamos va vas iré irá quiero debo tengo
tenemos vais allons dois doit faut ira irai
"""
_FUTURE = frozenset(_FUTURE_TEXT.split())
_LIMITS = frozenset(("by", "until", "till", "bis", "hasta", "para", "jusqu'à", "d'ici"))  # of what is not yet over
_ENDS = frozenset(".!?;\n")
_LEAST = 4
_NO_PAST = frozenset(
    ("hundred", "indeed", "speed", "embed", "exceed", "proceed", "succeed", "sacred", "breed", "greed")
)


def find_tenses(row: Sequence[DateToken]) -> list[Tense | None]:
    """Return for each piece the tense of the verb before it in its sentence, else of the first after it."""
    marks = [_verb_tense(piece) for piece in row]
    before = _carry_tense(row, marks)
    behind = _carry_tense(row[::-1], marks[::-1])[::-1]
    limits: list[Tense | None] = [None, *("future" if piece.key in _LIMITS else None for piece in row)]
    return [mark or other or limit for mark, other, limit in zip(before, behind, limits, strict=False)]


def _carry_tense(row: Sequence[DateToken], marks: Sequence[Tense | None]) -> list[Tense | None]:
    carried: list[Tense | None] = []
    last: Tense | None = None
    for piece, mark in zip(row, marks, strict=True):
        last = None if piece.key in _ENDS else mark or last
        carried.append(last)
    return carried


def _verb_tense(piece: DateToken) -> Tense | None:
    if "since" in piece.meanings:
        return "past"
    if piece.key in _FUTURE:
        return "future"
    is_past = piece.key in _PAST or (piece.key.endswith("ed") and len(piece.key) > _LEAST and piece.key not in _NO_PAST)
    return "past" if is_past else None


# The expressions of time in a text, in order, without those that name no days of their own.

_GLUED_BEFORE = frozenset("@#\\_$€£¥=/.-~^*+&")
_GLUED_BEHIND = frozenset("@_\\=%€£$")
_NOT = frozenset(("not", "nicht", "no", "pas", "non"))
_NAMES_OF_DAYS = frozenset(("black", "good", "cyber", "ash", "palm", "giving"))
_GERMAN_TEXT = "ist ich und der die das nicht wir ein mit war auf bin sind wo haben sich auch noch"
_GERMAN = frozenset(_GERMAN_TEXT.split())
_FRENCH_TEXT = "je j'ai nous on le la les une est avec pour dans et à avons ont ai été pas que qui au il elle"
_FRENCH = frozenset(_FRENCH_TEXT.split())
_DATED_BY_TEXT = "am vom bis zum den dem der seit ab on until by"
_DATED_BY = frozenset(_DATED_BY_TEXT.split())
_NEAR = 12


@dataclass(frozen=True, slots=True)
class DateMatch:
    """An expression of time in a text: where it stands, and the days it means."""

    start: int
    end: int
    days: DateSpan


def find_expressions(text: str, today: date, *, tense: Tense | None, always: bool = False) -> Iterator[DateMatch]:
    """Yield each expression of time; `tense` counts where its sentence has none, or `always`."""
    row = split_tokens(text)
    said = [None] * len(row) if always else find_tenses(row)
    search = DateSearch(load_grammar(), row, lambda place: DateContext(today, said[place] or tense, said[place]))
    place = 0
    while place < len(row):
        found = search.find_at("WHEN", place)
        if found is None:
            place += 1
            continue
        if _is_time(text, row, place, found.stop):
            yield DateMatch(row[place].start, row[found.stop - 1].end, found.days)
        place = found.stop


def _is_time(text: str, row: list[DateToken], place: int, stop: int) -> bool:
    start, end = row[place].start, row[stop - 1].end
    before, behind = text[start - 1 : start], text[end : end + 2]
    if before in _GLUED_BEFORE or before.isalnum() or behind[:1] in _GLUED_BEHIND:
        return False
    if "day-month" in row[place].meanings and not _is_announced(row, place):
        return False
    is_cut = behind[:1] in ("-", ".", "/") and behind[1:].isalnum()
    return not is_cut and not _is_excluded(row, place, stop)


def _is_announced(row: list[DateToken], place: int) -> bool:
    """Return whether "14.03." is a date, and not a price or a version at the end of a sentence."""
    before = row[place - 1] if place else None
    return before is None or before.key in _DATED_BY or not before.key[-1].isalnum() or "weekday" in before.meanings


def _is_excluded(row: list[DateToken], place: int, stop: int) -> bool:
    """Return whether the words before it make it recurring, denied, or no day at all."""
    ahead = [piece.key for piece in row[max(0, place - 3) : place]]
    while ahead and ahead[-1] in ("on", "am", "the", "el", "le", "um"):
        ahead.pop()
    last = ahead[-1] if ahead else ""
    first = row[place]
    if last in AGAIN or (last in _NOT and ahead[-2:-1] != ["why"]):
        return True
    if {"weekday", "weak-day"} & first.meanings.keys() and stop == place + 1:
        return last in _NAMES_OF_DAYS or last in ("a", "an", "ein", "einem", "un", "los", "les", "las", "some")
    if "sure-month" in first.meanings and place and "day" in row[place - 1].meanings:
        return True  # 31 February
    if first.key == "morgen" and stop == place + 1:
        return bool(ahead or place) and row[place - 1].key in ("am", "guten", "jeden", "diesen", "den", "der", "dem")
    if first.key == "mañana" and stop == place + 1:
        return place > 0 and row[place - 1].key in ("la", "esta", "cada", "buena")
    return first.key == "hier" and not _is_french(row, place)


def _is_french(row: list[DateToken], place: int) -> bool:
    """Return whether `hier` is the French yesterday, and not the German here."""
    near = [piece.key for piece in row[max(0, place - _NEAR) : place + _NEAR]]
    german, french = (sum(key in words for key in near) for words in (_GERMAN, _FRENCH))
    return not german or french > german


# The days of which a text speaks, past and to come, and the same text for somebody who reads it later.

_BEFORE_A_YEAR = r"\((?:week of |weekend of |before |after |since |until |[A-Z][a-z]{2,8} )?\d{4}"
_DATED = re.compile(f" ?{_BEFORE_A_YEAR}")
_DATES = re.compile(rf"{_BEFORE_A_YEAR}(?:-\d\d-\d\d(?: to \d{{4}}-\d\d-\d\d)?)?\)")  # whole, as `dated` writes them


def find_spans(text: str, *, now: datetime, tense: Tense | None = "past") -> tuple[DateMatch, ...]:
    """Return every expression of past or future time in a text, in order, as days in the zone of `now`.

    What may be either ("on Friday", "in May") goes by the verb of its sentence, and by `tense` where no verb tells;
    without a `tense` it is then left out.
    """
    return tuple(find_expressions(text, now.date(), tense=tense))


def add_dates(text: str, *, now: datetime) -> str:
    """Put the date after each expression that only means one on the day it was said."""
    # Behind it, because a person said these words and a search for them must still find the text.
    parts, after = [], 0
    # In what is already dated a month may stand beside what is no year to us: "(February 2100)".
    written = [dates.span() for dates in _DATES.finditer(text)]
    for place in find_expressions(text, now.date(), tense=None):
        is_written = any(start < place.start < end for start, end in written)
        if is_written or place.days.is_named or _DATED.match(text, place.end):
            continue
        parts += [text[after : place.end], f" ({format_span(place.days)})"]
        after = place.end
    return "".join((*parts, text[after:]))


def format_span(days: DateSpan) -> str:
    """Format days as they are written after an expression: in ISO form, a month and a year by their names."""
    if days.side:
        return f"{days.side} {days.first if days.side == 'before' else days.last}"
    first, last = days.first, days.last
    if days.limit:
        return f"{days.limit} {first if days.limit == 'since' else last}"
    length = (last - first).days + 1
    if length == 1:
        return str(first)
    if length == 7 and first.weekday() == 0:
        return f"week of {first}"
    if length == 2 and first.weekday() == 5:
        return f"weekend of {first}"
    if first.day == 1 and last == last_of(first):
        return f"{MONTH_NAMES[first.month - 1]} {first.year:04}"
    if (first.month, first.day) == (1, 1) and last == first.replace(month=12, day=31):
        return f"{first.year:04}"
    return f"{first} to {last}"
