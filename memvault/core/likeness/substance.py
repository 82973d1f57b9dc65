"""What a statement is about, as a set of words that can be counted: near synonyms as one, function words left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memvault.core.likeness.sentence.dense import dense_places, without_denials
from memvault.core.likeness.sentence.names import is_german
from memvault.core.likeness.sentence.opposites import DENIALS, places_of
from memvault.core.likeness.sentence.terms import Sort, Term
from memvault.core.likeness.sentence.wording import GENERIC, loose

# Where it is asked what two sentences are about, it does not matter how many, when or whether.
_MASKS = {
    Sort.NUMBER: "#number",
    Sort.VERSION: "#number",
    Sort.DATE: "#date",
    Sort.TIME: "#time",
    Sort.PATH: "#path",
    Sort.UNIT: "",
}
_GENERIC_WEIGHT, _MASK_WEIGHT, _DENSE_WEIGHT, _GRAMMAR_WEIGHT = 0.4, 0.7, 0.5, 0.2
_DENSE_MARK = "~"


def substance(terms: Iterable[Term]) -> frozenset[str]:
    """What the terms say."""
    return frozenset(word for term in terms for word in _words(term) if word)


def topic(terms: Sequence[Term]) -> frozenset[str]:
    """What the terms speak of, whatever they say of it: amounts, dates, names and opposites are left open."""
    german = is_german(terms)
    return frozenset(
        word
        for place, term in enumerate(terms)
        for word in (("#name",) if place and term.capital and not german else _topics(term))
        if word
    )


def weigh(words: Iterable[str]) -> float:
    """How much it tells that these words are shared."""
    return sum(map(_weight, words))


def _weight(word: str) -> float:
    if word[0] == "#":
        return _MASK_WEIGHT
    if word[0] == _DENSE_MARK:
        return _GRAMMAR_WEIGHT if _is_grammar(word[1:]) else _DENSE_WEIGHT
    return _GENERIC_WEIGHT if word in GENERIC else 1.0


def _is_grammar(run: str) -> bool:
    """Whether Japanese characters make endings and particles rather than words."""
    return all("\u3041" <= character <= "\u309f" for character in run)


def _words(term: Term) -> Iterator[str]:
    if term.dense:
        yield from _pairs(term.key)
    elif term.sort is Sort.WORD:
        yield "not" if term.key in DENIALS else loose(term.key)
    elif term.sort is Sort.NAME:
        yield from (loose(word) if word.isalpha() else word for word in term.key.split())
    elif term.sort is not Sort.SIGN:
        yield term.key


def _topics(term: Term) -> Iterator[str]:
    if term.sort in _MASKS:
        yield _MASKS[term.sort]
    elif term.dense:
        yield from _dense_topics(term.key)
    elif term.sort is not Sort.WORD:
        yield "" if term.sort is Sort.SIGN else "#name"
    elif term.key not in DENIALS:
        places = places_of(term.key)
        if not places:
            yield loose(term.key)
        elif loose(term.key) and any(place.sort is not Sort.QUANTIFIER for place in places):
            yield f"#{places[0].line}"


def _dense_topics(run: str) -> Iterator[str]:
    for word, place in dense_places(run).items():
        run = run.replace(word, " ")
        yield f"#{place.line}"
    for part in without_denials(run).split():
        yield from _pairs(part)


def _pairs(run: str) -> Iterator[str]:
    for start in range(max(1, len(run) - 1)):
        yield _DENSE_MARK + run[start : start + 2]
