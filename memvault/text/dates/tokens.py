"""Split a text into words, numbers and signs, each with what it may mean in an expression of time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

WordMeaning = tuple[str, int, int]  # a class such as "weekday", and its number or the ends of a range

_WEEKDAYS = (
    *("monday mon montag lunes lundi", "tuesday tues tue dienstag martes mardi"),
    *("wednesday wed mittwoch miércoles miercoles mercredi", "thursday thurs thu donnerstag jueves jeudi"),
    *("friday fri freitag viernes vendredi", "saturday sat samstag sonnabend sábado sabado samedi"),
    "sunday sun sonntag domingo dimanche",
)
_MONTHS = (
    *("january januar jänner enero janvier jan", "february februar febrero février feb"),
    *("march märz marzo mars mar", "april abril avril apr", "may mai mayo", "june juni junio juin jun"),
    *("july juli julio juillet jul", "august agosto août aug", "september septiembre septembre sept sep"),
    *("october oktober octubre octobre oct okt", "november noviembre novembre nov"),
    "december dezember diciembre décembre dec dez",
)
MONTH_NAMES = tuple(names.split()[0].title() for names in _MONTHS)  # those of no locale
_SEASONS = (
    "spring frühling frühjahr primavera printemps",
    "summer sommer verano été",
    "autumn fall herbst otoño automne",
    "winter invierno hiver",
)
_NUMBERS = {
    1: "a an one ein eine einem einer einen un una une",
    2: "two zwei dos deux",
    3: "three drei tres trois",
    4: "four vier cuatro quatre",
    5: "five fünf cinco cinq",
    6: "six sechs seis",
    7: "seven sieben siete sept",
    8: "eight acht ocho huit",
    9: "nine neun nueve neuf",
    10: "ten zehn diez dix",
    11: "eleven elf onze",
    12: "twelve zwölf doce douze",
    14: "fourteen vierzehn catorce quatorze",
    15: "fifteen fünfzehn quince quinze",
    20: "twenty zwanzig veinte vingt",
    30: "thirty dreißig treinta trente",
    40: "forty vierzig cuarenta quarante",
    45: "forty-five fünfundvierzig",
    50: "fifty fünfzig cincuenta cinquante",
}
NUMBERS = {word: number for number, words in _NUMBERS.items() for word in words.split()}
# How many somebody means who does not count: from, to.
_FEW = {
    (2, 3): "couple couple·of",
    (2, 5): "few ein·paar paar unos unas algunos algunas quelques un·par·de",
    (3, 7): "several mehrere mehreren einige einigen varios varias plusieurs",
}
DAYS, WEEKS, FORTNIGHTS, WEEKENDS, MONTHS, QUARTERS, YEARS, NIGHTS, HOURS = range(9)
_UNITS = {
    DAYS: "day days tag tage tagen tages día días dia dias jour jours",
    WEEKS: "week weeks woche wochen semana semanas semaine semaines",
    FORTNIGHTS: "fortnight fortnights",
    WEEKENDS: "weekend weekends week·-·end wochenende wochenenden week·-·ends fin·de·semana finde",
    MONTHS: "month months monat monate monaten monats mes meses mois",
    QUARTERS: "quarter quarters quartal quartals trimestre trimestres",
    YEARS: "year years jahr jahre jahren jahres año años an ans année années",
    NIGHTS: "night nights nacht nächte nächten noche noches nuit nuits",
    HOURS: "hour hours stunde stunden hora horas heure heures",
}
_PLURALS_TEXT = """
days tage tagen días dias jours weeks wochen semanas semaines months monate monaten meses years jahre jahren años
années ans nights nächte nächten noches nuits weekends wochenenden hours stunden horas heures quarters fortnights
"""
_PLURALS = frozenset(_PLURALS_TEXT.split())
_NAMED = {
    -2: "vorgestern anteayer antier avant·-·hier antes·de·ayer day·before·yesterday the·day·before·yesterday "
    "night·before·last the·night·before·last",
    -1: "yesterday gestern ayer hier anoche",
    0: "today tonight heute hoy aujourd'hui earlier·today later·today",
    1: "tomorrow morgen mañana demain tmrw",
    2: "übermorgen pasado·mañana après·-·demain day·after·tomorrow the·day·after·tomorrow overmorrow",
}
# How far from the one that is going on: in front of what is meant, or behind it.
_BEFORE_IT = {
    -2: "vorletzte vorletzten vorletztes vorletzter",
    -1: "last previous letzte letzten letztes letzter letztem vorige vorigen voriges voriger vergangene vergangenen "
    "vergangenes vergangener pasado pasada",
    0: "this diese diesen dieses dieser diesem este esta ce cette cet",
    1: "next nächste nächsten nächstes nächster nächstem kommende kommenden kommendes kommender próximo próxima "
    "proximo proxima prochain prochaine",
    2: "übernächste übernächsten übernächstes übernächster",
}
_BEHIND_IT = {
    -2: "before·last",
    -1: "pasado pasada dernier dernière passé passée",
    1: "prochain prochaine próximo próxima que·viene entrante",
    2: "after·next",
}
LAST = 9
_RANKS = {
    1: "first 1st ersten erste primer premier",
    2: "second 2nd zweiten zweite segundo deuxième",
    3: "third 3rd dritten dritte tercer troisième",
    4: "fourth 4th vierten vierte cuarto quatrième",
    LAST: "last letzten letzte último dernier",
}
EARLY, MIDDLE, LATE = range(3)
_STAGES = {
    EARLY: "early beginning·of start·of anfang principios·de comienzos·de début",
    MIDDLE: "mid mid·- middle·of mitte mediados·de mi·- milieu",
    LATE: "late end·of end ende fin·de fin finales·de fines·de",
}
_FEASTS = {  # month and day, or no month and the days from Easter
    (12, 24): "christmas·eve heiligabend nochebuena",
    (12, 25): "christmas christmas·day xmas weihnachten navidad noël",
    (12, 26): "boxing·day saint·stephen·day",
    (12, 31): "new·year·eve new·years·eve hogmanay silvester nochevieja",
    (1, 1): "new·year·day new·years·day neujahr",
    (1, 6): "epiphany twelfth·night dreikönig dreikönigstag",
    (3, 17): "saint·patrick·day st·patrick·day",
    (11, 1): "all·saint·day all·saints·day allerheiligen toussaint",
    (11, 5): "bonfire·night guy·fawkes·night",
    (0, -47): "shrove·tuesday pancake·day mardi·gras",
    (0, -46): "ash·wednesday aschermittwoch",
    (0, -7): "palm·sunday palmsonntag",
    (0, -3): "maundy·thursday gründonnerstag",
    (0, -2): "good·friday karfreitag viernes·santo vendredi·saint",
    (0, 0): "easter easter·sunday easter·day ostern ostersonntag pâques pascua",
    (0, 1): "easter·monday ostermontag",
    (0, 39): "ascension·day himmelfahrt",
    (0, 49): "whitsun whit·sunday pentecost pfingsten pfingstsonntag pentecostés pentecôte",
    (0, 50): "whit·monday pfingstmontag",
    (10, 31): "halloween",
    (2, 14): "valentine·day valentines·day valentinstag",
}
MORNING, LATER = range(2)
_PARTS = {
    MORNING: "morning früh vormittag morgen mañana madrugada matin",
    LATER: "afternoon evening night noon midday lunchtime nachmittag abend mittag nacht tarde noche soir midi "
    "après·-·midi nuit",
}
_PLAIN = {
    "the": "the der die das dem den des el la los las le les",
    "of": "of de del du des der vom d von",
    "in": "in during im en dans throughout während durante pendant",
    "within": "in within dentro·de en dans innerhalb·von",
    "over": "in during over for within im in en durante ces während au·cours·de",
    "past": "last past previous letzten vergangenen últimos últimas último última dernières derniers dernière dernier",
    "ahead": "next coming nächsten kommenden próximos próximas prochains prochaines",
    "on": "on am an el le",
    "at": "at over am übers ce le au el en on during",
    "ago": "ago back",
    "ago-": "vor hace il·y·a",
    "now": "now hence",
    "since": "since seit desde depuis ever·since",
    "after": "after following nach después·de después·del après tras",
    "until": "until till til through up·to bis hasta jusqu'à jusqu'au jusque by bis·zum bis·zur no·later·than "
    "spätestens",
    "before": "before prior·to vor avant antes·de antes·del",
    "not-before": "not·before not·until no·earlier·than not·earlier·than nicht·vor erst·am erst pas·avant no·antes·de "
    "no·antes·del no·hasta",
    "between": "between zwischen entre",
    "from": "from von vom del desde de du",
    "and": "and und y et &",
    "to": "to until till through bis a al hasta à au - – —",
    "week": "week",
    "other": "other",
    "by-part": "por en in au à am de",
}
# Behind one of these comes what happens again and again.
_AGAIN_TEXT = "every each any jede jeder jeden jedes jedem cada todos tous toutes chaque alle most some many immer"
AGAIN = frozenset(_AGAIN_TEXT.split())
# Names of months that are words or names of other things too: alone they are no time.
_WORDLIKE_TEXT = "may march mar mars mai april abril avril june juni juin august mayo jan dec sept sep"
WORDLIKE = frozenset(_WORDLIKE_TEXT.split())
VERBS = frozenset(("may", "march"))  # unless they begin with a capital
WORDS_TOO = frozenset(("sun", "sat", "wed", "mon"))
# Short forms that are words of their own unless they begin with a capital.
_CAPITAL_TEXT = "mon tue wed thu fri sat sun mar jan dec jun jul sep oct nov aug apr feb dez okt"
CAPITAL = frozenset(_CAPITAL_TEXT.split())

# What may follow "on the 14th"; another word behind it is what there are fourteen of.
_GOES_ON_TEXT = """
of at in by to from for with without and or but if when while because since so then as i we you he she it they the
my our his her their is was will would should must can
"""
GOES_ON = frozenset(_GOES_ON_TEXT.split())


@cache
def word_meanings() -> Mapping[str, tuple[WordMeaning, ...]]:
    """Return what each word, or words joined by `·`, may stand for."""
    found: defaultdict[str, list[WordMeaning]] = defaultdict(list)
    for name, rows in (
        ("weekday", enumerate(_WEEKDAYS)),
        ("month", enumerate(_MONTHS, 1)),
        ("season", enumerate(_SEASONS)),
        ("number", _NUMBERS.items()),
        ("named", _NAMED.items()),
        ("which", _BEFORE_IT.items()),
        ("behind", _BEHIND_IT.items()),
        ("stage", _STAGES.items()),
        ("rank", _RANKS.items()),
        ("part", _PARTS.items()),
    ):
        _add_meanings(found, name, ((number, number, words) for number, words in rows))
    _add_meanings(
        found, "unit", ((unit, word in _PLURALS, word) for unit, words in _UNITS.items() for word in words.split())
    )
    _add_meanings(found, "weekdays", ((day, day, f"{names.split()[0]}s") for day, names in enumerate(_WEEKDAYS)))
    _add_meanings(found, "few", ((low, high, words) for (low, high), words in _FEW.items()))
    _add_meanings(found, "feast", ((month, day, words) for (month, day), words in _FEASTS.items()))
    for name, words in _PLAIN.items():
        _add_meanings(found, name, ((0, 0, words),))
    return {word: tuple(meant) for word, meant in found.items()}


def _add_meanings(found: defaultdict[str, list[WordMeaning]], name: str, rows: Iterable[tuple[int, int, str]]) -> None:
    for low, high, words in rows:
        for word in words.split():
            found[word].append((name, low, high))


@cache
def compound_words() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return the words that stand for one together, longest first, by the first of them."""
    found: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for word in word_meanings():
        parts = tuple(word.split("·"))
        if len(parts) > 1:
            found[parts[0]].append(parts)
    return {first: tuple(sorted(rows, key=len, reverse=True)) for first, rows in found.items()}


