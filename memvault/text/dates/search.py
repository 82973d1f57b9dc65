"""The expressions of time in a text, in order, without those that name no days of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from memvault.text.dates.calendar import At, Days, Tense
from memvault.text.dates.find import grammar
from memvault.text.dates.patterns import Search
from memvault.text.dates.tense import tenses
from memvault.text.dates.tokens import Piece, pieces
from memvault.text.dates.words import AGAIN

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
class Place:
    """Where an expression stands in a text, and what it comes to."""

    start: int
    end: int
    days: Days


def expressions(text: str, today: date, *, tense: Tense | None, always: bool = False) -> Iterator[Place]:
    """Each expression of time in a text; `tense` is what one counts as where its sentence does not say, or `always`."""
    row = pieces(text)
    said = [None] * len(row) if always else tenses(row)
    search = Search(grammar(), row, lambda place: At(today, said[place] or tense, said[place]))
    place = 0
    while place < len(row):
        found = search.found("WHEN", place)
        if found is None:
            place += 1
            continue
        if _is_time(text, row, place, found.stop):
            yield Place(row[place].start, row[found.stop - 1].end, found.days)
        place = found.stop


def _is_time(text: str, row: list[Piece], place: int, stop: int) -> bool:
    start, end = row[place].start, row[stop - 1].end
    before, behind = text[start - 1 : start], text[end : end + 2]
    if before in _GLUED_BEFORE or before.isalnum() or behind[:1] in _GLUED_BEHIND:
        return False
    if "day-month" in row[place].means and not _is_announced(row, place):
        return False
    is_cut = behind[:1] in ("-", ".", "/") and behind[1:].isalnum()
    return not is_cut and not _is_other(row, place, stop)


def _is_announced(row: list[Piece], place: int) -> bool:
    """Whether "14.03." is a date, and not a price or a version at the end of a sentence."""
    before = row[place - 1] if place else None
    return before is None or before.key in _DATED_BY or not before.key[-1].isalnum() or "weekday" in before.means


def _is_other(row: list[Piece], place: int, stop: int) -> bool:
    """Whether what stands before it makes it something that comes again, is denied, or is no day at all."""
    ahead = [piece.key for piece in row[max(0, place - 3) : place]]
    while ahead and ahead[-1] in ("on", "am", "the", "el", "le", "um"):
        ahead.pop()
    last = ahead[-1] if ahead else ""
    first = row[place]
    if last in AGAIN or (last in _NOT and ahead[-2:-1] != ["why"]):
        return True
    if {"weekday", "weak-day"} & first.means.keys() and stop == place + 1:
        return last in _NAMES_OF_DAYS or last in ("a", "an", "ein", "einem", "un", "los", "les", "las", "some")
    if "sure-month" in first.means and place and "day" in row[place - 1].means:
        return True  # 31 February
    if first.key == "morgen" and stop == place + 1:
        return bool(ahead or place) and row[place - 1].key in ("am", "guten", "jeden", "diesen", "den", "der", "dem")
    if first.key == "mañana" and stop == place + 1:
        return place > 0 and row[place - 1].key in ("la", "esta", "cada", "buena")
    return first.key == "hier" and not _is_french(row, place)


def _is_french(row: list[Piece], place: int) -> bool:
    """Whether `hier` is the French yesterday, and not the German here."""
    near = [piece.key for piece in row[max(0, place - _NEAR) : place + _NEAR]]
    german, french = (sum(key in words for key in near) for words in (_GERMAN, _FRENCH))
    return not german or french > german
