"""The words and facts of a text that carry something, each with its place, its preposition and whether it is denied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memvault.core.similarity.statements import Statement, character_pairs, pair_weight
from memvault.text.sentence.opposites import DENIALS
from memvault.text.sentence.terms import Term, TermKind
from memvault.text.sentence.wording import GENERIC, base_form, loose_stem, word_set
from memvault.text.terms import STOPWORDS

# Words that only join others: which of them a sentence has is a matter of wording.
_JOINING = word_set(
    "because since as so therefore hence thus although though while when whenever once where whether if then than",
    "first finally afterwards also too just again still already even rather quite may might must should can could",
    "shall need whatever whoever whichever every each all any some one ones there here this that these those such own",
    "same until unless before after during within without about along around through across per via toward towards",
    "upon among weil denn da damit dass wenn als ob bis seit um zu nach vor dann auch noch schon immer sich man es",
    "sie er wird haben parce que car quand lorsque si puis ensuite aussi déjà toujours se ne il elle on porque cuando",
    "luego también ya así hay lo nos su sus por para en al del de quien hasta desde est sont le la les l un une des",
    "du d n y ce der die das dem den ein eine einen einem einer ist sind hat am im mit bei el los las ha han",
)
_SLIGHT = word_set(
    "be have do go get come make let take put set give keep stay stand hang lie sit live turn switch back out up down",
    "off over away around always ever together mr mrs ms dr learn note remember",
    "encuentra befindet trouve liegt steht",
)
# Behind one of these a word depends on it: it must not depend on another one in the other text.
_MARKERS = word_set(
    "to from into onto for against with by of in on at under over above below behind before after until since through",
    "via as between near beside inside outside than during for außer mit von vor nach bis für gegen zu aus bei unter",
    "über hinter avec pour par vers chez avant après de con para por hasta desde antes después",
)
# What stands behind one of these is another part, denied or not by itself.
_DIVIDING = word_set(
    "and or but because since as so while when whenever if unless until who which that without than",
    "und oder aber weil wenn dass ohne et ou mais quand si sans qui y o pero cuando sin que",
)
_VERBS = word_set("is are was were has have had can will must may should do does did ist sind hat est a es tiene")
_ARTICLES = word_set(
    "the a an my your his her its our their der die das le la les l un une el los las mi su mein meine"
)
_ORDERING = ("1 rank",)
_REASONS = word_set("because since as so weil denn damit car parce porque")
_DOUBLING = word_set("without unless until ohne sans sin")  # of a denial before it they make an affirmation
SLIGHT = 0.1
"""The weight of a word that says little, such as an auxiliary verb."""

_GENERIC_WEIGHT, _FACT_WEIGHT = 0.4, 1.2


class Token(NamedTuple):
    """One word or fact of a text that carries something, with where it stands."""

    term: Term
    statement: int
    part: int  # of the text, as commas and joining words divide it
    marker: str  # the preposition that it stands behind
    verb_follows: bool
    explains: bool  # behind "because"
    titled: bool  # an article or a possessive stands before it
    denied: bool
    weight: float
    equal: frozenset[str]
    near: frozenset[str]


def without_title(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements of a text without the heading that is its title."""
    return tuple(each for number, each in enumerate(statements) if number or each.sense[:1] != ("#",))


def read_tokens(statements: Sequence[Statement]) -> tuple[Token, ...]:
    """Return the tokens of a text, in order."""
    found: list[Token] = []
    part = 0
    for number, statement in enumerate(statements):
        own = _cached_tokens(statement.terms)
        found += [token._replace(statement=number, part=part + token.part) for token in own]
        part += own[-1].part if own else 0
    return tuple(found)


@lru_cache(maxsize=16_384)
def _cached_tokens(terms: tuple[Term, ...]) -> tuple[Token, ...]:
    return tuple(_read_terms(terms))


def _read_terms(terms: Sequence[Term]) -> Iterator[Token]:
    marker, titled, verb, explains, clause = "", False, False, False, 0
    denied = set(_denied_parts(terms))
    pending: Token | None = None
    step = 0
    for place, term in enumerate(_split_terms(terms)):
        if term.clause != clause or term.key in _DIVIDING:
            step += 1
            clause, marker, explains = term.clause, "", term.key in _REASONS
        if not _carries(term, place):
            titled = term.key in _ARTICLES
            marker = term.key if term.key in _MARKERS else marker
            verb = verb or term.key in _VERBS
            continue
        if pending:
            yield pending._replace(verb_follows=verb)
        weight = _token_weight(term)
        pending = Token(term, 0, 1 + step, marker, False, explains, titled, step in denied, weight, *_meanings(term))
        verb = weight <= SLIGHT
        marker, titled = "" if weight > SLIGHT else marker, False
    if pending:
        yield pending


def _denied_parts(terms: Sequence[Term]) -> Iterator[int]:
    """Yield the numbers of the parts of a statement that are denied; two denials of one thing cancel out."""
    step, clause = 0, 0
    found: list[int] = []
    doubling = False
    for term in terms:
        if term.clause != clause or term.key in _DIVIDING:
            step, clause = step + 1, term.clause
        if term.key in _DOUBLING:
            doubling = True
            found.append(step)
        elif term.key in DENIALS:
            found.append(step)
    if not (doubling and len(found) > 1):
        yield from found


def _split_terms(terms: Sequence[Term]) -> Iterator[Term]:
    """Yield the terms, but code and links word by word, and what has no spaces by pairs of characters."""
    for term in terms:
        if term.dense:
            yield from (term._replace(key=pair) for pair in character_pairs(term.key))
        elif term.kind is TermKind.NAME and (" " in term.key or "[[" in term.key or "`" in term.text):
            for word in term.key.strip("[]`").split():
                kind = TermKind.WORD if word.isalpha() else TermKind.NAME
                yield term._replace(key=word.casefold(), text=word, kind=kind, capital=True)
        else:
            yield term


def _carries(term: Term, place: int) -> bool:
    if term.kind is TermKind.SIGN or term.key in DENIALS:
        return False
    if term.kind is not TermKind.WORD:
        return True
    if len(term.text) == 1 and term.text.isupper() and place and term.text != "I":
        return True  # hall A
    return not (term.key in STOPWORDS or term.key in _JOINING or term.key in _MARKERS)


def _token_weight(term: Term) -> float:
    if term.kind is not TermKind.WORD:
        return SLIGHT if term.key in _ORDERING else _FACT_WEIGHT
    if term.dense:
        return pair_weight(term.key)
    base = base_form(term.key)
    if term.key in _SLIGHT or base in _SLIGHT:
        return SLIGHT
    return _GENERIC_WEIGHT if base in GENERIC else 1.0


def _meanings(term: Term) -> tuple[frozenset[str], frozenset[str]]:
    if term.kind is not TermKind.WORD or term.dense:
        alone = frozenset((term.key,))
        return alone, alone
    base = base_form(term.key)
    return frozenset((base,)), frozenset((base, loose_stem(term.key) or base))
