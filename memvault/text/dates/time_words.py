"""Tell cheaply whether a text may name a day, names a time, or ends as a question; read lengths of time."""

from __future__ import annotations

import re
from datetime import timedelta

from memvault.text.characters import compile_pattern

ASKS, TIMED = 1, 2

_ASKS = r"[?？؟][\"'”’»)\]\s]*(?:\[[^\]]*\]\s*)?$"

_TIME_WORDS = """
today yesterday tomorrow tonight last next ago week weeks weekend month months year years day days morning night since
just recently monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december
heute gestern vorgestern morgen letzte letzten letztes letzter nächste nächsten vor woche wochen monat monate jahr jahre
seit neulich montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober
dezember
hoy ayer mañana semana semanas mes meses año años hace pasado pasada desde lunes martes miércoles jueves viernes sábado
domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
aujourd'hui hier demain semaine semaines mois ans depuis dernier dernière lundi mardi mercredi jeudi vendredi samedi
dimanche janvier février avril juin juillet août septembre octobre novembre décembre
"""

TIME_WORDS = frozenset(_TIME_WORDS.split())

_TIMED = (
    rf"(?<!\w)(?:{'|'.join(sorted(TIME_WORDS))}|\d{{4}}|\d+(?:st|nd|rd|th)|\d+ ?[ap]m|\d\d?:\d\d)(?!\w)"
    r"|[昨今明]天|[去今明]年|[上下]个?[周月]|昨日|今日|明日|先週|来週|어제|오늘|내일"
)


def find_signals(text: str) -> int:
    """Return whether a text ends as a question and whether it names a time, as bits."""
    asks, timed = compile_pattern(_ASKS).search(text[-200:]), compile_pattern(_TIMED).search(text.casefold())
    return ASKS * bool(asks) | TIMED * bool(timed)


# Reading dates takes longer to load than all the rest of a search, so it is left until one may be there.
_DATES = """
abend afternoon allerheiligen année années anoche anteayer antier apr aschermittwoch aug automne autumn christmas dec
dez dia dias dreikönig dreikönigstag día días easter epiphany evening fall feb finde fortnight fortnights fri fridays
früh frühjahr frühling gründonnerstag halloween heiligabend herbst heure heures himmelfahrt hiver hogmanay hora horas
hour hours invierno jahren jahres jan jour jours jul jun jänner karfreitag lunchtime madrugada mar mars matin midday
midi miercoles mittag mon monaten monats mondays nachmittag nacht navidad neujahr nights noche nochebuena noches
nochevieja noon nov noël nuit nuits nächte nächten oct okt ostermontag ostern ostersonntag otoño overmorrow
palmsonntag pascua pentecost pentecostés pentecôte pfingsten pfingstmontag pfingstsonntag primavera printemps pâques
quartal quartals quarter quarters sabado sat saturdays sep sept silvester soir sommer sonnabend spring stunde stunden
summer sun sundays tag tage tagen tages tarde thu thurs thursdays tmrw toussaint trimestre trimestres tue tues
tuesdays valentinstag verano vormittag wed wednesdays weekends weihnachten whitsun winter wochenende wochenenden xmas
été übermorgen
"""

_MAY_NAME_DAYS = frozenset((*TIME_WORDS, *_DATES.split(), "aujourd"))

_DIGIT_OR_WORD = re.compile(r"\d|[^\W\d_]+")


def may_name_days(text: str) -> bool:
    """Return whether a text has a number or a word of time, without which it names no days."""
    return any(word.isdigit() or word in _MAY_NAME_DAYS for word in _DIGIT_OR_WORD.findall(text.casefold()))


# Lengths of time as people write them: `1h`, `90 min`, `half an hour`, `2 Tage`.

_LENGTH_UNITS = (
    (1, r"m|mins?|minutes?|minuten|minutos?|minuti"),
    (60, r"h|hrs?|hours?|stunden?|std|heures?|horas?|or[ae]|uur|uren"),
    (1_440, r"d|days?|tage?n?|jours?|días?|dias?|giorn[io]|dagen?"),
    (10_080, r"w|weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken"),
)
_LENGTH_NUMBERS = {
    **dict.fromkeys(("half an", "half"), 0.5),
    **dict.fromkeys(("two", "zwei", "deux", "dos"), 2),
    **dict.fromkeys(("three", "drei", "trois", "tres"), 3),
}
_ONES = ("a", "an", "one", "ein", "eine", "einen", "un", "une", "una", "uno", "uma", "um", "een")
_LONGEST_LENGTH = 3_650


def read_length(text: str) -> timedelta | None:
    """Return the time that a text says, up to ten years; a bare number is of minutes. None where it says none."""
    said = " ".join(text.casefold().split())
    if not said:
        return None
    minutes, at = 0.0, 0
    part = re.compile(r"(?P<count>\d{1,6}(?:[.,]\d)?|half an?|[a-z]+)\s*(?P<unit>[a-zí]*)\s*(?:and\s+|,\s*)?")
    while at < len(said):
        found = part.match(said, at)
        worth = _minutes_of(found["count"], found["unit"]) if found else None
        if found is None or worth is None:
            return None
        minutes, at = minutes + worth, found.end()
    return timedelta(minutes=minutes) if 0 < minutes <= _LONGEST_LENGTH * 1_440 else None


def _minutes_of(count: str, unit: str) -> float | None:
    number = (
        float(count.replace(",", ".")) if count[0].isdigit() else 1.0 if count in _ONES else _LENGTH_NUMBERS.get(count)
    )
    if number is None:
        return None
    if not unit:
        return number if count[0].isdigit() else None
    return next((number * worth for worth, names in _LENGTH_UNITS if re.fullmatch(names, unit)), None)
