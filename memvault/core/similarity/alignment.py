"""The words of two texts held against each other: what stands in both, what in one alone, what in the place of what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memvault.core.similarity.statements import Statement, Statements, identical_statements
from memvault.core.similarity.tokens import SLIGHT, Token, read_tokens
from memvault.text.sentence.opposites import opposite_sides
from memvault.text.sentence.quantity import Quantity, StatedDate, same_on_dial
from memvault.text.sentence.terms import TermKind

_LEVELS = ("key", "value", "equal", "near", "amount")  # how a word finds its counterpart, the strictest first
_LOOSE_LEVELS = ("near", "amount")
_NEAR_VALUE = 0.7
_ALIGNED = 0.4


@dataclass(frozen=True)
class Alignment:
    """Two texts with the words that belong together, by their numbers."""

    left: tuple[Token, ...]
    right: tuple[Token, ...]
    pairs: dict[int, int]
    loose: frozenset[int]  # of the left tokens those that are only near to their counterpart

    @cached_property
    def inverse(self) -> dict[int, int]:
        """Return the pairs from the right to the left."""
        return {other: mine for mine, other in self.pairs.items()}

    @cached_property
    def shares(self) -> tuple[float, float]:
        """Return how much of each text stands in the other in any words."""
        return (
            self._share(self.left, {mine: mine for mine in self.pairs}),
            self._share(self.right, self.inverse),
        )

    def _share(self, tokens: Sequence[Token], known: dict[int, int]) -> float:
        total = sum(token.weight for token in tokens)
        common = sum(
            tokens[number].weight * (_NEAR_VALUE if mine in self.loose else 1.0) for number, mine in known.items()
        )
        return common / total if total else 0.0

    @cached_property
    def rest(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the numbers of the tokens of some weight that only the one has, or has only nearly."""
        exact = {mine: other for mine, other in self.pairs.items() if mine not in self.loose}
        held = set(exact.values())
        return (
            tuple(n for n, token in enumerate(self.left) if n not in exact and token.weight > SLIGHT),
            tuple(n for n, token in enumerate(self.right) if n not in held and token.weight > SLIGHT),
        )


def align_tokens(left: tuple[Token, ...], right: tuple[Token, ...]) -> Alignment:
    """Pair the words of two texts: equal ones first, then those that mean the same, then those that nearly do."""
    pairs: dict[int, int] = {}
    loose: set[int] = set()
    taken: set[int] = set()
    for level in _LEVELS:
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, token in enumerate(right):
            if number not in taken:
                for name in _names_of(token, level):
                    places[name].append(number)
        for number, token in enumerate(left):
            if number in pairs:
                continue
            found = {other for name in _names_of(token, level) for other in places[name] if other not in taken}
            found = {other for other in found if _match(token, right[other], level)}
            if found:
                best = min(found, key=lambda other: (_distance(number, other, left, right, pairs), other))
                pairs[number] = best
                taken.add(best)
                if level in _LOOSE_LEVELS:
                    loose.add(number)
    return Alignment(left, right, pairs, frozenset(loose))


def _names_of(token: Token, level: str) -> frozenset[str]:
    """Return what a token is found by."""
    match level:
        case "key":
            return frozenset((token.term.key,))
        case "value" | "amount":
            return frozenset(("",)) if token.term.value is not None or token.term.kind is TermKind.TIME else frozenset()
        case "equal":
            return token.equal
        case _:
            return token.near if token.term.kind is TermKind.WORD else frozenset()


def _match(one: Token, other: Token, level: str) -> bool:
    match level, one.term.value, other.term.value:
        case "key", _, _:
            return True
        case "value", StatedDate() as mine, StatedDate() as theirs:
            return mine.agrees_with(theirs)
        case "amount", Quantity() as mine, Quantity() as theirs:
            return mine.agrees_with(theirs)
        case "amount", _, _:
            if one.term.kind is other.term.kind is TermKind.TIME:
                return same_on_dial(one.term.text, other.term.text)
            # Ten, and ten o'clock.
            return not ({one.term.kind, other.term.kind} - {TermKind.TIME, TermKind.NUMBER}) and _hour(one) == _hour(
                other
            )
        case (("equal" | "near"), _, _):
            return level == "near" or not (one.term.capital and other.term.capital)
        case _:
            return False


def _hour(token: Token) -> str:
    """Return the number of an amount or a full hour, as it is on a dial."""
    if isinstance(token.term.value, Quantity):
        return token.term.value.number
    hour, _, rest = token.term.key.partition(":")
    return str((int(hour) - 1) % 12 + 1) if hour.isdecimal() and rest in ("00", "") else token.term.key


def _distance(
    number: int, other: int, left: Sequence[Token], right: Sequence[Token], pairs: dict[int, int]
) -> tuple[bool, float]:
    """Return how far two tokens are from each other: first whether a neighbor went along, then the place."""
    goes_along = pairs.get(number - 1, -2) == other - 1
    return not goes_along, abs(number / len(left) - other / len(right))


