"""Cues as phrases, and how all of them are looked for in one walk over a text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memvault.core.kinds.guess_rules import PREFIX, Keys, Words

GAP = 8  # words that a `*` may stand for, within one sentence


class Element(NamedTuple):
    """What may stand at one place of a phrase: words and classes, after a gap or at once."""

    keys: Keys
    after_gap: bool


class Phrase(NamedTuple):
    """What is looked for behind a first word, the number by which it is known, and whether it ends a sentence."""

    number: int
    rest: tuple[Element, ...]
    closes: bool


Index = dict[str, list[Phrase]]


class Phrases:
    """Many phrases, found by the word they begin with.

    A phrase is made of words; `a/b` stands for one of several, `word*` for a word's beginning, `*` for a gap, `^` and
    `$` for the ends of a sentence. No phrase takes more than a few steps for each word of a text, whatever it says.
    """

    def __init__(self, phrases: Iterable[tuple[int, str]]) -> None:
        opening: Index = defaultdict(list)
        anywhere: Index = defaultdict(list)
        beginnings: defaultdict[str, set[str]] = defaultdict(set)
        for number, text in phrases:
            parts = text.casefold().split()
            index = opening if parts[0] == "^" else anywhere
            first, *rest = _elements(part for part in parts if part not in ("^", "$"))
            for key in first.keys:
                index[key].append(Phrase(number, tuple(rest), parts[-1] == "$"))
            for key in (key for element in (first, *rest) for key in element.keys if key.endswith("*")):
                beginnings[key[:PREFIX]].add(key[:-1])
        self._opening, self._anywhere = dict(opening), dict(anywhere)
        self._beginnings = {start: tuple(sorted(found)) for start, found in beginnings.items()}

    def found_in(self, words: Words) -> set[int]:
        """The numbers of the phrases that a text holds."""
        self._mark_beginnings(words)
        found: set[int] = set()
        for place, keys in enumerate(words.keys):
            _look(self._anywhere, keys, words, place, found)
            if words.first[place]:
                _look(self._opening, keys, words, place, found)
        return found

    def _mark_beginnings(self, words: Words) -> None:
        for place, form in enumerate(map(str.casefold, words.forms)):
            for beginning in self._beginnings.get(form[:PREFIX], ()):
                if form.startswith(beginning):
                    words.keys[place] |= {f"{beginning}*"}


def _look(index: Index, keys: Keys, words: Words, place: int, found: set[int]) -> None:
    for key in keys:
        if key in index:
            for phrase in index[key]:
                if phrase.number not in found and _follows(phrase, words, place):
                    found.add(phrase.number)


def _elements(parts: Iterable[str]) -> Iterator[Element]:
    gap = False
    for part in parts:
        if part == "*":
            gap = True
            continue
        yield Element(frozenset(part.split("/")), gap)
        gap = False


def _follows(phrase: Phrase, words: Words, place: int, step: int = 0) -> bool:
    """Whether the rest of a phrase stands behind a place, without crossing the end of the sentence."""
    rest, last = phrase.rest, words.last
    while step < len(rest):
        if last[place]:
            return False
        keys, after_gap = rest[step]
        step += 1
        if after_gap:
            return any(_follows(phrase, words, at, step) for at in _places(keys, words, place))
        place += 1
        if keys.isdisjoint(words.keys[place]):
            return False
    return not phrase.closes or last[place]


def _places(keys: Keys, words: Words, place: int) -> Iterator[int]:
    """Where something stands behind a gap, as far as the sentence goes."""
    for at in range(place + 1, place + 2 + GAP):
        if not keys.isdisjoint(words.keys[at]):
            yield at
        if words.last[at]:
            return
