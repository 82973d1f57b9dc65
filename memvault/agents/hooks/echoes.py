"""Whether what a memory says shows in an answer: the telling words of one of its sentences are said there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memvault.text.chatter import EMPTY
from memvault.text.markdown import sentences
from memvault.text.stem import stem
from memvault.text.words import tokens

LEAST_SHARE = 0.5
"""Of what the telling words of a sentence are worth, so much must be said in the answer."""

_LEAST_WORDS = 2  # a single word may stand there by chance, unless it is a number or a name with one in it
_LONGEST = 20_000

Rarity = Callable[[Sequence[str]], Mapping[str, float]]


def shows(memory: str, answer: str, *, asked: str = "", rarity: Rarity) -> bool:
    """Whether an answer says what a memory says, beyond the words that the question had already."""
    said = _telling(answer[:_LONGEST])
    known = _telling(asked[:_LONGEST])
    text = memory[:_LONGEST]
    for start, end in sentences(text):
        new = _telling(text[start:end]) - known
        if new and _is_said(new, said, rarity):
            return True
    return False


def _is_said(words: set[str], said: set[str], rarity: Rarity) -> bool:
    found = words & said
    if len(found) < _LEAST_WORDS and not any(_has_digit(word) for word in found):
        return False
    worth = rarity(sorted(words))
    whole = sum(worth[word] for word in words)
    return whole > 0 and sum(worth[word] for word in found) >= LEAST_SHARE * whole


def _telling(text: str) -> set[str]:
    """The stems of the words that say something; a number of one digit says little."""
    return {stem(token) for token in tokens(text) if token not in EMPTY and (len(token) > 1 or not token.isascii())}


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)
