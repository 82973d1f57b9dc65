"""Compare texts by what their words mean, through a shipped table of English words.

The table (`word_vectors.bin`) holds, one after the other: the words, a line each; an empty line; the length of each
word's vector; its directions, four bits each. It is made from all-MiniLM-L6-v2 (Apache License 2.0, beside it).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from math import sqrt
from operator import mul
from pathlib import Path

DIMENSIONS = 64
TABLE = Path(__file__).with_name("word_vectors.bin")

Vector = Sequence[float]

_WORD = re.compile(r"[^\W\d_]+")
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ly")
_LEAST_KNOWN = 0.5  # share of a text's words: below it the text is in another language, or no prose
_ZERO_LEVEL = 8


def compare_meaning(one: str, other: str) -> float:
    """Return how near two texts are by the meanings of their words, -1 to 1; 0 where one has no meaning here."""
    return compare_vectors(text_vector(one), text_vector(other))


def compare_vectors(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors of length one; 0 where one is empty."""
    return sum(map(mul, one, other), 0.0)


@lru_cache(4096)
def text_vector(text: str) -> Vector:
    """Return the sum of a text's word vectors, of length one; empty where most of its words are unknown."""
    words = set(_WORD.findall(text.lower().replace("'s", "").replace("’s", "")))
    known = [vector for word in words if (vector := word_vector(word))]
    if not known or len(known) < _LEAST_KNOWN * len(words):
        return ()
    total = [sum(parts) for parts in zip(*known, strict=True)]
    length = sqrt(sum(map(mul, total, total)))
    return tuple(part / length for part in total) if length else ()


@lru_cache(16384)
def word_vector(word: str) -> Vector:
    """Return a lowercase word's vector, or that of the word without its ending; empty where it is unknown."""
    numbers, scales, levels = _read_table()
    number = numbers.get(word)
    for ending in _ENDINGS:
        if number is None and word.endswith(ending):
            number = numbers.get(word.removesuffix(ending))
    if number is None:
        return ()
    half = DIMENSIONS // 2
    scale = scales[number]
    packed = levels[number * half : (number + 1) * half]
    return tuple((level - _ZERO_LEVEL) * scale for pair in packed for level in (pair >> 4, pair & 15))


@cache
def _read_table() -> tuple[Mapping[str, int], Sequence[float], bytes]:
    data = TABLE.read_bytes()
    end = data.index(b"\n\n")
    words = data[:end].decode().split("\n")
    start = end + 2 + 2 * len(words)
    scales = struct.unpack(f"<{len(words)}e", data[end + 2 : start])
    return {word: number for number, word in enumerate(words)}, scales, data[start:]
