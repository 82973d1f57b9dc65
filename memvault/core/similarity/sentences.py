"""Statements: what each is about, as a set of words, with near synonyms as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memvault.core.similarity.outline import TextPiece, plain_text, read_pieces
from memvault.text.markdown import BlockKind as MarkdownSort
from memvault.text.sentence.opposites import DENIALS, dense_sides, opposite_sides, remove_denials
from memvault.text.sentence.reading import read_terms, significant_terms
from memvault.text.sentence.terms import Term, TermKind, is_german
from memvault.text.sentence.terms import TermKind as TermSort
from memvault.text.sentence.wording import GENERIC, REFERRING_WORDS, loose_stem

# Where it is asked what two sentences are about, it does not matter how many, when or whether.
_MASKS = {
    TermKind.NUMBER: "#number",
    TermKind.VERSION: "#number",
    TermKind.DATE: "#date",
    TermKind.TIME: "#time",
    TermKind.PATH: "#path",
    TermKind.NAME: "#name",
    TermKind.UNIT: "",
    TermKind.SIGN: "",
}
_GENERIC_WEIGHT, _MASK_WEIGHT, _DENSE_WEIGHT, _GRAMMAR_WEIGHT = 0.4, 0.7, 0.5, 0.2
_DENSE_MARK = "~"


def content_terms(terms: Iterable[Term]) -> frozenset[str]:
    """Return the words that carry what the terms say."""
    found: set[str] = set()
    for term in terms:
        if term.kind is TermKind.WORD and not term.dense:
            found.add(_content_form(term.key))
        else:
            found.update(_content_marks(term))
    return frozenset(found - {""})


def topic_terms(terms: Sequence[Term]) -> frozenset[str]:
    """Return what the terms speak of, leaving open amounts, dates, names and opposites."""
    german = is_german(terms)
    found: set[str] = set()
    for place, term in enumerate(terms):
        if place and term.capital and not german:
            found.add("#name")
        elif term.kind is TermKind.WORD and not term.dense:
            found.add(_topic_form(term.key))
        else:
            found.update(_topic_marks(term))
    return frozenset(found - {""})


def weigh_words(words: Iterable[str]) -> float:
    """Return how much it tells that these words are shared."""
    return sum(map(word_weight, words))


@lru_cache(maxsize=16_384)
def word_weight(word: str) -> float:
    """Return how much it tells that this word is shared."""
    if word[0] == "#":
        return _MASK_WEIGHT
    if word[0] == _DENSE_MARK:
        # Japanese characters of this range are endings and particles rather than words.
        is_grammar = all("\u3041" <= character <= "\u309f" for character in word[1:])
        return _GRAMMAR_WEIGHT if is_grammar else _DENSE_WEIGHT
    return _GENERIC_WEIGHT if word in GENERIC else 1.0


@lru_cache(maxsize=16_384)
def _content_form(word: str) -> str:
    return "not" if word in DENIALS else loose_stem(word)


@lru_cache(maxsize=16_384)
def _topic_form(word: str) -> str:
    places = opposite_sides(word)
    if not places:
        return "" if word in DENIALS else loose_stem(word)
    is_open = all(place.kind is TermKind.QUANTIFIER for place in places)
    return "" if is_open or word in DENIALS or not loose_stem(word) else f"#{places[0].line}"


def _content_marks(term: Term) -> Iterable[str]:
    if term.dense:
        return _character_pairs(term.key)
    if term.kind is TermKind.NAME:
        return (loose_stem(word) if word.isalpha() else word for word in term.key.split())
    return () if term.kind is TermKind.SIGN else (term.key,)


def _topic_marks(term: Term) -> Iterable[str]:
    if term.dense:
        return _dense_topics(term.key)
    return (_MASKS[term.kind],)


def _dense_topics(run: str) -> Iterator[str]:
    for word, place in dense_sides(run).items():
        run = run.replace(word, " ")
        yield f"#{place.line}"
    for part in remove_denials(run).split():
        yield from _character_pairs(part)


def _character_pairs(run: str) -> Iterator[str]:
    for start in range(max(1, len(run) - 1)):
        yield _DENSE_MARK + run[start : start + 2]


# The statements of a text, each with what is needed to understand it.

_LEAST_WEIGHT = 0.5
_FEWEST_WORDS = 3  # what says less than that is understood from what stands before it

_CELL_END = re.compile(r"(?<!\\)\|")

Sense = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing a text says."""

    text: str
    sense: Sense  # equal for statements that say the same in other spellings
    under: Sense  # the headings, items and table heads it stands under
    before: Sense | None  # what it follows, where it cannot be understood alone
    terms: tuple[Term, ...]
    substance: frozenset[str]
    topic: frozenset[str]
    weight: float
    number: int
    is_step: bool
    noted: bool


@lru_cache(maxsize=128)
def cached_statements(text: str) -> tuple[Statement, ...]:
    """Return all statements of a text, in order."""
    return read_statements(text)


def read_statements(text: str) -> tuple[Statement, ...]:
    """Return all statements of a text, in order, without the cache: for a caller that has its own."""
    return tuple(_build_statements(read_pieces(text)))


def _build_statements(pieces: tuple[TextPiece, ...]) -> Iterator[Statement]:
    before: Sense = ()
    for piece in pieces:
        found = () if piece.sort is MarkdownSort.CODE else read_terms(" ".join(piece.text.split()))
        significant = significant_terms(found)
        sense = _sense_key(piece, significant)
        is_prose = piece.sort is MarkdownSort.PROSE
        lines = (line.strip() for line in piece.text.split("\n"))
        words = frozenset(filter(None, lines)) if piece.sort is MarkdownSort.CODE else content_terms(found)
        yield Statement(
            text=piece.text,
            sense=sense,
            under=tuple(map(_plain_name, piece.context_lines)),
            before=before if is_prose and _points_back(found, significant) else None,
            terms=found,
            substance=words,
            topic=topic_terms(found) if found else words,
            weight=max(_LEAST_WEIGHT, weigh_words(words)),
            number=piece.number,
            is_step=piece.is_step,
            noted=piece.noted,
        )
        before = sense if is_prose else ()


def _sense_key(piece: TextPiece, significant: tuple[Term, ...]) -> Sense:
    match piece.sort:
        case MarkdownSort.CODE:
            return ("```", piece.text)
        case MarkdownSort.TABLE:
            return ("|", *(_plain_name(cell) for cell in _CELL_END.split(piece.text.strip().strip("|"))))
        case MarkdownSort.HEADING:
            return ("#", _plain_name(piece.text))
        case MarkdownSort.PROSE | MarkdownSort.ITEM:
            return tuple(term.key for term in significant) or (plain_text(piece.text),)


@lru_cache(maxsize=1_024)
def _plain_name(text: str) -> str:
    """Return a heading or the like in a form that is equal for other spellings."""
    return " ".join(term.key for term in significant_terms(read_terms(" ".join(text.split())))) or plain_text(text)


def _points_back(found: tuple[Term, ...], significant: tuple[Term, ...]) -> bool:
    words = sum(term.kind is not TermSort.SIGN for term in significant)
    return words < _FEWEST_WORDS or found[0].text.casefold() in REFERRING_WORDS
