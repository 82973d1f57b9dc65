"""Lengths of time as people write them: `1h`, `90 min`, `half an hour`, `2 Tage`."""

from __future__ import annotations

import re
from datetime import timedelta

_UNITS = (
    (1, r"m|mins?|minutes?|minuten|minutos?|minuti"),
    (60, r"h|hrs?|hours?|stunden?|std|heures?|horas?|or[ae]|uur|uren"),
    (1_440, r"d|days?|tage?n?|jours?|días?|dias?|giorn[io]|dagen?"),
    (10_080, r"w|weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken"),
)
_NUMBERS = {
    "half an": 0.5,
    "half": 0.5,
    "two": 2,
    "three": 3,
    "zwei": 2,
    "drei": 3,
    "deux": 2,
    "trois": 3,
    "dos": 2,
    "tres": 3,
}
_ONES = ("a", "an", "one", "ein", "eine", "einen", "un", "une", "una", "uno", "uma", "um", "een")
_LONGEST = 3_650


def read_length(text: str) -> timedelta | None:
    """The time that a text says, up to ten years; None where it says none. A bare number is of minutes."""
    said = " ".join(text.casefold().split())
    if not said:
        return None
    minutes, at = 0.0, 0
    part = re.compile(r"(?P<count>\d{1,6}(?:[.,]\d)?|half an?|[a-z]+)\s*(?P<unit>[a-zí]*)\s*(?:and\s+|,\s*)?")
    while at < len(said):
        found = part.match(said, at)
        worth = _minutes(found["count"], found["unit"]) if found else None
        if found is None or worth is None:
            return None
        minutes, at = minutes + worth, found.end()
    return timedelta(minutes=minutes) if 0 < minutes <= _LONGEST * 1_440 else None


def _minutes(count: str, unit: str) -> float | None:
    number = float(count.replace(",", ".")) if count[0].isdigit() else 1.0 if count in _ONES else _NUMBERS.get(count)
    if number is None:
        return None
    if not unit:
        return number if count[0].isdigit() else None
    return next((number * worth for worth, names in _UNITS if re.fullmatch(names, unit)), None)
