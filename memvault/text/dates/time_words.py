"""Tell cheaply whether a text may name a day, names a time, or ends as a question."""

from __future__ import annotations

import re

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
    return ASKS * bool(compile_pattern(_ASKS).search(text[-200:])) | TIMED * bool(
        compile_pattern(_TIMED).search(text.casefold())
    )


# Reading dates takes longer to load than all the rest of a search, so it is left until one may be there.
_DATES = """
abend afternoon année années anoche anteayer antier apr aug automne autumn christmas dec dez dia dias día días
evening fall feb finde fortnight fortnights fri fridays früh frühjahr frühling halloween heiligabend herbst heure
heures hiver hora horas hour hours invierno jahren jahres jan jour jours jul jun jänner lunchtime madrugada mar mars
matin midday midi miercoles mittag mon monaten monats mondays nachmittag nacht navidad neujahr nights noche
nochebuena noches nochevieja noon nov noël nuit nuits nächte nächten oct okt otoño overmorrow primavera printemps
quartal quartals quarter quarters sabado sat saturdays sep sept silvester soir sommer sonnabend spring stunde
stunden summer sun sundays tag tage tagen tages tarde thu thurs thursdays tmrw trimestre trimestres tue tues
tuesdays valentinstag verano vormittag wed wednesdays weekends weihnachten winter wochenende wochenenden xmas été
übermorgen
"""


_MAY_NAME_DAYS = frozenset((*TIME_WORDS, *_DATES.split(), "aujourd"))


_DIGIT_OR_WORD = re.compile(r"\d|[^\W\d_]+")


def may_name_days(text: str) -> bool:
    """Return whether a text has a number or a word of time, without which it names no days."""
    return any(word.isdigit() or word in _MAY_NAME_DAYS for word in _DIGIT_OR_WORD.findall(text.casefold()))
