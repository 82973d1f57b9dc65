"""A turn as the parts that are found on their own, and a conversation as its sittings."""

from __future__ import annotations

from datetime import timedelta

from memvault.core.passages import split
from memvault.core.talk import Turn
from memvault.core.tokens import measure

MOST_WORDS = 80
_MOST_CHARACTERS = 1_200  # a cheap look first: no turn of so few characters has more words than a passage may
_FEWEST_CHARACTERS = 160
_BREAK = timedelta(hours=6)  # whoever comes back after so long begins another talk, in the same window or not


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


def parts(one: Turn, following: Turn) -> bool:
    """Whether a new sitting begins between two turns."""
    if one.session != following.session:
        return True
    return bool(one.time and following.time and abs(following.time - one.time) > _BREAK)
