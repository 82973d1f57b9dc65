"""What is to become of two texts: merged, offered for review, held against each other, or left alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memvault.core.similarity.differences import Difference, between, found_in
from memvault.core.similarity.likeness_statements import statements
from memvault.core.similarity.score import AUTOMATIC, PROPOSED, Alignment, Said, align, alike, closeness, likeness
from memvault.core.similarity.statements import on_one_thing
from memvault.core.similarity.subject import are_about_others, have_much_in_common
from memvault.core.similarity.takeback import is_harmless, retraction
from memvault.text.sentence.terms import Sort

Verdict = Literal["duplicate", "propose", "contradiction", "distinct"]

CONTESTED = 0.6
"""From here on two texts speak of the same, so that a difference between them is a possible contradiction."""

_AGREEING = (0.35, 0.72)  # alike in words, and in what they speak of, where no fact stands against it


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is to become of two texts, how alike they are, and in what they differ if they contradict each other."""

    verdict: Verdict
    score: float
    differences: tuple[Difference, ...] = ()


SAME = Judgement("duplicate", 1.0)
"""The judgement on a text and itself."""


def verdict(a: str, b: str) -> Verdict:
    """Whether two texts say the same, may say the same, contradict each other, or say different things."""
    score = likeness(a, b)
    return SAME.verdict if score == SAME.score else judged(statements(a), statements(b)).verdict


def judged(left: Said, right: Said) -> Judgement:
    """The judgement on two texts by what they say."""
    score = alike(left, right)
    if score >= AUTOMATIC:
        return _on_additions(left, right, align(left, right), score)
    speaking = closeness(left, right, masked=True)
    if speaking < CONTESTED and score < PROPOSED:
        return Judgement("distinct", score)
    alignment = align(left, right)
    found = tuple(found_in(alignment))
    if speaking >= CONTESTED and (taken := _taken_back(alignment)):
        return Judgement("contradiction", score, (*found, taken))
    if not found:
        agrees = score >= _AGREEING[0] and speaking >= _AGREEING[1]
        return Judgement("propose" if score >= PROPOSED or agrees else "distinct", score)
    if (
        speaking < CONTESTED
        or _follow_a_pattern(left, right, alignment, score)
        or are_about_others(left, right, alignment)
    ):
        return Judgement("distinct", score)
    on_one = on_one_thing(left, right, alignment)
    held = found if on_one is alignment else tuple(found_in(on_one))
    return Judgement("contradiction" if held else "distinct", score, held)


def _on_additions(left: Said, right: Said, alignment: Alignment, score: float) -> Judgement:
    """The judgement on a text and one that says all of it and more: what is added may take it back."""
    taken = _taken_back(alignment)
    if taken:
        return Judgement("contradiction", score, (taken,))
    for mine, others in ((alignment.left, right), (left, alignment.right)):
        paired = align(mine, others)
        if found_in(paired):
            found = tuple(found_in(on_one_thing(mine, others, paired)))
            is_other = not found or any(difference.sort is Sort.NAME for difference in found)
            return Judgement("propose", score) if is_other else Judgement("contradiction", score, found)
    is_safe = all(map(is_harmless, (*alignment.left, *alignment.right)))
    return Judgement("duplicate" if is_safe else "propose", score)


def _taken_back(alignment: Alignment) -> Difference | None:
    """Where only one of two texts says that something it holds, or what the other holds, does not hold."""
    mine, others = retraction(alignment.left), retraction(alignment.right)
    return Difference(Sort.NEGATION, mine, others) if bool(mine) != bool(others) else None


def _follow_a_pattern(left: Said, right: Said, alignment: Alignment, score: float) -> bool:
    """Whether all that two texts have in common is a pattern: another name, and other words or numbers with it."""
    if have_much_in_common(left, right, alignment):
        return False
    sorts = ({difference.sort for difference in between(near.left, near.right)} for near in alignment.near)
    return all(not found or (Sort.NAME in found and (len(found) > 1 or score < _AGREEING[0])) for found in sorts)
