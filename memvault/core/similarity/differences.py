"""Differences between two texts about the same thing, so that they cannot both be right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from memvault.core.similarity.contradiction import Difference, find_opposed_terms
from memvault.core.similarity.score import (
    NearStatements,
    Statement,
    StatementAlignment,
    Statements,
    align_statements,
    cached_statements,
    content_terms,
)
from memvault.text.sentence.quantity import RANK, Quantity, StatedDate, same_on_dial
from memvault.text.sentence.reading import read_terms, significant_terms
from memvault.text.sentence.terms import AFTER_NAMES, OPENINGS, Term, TermKind, find_names, unmatched_names
from memvault.text.sentence.wording import GENERIC, REFERRING_WORDS, loose_stem, word_set
from memvault.text.terms import STOPWORDS

_AMOUNTS = (TermKind.NUMBER, TermKind.VERSION)
_EXACT = (TermKind.PATH, TermKind.UNIT)
_BOXES = ("[ ]", "[x]")
_NEARLY_ONE = 0.85
_CONTRARY = ({"to", "from"}, {"into", "from"}, {"for", "against"}, {"in", "out"}, {"an", "aus"})
_LINKS = word_set("and or und oder et ou y o")


def find_differences(a: str, b: str) -> tuple[Difference, ...]:
    """Return what two texts say differently about the same thing; what only one of them says is none."""
    return tuple(aligned_differences(align_statements(cached_statements(a), cached_statements(b))))


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


# What two statements are about, and whether they are about different things.

# Behind one of these stands a thing: articles, possessives and the prepositions that no verb follows.
_BEFORE_THINGS = word_set(
    "the a an this that these those my your his her its our their every each any no some all both another of for in on",
    "at with from by into onto under over behind beside inside outside near per via about during without between",
    "der die das dem den des ein eine einen einem einer eines kein keine mein meine unser unsere im am vom beim zum",
    "zur von für mit bei aus auf unter über hinter neben ohne während le la les l un une du au aux de mon ma mes notre",
    "dans sur sous chez avec sans par pour pendant el los las una del al mi su nuestro en con sin sobre para por",
)
_INFINITIVE = ("to", "zu", "de", "à")
_FUNCTION_WORDS = word_set(
    "is are was were has have had can could will would shall should may might must does do did gets get got not never",
    "and or but than then when while where whether if unless until once before after because since so although though",
    "und oder aber wenn als nicht hat wird kann muss et ou mais quand si ne pas est y o pero cuando es está",
)
# From here to the end of its clause a sentence tells why, and not about what.
_REASONS = word_set("because weil denn damit parce puisque car porque")
_ANNOUNCING = (":", "：")
_FEWEST_LETTERS = 3
_SHARED_STEM = 4


def drop_unrelated(left: Statements, right: Statements, alignment: StatementAlignment) -> StatementAlignment:
    """Return an alignment without the paired statements that are about different things."""
    near = [
        each
        for each in alignment.near
        if not (
            _name_others(each.left, each.right)
            or _have_other_aims(each.left, each.right)
            # It speaks of "it", and its text began with another thing than the other text.
            or (
                not (each.left is left[0] and each.right is right[0])
                and (_points_back(each.left) or _points_back(each.right))
                and _name_others(left[0], right[0])
            )
        )
    ]
    return alignment if len(near) == len(alignment.near) else replace(alignment, near=tuple(near))


def _name_others(left: Statement, right: Statement) -> bool:
    """Return whether each of two statements names a thing that the other does not, beside their difference."""
    mine = _own_things(left, right)
    others = _own_things(right, left) if mine else []
    if not others:
        return False
    differing = {
        root
        for each in statement_differences(left, right)
        for text in (each.left, each.right)
        for root in _text_roots(text)
    }
    return _has_own(mine, differing) and _has_own(others, differing)


def _own_things(statement: Statement, other: Statement) -> list[str]:
    """Return the nouns of a statement that the other does not mention."""
    known = frozenset(_term_roots(other.terms))
    return [root for root in _noun_roots(statement.terms) if not _is_among(root, known)]


def _have_other_aims(left: Statement, right: Statement) -> bool:
    """Return whether two statements announce different procedures, or are steps of such."""
    if left.is_step and right.is_step:
        mine, others = set(_text_roots(" ".join(left.under))), set(_text_roots(" ".join(right.under)))
    elif left.text.endswith(_ANNOUNCING) and right.text.endswith(_ANNOUNCING):
        mine, others = set(_term_roots(left.terms)), set(_term_roots(right.terms))
    else:
        return False
    return _has_own(mine, others) and _has_own(others, mine)


def _points_back(statement: Statement) -> bool:
    return any(term.key in REFERRING_WORDS for term in statement.terms)


def _has_own(roots: Iterable[str], known: Collection[str]) -> bool:
    return any(not _is_among(root, known) for root in roots)


def _is_among(root: str, known: Collection[str]) -> bool:
    """Return whether a word is known, be it in a compound or another form."""
    if root in known:
        return True
    longer = (other for other in known if len(other) >= _SHARED_STEM)
    return len(root) >= _SHARED_STEM and any(root in other or other in root for other in longer)


def _text_roots(text: str) -> Iterator[str]:
    return _term_roots(read_terms(text))


def _term_roots(found: Sequence[Term]) -> Iterator[str]:
    for term in found:
        if not term.dense:
            yield from filter(None, map(loose_stem, term.key.casefold().split()))


def _noun_roots(found: Sequence[Term]) -> Iterator[str]:
    """Yield the words that stand where only a noun can stand."""
    for run in _noun_runs(list(_without_reasons(found))):
        for term in run:
            root = loose_stem(term.key)
            if len(root) >= _FEWEST_LETTERS and root not in GENERIC:
                yield root


def _without_reasons(found: Sequence[Term]) -> Iterator[Term]:
    reason = -1
    for term in found:
        if term.key in _REASONS:
            reason = term.clause
        if term.clause != reason:
            yield term


def _noun_runs(found: Sequence[Term]) -> Iterator[list[Term]]:
    """Yield the words that a sentence opens with, and those behind an article, a preposition or a number."""
    place = 0
    while place < len(found):
        end = place
        while end < len(found) and _is_content(found[end]):
            end += 1
        run = list(found[place:end])
        if run and not place:
            # Without the verb of an order such as "keep" or "restart the".
            is_order = run[0].key in OPENINGS or (len(run) == 1 and any(map(_introduces_noun, found[end : end + 1])))
            yield _up_to_verb(run[1:] if is_order else run)
        elif run and found[place - 1].key in _INFINITIVE:
            yield _up_to_verb(run[1:])
        elif run and _introduces_noun(found[place - 1]):
            yield _up_to_verb(run)
        place = end + 1


def _is_content(term: Term) -> bool:
    if term.dense or term.kind not in (TermKind.WORD, TermKind.NAME):
        return False
    return not (term.key in _BEFORE_THINGS or term.key in _FUNCTION_WORDS or term.key in STOPWORDS)


def _introduces_noun(term: Term) -> bool:
    return term.key in _BEFORE_THINGS or term.kind is TermKind.NUMBER


def _up_to_verb(run: Sequence[Term]) -> list[Term]:
    """Return the words of a run before the first that may be its verb."""
    for place in range(1, len(run)):
        word, before = run[place].key, run[place - 1]
        may_be_verb = word in AFTER_NAMES or word.endswith("ed") or _ends_in_s(word)
        if not run[place].capital and (may_be_verb or (not before.capital and _ends_in_s(before.key))):
            return list(run[:place])
    return list(run)


def _ends_in_s(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


# The subject of a whole text: its title, or what stands before a colon.

_LABEL = re.compile(r"[^\W\d_][^\n:.!?]{0,60}:(?=\s|$)")
_ENOUGH_IN_COMMON = 0.5
_LINES_OF_A_CARD = 2

WordSet = frozenset[str]


def are_about_others(left: Statements, right: Statements, alignment: StatementAlignment) -> bool:
    """Return whether two texts give the same fields of different things, so that no difference matters."""
    mine, others = _text_subject(left), _text_subject(right)
    if not (mine - others and others - mine) or have_much_in_common(left, right, alignment):
        return False
    cards = {id(statements[0]) for statements in (left, right) if _is_card(statements)}
    return all(id(near.left) in cards or _leaves_open(near, mine, others) for near in alignment.near)


def _leaves_open(near: NearStatements, mine: WordSet, others: WordSet) -> bool:
    """Return whether two statements do not name their subject, or name two subjects themselves."""
    named = near.left.substance & near.right.substance & (mine | others)
    names_two = near.left.substance & (mine - others) and near.right.substance & (others - mine)
    return bool(names_two) or not named


def have_much_in_common(left: Statements, right: Statements, alignment: StatementAlignment) -> bool:
    """Return whether half of the smaller of two texts stands in the other as well."""
    shared = sum(mine.weight for mine, _ in alignment.same)
    smaller = min(sum(statement.weight for statement in statements) for statements in (left, right))
    return shared >= _ENOUGH_IN_COMMON * smaller


def _text_subject(statements: Statements) -> WordSet:
    first = statements[0]
    if first.sense[:1] == ("#",) or _is_card(statements):
        return first.substance
    label = _LABEL.match(first.text)
    return content_terms(read_terms(" ".join(label[0].split()))) if label else frozenset()


def _is_card(statements: Statements) -> bool:
    """Return whether a text begins with fields, the first of which names its subject."""
    opening = statements[:_LINES_OF_A_CARD]
    return len(opening) == _LINES_OF_A_CARD and all(_LABEL.match(statement.text) for statement in opening)
