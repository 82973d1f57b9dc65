"""How alike a memory is to a question, as a number from 0 to 1 that means the same for every question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from memvault.core.query import Word
from memvault.core.words import stem, tokens

REST = "rest"  # the text around the passage
DAY = "day"  # the day on which the memory was made

_IN_THE_REST = 0.6
_SATURATION = 1.2

# The same scale as that of conversations: fitted over questions with answers, and those whose answers were taken away.
_COVERAGE, _MASS, _DOUBT = 7.0, 0.15, 4.2


@dataclass(frozen=True, slots=True)
class Told:
    """How far a memory says one word of a question."""

    term: str
    rarity: float  # how much the word says
    places: tuple[str, ...] = ()  # the parts of the memory that say it
    said: str = ""  # the term that says it, where that is another one
    share: float = 0.0  # how far it is said, from 0 to 1


def told(words: Iterable[Word], rarity: Mapping[str, float], parts: Mapping[str, str], *, on_day: bool) -> list[Told]:
    """For each word of a question, what of it the parts of a memory (title, tags, triggers, text …) say."""
    asked = list(words)
    terms = {term for word in asked for term in (word.term, *(other for other, _ in word.others))}
    initials = {term[:1] for term in terms}
    held: dict[str, tuple[str, ...]] = {}
    for label, text in parts.items():
        if text and label != REST:
            _add(held, label, text, terms, initials)
    found = [_told(word, rarity.get(word.term, 0.0) * word.weight, held, on_day=on_day) for word in asked]
    if all(one.share for one in found) or not parts.get(REST):
        return found
    rest: dict[str, tuple[str, ...]] = {}
    _add(rest, REST, parts[REST], terms, initials)
    pairs = zip(asked, found, strict=True)
    return [one if one.share else _told(word, one.rarity, rest, on_day=on_day) for word, one in pairs]


def _add(held: dict[str, tuple[str, ...]], label: str, text: str, terms: set[str], initials: set[str]) -> None:
    """Note which of the terms a part holds."""
    # A stem begins as its word does, so most words need not be stemmed to be told apart.
    for term in terms.intersection([stem(token) for token in tokens(text) if token[:1] in initials]):
        held[term] = (*held.get(term, ()), label)


def _told(word: Word, rarity: float, held: Mapping[str, tuple[str, ...]], *, on_day: bool) -> Told:
    if on_day and word.is_date:
        return Told(word.term, rarity, (DAY,), share=1.0)
    if places := held.get(word.term):
        return Told(word.term, rarity, places, share=_counted(1.0, places))
    best = Told(word.term, rarity)
    for term, share in word.others:
        places = held.get(term)
        if places and (counted := _counted(share, places)) > best.share:
            best = Told(word.term, rarity, places, term, counted)
    return best


def _counted(share: float, places: tuple[str, ...]) -> float:
    told = share * (_SATURATION + 1) / (share + _SATURATION)
    return told * _IN_THE_REST if places == (REST,) else told


def similarity(found: Sequence[Told]) -> float:
    """How far the question is said, rare words counting for more, as a chance that the memory answers it."""
    whole = sum(one.rarity for one in found)
    covered = sum(one.rarity * one.share for one in found)
    return 1 / (1 + exp(_DOUBT - _COVERAGE * covered / whole - _MASS * covered)) if covered else 0.0
