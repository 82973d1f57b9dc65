"""Similarity of a memory to a question, as a number from 0 to 1 that means the same for every question."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp

from memvault.core.query import Word
from memvault.core.value import Record
from memvault.text.terms import find_terms

REST_LABEL = "rest"  # the text around the passage
DAY_LABEL = "day"  # the day on which the memory was made

_IN_THE_REST = 0.3
_SATURATION = 1.2

# Fitted over notes, and conversations kept as notes: questions with answers and without.
# The matched share of the question tells nearly all; the benchmark of notes has what else was tried.
_COVERAGE, _DOUBT = 7.0, 2.55
# Beside turns, which are short and many, a memory that says a third of a question is no match for one that says half.
_MASS_BESIDE_TALK, _DOUBT_BESIDE_TALK = 0.15, 4.2


class TermMatch(Record):
    """How far a memory matches one word of a question."""

    term: str
    rarity: float  # how rare the word is
    places: tuple[str, ...] = ()  # the parts of the memory that match it
    said: str = ""  # the term that matches it, if that is another one
    share: float = 0.0  # how far it is matched, from 0 to 1


def match_terms(
    words: Iterable[Word], rarity: Mapping[str, float], parts: Mapping[str, str], *, on_day: bool
) -> list[TermMatch]:
    """Return, for each word of a question, which parts of a memory (title, tags, triggers, text …) match it."""
    wanted = list(words)
    terms = frozenset(term for word in wanted for term in word.terms)
    labels: dict[str, tuple[str, ...]] = {}
    for label, text in parts.items():
        for term in find_terms(text, terms) if text and label != REST_LABEL else ():
            labels[term] = (*labels.get(term, ()), label)
    found = match_indexed_terms(wanted, rarity, labels, (), on_day=on_day)
    if all(one.share for one in found) or not parts.get(REST_LABEL):
        return found
    return match_indexed_terms(wanted, rarity, labels, find_terms(parts[REST_LABEL], terms), on_day=on_day)


def match_indexed_terms(
    words: Sequence[Word],
    rarity: Mapping[str, float],
    labels: Mapping[str, tuple[str, ...]],
    rest: Collection[str],
    *,
    on_day: bool,
) -> list[TermMatch]:
    """Match words where it is known which parts have which terms, and which terms stand around the passage."""
    around = dict.fromkeys(rest, (REST_LABEL,))
    found = []
    for word in words:
        rare = rarity.get(word.term, 0.0) * word.weight
        match = _match_word(word, rare, labels, on_day=on_day)
        found.append(match if match.share else _match_word(word, rare, around, on_day=on_day))
    return found


def _match_word(word: Word, rarity: float, labels: Mapping[str, tuple[str, ...]], *, on_day: bool) -> TermMatch:
    if on_day and word.is_date:
        return TermMatch(word.term, rarity, (DAY_LABEL,), share=1.0)
    if places := labels.get(word.term):
        return _make_match(word.term, rarity, places, "", 1.0)
    term, share, best, places = "", 0.0, 0.0, ()
    for other, part in word.others:
        found = labels.get(other)
        if found and (counted := _saturated_share(part, found)) > best:
            term, share, best, places = other, part, counted, found
    return _make_match(word.term, rarity, places, term, share)


@lru_cache(maxsize=1_024)
def _make_match(term: str, rarity: float, places: tuple[str, ...], said: str, share: float) -> TermMatch:
    """Return a match; memories mostly match a word in the same few ways, so each is made once."""
    return TermMatch(term, rarity, places, said, _saturated_share(share, places) if places else 0.0)


def _saturated_share(share: float, places: tuple[str, ...]) -> float:
    saturated = share * (_SATURATION + 1) / (share + _SATURATION)
    return saturated * _IN_THE_REST if places == (REST_LABEL,) else saturated


def similarity(matches: Sequence[TermMatch]) -> float:
    """Return how much of the question is matched, rare words counting more, as the chance of an answer."""
    share, covered = _coverage(matches)
    return 1 / (1 + exp(_DOUBT - _COVERAGE * share)) if covered else 0.0


def conversation_similarity(matches: Sequence[TermMatch]) -> float:
    """Return the similarity on the scale of conversations, to sort both in one order."""
    share, covered = _coverage(matches)
    return 1 / (1 + exp(_DOUBT_BESIDE_TALK - _COVERAGE * share - _MASS_BESIDE_TALK * covered)) if covered else 0.0


def _coverage(matches: Sequence[TermMatch]) -> tuple[float, float]:
    """Return the share of a question that is matched, and how much that is."""
    whole = covered = 0.0
    for one in matches:
        whole += one.rarity
        covered += one.rarity * one.share
    return (covered / whole if covered else 0.0), covered


def highest_similarity(
    words: Iterable[Word], rarity: Mapping[str, float], labels: Collection[str], *, on_day: bool
) -> float:
    """Return the highest similarity of a memory that has some terms, wherever they stand."""
    whole = covered = 0.0
    for word in words:
        worth = rarity.get(word.term, 0.0) * word.weight
        whole += worth
        if word.term in labels or (on_day and word.is_date):
            covered += worth
        else:
            shares = (_saturated_share(share, ()) for term, share in word.others if term in labels)
            covered += worth * max(shares, default=0.0)
    return 1 / (1 + exp(_DOUBT - _COVERAGE * covered / whole)) if covered else 0.0
