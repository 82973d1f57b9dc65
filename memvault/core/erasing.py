"""Taking what was forgotten for good out of a text, and leaving the rest as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

FORGOTTEN = "[forgotten]"

IsForgotten = Callable[[str], bool]
Erase = Callable[[str], str]

_FEWEST_WORDS = 4  # of a sentence that is looked for by itself: "It rains." is everybody's
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
    if (level < len(_LEVELS) or _is_long(bare)) and is_forgotten(bare):
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
        if level + 1 < len(_LEVELS) or _is_long(piece):
            yield piece
        yield from _parts(piece, level + 1)


def _is_long(text: str) -> bool:
    """Whether a sentence is long enough to be somebody's own; where no spaces are written, letters are counted."""
    return len(text.split(None, _FEWEST_WORDS)) > _FEWEST_WORDS or (
        len(text.encode()) > 2 * len(text) and len(text) > 8
    )
