"""A turn as the parts that are found on their own: a short one whole, a long one in passages."""

from __future__ import annotations

from memvault.text.markdown import split
from memvault.text.terms import measure

MOST_WORDS = 80
_MOST_CHARACTERS = 1_200  # a cheap look first: no turn of so few characters has more words than a passage may
_FEWEST_CHARACTERS = 160


def pieces(text: str) -> tuple[tuple[int, int], ...]:
    """Where each part of a turn begins and ends; a turn without text has none."""
    if not text.strip():
        return ()
    if len(text) <= _FEWEST_CHARACTERS or (len(text) <= _MOST_CHARACTERS and _is_short(text)):
        return ((0, len(text)),)
    return tuple((passage.start, passage.end) for passage in split(text)) or ((0, len(text)),)


def _is_short(text: str) -> bool:
    words, dense = measure(text)
    return words + dense / 2 <= MOST_WORDS
