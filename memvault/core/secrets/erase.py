"""Erase purged text from other texts, and redact secrets in errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import normalize

from memvault.core.secrets import scan as leaks
from memvault.core.secrets.screens import normalize_content
from memvault.errors import MemvaultError

FORGOTTEN_MARK = "[forgotten]"

IsForgotten = Callable[[str], bool]
Erase = Callable[[str], str]

_FEWEST_WORDS = 4  # of a sentence that is searched alone: "It rains." is nobody's own
_MOST_WORDS = 60  # of a sentence that is looked for within others
MOST = 4096  # the modulus of weight sums: so few bits reveal nothing of the words
_WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # letters of scripts that put no spaces between words
_WORDS = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
_PARAGRAPHS = re.compile(r"(\n[ \t]*\n+)")
_LINES = re.compile(r"(\n)")
_SENTENCES = re.compile(r"((?<=[.!?…。！？])[\"'”’)\]]*\s+|(?<=[。！？]))")
_LEVELS = (_PARAGRAPHS, _LINES, _SENTENCES)


def known_parts(text: str) -> tuple[str, ...]:
    """Return a text and its parts that could be recognized: paragraphs, lines and longer sentences."""
    return tuple(dict.fromkeys(part.strip() for part in (text, *_split_level(text, 0)) if part.strip()))


def erase_forgotten(text: str, is_forgotten: IsForgotten) -> str:
    """Return a text without what was forgotten: all of it, or a paragraph, a line, a sentence."""
    return _erase_level(text, is_forgotten, 0) if text.strip() else text


def _erase_level(text: str, is_forgotten: IsForgotten, level: int) -> str:
    bare = text.strip()
    if not bare or bare == FORGOTTEN_MARK:
        return text
    if (level < len(_LEVELS) or is_long(bare)) and is_forgotten(bare):
        return text.replace(bare, FORGOTTEN_MARK)
    if level == len(_LEVELS):
        return text
    pieces = _LEVELS[level].split(text)
    if len(pieces) == 1:
        return _erase_level(text, is_forgotten, level + 1) if level + 1 < len(_LEVELS) else text
    return "".join(
        piece if number % 2 else _erase_level(piece, is_forgotten, level + 1) for number, piece in enumerate(pieces)
    )


def _split_level(text: str, level: int) -> Iterator[str]:
    if level == len(_LEVELS):
        return
    for piece in _LEVELS[level].split(text)[::2]:
        if level + 1 < len(_LEVELS) or is_long(piece):
            yield piece
        yield from _split_level(piece, level + 1)


def is_long(text: str) -> bool:
    """Return whether a sentence is long enough to be distinctive; without spaces, letters are counted."""
    return len(text.split(None, _FEWEST_WORDS)) > _FEWEST_WORDS or (
        len(text.encode()) > 2 * len(text) and len(text) > 8
    )


# -- a sentence within another


@dataclass(frozen=True, slots=True)
class WordRuns:
    """Sentences recognized by their words wherever they stand; a sum of the words' weights is looked at first."""

    sums: Mapping[int, Collection[int]]  # of how many words -> the sums
    weigh: Callable[[str], int]
    is_one: Callable[[str], bool]

    def find_in(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield where each sentence stands in a text, and its words."""
        places = list(_WORDS.finditer(text)) if self.sums else []
        words = [_fold_word(place[0]) for place in places]
        totals = list(accumulate(map(self.weigh, words), initial=0))
        for count in sorted(self.sums, reverse=True):
            wanted = self.sums[count]
            for start in range(len(words) - count + 1):
                if (totals[start + count] - totals[start]) % MOST in wanted:
                    run = " ".join(words[start : start + count])
                    if self.is_one(run):
                        yield places[start].start(), places[start + count - 1].end(), run

    def erase_from(self, text: str) -> str:
        """Return a text without them."""
        pieces, at = [], 0
        for start, end, _ in sorted(self.find_in(text)):
            if start >= at:
                pieces += [text[at:start], FORGOTTEN_MARK]
            at = max(at, end)
        return "".join((*pieces, text[at:]))


def word_runs(text: str) -> dict[str, int]:
    """Return the words of each sentence that is long enough to be recognized by them, with their number."""
    found = {}
    for part in known_parts(text):
        words = split_words(part)
        if _FEWEST_WORDS < len(words) <= _MOST_WORDS and is_long(part):
            found[" ".join(words)] = len(words)
    return found


def split_words(text: str) -> list[str]:
    """Return the words of a text, without what stands between and around them."""
    return [_fold_word(place[0]) for place in _WORDS.finditer(text)]


def _fold_word(text: str) -> str:
    return normalize("NFKC", text).casefold()


# The forms in which a text is recognized, whatever its list marks, quotes and edges.

_DRESS_FEWEST_WORDS = 2  # of a part of a text: "Notes" above a list is no text of its own
_MOST_PARTS = 2_000
# Marks of a list, a quotation or a heading at the beginning of a line, one within the other.
_LED = r"^(?:[ \t]*(?:[-*+•‣◦·–—>#]+|\d{1,3}[.)]|\[[ xX]\])(?=[ \t]|$))+[ \t]*"
_QUOTES = "\"'`*_~“”„‟«»‹›‘’‚‛「」『』"
_DROPPED = str.maketrans("", "", _QUOTES)
_AT_THE_EDGE = ".,;:!?…()[]{}。、，；：！？"
_DASHES = "-–—"


def normalize_text(text: str) -> str:
    """Return a text without list marks, quotes, emphasis and punctuation at the edges of words: what means nothing."""
    undressed = _strip_list_marks(normalize("NFKC", text)).translate(_DROPPED)
    words = [word for word in (part.strip(_AT_THE_EDGE) for part in undressed.split()) if word]
    while words and not words[0].strip(_DASHES):
        del words[0]
    while words and not words[-1].strip(_DASHES):
        del words[-1]
    return normalize_content(" ".join(words))


def known_spellings(text: str) -> tuple[str, ...]:
    """Return the forms by which a text is looked for: normalized, and with other edges."""
    led = normalize_content(_strip_list_marks(text.strip()))
    core = led.strip(f"{_AT_THE_EDGE}{_QUOTES} ")
    found = (normalize_content(text), led, core, f"{core}." if core else "", normalize_text(text))
    return tuple(dict.fromkeys(filter(None, found)))


def _strip_list_marks(text: str) -> str:
    return re.sub(_LED, "", text, flags=re.MULTILINE)


def text_parts(text: str) -> tuple[str, ...]:
    """Return a text, its paragraphs and its lines: each may be what somebody purged, with more around it."""
    paragraphs = re.split(r"\n[ \t]*\n", text)
    lines = text.splitlines()
    whole = [
        text,
        *(part for part in (*paragraphs, *lines) if len(part.split(None, _DRESS_FEWEST_WORDS)) >= _DRESS_FEWEST_WORDS),
    ]
    return tuple(dict.fromkeys(part.strip() for part in whole[:_MOST_PARTS]))


# Errors that repeat no secret: what somebody typed in the wrong place is not shown again.

# Paths are shown as they are: a folder may have any name, and is needed whole.
_PLACES = frozenset({"path", "where", "looked", "folder", "outer", "vault", "target", "command", "kept"})


def redact_error(error: MemvaultError) -> MemvaultError:
    """Return the error with every secret in what it quotes redacted; itself if there is none."""
    quoted = {name: value for name, value in error.data.items() if isinstance(value, str) and name not in _PLACES}
    hidden = {name: veil for name, value in quoted.items() if (veil := leaks.redact_secrets(value)) != value}
    return type(error)(**{**error.data, **hidden}) if hidden else error
