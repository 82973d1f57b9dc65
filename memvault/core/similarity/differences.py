"""Differences between two texts about the same thing, so that they cannot both be right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memvault.core.similarity.alignment import StatementAlignment
from memvault.core.similarity.contradiction import Difference, find_opposed_terms
from memvault.core.similarity.statements import Statement
from memvault.text.sentence.quantity import RANK, Quantity, StatedDate, same_on_dial
from memvault.text.sentence.reading import significant_terms
from memvault.text.sentence.terms import Term, TermKind, find_names, unmatched_names
from memvault.text.sentence.wording import word_set

_AMOUNTS = (TermKind.NUMBER, TermKind.VERSION)
_EXACT = (TermKind.PATH, TermKind.UNIT)
_BOXES = ("[ ]", "[x]")
_NEARLY_ONE = 0.85
_CONTRARY = ({"to", "from"}, {"into", "from"}, {"for", "against"}, {"in", "out"}, {"an", "aus"})
_LINKS = word_set("and or und oder et ou y o")


def aligned_differences(alignment: StatementAlignment) -> list[Difference]:
    """Return the differences between the paired statements, each once."""
    mine, others = _all_texts(alignment, 0), _all_texts(alignment, 1)
    found = [
        difference
        for near in alignment.near
        for difference in statement_differences(near.left, near.right)
        if near.closeness >= _NEARLY_ONE or not (difference.left in others and difference.right in mine)
    ]
    return list(dict.fromkeys([*found, *_order_differences(alignment)]))


def _all_texts(alignment: StatementAlignment, side: int) -> set[str]:
    """Return the terms of one of the texts as written; the other may have the same ones in other statements."""
    alone = (alignment.left, alignment.right)[side]
    paired = [pair[side] for pair in (*alignment.same, *((near.left, near.right) for near in alignment.near))]
    return {term.text for statement in (*paired, *alone) for term in statement.terms}


def statement_differences(left: Statement, right: Statement) -> list[Difference]:
    """Return the differences between two statements about the same thing."""
    mine, others = left.terms, right.terms
    only, against = _unshared_terms(mine, others), _unshared_terms(others, mine)
    found = [*_amount_differences(only, against), *_date_differences(only, against)]
    times, rivals = _terms_of_sort(only, TermKind.TIME), _terms_of_sort(against, TermKind.TIME)
    if not any(same_on_dial(one.text, other.text) for one in times for other in rivals):
        found += _pair_differences(TermKind.TIME, times, rivals)
    for sort in _EXACT:
        found += _pair_differences(sort, _terms_of_sort(only, sort), _terms_of_sort(against, sort))
    found += _name_differences(mine, others)
    found += find_opposed_terms(mine, others)
    boxes = (
        [term for term in side if term.key in _BOXES] for side in (only, against)
    )  # an open one faces a ticked one
    return [*found, *_pair_differences(TermKind.STATE, *boxes)] or _wording_differences(mine, others)


def _unshared_terms(mine: Sequence[Term], others: Sequence[Term]) -> list[Term]:
    """Return the terms that the other sentence does not have, or not as often."""
    counts = Counter(term.key for term in others)
    found: list[Term] = []
    for term in mine:
        if counts[term.key]:
            counts[term.key] -= 1
        else:
            found.append(term)
    return found


def _terms_of_sort(terms: Sequence[Term], *sorts: TermKind) -> list[Term]:
    return [term for term in terms if term.kind in sorts]


def _pair_differences(sort: TermKind, left: Sequence[Term], right: Sequence[Term]) -> Iterator[Difference]:
    """Pair what only the one says with what only the other says; nothing if one of them says no more."""
    for mine, other in zip(left, right, strict=False):
        yield Difference(sort, mine.text, other.text)


# -- amounts and days


def _amount_differences(mine: Sequence[Term], others: Sequence[Term]) -> Iterator[Difference]:
    right = _terms_of_sort(others, *_AMOUNTS)
    for term in _terms_of_sort(mine, *_AMOUNTS):
        rivals = [other for other in right if _amounts_compete(term, other)]
        if rivals and not any(_values_agree(term, other) for other in right):
            rival = rivals[0]
            right.remove(rival)
            yield Difference(_sort_of(term, rival), term.text, rival.text)


def _values_agree(left: Term, right: Term) -> bool:
    match left.value, right.value:
        case (Quantity() as mine, Quantity() as other):
            return mine.agrees_with(other)
        case (StatedDate() as mine, StatedDate() as other):
            return mine.agrees_with(other)
        case _:
            return False


def _amounts_compete(left: Term, right: Term) -> bool:
    """Return whether two amounts can be of the same thing: not seconds and bytes, unless the number is equal."""
    match left.value, right.value:
        case (Quantity() as mine, Quantity() as other):
            if mine.agrees_with(other):
                return False
            dimensions = {mine.dimension, other.dimension}
            comparable = len(dimensions) == 1 or ("" in dimensions and RANK not in dimensions)
            return comparable or mine.number == other.number
        case (Quantity(dimension=dimension), None) | (None, Quantity(dimension=dimension)):
            return not dimension
        case _:
            return True


def _sort_of(left: Term, right: Term) -> TermKind:
    if TermKind.VERSION in (left.kind, right.kind):
        return TermKind.VERSION
    match left.value, right.value:
        case (Quantity() as mine, Quantity() as other) if mine.number == other.number and mine.dimension:
            return TermKind.UNIT
        case _:
            return TermKind.NUMBER


def _date_differences(mine: Sequence[Term], others: Sequence[Term]) -> Iterator[Difference]:
    left, right = _terms_of_sort(mine, TermKind.DATE), _terms_of_sort(others, TermKind.DATE)
    for is_named in (False, True):
        dated = [term for term in left if isinstance(term.value, StatedDate) is not is_named]
        against = [term for term in right if isinstance(term.value, StatedDate) is not is_named]
        if dated and against and not any(_values_agree(term, other) for term in dated for other in against):
            yield from _pair_differences(TermKind.DATE, dated, against)


# -- names, wording, order


def _name_differences(mine: Sequence[Term], others: Sequence[Term]) -> Iterator[Difference]:
    left, right = find_names(mine, others), find_names(others, mine)
    only, against = unmatched_names(left, right, others), unmatched_names(right, left, mine)
    for addresses in (True, False):
        yield from _pair_differences(
            TermKind.NAME,
            [term for term in only if _is_address(term) is addresses],
            [term for term in against if _is_address(term) is addresses],
        )


def _is_address(term: Term) -> bool:
    return "://" in term.key or "@" in term.key


def _wording_differences(mine: Sequence[Term], others: Sequence[Term]) -> list[Difference]:
    """Return what one word negates, or two words that changed places, in sentences otherwise the same."""
    left, right = _linked_terms(mine), _linked_terms(others)
    moved = [place for place, (one, other) in enumerate(zip(left, right, strict=False)) if one.key != other.key]
    if len(left) != len(right) or not 1 <= len(moved) <= 2:
        return []
    first, last = moved[0], moved[-1]
    if first == last:
        is_turned = {left[first].key, right[first].key} in _CONTRARY
        return [Difference(TermKind.ANTONYM, left[first].text, right[first].text)] if is_turned else []
    has_turned = left[first].key == right[last].key and left[last].key == right[first].key
    if not has_turned or _is_list(left[first : last + 1]):
        return []
    return [
        Difference(
            TermKind.ORDER, f"{left[first].text} … {left[last].text}", f"{right[first].text} … {right[last].text}"
        )
    ]


def _is_list(terms: Sequence[Term]) -> bool:
    """Return whether the first and the last of some terms could change places without a change of meaning."""
    about = terms[1:-1]
    if _is_fact(terms[0]) and _is_fact(terms[-1]):
        return all(_is_fact(term) or term.key in _LINKS for term in about)
    return not about or any(term.key in _LINKS for term in about) or terms[0].clause != terms[-1].clause


def _is_fact(term: Term) -> bool:
    return term.capital or term.kind not in (TermKind.WORD, TermKind.SIGN)


def _linked_terms(terms: Sequence[Term]) -> list[Term]:
    significant = set(map(id, significant_terms(terms)))
    return [term for term in terms if id(term) in significant or term.key in _LINKS]


def _order_differences(alignment: StatementAlignment) -> Iterator[Difference]:
    """Yield numbered steps that both texts have, in another order."""
    steps = [(one, other) for one, other in alignment.same if one.is_step and other.is_step]
    for (first, there), (second, then) in pairwise(steps):
        if first.under == second.under and then.number < there.number:
            yield Difference(TermKind.ORDER, f"{first.text} … {second.text}", f"{then.text} … {there.text}")
