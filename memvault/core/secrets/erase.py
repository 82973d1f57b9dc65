"""Taking what was forgotten for good out of a text, and leaving the rest as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import normalize

FORGOTTEN = "[forgotten]"

IsForgotten = Callable[[str], bool]
Erase = Callable[[str], str]

_FEWEST_WORDS = 4  # of a sentence that is looked for by itself: "It rains." is everybody's
_MOST_WORDS = 60  # of a sentence that is looked for within others
MOST = 4096  # what sums of weights are told modulo: so few bits tell nothing of the words
_WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # letters of scripts that put no spaces between words
_WORDS = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
_PARAGRAPHS = re.compile(r"(\n[ \t]*\n+)")
_LINES = re.compile(r"(\n)")
_SENTENCES = re.compile(r"((?<=[.!?…。！？])[\"'”’)\]]*\s+|(?<=[。！？]))")
_LEVELS = (_PARAGRAPHS, _LINES, _SENTENCES)


def sentences(text: str) -> tuple[str, ...]:
    """A text and those of its parts that would be known again: its paragraphs, lines and longer sentences."""
    return tuple(dict.fromkeys(part.strip() for part in (text, *_parts(text, 0)) if part.strip()))


def erased(text: str, is_forgotten: IsForgotten) -> str:
    """A text without what was forgotten: the whole of it, or a paragraph, a line, a sentence."""
    return _erased(text, is_forgotten, 0) if text.strip() else text


def _erased(text: str, is_forgotten: IsForgotten, level: int) -> str:
    bare = text.strip()
    if not bare or bare == FORGOTTEN:
        return text
    if (level < len(_LEVELS) or is_long(bare)) and is_forgotten(bare):
        return text.replace(bare, FORGOTTEN)
    if level == len(_LEVELS):
        return text
    pieces = _LEVELS[level].split(text)
    if len(pieces) == 1:
        return _erased(text, is_forgotten, level + 1) if level + 1 < len(_LEVELS) else text
    return "".join(
        piece if number % 2 else _erased(piece, is_forgotten, level + 1) for number, piece in enumerate(pieces)
    )


def _parts(text: str, level: int) -> Iterator[str]:
    if level == len(_LEVELS):
        return
    for piece in _LEVELS[level].split(text)[::2]:
        if level + 1 < len(_LEVELS) or is_long(piece):
            yield piece
        yield from _parts(piece, level + 1)


def is_long(text: str) -> bool:
    """Whether a sentence is long enough to be somebody's own; where no spaces are written, letters are counted."""
    return len(text.split(None, _FEWEST_WORDS)) > _FEWEST_WORDS or (
        len(text.encode()) > 2 * len(text) and len(text) > 8
    )


# -- a sentence within another


@dataclass(frozen=True, slots=True)
class Runs:
    """Sentences known by their words alone, wherever they stand, whatever stands between and around the words.

    A sum of the words' weights is looked at first, as most runs of words are nobody's.
    """

    sums: Mapping[int, Collection[int]]  # of how many words -> the sums
    weigh: Callable[[str], int]
    is_one: Callable[[str], bool]

    def found(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where each stands in a text, and its words."""
        places = list(_WORDS.finditer(text)) if self.sums else []
        words = [_word(place[0]) for place in places]
        totals = list(accumulate(map(self.weigh, words), initial=0))
        for count in sorted(self.sums, reverse=True):
            wanted = self.sums[count]
            for start in range(len(words) - count + 1):
                if (totals[start + count] - totals[start]) % MOST in wanted:
                    run = " ".join(words[start : start + count])
                    if self.is_one(run):
                        yield places[start].start(), places[start + count - 1].end(), run

    def erased(self, text: str) -> str:
        """A text without them."""
        pieces, at = [], 0
        for start, end, _ in sorted(self.found(text)):
            if start >= at:
                pieces += [text[at:start], FORGOTTEN]
            at = max(at, end)
        return "".join((*pieces, text[at:]))


def runs(text: str) -> dict[str, int]:
    """The words of each sentence of a text that is long enough to be known by them, and how many they are."""
    found = {}
    for part in sentences(text):
        words = wording(part)
        if _FEWEST_WORDS < len(words) <= _MOST_WORDS and is_long(part):
            found[" ".join(words)] = len(words)
    return found


def wording(text: str) -> list[str]:
    """The words of a text by which it is known, whatever stands between and around them."""
    return [_word(place[0]) for place in _WORDS.finditer(text)]


def _word(text: str) -> str:
    return normalize("NFKC", text).casefold()
