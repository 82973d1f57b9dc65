"""Hits that say the same, so that one stands for all of them."""

from __future__ import annotations

import re

ALIKE = 0.85  # of the words of both together
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


def holds(longer: str, shorter: str) -> bool:
    """Whether a text says, word for word, all that another says, where that is more than a few words."""
    said = _line(shorter)
    return said.count(" ") > _FEWEST and said in _line(longer)


def _line(text: str) -> str:
    words = " ".join(re.findall(r"[^\W_]+", text.casefold()))
    return f" {words} "