# -- what stands in the place of what


class Slot(NamedTuple):
    """What only the left text says between words that both have, and what the right one says there."""

    left: tuple[Token, ...]
    right: tuple[Token, ...]

    @property
    def width(self) -> int:
        """Return how many places it takes: what stands before a verb and what stands behind it are two."""
        return 1 + min(sum(token.verb_follows for token in side[:-1]) for side in (self.left, self.right))


def find_slots(alignment: Alignment) -> list[Slot]:
    """Return the places of two texts in which they have other words between the same ones."""
    left, right, pairs = alignment.left, alignment.right, alignment.pairs
    found: list[Slot] = []
    start = 0
    while start < len(left):
        if start in pairs:
            start += 1
            continue
        end = start
        while end < len(left) and end not in pairs and left[end].statement == left[start].statement:
            end += 1
        run = _opposite_run(alignment, start, end)
        if run:
            found.append(Slot(left[start:end], tuple(right[n] for n in run)))
        start = end
    found = [slot for slot in found if not any(token.term.dense for side in slot for token in side)]
    return [slot for slot in found if _weight(slot.left) > SLIGHT and _weight(slot.right) > SLIGHT]


def _weight(tokens: Sequence[Token]) -> float:
    return max((token.weight for token in tokens), default=0.0)


def _opposite_run(alignment: Alignment, start: int, end: int) -> list[int]:
    """Return the unpaired tokens of the right text in the place of a run of the left."""
    before, after = alignment.pairs.get(start - 1), alignment.pairs.get(end)
    is_inner_left = start > 0 and alignment.left[start - 1].statement == alignment.left[start].statement
    is_inner_right = end < len(alignment.left) and alignment.left[end].statement == alignment.left[start].statement
    if before is not None and is_inner_left:
        run = _free_run(alignment, before, 1)
        edge = before + len(run) + 1
        closes = edge == len(alignment.right) or alignment.right[edge].statement != alignment.right[before].statement
        return run if (edge == after if is_inner_right else closes) else []
    if after is not None and is_inner_right:
        run = _free_run(alignment, after, -1)
        edge = after - len(run) - 1
        opens = edge < 0 or alignment.right[edge].statement != alignment.right[after].statement
        return run[::-1] if opens else []
    return []


def _free_run(alignment: Alignment, place: int, step: int) -> list[int]:
    run: list[int] = []
    number = place + step
    while (
        0 <= number < len(alignment.right)
        and number not in alignment.inverse
        and alignment.right[number].statement == alignment.right[place].statement
    ):
        run.append(number)
        number += step
    return run


# Which statements of two texts belong together.


@dataclass(frozen=True, slots=True)
class NearStatements:
    """Two statements about the same thing, and how alike they are without amounts, dates and opposites."""

    left: Statement
    right: Statement
    closeness: float


@dataclass(frozen=True, slots=True)
class StatementAlignment:
    """The statements of two texts that belong together, and those that stand alone."""

    same: tuple[tuple[Statement, Statement], ...]
    near: tuple[NearStatements, ...]
    left: tuple[Statement, ...]
    right: tuple[Statement, ...]


def align_statements(left: Statements, right: Statements) -> StatementAlignment:
    """Pair the statements that say the same, then those that speak of the same, the nearest first."""
    same, mine, others = identical_statements(left, right)
    near: list[NearStatements] = []
    taken: set[int] = set()
    given: set[int] = set()
    for distance, number, other in sorted(_near_statements(mine, others)):
        if number not in taken and other not in given:
            taken.add(number)
            given.add(other)
            near.append(NearStatements(mine[number], others[other], -distance))
    return StatementAlignment(
        tuple(same),
        tuple(near),
        tuple(statement for number, statement in enumerate(mine) if number not in taken),
        tuple(statement for number, statement in enumerate(others) if number not in given),
    )


def _near_statements(mine: Statements, others: Statements) -> Iterator[tuple[float, int, int]]:
    """Yield the pairs of statements that share enough words, by how much they share, the most first."""
    words = align_tokens(read_tokens(mine), read_tokens(others))
    shared: defaultdict[tuple[int, int], float] = defaultdict(float)
    for one, its in words.pairs.items():
        shared[words.left[one].statement, words.right[its].statement] += 2 * _subject_weight(words.left[one])
    totals: list[defaultdict[int, float]] = [defaultdict(float), defaultdict(float)]
    for total, tokens in zip(totals, (words.left, words.right), strict=True):
        for token in tokens:
            total[token.statement] += _subject_weight(token)
    for (number, other), common in shared.items():
        closeness = common / (totals[0][number] + totals[1][other])
        if closeness >= _ALIGNED:
            yield -closeness, number, other


def _subject_weight(token: Token) -> float:
    """Return how much a token tells what is spoken of: facts, and states that have opposites, little."""
    is_open = token.term.kind is not TermKind.WORD or opposite_sides(token.term.key)
    return SLIGHT if is_open else token.weight
