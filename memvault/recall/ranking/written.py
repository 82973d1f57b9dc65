"""Numbers and days of a question in the other ways in which a note may write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from itertools import islice

from memvault.core.query import Word
from memvault.core.value import replace
from memvault.recall.ranking.question import Question
from memvault.text.terms import terms

_LONGEST_PADDED = 4  # digits: ADR-0017
_MOST_DAYS = 7  # of those that are named: a month of them is looked for longer than it is worth

Stretch = tuple[int, int]


def as_written(question: Question, days: Iterable[Stretch], *, share: float) -> Question:
    """The question, where a number is also looked for with zeros before it, and a day also in figures and by name."""
    named = list(islice(_latest_first(days), _MOST_DAYS))
    whole = tuple(dict.fromkeys(form for day in named for form in _in_figures(day)))
    months = {day.month for day in named}
    asked = {word.term for word in question.words}
    words = (_as_written(word, whole, months, asked, share) for word in question.words)
    return replace(question, words=tuple(words))


def _as_written(word: Word, whole: tuple[str, ...], months: set[int], asked: set[str], share: float) -> Word:
    forms = [*(_with_zeros(word.term) if word.term.isdecimal() else ()), *(whole if word.is_date else ())]
    if word.is_date and word.term.isdecimal() and int(word.term) in months:
        forms += _month_names(int(word.term))
    known = asked.union(term for term, _ in word.others)
    others = tuple((form, share) for form in dict.fromkeys(forms) if form not in known)
    return replace(word, others=word.others + others) if others else word


def _latest_first(days: Iterable[Stretch]) -> Iterator[date]:
    for first, last in reversed(list(days)):
        if last - first < _MOST_DAYS:
            yield from map(date.fromordinal, range(first, last + 1))


def _in_figures(day: date) -> tuple[str, str, str]:
    """A day in one piece, as texts are taken apart: 2026-05-03, 03.05.2026, 3.5.2026."""
    year = f"{day.year:04}"
    return f"{year}-{day.month:02}-{day.day:02}", f"{day.day:02}.{day.month:02}.{year}", f"{day.day}.{day.month}.{year}"


def _with_zeros(number: str) -> tuple[str, ...]:
    bare = number.lstrip("0") or "0"
    forms = (bare.zfill(length) for length in range(len(bare), _LONGEST_PADDED + 1))
    return tuple(form for form in forms if form != number)


@cache
def _month_names(month: int) -> tuple[str, ...]:
    from memvault.text.dates.words import meanings  # deferred: it takes long to load, and few questions name a day

    named = (word for word, senses in meanings().items() if ("month", month, month) in senses)
    return tuple(dict.fromkeys(term for word in named for term in terms(word)))
