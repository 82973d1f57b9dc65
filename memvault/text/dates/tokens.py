"""Split a text into words, numbers and signs, each with what it may mean in an expression of time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from memvault.text.dates.words import (
    CAPITAL,
    GOES_ON,
    VERBS,
    WORDLIKE,
    WORDS_TOO,
    WordMeaning,
    compound_words,
    word_meanings,
)

_PIECE = re.compile(r"\d+[^\W_]*(?:[./:–-]\d+[^\W_]*|,\d{3}(?!\d))*|[^\W\d_]+(?:['’][^\W\d_]+)*|_+|[^\w\s]|\n\s*\n")
_ELIDED = frozenset(("l", "d", "jusqu", "qu"))
_ISO = re.compile(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)(?:t\d.*)?\Z")
_DMY = re.compile(r"(\d\d?)([./-])(\d\d?)\2(\d{4})\Z")
_DAY = re.compile(r"(\d\d?)(st|nd|rd|th|er|º|ª)?\Z")
_DAYS = re.compile(r"(\d\d?)(?:st|nd|rd|th)?[-–](\d\d?)(?:st|nd|rd|th)?\Z")
_DAY_MONTH = re.compile(r"(\d\d?)\.(\d\d?)\Z")
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
    for pattern, read in _NUMBERS:
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


def _read_ordinal(found: re.Match[str]) -> TokenMeanings:
    day = int(found[1])
    return {"day": (day, 1), "nth": (day, day)} if 1 <= day <= 31 else _NOTHING


def _read_iso(found: re.Match[str]) -> TokenMeanings:
    return _read_date(int(found[1]), int(found[3]), int(found[4]))


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


def _read_range(found: re.Match[str]) -> TokenMeanings:
    low, high = int(found[1]), int(found[2])
    return {"days": (low, high)} if 1 <= low < high <= 31 else _NOTHING


def _read_day_month(found: re.Match[str]) -> TokenMeanings:
    day, month = int(found[1]), int(found[2])
    return {"day-month": (day, month)} if 1 <= day <= 31 and 1 <= month <= 12 else _NOTHING


def _read_year_month(found: re.Match[str]) -> TokenMeanings:
    return {"year-month": (int(found[1]), int(found[2]))}


def _read_decade(found: re.Match[str]) -> TokenMeanings:
    return {"decade": (int(found[1]), int(found[1]) + 9)}


_NUMBERS = (
    (_DECADE, _read_decade),
    (re.compile(r"\d{1,4}\Z"), _read_plain),
    (_DAY, _read_ordinal),
    (_ISO, _read_iso),
    (_DMY, _read_day_first),
    (_DAYS, _read_range),
    (_DAY_MONTH, _read_day_month),
    (_YEAR_MONTH, _read_year_month),
)


# Lengths of time as people write them: `1h`, `90 min`, `half an hour`, `2 Tage`.

_UNITS = (
    (1, r"m|mins?|minutes?|minuten|minutos?|minuti"),
    (60, r"h|hrs?|hours?|stunden?|std|heures?|horas?|or[ae]|uur|uren"),
    (1_440, r"d|days?|tage?n?|jours?|días?|dias?|giorn[io]|dagen?"),
    (10_080, r"w|weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken"),
)
_LENGTHS_NUMBERS = {
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
_LENGTHS_LONGEST = 3_650


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
    return timedelta(minutes=minutes) if 0 < minutes <= _LENGTHS_LONGEST * 1_440 else None


def _minutes_of(count: str, unit: str) -> float | None:
    number = (
        float(count.replace(",", ".")) if count[0].isdigit() else 1.0 if count in _ONES else _LENGTHS_NUMBERS.get(count)
    )
    if number is None:
        return None
    if not unit:
        return number if count[0].isdigit() else None
    return next((number * worth for worth, names in _UNITS if re.fullmatch(names, unit)), None)
