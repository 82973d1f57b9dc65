"""Read a question: what it looks for, which days it names, and what sort of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from itertools import chain, islice

from memvault.core.query import Word, fold_name, other_names
from memvault.core.value import Record, field, replace
from memvault.recall.ranking.synonyms import VAGUE, find_related
from memvault.recall.ranking.weights import WEIGHTS, RankingWeights
from memvault.text.dates.time_words import may_name_days
from memvault.text.stem import stem
from memvault.text.terms import extract_terms, query_terms, query_tokens, split_tokens

# Compiled when used: a search of notes alone needs neither, and starts faster.
_ASKS_WHEN = (
    r"^\W*(?:when|since when|how long|(?:on |in )?(?:what|which) (?:day|date|week|month|year|time)"
    r"|wann|seit wann|cuándo|cuando|desde cuándo|quand|depuis quand)\b"
    r"|\b(?:when (?:did|was|were|is|do|does|will|had)|(?:what|which) (?:day|date|month|year))\b"
)
_ASKS_ASSISTANT = (
    r"\b(?:did|have|had) you (?:\w+ )?"
    r"(?:suggest|recommend|advise|propose|say|said|tell|told|explain|mention|list|give|given|write|written|show|provide)"
    r"|\byou (?:suggested|recommended|advised|proposed|told|said|explained|mentioned|listed|gave|wrote|showed|provided)"
    r"|\byour (?:\w+ )?(?:suggestion|recommendation|advice|answer|explanation|proposal|reply|response)s?\b"
)
_YEAR = r"\d{4}"
_MONTHS_BACK = timedelta(days=40)  # a day of the calendar stays the same from there, one that is counted does not
_LONGEST_SEASON = 120


class NamedDays(Record):
    """Days that a question names, as ordinals; a day without its year may be of any."""

    first: int
    last: int
    of_any_year: bool = False


class RankedQuestion(Record):
    """A question as it is matched against units."""

    words: tuple[Word, ...]
    days: tuple[NamedDays, ...] = ()
    asks_when: bool = False
    asks_assistant: bool = False
    called: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # other names, by the words of those given


def read_question(
    text: str, *, now: datetime, people: tuple[str, ...] = (), weights: RankingWeights = WEIGHTS
) -> RankedQuestion:
    """Read what a question wants, as far as its words say."""
    low = text.casefold()
    return replace(
        read_terms(text, now=now, people=people, weights=weights),
        asks_when=re.search(_ASKS_WHEN, low) is not None,
        asks_assistant=re.search(_ASKS_ASSISTANT, low) is not None,
    )


def read_terms(
    text: str, *, now: datetime, people: tuple[str, ...] = (), weights: RankingWeights = WEIGHTS
) -> RankedQuestion:
    """Read the terms of a question, without what sort of answer it wants."""
    text = bound_text(text)
    days, expressions = _find_days(text, now) if may_name_days(text) else ((), [])
    dated = {token for part in expressions for token in split_tokens(part)}
    tokens = {stem(token): token for token in reversed(query_tokens(text))}
    words = tuple(
        Word(term, is_date=True)
        if token in dated
        else Word(
            term,
            tuple(other for other in find_related(term, weights) if other[0] not in tokens),
            weights.vague if token in VAGUE else 1.0,
        )
        for term, token in reversed(tokens.items())
    )
    called = _names_by_term(text, people) if people else {}
    if called:
        names = {own: tuple((name, weights.namesake) for name in others) for own, others in called.items()}
        words = tuple(replace(word, others=names.get(word.term, ()) + word.others) for word in words)
    return RankedQuestion(words, days[:MOST_NAMED_DAYS], called=called)


# A question is bounded before it becomes a query: a pasted log is none, and no database takes thousands of conditions.

LONGEST_QUESTION = 4_000  # characters
MOST_NAMED_DAYS = 40  # days and spans of days
_SHORTEST_DAY = 5  # characters: "May 1"


def bound_text(text: str) -> str:
    """Return as much of a question as is looked for, cut between two words."""
    if len(text) <= LONGEST_QUESTION:
        return text
    kept = text[:LONGEST_QUESTION]
    return kept if text[LONGEST_QUESTION].isspace() else kept.rpartition(" ")[0] or kept


def describe_bounds(text: str, now: datetime) -> str | None:
    """Return a sentence that says what of a question was not looked for; None where all of it was."""
    kept = bound_text(text)
    parts = [f"the first {len(kept):,} of its {len(text):,} characters"] if len(kept) < len(text) else []
    if len(kept) > MOST_NAMED_DAYS * _SHORTEST_DAY and may_name_days(kept):
        days, _ = _find_days(kept, now)
        parts += [f"the first {MOST_NAMED_DAYS} of the {len(days)} days that it names"][: len(days) > MOST_NAMED_DAYS]
    return f"The question is very long: only {' and '.join(parts)} were looked for." if parts else None


def query_words(text: str) -> list[Word]:
    """Return the terms of a query as words without alternatives."""
    return [Word(term) for term in query_terms(text)]


def _names_by_term(text: str, people: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return, for each term of a name in the question, the terms of that person's other names."""
    called: dict[str, tuple[str, ...]] = {}
    for part, names in other_names(split_tokens(fold_name(text)), people).items():
        others = tuple(dict.fromkeys(term for name in names for term in extract_terms(name)))
        called |= {own: tuple(term for term in others if term != own) for own in extract_terms(part)}
    return called


