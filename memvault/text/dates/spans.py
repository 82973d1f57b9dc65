"""The days of which a text speaks, past and to come, and the same text for somebody who reads it later."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from memvault.text.dates.calendar import Days, Tense, last_of
from memvault.text.dates.search import expressions
from memvault.text.dates.words import MONTH_NAMES

_BEFORE_A_YEAR = r"\((?:week of |weekend of |before |after |since |until |[A-Z][a-z]{2,8} )?\d{4}"
_DATED = re.compile(f" ?{_BEFORE_A_YEAR}")
_DATES = re.compile(rf"{_BEFORE_A_YEAR}(?:-\d\d-\d\d(?: to \d{{4}}-\d\d-\d\d)?)?\)")  # whole, as `dated` writes them


@dataclass(frozen=True, slots=True)
class Span:
    """Days that a text names: where their expression stands in it, the first and the last of them.

    With a `side` what lies before or after these days is meant, without an end: "before 3 June".
    """

    start: int
    end: int
    first: date
    last: date
    side: Literal["", "before", "after"] = ""


def spans(text: str, *, now: datetime, tense: Tense | None = "past") -> tuple[Span, ...]:
    """Every expression of past or future time in a text, in order, as days in the zone of `now`.

    What may be either ("on Friday", "in May") goes by the verb of its sentence, and by `tense` where no verb tells;
    without a `tense` it is then left out.
    """
    found = expressions(text, now.date(), tense=tense)
    return tuple(Span(place.start, place.end, place.days.first, place.days.last, place.days.side) for place in found)


def absolute(text: str, *, now: datetime, tense: Tense | None = None) -> str:
    """The text with the date behind each expression that only means one on the day it was said."""
    # Behind it, because a person said these words and a search for them must still find the text.
    parts, after = [], 0
    # In what is already dated a month may stand beside what is no year to us: "(February 2100)".
    written = [dates.span() for dates in _DATES.finditer(text)]
    for place in expressions(text, now.date(), tense=tense):
        is_written = any(start < place.start < end for start, end in written)
        if is_written or place.days.is_named or _DATED.match(text, place.end):
            continue
        parts += [text[after : place.end], f" ({dated(place.days)})"]
        after = place.end
    return "".join((*parts, text[after:]))


def dated(days: Days) -> str:
    """Days as they are written behind an expression: in ISO form, a month and a year by their names."""
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
