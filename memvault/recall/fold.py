"""Fold hits that say the same, so that one stands for all of them."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import NamedTuple

from memvault.core.memory import Memory
from memvault.storage.vault.context import VaultContext

ALIKE_SHARE = 0.85  # of the words of both together
# The most of the words of the one and those of the other that only one of them has, if they are alike.
_APART = (1 - ALIKE_SHARE) / (1 + ALIKE_SHARE) + 1e-9
_MARKS = 1_024
_LONGEST = 262_144  # characters that are compared
_FEWEST = 4  # words that two texts may share by chance

_WORD = r"[^\W_]+"
_DENIALS = """
no not never none don't doesn't didn't isn't wasn't can't won't nicht kein keine keinen nie niemals ne pas jamais sans
nunca sin
"""
_TURNS_ROUND = frozenset(_DENIALS.split())

WordSet = frozenset[str]


def content_words(title: str, body: str) -> WordSet:
    """Return the words of a memory, by which duplicates are recognized."""
    words = f"{title} {body[:_LONGEST]}".casefold().split()
    if len(body) > _LONGEST:
        words.append(str(len(body)))  # a number: texts that go on differently are no duplicates
    return frozenset(words)


def are_alike(one: WordSet, other: WordSet) -> bool:
    """Return whether two memories share nearly all words, and none of the rest is a number or a denial."""
    fewer, more = sorted((len(one), len(other)))
    if not more or fewer < ALIKE_SHARE * more:
        return False
    shared = len(one & other)
    if shared < ALIKE_SHARE * (fewer + more - shared):
        return False
    rest = one ^ other
    return not any(word in _TURNS_ROUND or any(char.isdigit() for char in word) for word in rest)


class WordOutline(NamedTuple):
    """The number of words, and a byte for each number that any of them hashes to."""

    words: int
    marks: int
    bits: int  # how many of the marks are set


def outline_words(words: WordSet) -> WordOutline:
    """Return a short form of many words: valid within one process, where a word keeps its hash."""
    marks = bytearray(_MARKS)
    for number in map(hash, words):
        marks[number % _MARKS] = 1
    return WordOutline(len(words), int.from_bytes(marks, "little"), marks.count(1))


def may_be_alike(one: WordOutline, other: WordOutline) -> bool:
    """Return whether two memories can be duplicates: they differ in few enough of the hashed words."""
    most = _APART * (one.words + other.words)
    return abs(one.bits - other.bits) <= most and (one.marks ^ other.marks).bit_count() <= most


def overlaps(one: str, other: str) -> bool:
    """Return whether one of two texts contains the other word for word, if that is more than a few words."""
    lines = (f" {' '.join(re.findall(_WORD, text.casefold()))} " for text in (one, other))
    shorter, longer = sorted(lines, key=len)
    return shorter.count(" ") > _FEWEST and shorter in longer


# Find duplicates without splitting texts that were seen before.

_SIZE = 1_500  # bytes of an outline


class DuplicateFilter:
    """A filter that recognizes memories that say the same, in the order in which they come."""

    def __init__(self, context: VaultContext) -> None:
        self._known = context.index.texts
        self._texts: list[tuple[str, str]] = []
        self._outlines: list[WordOutline] = []
        self._words: dict[int, WordSet] = {}

    def find_duplicate(self, memory: Memory, body: str, mark: Hashable) -> int | None:
        """Add a memory; return the place of the first one before it that says the same. A mark stands for its text."""
        place = len(self._texts)
        self._texts.append((memory.title, body))
        own: WordOutline | None = None if mark is None else self._known.get((mark, "outline"))
        if own is None:
            own = outline_words(self._get_words(place))
            if mark is not None:
                self._known.put((mark, "outline"), own, size=_SIZE)
        likely = [at for at, other in enumerate(self._outlines) if may_be_alike(own, other)]
        self._outlines.append(own)
        return next((at for at in likely if are_alike(self._get_words(at), self._get_words(place))), None)

    def drop_last(self) -> None:
        """Remove the last one: another stands for it."""
        self._texts.pop()
        self._outlines.pop()
        self._words.pop(len(self._texts), None)

    def _get_words(self, place: int) -> WordSet:
        if place not in self._words:
            self._words[place] = content_words(*self._texts[place])
        return self._words[place]
