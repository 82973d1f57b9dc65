"""All memories of a vault held against each other: what is merged, what is offered for review, what is contested."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memvault.core.memory import Memory
from memvault.core.similarity.contradiction import contested_pairs, is_harmless, is_live, may_contradict, retraction
from memvault.core.similarity.differences import Difference, between, found_in
from memvault.core.similarity.merge import eligible, said
from memvault.core.similarity.pairs import candidates, clusters, linked
from memvault.core.similarity.score import AUTOMATIC, PROPOSED, Alignment, Said, align, alike, closeness, likeness
from memvault.core.similarity.sentences import Statement, read_statements, statements
from memvault.core.similarity.statements import are_about_others, have_much_in_common, on_one_thing
from memvault.text.sentence.terms import Sort

# What is to become of two texts: merged, offered for review, held against each other, or left alone.

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


Ids = tuple[str, str]
Refusal = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories, the lesser id left, and what was found about them; `differences` only of contradictions."""

    left: str
    right: str
    verdict: Verdict
    score: float
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """The groups to be merged, each with its base first, the pairs to be offered, and those that contradict."""

    groups: tuple[tuple[str, ...], ...]
    proposals: tuple[Pair, ...]
    contradictions: tuple[Pair, ...]


def nobody_refuses(_left: str, _right: str) -> bool:
    """The answer of somebody who has refused no pair."""
    return False


def compare(memories: Sequence[Memory], *, refused: Refusal = nobody_refuses) -> Compared:
    """Hold memories, given with their bodies, against each other; their order makes no difference.

    A pair that `refused` knows, its ids in ascending order, is neither merged, offered nor reported.
    """
    return _Comparison(memories, refused).compared()


class _Readings(dict[str, tuple[Statement, ...]]):
    """What each text says, read once."""

    def __missing__(self, text: str) -> tuple[Statement, ...]:
        self[text] = read_statements(text)
        return self[text]


class _Comparison:
    """One comparison: every text is read once, every pair judged once."""

    def __init__(self, memories: Iterable[Memory], refused: Refusal) -> None:
        self._memories = {memory.id: memory for memory in memories if is_live(memory)}
        self._texts = {id_: said(memory) for id_, memory in self._memories.items()}
        self._refused = refused
        self._readings = _Readings()
        self._judgements: dict[Ids, Judgement] = {}

    def compared(self) -> Compared:
        """The findings."""
        contested = {pair for pair in contested_pairs(self._memories) if not self._refused(*pair)}
        near = sorted({pair for pair in self._near() if pair not in contested and self._is_open(*pair)})
        for pair in near:
            self._judgements[pair] = self._judge(*pair)
        groups = self._groups(near)
        together = {id_: number for number, group in enumerate(groups) for id_ in group}
        return Compared(
            groups=groups,
            proposals=_ordered(self._proposals(near, together)),
            contradictions=_ordered([*self._contradictions(near), *map(self._contested, contested)]),
        )

    def _near(self) -> Iterator[Ids]:
        """The pairs that are worth a look: copies of one text, and texts that are near each other."""
        copies: defaultdict[str, list[str]] = defaultdict(list)
        for id_ in sorted(self._texts, key=self._order):
            copies[self._texts[id_]].append(id_)
        for ids in copies.values():
            yield from map(_ascending, linked(ids))
        held = {ids[0]: ids for ids in copies.values()}
        for left, right in candidates({first: self._texts[first] for first in held}):
            yield from (_ascending((left, other)) for other in held[right])
            yield from (_ascending((other, right)) for other in held[left][1:])

    def _order(self, id_: str) -> tuple[str, str, str]:
        """Copies that may be merged stand together."""
        memory = self._memories[id_]
        return memory.kind, str(memory.more.get("project")), id_

    def _is_open(self, left: str, right: str) -> bool:
        return self._may_contradict(left, right) and not self._refused(left, right)

    def _judge(self, left: str, right: str) -> Judgement:
        found = self._judgements.get((left, right))
        if found:
            return found
        mine, other = self._texts[left], self._texts[right]
        return SAME if mine == other else judged(self._readings[mine], self._readings[other])

    def _eligible(self, left: str, right: str) -> bool:
        return eligible(self._memories[left], self._memories[right])

    def _may_contradict(self, left: str, right: str) -> bool:
        return may_contradict(self._memories[left], self._memories[right])

    def _groups(self, near: Sequence[Ids]) -> tuple[tuple[str, ...], ...]:
        duplicates = [pair for pair in near if self._judgements[pair].verdict == "duplicate" and self._eligible(*pair)]
        return tuple(map(tuple, clusters(duplicates, conflict=self._conflict)))

    def _conflict(self, left: str, right: str) -> bool:
        """Whether two memories must not go into one group, whatever a third has in common with both."""
        if self._refused(left, right) or not self._eligible(left, right):
            return True
        return self._judge(left, right).verdict == "contradiction"

    def _proposals(self, near: Sequence[Ids], together: Mapping[str, int]) -> Iterator[Pair]:
        """The pairs that may say the same, and those that do and still are not merged with each other."""
        for left, right in near:
            found = self._judgements[left, right]
            is_merged = left in together and together[left] == together.get(right)
            if found.verdict in ("propose", "duplicate") and not is_merged and self._eligible(left, right):
                yield Pair(left, right, found.verdict, found.score)

    def _contradictions(self, near: Sequence[Ids]) -> Iterator[Pair]:
        for left, right in near:
            found = self._judgements[left, right]
            if found.verdict == "contradiction":
                yield Pair(left, right, found.verdict, found.score, found.differences)

    def _contested(self, pair: Ids) -> Pair:
        """What somebody has said of two memories, whatever their texts."""
        found = self._judge(*pair)
        return Pair(*pair, "contradiction", found.score, found.differences)


def _ascending(pair: Ids) -> Ids:
    left, right = pair
    return (left, right) if left < right else (right, left)


def _ordered(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """The most alike first."""
    return tuple(sorted(pairs, key=lambda pair: (-pair.score, pair.left, pair.right)))