# The tokens of a text, each with what it may mean.

_PIECE = re.compile(r"\d+[^\W_]*(?:[./:–-]\d+[^\W_]*|,\d{3}(?!\d))*|[^\W\d_]+(?:['’][^\W\d_]+)*|_+|[^\w\s]|\n\s*\n")
_ELIDED = frozenset(("l", "d", "jusqu", "qu"))
_ISO = re.compile(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)(?:t\d.*)?\Z")
_DMY = re.compile(r"(\d\d?)([./-])(\d\d?)\2(\d{4})\Z")
_DAY = re.compile(r"(0?[1-9]|[12]\d|3[01])(st|nd|rd|th|er|º|ª)?\Z")
_DAY_RANGE = re.compile(r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?[-–](0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\Z")
_DAY_MONTH = re.compile(r"(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\Z")
_DECADE = re.compile(r"((?:19|20)\d0)s\Z")
_YEAR_MONTH = re.compile(r"((?:19|20)\d\d)-(0[1-9]|1[0-2])\Z")
_YEARS = range(1900, 2100)
_MOST = 999
_LONGEST = 40
_DATED = frozenset(("weekday", "weak-day", "unit", "month", "weak-month", "season", "feast", "number"))

TokenMeanings = Mapping[str, tuple[int, int]]
_NOTHING: TokenMeanings = {}


@dataclass(frozen=True, slots=True)
class DateToken:
    """A word, number or sign: its key, its place, and what it may mean."""

    key: str
    start: int
    end: int
    meanings: TokenMeanings
    is_capital: bool = False


def split_tokens(text: str) -> list[DateToken]:
    """Split a text into words, numbers and signs; words that stand for one together are one token."""
    return list(_join_compounds([_make_token(found) for found in _PIECE.finditer(text)]))


def _make_token(found: re.Match[str]) -> DateToken:
    said, start = found[0], found.start()
    if said[0].isdigit():
        return DateToken(said, start, found.end(), _number_meanings(said.casefold()))
    if said[0] == "\n":
        return DateToken("\n", start, found.end(), _NOTHING)
    key = said.casefold().replace("’", "'")
    if "'" in key and key not in word_meanings():
        head, _, tail = key.partition("'")
        if tail == "s":
            key = head
        elif head in _ELIDED and "'" not in tail:
            key, start = tail, start + len(head) + 1
    is_capital = said[:1].isupper()
    return DateToken(key, start, found.end(), _word_meanings(key, is_capital=is_capital), is_capital)


@lru_cache(maxsize=4096)
def _word_meanings(key: str, *, is_capital: bool) -> TokenMeanings:
    """Return what a word may mean; names of days and months that are other words too are weak."""
    means = dict(_meanings_by_name(word_meanings().get(key, ())))
    if key in CAPITAL and not is_capital:
        means.pop("weekday", None)
        means.pop("month", None)
    if key in WORDS_TOO and "weekday" in means:
        means["weak-day"] = means.pop("weekday")
    if key in VERBS and not is_capital:
        means["weak-month"] = means.pop("month")
    elif key == "mars" and is_capital:
        means.pop("month")
    if "month" in means and key not in WORDLIKE:
        means["sure-month"] = means["month"]
    if not means and key[0].isalpha() and key not in GOES_ON:
        means["noun"] = (0, 0)
    return means


def _meanings_by_name(rows: tuple[WordMeaning, ...]) -> TokenMeanings:
    return {name: (low, high) for name, low, high in rows} if rows else _NOTHING


def _join_compounds(plain: list[DateToken]) -> Iterator[DateToken]:
    place = 0
    while place < len(plain):
        piece = plain[place]
        for parts in compound_words().get(piece.key, ()):
            following = plain[place + len(parts)] if place + len(parts) < len(plain) else None
            if tuple(other.key for other in plain[place : place + len(parts)]) == parts and _is_compound(
                parts, following
            ):
                end, key = plain[place + len(parts) - 1].end, "·".join(parts)
                piece = DateToken(key, piece.start, end, _meanings_by_name(word_meanings()[key]), piece.is_capital)
                place += len(parts) - 1
                break
        yield piece
        place += 1


def _is_compound(parts: tuple[str, ...], following: DateToken | None) -> bool:
    """Return whether words are one: "before last" is two where a Friday follows."""
    is_behind = any(name == "behind" for name, *_ in word_meanings()["·".join(parts)])
    return following is None or not is_behind or _DATED.isdisjoint(following.meanings)


def _number_meanings(said: str) -> TokenMeanings:
    if len(said) > _LONGEST:
        return _NOTHING
    for pattern, read in _NUMBER_READERS:
        found = pattern.match(said)
        if found:
            return read(found)
    return _NOTHING


def _read_plain(found: re.Match[str]) -> TokenMeanings:
    number = int(found[0])
    if number in _YEARS and len(found[0]) == 4:
        return {"year": (number, number)}
    means = {"number": (number, number)} if number <= _MOST else {}
    return {**means, "day": (number, 0)} if 1 <= number <= 31 and len(found[0]) <= 2 else means


def _read_day_first(found: re.Match[str]) -> TokenMeanings:
    """Read a day with its year at the end; with slashes only where day and month are certain."""
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if found[2] != "." and second > 12:
        return _read_date(year, first, second)
    is_sure = found[2] == "." or first > 12 or first == second
    return _read_date(year, second, first) if is_sure else _NOTHING


def _read_date(year: int, month: int, day: int) -> TokenMeanings:
    try:
        number = date(year, month, day).toordinal()
    except ValueError:
        return _NOTHING
    return {"date": (number, number)}


_NUMBER_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], TokenMeanings]], ...] = (
    (_DECADE, lambda found: {"decade": (int(found[1]), int(found[1]) + 9)}),
    (re.compile(r"\d{1,4}\Z"), _read_plain),
    (_DAY, lambda found: {"day": (int(found[1]), 1), "nth": (int(found[1]), int(found[1]))}),
    (_ISO, lambda found: _read_date(int(found[1]), int(found[3]), int(found[4]))),
    (_DMY, _read_day_first),
    (_DAY_RANGE, lambda found: {"days": (int(found[1]), int(found[2]))} if int(found[1]) < int(found[2]) else _NOTHING),
    (_DAY_MONTH, lambda found: {"day-month": (int(found[1]), int(found[2]))}),
    (_YEAR_MONTH, lambda found: {"year-month": (int(found[1]), int(found[2]))}),
)
