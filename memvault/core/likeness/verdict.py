"""What is to become of two texts: merged, offered for review, held against each other, or left alone."""

from __future__ import annotations

from typing import Literal

from memvault.core.likeness.alike import AUTOMATIC, PROPOSED, Alignment, align, closeness, likeness
from memvault.core.likeness.differences import between, found_in
from memvault.core.likeness.sentence.terms import Sort
from memvault.core.likeness.statements import statements

Verdict = Literal["duplicate", "propose", "contradiction", "distinct"]

CONTESTED = 0.6
"""From here on two texts speak of the same, so that a difference between them is a possible contradiction."""

_AGREEING = (0.35, 0.72)  # alike in words, and in what they speak of, where no fact stands against it


def verdict(a: str, b: str) -> Verdict:
    """Whether two texts say the same, may say the same, contradict each other, or say different things."""
    score = likeness(a, b)
    if score >= AUTOMATIC:
        return "duplicate"
    left, right = statements(a), statements(b)
    alignment = align(left, right)
    if not found_in(alignment):
        agrees = score >= _AGREEING[0] and closeness(left, right, masked=True) >= _AGREEING[1]
        return "propose" if score >= PROPOSED or agrees else "distinct"
    if closeness(left, right, masked=True) < CONTESTED or _are_about_others(alignment, score):
        return "distinct"
    return "contradiction"


def _are_about_others(alignment: Alignment, score: float) -> bool:
    """Whether all that two texts have in common is a pattern: another name, and other words or numbers with it."""
    if alignment.same:
        return False
    sorts = [{difference.sort for difference in between(near.left, near.right)} for near in alignment.near]
    return all(not found or (Sort.NAME in found and (len(found) > 1 or score < _AGREEING[0])) for found in sorts)