def _find_days(text: str, now: datetime) -> tuple[tuple[NamedDays, ...], list[str]]:
    """Return the days that a text names, and the words that name them."""
    from memvault.text.dates.expressions import find_spans

    found = find_spans(text, now=now)
    earlier = find_spans(text, now=now - _MONTHS_BACK) if found else []
    days: list[NamedDays] = []
    for here, there in zip(found, earlier, strict=False):
        first, last = here.days.first.toordinal(), here.days.last.toordinal()
        expression = text[here.start : here.end]
        same = (here.days.first.month, here.days.first.day) == (there.days.first.month, there.days.first.day)
        # "by July 5" is open towards one side, and means the one that is near.
        yearly = same and not here.days.side and not re.search(_YEAR, expression) and last - first <= _LONGEST_SEASON
        match here.days.side:
            case "before":
                first, last = 1, first - 1
            case "after":
                first, last = last + 1, now.date().toordinal() + 1
        days.append(NamedDays(first, last, yearly))
    return tuple(dict.fromkeys(days)), [text[span.start : span.end] for span in found]


# Other ways in which a note may write the numbers and days of a question.

_LONGEST_PADDED = 4  # digits: ADR-0017
_MOST_DAYS = 7  # of those that are named: a month of them is looked for longer than it is worth

DayRange = tuple[int, int]


def add_written_forms(question: RankedQuestion, days: Iterable[DayRange], *, share: float) -> RankedQuestion:
    """Add other forms: numbers with zeros before them, days in figures and by name."""
    few = [range(first, last + 1) for first, last in reversed(list(days)) if last - first < _MOST_DAYS]
    named = list(map(date.fromordinal, islice(chain.from_iterable(few), _MOST_DAYS)))  # the latest ones
    whole = tuple(dict.fromkeys(form for day in named for form in _day_in_figures(day)))
    months = {day.month for day in named}
    terms = {word.term for word in question.words}
    words = []
    for word in question.words:
        forms = [*(_zero_padded(word.term) if word.term.isdecimal() else ()), *(whole if word.is_date else ())]
        if word.is_date and word.term.isdecimal() and int(word.term) in months:
            forms += _month_names(int(word.term))
        words.append(_add_others(word, [form for form in forms if form not in terms], share))
    return replace(question, words=tuple(words))


def _add_others(word: Word, terms: Iterable[str], share: float) -> Word:
    """Let more terms stand for a word, unless they do already."""
    known = {term for term, _ in word.others}
    others = tuple((term, share) for term in dict.fromkeys(terms) if term not in known)
    return replace(word, others=word.others + others) if others else word


def _day_in_figures(day: date) -> tuple[str, str, str]:
    """Return a day in one piece, as texts are split: 2026-05-03, 03.05.2026, 3.5.2026."""
    year = f"{day.year:04}"
    return f"{year}-{day.month:02}-{day.day:02}", f"{day.day:02}.{day.month:02}.{year}", f"{day.day}.{day.month}.{year}"


def _zero_padded(number: str) -> tuple[str, ...]:
    bare = number.lstrip("0") or "0"
    forms = (bare.zfill(length) for length in range(len(bare), _LONGEST_PADDED + 1))
    return tuple(form for form in forms if form != number)


@cache
def _month_names(month: int) -> tuple[str, ...]:
    from memvault.text.dates.tokens import (
        word_meanings,  # deferred: it takes long to load, and few questions name a day
    )

    named = (word for word, senses in word_meanings().items() if ("month", month, month) in senses)
    return tuple(dict.fromkeys(term for word in named for term in extract_terms(word)))


# What a question asks of notes: its words with all substitutes, and the days it names.

_YEARS_BACK = 10  # a day without its year may be of any of these
_FIRST_DAY, _LAST_DAY = date(1970, 1, 2).toordinal(), date(9999, 12, 30).toordinal()
_FEW_DAYS = 31
ON_THE_DAY, IN_THE_SEASON = 5.0, 2.0

FindNear = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]


def read_note_question(
    text: str, *, now: datetime, people: tuple[str, ...], near: FindNear, weights: RankingWeights = WEIGHTS
) -> RankedQuestion:
    """Read what a question wants of notes: people under all their names, unknown words by similar ones."""
    question = read_terms(text, now=now, people=people, weights=weights)
    if weights.written:
        question = add_written_forms(question, day_ranges(question.days), share=weights.written)
    if weights.near:
        alike = near([word.term for word in question.words])
        if alike:
            words = (_add_others(word, alike.get(word.term, ()), weights.near) for word in question.words)
            question = replace(question, words=tuple(words))
    return question


def day_ranges(days: Iterable[NamedDays]) -> Iterator[tuple[int, int]]:
    """Yield the days of a question as ordinals; those without a year once for each of some years."""
    for some in days:
        if not some.of_any_year:
            yield max(some.first, _FIRST_DAY), some.last
            continue
        first = date.fromordinal(some.first)
        for year in range(max(first.year - _YEARS_BACK, date.min.year), first.year + 1):
            begins = first.replace(year=year, day=min(first.day, 28)).toordinal() + max(first.day - 28, 0)
            yield begins, begins + some.last - some.first


def day_bonus(days: Sequence[tuple[int, int]]) -> float:
    """Return the bonus of a note that was made on these days: more for few days than for many."""
    return ON_THE_DAY if all(last - first < _FEW_DAYS for first, last in days) else IN_THE_SEASON


def to_timestamps(days: Iterable[tuple[int, int]], now: datetime) -> tuple[tuple[float, float], ...]:
    """Return ranges of days as time stamps, in the time zone of the person."""
    zone = now.tzinfo or UTC
    return tuple((_timestamp(first, zone), _timestamp(last + 1, zone) - 1) for first, last in days)


def _timestamp(ordinal: int, zone: tzinfo) -> float:
    day = date.fromordinal(min(ordinal, _LAST_DAY))
    return datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()
