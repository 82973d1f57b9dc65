"""A text as the things it says, each with what must be known to understand it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memvault.core.similarity.outline import Piece, outline, plain
from memvault.core.similarity.sentences import substance, topic, weigh
from memvault.text.markdown import Sort
from memvault.text.sentence.reading import telling, terms
from memvault.text.sentence.terms import Sort as TermSort
from memvault.text.sentence.terms import Term
from memvault.text.sentence.wording import POINTERS

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
def statements(text: str) -> tuple[Statement, ...]:
    """All that a text says, in order."""
    return read_statements(text)


def read_statements(text: str) -> tuple[Statement, ...]:
    """All that a text says, in order, read anew: for whoever keeps the readings."""
    return tuple(_statements(outline(text)))


def _statements(pieces: tuple[Piece, ...]) -> Iterator[Statement]:
    before: Sense = ()
    for piece in pieces:
        found = () if piece.sort is Sort.CODE else terms(" ".join(piece.text.split()))
        told = telling(found)
        sense = _sense(piece, told)
        is_prose = piece.sort is Sort.PROSE
        words = _lines(piece.text) if piece.sort is Sort.CODE else substance(found)
        yield Statement(
            text=piece.text,
            sense=sense,
            under=tuple(map(_name, piece.above)),
            before=before if is_prose and _points_back(found, told) else None,
            terms=found,
            substance=words,
            topic=topic(found) if found else words,
            weight=max(_LEAST_WEIGHT, weigh(words)),
            number=piece.number,
            is_step=piece.is_step,
            noted=piece.noted,
        )
        before = sense if is_prose else ()


def _sense(piece: Piece, told: tuple[Term, ...]) -> Sense:
    match piece.sort:
        case Sort.CODE:
            return ("```", piece.text)
        case Sort.TABLE:
            return ("|", *(_name(cell) for cell in _CELL_END.split(piece.text.strip().strip("|"))))
        case Sort.HEADING:
            return ("#", _name(piece.text))
        case Sort.PROSE | Sort.ITEM:
            return tuple(term.key for term in told) or (plain(piece.text),)


@lru_cache(maxsize=1_024)
def _name(text: str) -> str:
    """A heading or the like in a form that is equal for other spellings."""
    return " ".join(term.key for term in telling(terms(" ".join(text.split())))) or plain(text)


def _points_back(found: tuple[Term, ...], told: tuple[Term, ...]) -> bool:
    words = sum(term.sort is not TermSort.SIGN for term in told)
    return words < _FEWEST_WORDS or found[0].text.casefold() in POINTERS


def _lines(code: str) -> frozenset[str]:
    return frozenset(line.strip() for line in code.split("\n") if line.strip())
