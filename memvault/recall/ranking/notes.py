"""What a question asks of notes: its words with all that may stand for them, and the days of which it speaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo

from memvault.core.query import Word
from memvault.core.value import replace
from memvault.recall.ranking.question import Days, Question, looked_for
from memvault.recall.ranking.weights import WEIGHTS, Weights
from memvault.recall.ranking.written import as_written

_YEARS_BACK = 10  # a day without its year may be of any of these
_FIRST_DAY = date(1970, 1, 2).toordinal()
_FEW_DAYS = 31
ON_THE_DAY, IN_THE_SEASON = 5.0, 2.0

Near = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]


def asked(text: str, *, now: datetime, people: tuple[str, ...], near: Near, weights: Weights = WEIGHTS) -> Question:
    """What a question wants of notes, people by any of their names, words that stand nowhere by those like them."""
    question = looked_for(text, now=now, people=people, weights=weights)
    if weights.written:
        question = as_written(question, stretches(question.days), share=weights.written)
    if weights.near:
        alike = near([word.term for word in question.words])
        question = replace(question, words=tuple(_with_near(word, alike, weights) for word in question.words))
    return question


def _with_near(word: Word, alike: Mapping[str, Sequence[str]], weights: Weights) -> Word:
    if word.term not in alike:
        return word
    known = {term for term, _ in word.others}
    others = tuple((term, weights.near) for term in alike[word.term] if term not in known)
    return replace(word, others=word.others + others)


def stretches(days: Iterable[Days]) -> Iterator[tuple[int, int]]:
    """The days of a question as ordinals; those without a year once for each of some years."""
    for some in days:
        if not some.of_any_year:
            yield max(some.first, _FIRST_DAY), some.last
            continue
        first = date.fromordinal(some.first)
        for year in range(max(first.year - _YEARS_BACK, date.min.year), first.year + 1):
            begins = first.replace(year=year, day=min(first.day, 28)).toordinal() + max(first.day - 28, 0)
            yield begins, begins + some.last - some.first


def extra(days: Sequence[tuple[int, int]]) -> float:
    """What a note has ahead of others for being made on these days: more for few days than for many."""
    return ON_THE_DAY if all(last - first < _FEW_DAYS for first, last in days) else IN_THE_SEASON


def as_stamps(days: Iterable[tuple[int, int]], now: datetime) -> tuple[tuple[float, float], ...]:
    """Stretches of days as time stamps, by the clock of whoever asks."""
    zone = now.tzinfo or UTC
    return tuple((_stamp(first, zone), _stamp(last + 1, zone) - 1) for first, last in days)


def _stamp(ordinal: int, zone: tzinfo) -> float:
    day = date.fromordinal(ordinal)
    return datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()
