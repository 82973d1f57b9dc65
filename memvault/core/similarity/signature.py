"""What a text is known by among many: hashes of its telling words, and a few marks that survive edits."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, combinations
from operator import xor
from zlib import crc32

from memvault.text.stopwords import STOPWORDS
from memvault.text.words import tokens

# A text's smallest hashes of neighbouring words survive edits and re-ordered sentences; pairs among its rarest
# words survive another wording.
_SKETCH = 16
_RAREST = 6
_MOST_WORDS = 192
_LONG = 120

LINE = 7
"""Words up to which a text is so short that each of them counts."""

_ROOT = 7  # letters
_SHORTEST_INFLECTED = 3
_ENDING = re.compile(r"(?:ing|ed|es|s|e|y|en)$")

_WORD = (1 << 32) - 1
_STIR = 0x9E3779B97F4A7C15
_CACHE_LIMIT = 65_536
_AROUND = '.,;:!?"()[]*_'


class Hashes(dict[str, tuple[int, ...]]):
    """For each piece of text without spaces, the hashed stems of its telling words, worked out once."""

    def __missing__(self, piece: str) -> tuple[int, ...]:
        hashes: tuple[int, ...]
        bare = piece.strip(_AROUND).lower()
        if bare.isascii() and bare.isalpha():
            hashes = () if bare in STOPWORDS else (_hash(_root(bare)),)
        else:
            hashes = tuple(_hash(_root(token)) for token in tokens(piece) if token not in STOPWORDS)
        if len(self) < _CACHE_LIMIT:
            self[piece] = hashes
        return hashes

    def but_one(self, text: str) -> Iterator[int]:
        """The marks of a line with any one of its pieces left out: one of them is common to two that differ in one."""
        pieces = {reduce(xor, found) for found in map(self.__getitem__, text.split()) if found}
        # Stirred, or two pieces left would be counted as neighbours.
        rest = reduce(xor, pieces, _STIR & _WORD)
        return (rest ^ piece for piece in pieces)

    def of(self, text: str) -> list[int]:
        """The hashes of a text's telling words, in order."""
        return list(chain.from_iterable(map(self.__getitem__, text.split())))


def _root(word: str) -> str:
    # A true stem costs twenty times as much and finds no pair more.
    return _ENDING.sub("", word)[:_ROOT] if len(word) > _SHORTEST_INFLECTED else word


def _hash(word: str) -> int:
    # The checksum is linear in its bits: sums of it would meet by themselves unless it is stirred.
    return (crc32(word.encode("utf-8", "surrogatepass")) * _STIR >> 24) & _WORD


def distinct(words: Iterable[int]) -> array[int]:
    """Each word once; of a very long text a sample, the same words wherever they occur."""
    found = set(words)
    return array("I", found if len(found) <= _MOST_WORDS else sorted(found)[:_MOST_WORDS])


def sketch(words: list[int]) -> list[int]:
    """The marks of the order of the words: of all pairs of neighbours, those with the smallest hashes."""
    return sorted(set(map(xor, words, words[1:])))[:_SKETCH]


class Rarity:
    """The words that stand in more texts than one, from the rarest to the commonest."""

    def __init__(self, frequency: Mapping[int, int]) -> None:
        shared = sorted((count, word) for word, count in frequency.items() if count > 1)
        self._words = array("I", (word for _, word in shared))
        self._ranks = {word: rank for rank, word in enumerate(self._words, 1)}

    def marks(self, words: Sequence[int]) -> Iterator[int]:
        """The marks of the choice of words: the pairs among a text's rarest; of a line each word.

        A long text has none: in it so few words would be left to chance, and nobody writes it again from memory.
        """
        if len(words) > _LONG:
            return
        if len(words) <= LINE:
            yield from words
        rarest = sorted(filter(None, map(self._ranks.get, words)))[:_RAREST]
        for left, right in combinations(rarest, 2):
            # Turned over, or neighbours in the text would be counted twice.
            yield self._words[left - 1] ^ self._words[right - 1] ^ _WORD


def whole(text: str) -> int:
    """The mark of a text as such, for one too short to have others."""
    return _hash(" ".join(text.casefold().split()))
