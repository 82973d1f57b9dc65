"""The one analyzer of every search: text to tokens, for indexing and for queries alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from typing import Generic, TypeVar

from memvault.text.characters import EMOJI, FLAG, flatten, origins, shape
from memvault.text.compounds import PLAIN, Span, analysed, spelled
from memvault.text.patterns import pattern
from memvault.text.stem import stem
from memvault.text.stopwords import STOPWORDS

__all__ = [
    "Span",
    "contains_phrase",
    "phrases",
    "query_tokens",
    "spans",
    "stem",
    "stems",
    "tokens",
    "tokens_headed",
]

_Made = TypeVar("_Made")

_CACHE_LIMIT = 65_536
_LONGEST_CACHED = 64

_CHUNK = re.compile(r"\S+")
_QUOTED = (
    r'(?<!\w)"(?=[^\s"])([^"]+)(?<!\s)"(?!\w)|[“„‟”]([^“”„‟]+)[“”‟]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』'
)


class _Chunks(dict[str, tuple[_Made, ...]], Generic[_Made]):
    """What is made of the pieces between spaces: most of a text is the same few thousand of them."""

    def __init__(self, rule: Callable[[str], tuple[_Made, ...]]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, chunk: str) -> tuple[_Made, ...]:
        made = self._rule(chunk)
        if len(chunk) <= _LONGEST_CACHED:
            if len(self) >= _CACHE_LIMIT:
                self.clear()
            self[chunk] = made
        return made


def tokens(text: str) -> list[str]:
    """The tokens of a text in order: its words, the parts of its compounds, and each compound as one."""
    found: list[str] = []
    for chunk in text.split():
        found += _TOKENS[chunk]
    return found


def tokens_headed(text: str, heads: Collection[str]) -> set[str]:
    """The tokens of a text whose first two letters are among some, each once."""
    return {token for chunk in set(text.split()) for token in _TOKENS[chunk] if token[:2] in heads}


def stems(text: str) -> list[str]:
    """The same tokens, each as its stem."""
    return list(chain.from_iterable(map(_STEMS.__getitem__, text.split())))


def spans(text: str) -> Iterator[Span]:
    """The same tokens, each with its place in the text; the place of a compound holds its parts'."""
    for chunk in _CHUNK.finditer(text):
        base = chunk.start()
        if chunk[0].isascii():
            for token, start, end in analysed(chunk[0]):
                yield token, base + start, base + end
        else:
            flat, places = origins(chunk[0])
            for token, start, end in analysed(flat):
                yield token, base + places[start][0], base + places[end - 1][1]


def query_tokens(text: str) -> list[str]:
    """The tokens of a query that tell something: no function words or emoji, unless it has no others."""
    found = tokens(text)
    return [token for token in found if token not in STOPWORDS and not _is_sign(token)] or found


def phrases(text: str) -> list[str]:
    """The phrases that stand in double quotes of any kind."""
    found = (next(filter(None, quoted.groups())).strip() for quoted in pattern(_QUOTED).finditer(text))
    return [phrase for phrase in found if spelled(flatten(phrase))]


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the words of the phrase, unstemmed, stand in the text side by side."""
    wanted = [spellings[-1] for spellings in _units(phrase)]
    plain = flatten(text).casefold().replace("'", "").replace(",", "")
    if not wanted or not all(word in plain for word in wanted):
        return False
    units = _units(text)
    return any(_stands_at(start, wanted, units) for start in range(len(units) - len(wanted) + 1))


def _stands_at(start: int, wanted: list[str], units: list[tuple[str, ...]]) -> bool:
    return all(word in units[start + step] for step, word in enumerate(wanted))


def _units(text: str) -> list[tuple[str, ...]]:
    return [spellings for chunk in text.split() for spellings in _UNITS[chunk]]


def _is_sign(token: str) -> bool:
    return shape(token[0]) in (EMOJI, FLAG)


def _tokens_of(chunk: str) -> tuple[str, ...]:
    plain = PLAIN.fullmatch(chunk) if len(chunk) <= _LONGEST_CACHED else None  # most are a word and nothing else
    return (plain[1].lower(),) if plain else tuple(token for token, _, _ in analysed(flatten(chunk)))


_TOKENS = _Chunks(_tokens_of)
_STEMS = _Chunks(lambda chunk: tuple(map(stem, _tokens_of(chunk))))
_UNITS = _Chunks(lambda chunk: tuple(spelled(flatten(chunk))))
