"""What can be told of a unit once and for all, when it is indexed."""

from __future__ import annotations

from memvault.text.patterns import pattern

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


def signs(text: str) -> int:
    """Whether a text ends as a question, and whether it tells a time, as bits."""
    return ASKS * bool(pattern(_ASKS).search(text[-200:])) | TIMED * bool(pattern(_TIMED).search(text.casefold()))
