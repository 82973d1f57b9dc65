"""Whether two sentences about the same thing say yes and no: denials, opposites, states and amounts taken together."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memvault.text.sentence.dense import dense_denials, dense_places
from memvault.text.sentence.opposites import DENIALS, Place, are_opposed, places_of
from memvault.text.sentence.tables import words
from memvault.text.sentence.terms import Sort, Term
from memvault.text.sentence.wording import loose

_REACH = 2  # words behind a denial that it concerns

# Behind one of these a denial concerns what follows; elsewhere ("pnpm, not npm") only the next word.
_AUXILIARIES = words(
    "is are am was were be been do does did have has had can could will would shall should may might must need to",
    "ist sind war wird werden kann darf soll muss hat est sont était peut doit ne n es son está puede debe",
)
_DOUBLING = words("unless without ohne sans sin nothing nobody none")
_EXCEPTIONS = words("except excepting excluding außer ausser sauf excepté salvo excepto tranne exceto behalve кроме")
_DENSE_EXCEPTIONS = ("除了", "除外", "を除", "제외")
_CONTRASTING = ("not", "insteadof", "nicht", "pas")


@dataclass(frozen=True, slots=True)
class Turn:
    """A point in which one sentence turns round what the other says."""

    sort: Sort
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class _Denial:
    text: str
    is_implied: bool = False  # by a word such as "forbidden"

    @property
    def can_double(self) -> bool:
        """Whether it takes back another denial: not without."""
        return self.text.casefold() in _DOUBLING


def turns(left: Sequence[Term], right: Sequence[Term]) -> list[Turn]:
    """The points in which two sentences exclude each other; a denial and an opposite cancel out."""
    found = [*_opposites(left, right), *_reversed(left, right), *_excepted(left, right)]
    mine, others = list(_denials(left, right, found)), list(_denials(right, left, found))
    are_guesses = mine and others and all(denial.is_implied for denial in (*mine, *others))
    is_even = len(mine) % 2 == len(others) % 2 and not (_are_plain(mine, others) or _are_plain(others, mine))
    if is_even or are_guesses:
        return found
    cancelled = next((turn for turn in found if turn.sort is not Sort.QUANTIFIER), None)
    if cancelled:
        return [turn for turn in found if turn is not cancelled]
    return [*found, Turn(Sort.NEGATION, _said(mine), _said(others))]


def _are_plain(mine: Sequence[_Denial], others: Sequence[_Denial]) -> bool:
    """Whether several denials stand against none, and are no double denial such as "not unless"."""
    return len(mine) > 1 and not others and not any(denial.is_implied or denial.can_double for denial in mine)


def _said(denials: Iterable[_Denial]) -> str:
    return " ".join(denial.text for denial in denials)


# -- opposites


def _opposites(left: Sequence[Term], right: Sequence[Term]) -> Iterator[Turn]:
    mine, others = _placed(left), _placed(right)
    for line in dict.fromkeys(place.line for place in mine):
        only = _only(line, mine, others)
        against = _only(line, others, mine)
        if only and against:
            yield Turn(only[0].sort, mine[only[0]], others[against[0]])


def _placed(terms: Sequence[Term]) -> dict[Place, str]:
    """The opposites in a sentence, with the text of the first of each."""
    found: dict[Place, str] = {}
    for term in terms:
        if term.dense:
            known = [(place, word) for word, place in dense_places(term.key).items()]
        else:
            known = [(place, term.text) for place in places_of(term.key)]
        for place, text in known:
            found.setdefault(place, text)
    return found


def _only(line: str, mine: Mapping[Place, str], others: Mapping[Place, str]) -> list[Place]:
    return [place for place in mine if place.line == line and place not in others]


def _reversed(left: Sequence[Term], right: Sequence[Term]) -> Iterator[Turn]:
    """Words of which one is the other with a prefix that turns it round."""
    mine = {term.key: term.text for term in left if term.sort is Sort.WORD}
    others = {term.key: term.text for term in right if term.sort is Sort.WORD}
    for key in [key for key in mine if key not in others and not places_of(key)]:
        for other in [other for other in others if other not in mine]:
            if are_opposed(key, other):
                yield Turn(Sort.ANTONYM, mine[key], others[other])


def _excepted(left: Sequence[Term], right: Sequence[Term]) -> Iterator[Turn]:
    """Where only one sentence has an exception."""
    mine, others = _exception(left), _exception(right)
    if bool(mine) != bool(others):
        yield Turn(Sort.QUANTIFIER, mine, others)


def _exception(terms: Iterable[Term]) -> str:
    for term in terms:
        if term.key in _EXCEPTIONS or (term.dense and any(word in term.key for word in _DENSE_EXCEPTIONS)):
            return term.text
    return ""


# -- denials


def _denials(mine: Sequence[Term], others: Sequence[Term], turned: Sequence[Turn]) -> Iterator[_Denial]:
    """The denials in a sentence that concern what the other speaks of too."""
    said = {_root(term) for term in others} - {""}
    lines = {place.line for term in others for place in places_of(term.key)}
    settled = {text for turn in turned for text in (turn.left, turn.right)}
    for number, term in enumerate(mine):
        if term.dense:
            yield from map(_Denial, dense_denials(term.key))
        elif term.key in DENIALS:
            scope = _scope(mine, number)
            known = (_root(other) in said or not lines.isdisjoint(_lines(other)) for other in scope)
            if not scope or any(known):
                yield _Denial(term.text)
        elif term.text not in settled and _denies(term, lines):
            beside = (*_told(mine[number + 1 :])[:_REACH], *_told(mine[:number])[-1:])
            if any(_root(other) in said for other in beside):
                yield _Denial(term.text, is_implied=True)


def _denies(term: Term, lines: Container[str]) -> bool:
    """Whether a word is a denial in itself, as the other sentence has no word of its line to set against it."""
    return any(place.denies and place.line not in lines for place in places_of(term.key))


def _scope(mine: Sequence[Term], number: int) -> list[Term]:
    """The words that a denial concerns: the next ones in its clause, or where none follow, those before it."""
    clause = mine[number].clause
    following = _told([term for term in mine[number + 1 :] if term.clause == clause])
    if not following:
        return _told([term for term in mine[:number] if term.clause == clause])[-_REACH:]
    is_contrast = mine[number].key in _CONTRASTING and number > 0 and mine[number - 1].key not in _AUXILIARIES
    return following[: 1 if is_contrast else _REACH]


def _told(terms: Sequence[Term]) -> list[Term]:
    return [term for term in terms if _root(term)]


def _root(term: Term) -> str:
    return loose(term.key) or ("" if term.sort in (Sort.WORD, Sort.SIGN) else term.key)


def _lines(term: Term) -> Iterator[str]:
    return (place.line for place in places_of(term.key))
