"""What a text is about, where its single statements do not say it: its title, or what stands before a colon."""

from __future__ import annotations

import re

from memvault.core.similarity.likeness_statements import Statement
from memvault.core.similarity.score import Alignment, Near, Said
from memvault.core.similarity.sentences import substance
from memvault.text.sentence.reading import terms

_LABEL = re.compile(r"[^\W\d_][^\n:.!?]{0,60}:(?=\s|$)")
_ENOUGH_IN_COMMON = 0.5
_LINES_OF_A_CARD = 2

Words = frozenset[str]


def are_about_others(left: Said, right: Said, alignment: Alignment) -> bool:
    """Whether two texts give the same fields of different things, so that no difference between them matters."""
    mine, others = _subject(left), _subject(right)
    if not (mine - others and others - mine) or have_much_in_common(left, right, alignment):
        return False
    cards = {id(said[0]) for said in (left, right) if _is_card(said)}
    return all(id(near.left) in cards or _leaves_open(near, mine, others) for near in alignment.near)


def _leaves_open(near: Near, mine: Words, others: Words) -> bool:
    """Whether two statements do not say what they are about, or name two subjects themselves."""
    named = near.left.substance & near.right.substance & (mine | others)
    names_two = near.left.substance & (mine - others) and near.right.substance & (others - mine)
    return bool(names_two) or not named


def have_much_in_common(left: Said, right: Said, alignment: Alignment) -> bool:
    """Whether half of what the smaller of two texts says stands in the other as well."""
    shared = sum(mine.weight for mine, _ in alignment.same)
    smaller = min(sum(statement.weight for statement in said) for said in (left, right))
    return shared >= _ENOUGH_IN_COMMON * smaller


def _subject(said: Said) -> Words:
    first = said[0]
    if _is_heading(first) or _is_card(said):
        return first.substance
    label = _LABEL.match(first.text)
    return substance(terms(" ".join(label[0].split()))) if label else frozenset()


def _is_heading(statement: Statement) -> bool:
    return statement.sense[:1] == ("#",)


def _is_card(said: Said) -> bool:
    """Whether a text begins with fields, the first of which says what it is about."""
    opening = said[:_LINES_OF_A_CARD]
    return len(opening) == _LINES_OF_A_CARD and all(_LABEL.match(statement.text) for statement in opening)
