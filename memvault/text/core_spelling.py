"""How words are spelled: their singular, and how many corrections lead from one spelling to another."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SHORTEST_PLURAL = 4
_IRREGULAR: Mapping[str, str] = MappingProxyType(
    {
        "analyses": "analysis",
        "appendices": "appendix",
        "children": "child",
        "crises": "crisis",
        "criteria": "criterion",
        "hypotheses": "hypothesis",
        "indices": "index",
        "matrices": "matrix",
        "men": "man",
        "mice": "mouse",
        "people": "person",
        "theses": "thesis",
        "vertices": "vertex",
        "women": "woman",
        "aliases": "alias",
        "atlases": "atlas",
        "biases": "bias",
        "bonuses": "bonus",
        "buses": "bus",
        "campuses": "campus",
        "canvases": "canvas",
        "gases": "gas",
        "lenses": "lens",
        "statuses": "status",
        "viruses": "virus",
    }
)
_NO_PLURALS = frozenset(
    (
        "alias",
        "always",
        "atlas",
        "bias",
        "canvas",
        "https",
        "ios",
        "jeans",
        "lens",
        "news",
        "pandas",
        "rails",
        "series",
        "species",
        "windows",
    )
)
_HISSING = ("che", "she", "sse", "xe", "ze")


def singular(word: str) -> str:
    """One form for an English word and its plural, to compare by; it need not be a word itself."""
    word = _IRREGULAR.get(word, word)
    if len(word) < _SHORTEST_PLURAL or word in _NO_PLURALS or not word.isascii():
        return word
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if len(word) < _SHORTEST_PLURAL:
        return word
    # Library and cookie, box and cache: their plurals do not tell them apart.
    return f"{word[:-2]}y" if word.endswith("ie") else word.removesuffix("e") if word.endswith(_HISSING) else word


def edits(one: str, other: str, *, most: int) -> int:
    """Letters put in, left out, changed or swapped with the next; more than `most` is not counted out."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    start = _common(one, other)
    end = _common(one[start:][::-1], other[start:][::-1])
    one, other = one[start : len(one) - end], other[start : len(other) - end]
    if not one or not other:
        return len(one) + len(other)
    # What is left begins and ends with a difference, and each correction mends two ends at most.
    if most == 1:
        return 1 if len(one) == len(other) == 1 or (len(one) == 2 and one == other[::-1]) else 2
    return _counted(one, other, most)


def _common(one: str, other: str) -> int:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _counted(one: str, other: str, most: int) -> int:
    """Row by row: what it takes to make each beginning of the other of a beginning of the one."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        now = [row]
        for column, wanted in enumerate(other, start=1):
            cost = min(last[column] + 1, now[column - 1] + 1, last[column - 1] + (letter != wanted))
            swapped = row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted
            now.append(min(cost, before[column - 2] + 1) if swapped else cost)
        if min(now) > most:
            return most + 1
        before, last = last, now
    return last[-1]
