"""How alike two texts are in meaning: each word is held against the word of the other text that is nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from operator import mul

from memvault.core.similarity.alignment import Alignment, Slot
from memvault.core.similarity.statements import Statements
from memvault.core.similarity.tokens import Token
from memvault.text.sentence.terms import TermKind
from memvault.text.statements.word_vectors import compare_vectors, text_vector, word_vector

_UNRELATED, _RELATED = 0.25, 0.75  # words that are no nearer are strangers; those that are nearer mean the same
_KNOWN_BY = 0.5  # a word as near as this stands for another one
_MOST_WORDS = 48  # a longer text is near to many
_FACT_WEIGHT, _UNKNOWN_WEIGHT = 0.6, 0.5


def measure_likeness(words: Alignment, left: Statements, right: Statements) -> float:
    """Return how alike two texts are as wholes and word by word, up to 1; 0 where one has too few known words."""
    if max(len(words.left), len(words.right)) > _MOST_WORDS:
        return 0.0
    vectors = [text_vector(" ".join(each.text for each in side)) for side in (left, right)]
    if not all(vectors):
        return 0.0
    shares = _soft_share(words.left, words.right, words.pairs) + _soft_share(words.right, words.left, words.inverse)
    return (compare_vectors(*vectors) + shares) / 3


def _soft_share(tokens: Sequence[Token], others: Sequence[Token], paired: dict[int, int]) -> float:
    total = common = 0.0
    for number, token in enumerate(tokens):
        weight = _weigh_token(token)
        total += weight
        common += weight if number in paired else weight * _nearness(token, others)
    return common / total if total else 0.0


def _weigh_token(token: Token) -> float:
    if token.term.kind is not TermKind.WORD:
        return _FACT_WEIGHT
    vector = word_vector(token.term.key)
    return sqrt(sum(map(mul, vector, vector))) if vector else _UNKNOWN_WEIGHT


def _nearness(token: Token, others: Sequence[Token]) -> float:
    """Return how near the nearest of some words is to another one, from 0 to 1."""
    if token.term.kind is not TermKind.WORD:
        return 0.0
    nearest = max(
        (compare_words(token.term.key, other.term.key) for other in others if other.term.kind is TermKind.WORD),
        default=0.0,
    )
    return min(max((nearest - _UNRELATED) / (_RELATED - _UNRELATED), 0.0), 1.0)


@lru_cache(maxsize=65_536)
def compare_words(one: str, other: str) -> float:
    """Return how near two words are in meaning, -1 to 1."""
    mine, its = word_vector(one), word_vector(other)
    if not mine or not its:
        return 0.0
    return compare_vectors(mine, its) / sqrt(sum(map(mul, mine, mine)) * sum(map(mul, its, its)))


def are_strangers(slot: Slot, words: Alignment) -> bool:
    """Return whether in one place each of two texts says something that nothing in the other one is near to."""
    return all(
        any(token.weight >= 0.5 and _nearness(token, others) < _KNOWN_BY for token in side)
        for side, others in ((slot.left, words.right), (slot.right, words.left))
    )
