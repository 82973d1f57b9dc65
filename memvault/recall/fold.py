"""Hits that say the same, so that one stands for all of them."""

from __future__ import annotations

import re
from typing import NamedTuple

ALIKE = 0.85  # of the words of both together
_APART = (1 - ALIKE) / (1 + ALIKE) + 1e-9  # of the words of the one and those of the other, if they are alike
_MARKS = 1_024
_FEWEST = 4  # words that two texts may share by chance

_DENIALS = """
no not never none don't doesn't didn't isn't wasn't can't won't nicht kein keine keinen nie niemals ne pas jamais sans
nunca sin
"""
_TURNS_ROUND = frozenset(_DENIALS.split())

Wording = frozenset[str]


def wording(title: str, body: str) -> Wording:
    """The words of a memory, by which others are told to be alike."""
    return frozenset(f"{title} {body}".casefold().split())


def are_alike(one: Wording, other: Wording) -> bool:
    """Whether two memories say the same: nearly all words are, and none of the rest is a number or turns it round."""
    fewer, more = sorted((len(one), len(other)))
    if not more or fewer < ALIKE * more:
        return False
    shared = len(one & other)
    if shared < ALIKE * (fewer + more - shared):
        return False
    rest = one ^ other
    return not any(word in _TURNS_ROUND or any(char.isdigit() for char in word) for word in rest)


class Outline(NamedTuple):
    """Of a wording how many words there are, and a byte for each number that any of them is hashed to."""

    words: int
    marks: int
    bits: int  # how many of the marks are set


def outline(said: Wording) -> Outline:
    """What a wording takes hundreds of times the room to say: good within one process, where a word keeps its hash."""
    marks = bytearray(_MARKS)
    for number in map(hash, said):
        marks[number % _MARKS] = 1
    return Outline(len(said), int.from_bytes(marks, "little"), marks.count(1))


def may_be_alike(one: Outline, other: Outline) -> bool:
    """Whether two memories can say the same: each number that only one of them has is of a word that only one has."""
    most = _APART * (one.words + other.words)
    return abs(one.bits - other.bits) <= most and (one.marks ^ other.marks).bit_count() <= most


def holds(longer: str, shorter: str) -> bool:
    """Whether a text says, word for word, all that another says, where that is more than a few words."""
    said = _line(shorter)
    return said.count(" ") > _FEWEST and said in _line(longer)


def _line(text: str) -> str:
    words = " ".join(re.findall(r"[^\W_]+", text.casefold()))
    return f" {words} "
