"""The verdict on pairs of memories: what is merged, what is offered for review, what is contested."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memvault.core.memory import Memory
from memvault.core.similarity.contradiction import (
    Difference,
    contested_pairs,
    find_retraction,
    is_harmless,
    is_live,
    may_contradict,
)
from memvault.core.similarity.differences import (
    aligned_differences,
    are_about_others,
    drop_unrelated,
    have_much_in_common,
    statement_differences,
)
from memvault.core.similarity.merge_memories import can_merge
from memvault.core.similarity.outline import full_text
from memvault.core.similarity.pairs import cluster_pairs, find_candidates, link_members
from memvault.core.similarity.score import (
    AUTOMATIC,
    PROPOSED,
    Statement,
    StatementAlignment,
    Statements,
    align_statements,
    cached_statements,
    closeness,
    read_statements,
    statement_similarity,
    text_similarity,
)
from memvault.text.sentence.terms import TermKind

# The verdict on two texts: merged, offered for review, contested, or left alone.

Verdict = Literal["duplicate", "propose", "contradiction", "distinct"]

CONTESTED = 0.6
"""From here on two texts speak of the same, so that a difference between them is a possible contradiction."""

_AGREEING = (0.35, 0.72)  # alike in words, and in what they speak of, where no fact stands against it


@dataclass(frozen=True, slots=True)
class PairJudgment:
    """The verdict on two texts, how alike they are, and their differences if they contradict each other."""

    verdict: Verdict
    score: float
    differences: tuple[Difference, ...] = ()


def compare_texts(a: str, b: str) -> Verdict:
    """Return whether two texts say the same, may say the same, contradict each other, or differ."""
    if text_similarity(a, b) == 1.0:
        return "duplicate"
    return judge_statements(cached_statements(a), cached_statements(b)).verdict


def judge_statements(left: Statements, right: Statements) -> PairJudgment:
    """Judge two texts by their statements."""
    score = statement_similarity(left, right)
    if score >= AUTOMATIC:
        return _judge_additions(left, right, align_statements(left, right), score)
    speaking = closeness(left, right, masked=True)
    if speaking < CONTESTED and score < PROPOSED:
        return PairJudgment("distinct", score)
    alignment = align_statements(left, right)
    found = tuple(aligned_differences(alignment))
    if speaking >= CONTESTED and (taken := _find_retraction(alignment)):
        return PairJudgment("contradiction", score, (*found, taken))
    if not found:
        agrees = score >= _AGREEING[0] and speaking >= _AGREEING[1]
        return PairJudgment("propose" if score >= PROPOSED or agrees else "distinct", score)
    if (
        speaking < CONTESTED
        or _follow_a_pattern(left, right, alignment, score)
        or are_about_others(left, right, alignment)
    ):
        return PairJudgment("distinct", score)
    on_one = drop_unrelated(left, right, alignment)
    held = found if on_one is alignment else tuple(aligned_differences(on_one))
    return PairJudgment("contradiction" if held else "distinct", score, held)


def _judge_additions(left: Statements, right: Statements, alignment: StatementAlignment, score: float) -> PairJudgment:
    """Judge a text and one that says all of it and more: the addition may retract it."""
    taken = _find_retraction(alignment)
    if taken:
        return PairJudgment("contradiction", score, (taken,))
    for mine, others in ((alignment.left, right), (left, alignment.right)):
        paired = align_statements(mine, others)
        if aligned_differences(paired):
            found = tuple(aligned_differences(drop_unrelated(mine, others, paired)))
            is_other = not found or any(difference.sort is TermKind.NAME for difference in found)
            return PairJudgment("propose", score) if is_other else PairJudgment("contradiction", score, found)
    is_safe = all(map(is_harmless, (*alignment.left, *alignment.right)))
    return PairJudgment("duplicate" if is_safe else "propose", score)


def _find_retraction(alignment: StatementAlignment) -> Difference | None:
    """Return the difference if only one of two texts retracts something."""
    mine, others = find_retraction(alignment.left), find_retraction(alignment.right)
    return Difference(TermKind.NEGATION, mine, others) if bool(mine) != bool(others) else None


def _follow_a_pattern(left: Statements, right: Statements, alignment: StatementAlignment, score: float) -> bool:
    """Return whether two texts share only a pattern: another name, and other words or numbers with it."""
    if have_much_in_common(left, right, alignment):
        return False
    sorts = (
        {difference.sort for difference in statement_differences(near.left, near.right)} for near in alignment.near
    )
    return all(not found or (TermKind.NAME in found and (len(found) > 1 or score < _AGREEING[0])) for found in sorts)


Ids = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two memories, the lesser id left, and the verdict on them; `differences` only of contradictions."""

    left: str
    right: str
    verdict: Verdict
    score: float
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """The groups to merge, each with its base first, the pairs to propose, and the contradictions."""

    groups: tuple[tuple[str, ...], ...]
    proposals: tuple[ComparedPair, ...]
    contradictions: tuple[ComparedPair, ...]


def compare_memories(
    memories: Sequence[Memory], *, refused: Callable[[str, str], bool] = lambda _left, _right: False
) -> ComparisonResult:
    """Compare memories, given with their bodies, with each other; their order makes no difference.

    A pair that `refused` knows, its ids in ascending order, is neither merged, offered nor reported.
    """
    return _Comparison(memories, refused).run()


class _StatementCache(dict[str, tuple[Statement, ...]]):
    """The statements of each text, read once."""

    def __missing__(self, text: str) -> tuple[Statement, ...]:
        self[text] = read_statements(text)
        return self[text]


class _Comparison:
    """One comparison: every text is read once, every pair judged once."""

    def __init__(self, memories: Iterable[Memory], refused: Callable[[str, str], bool]) -> None:
        self._memories = {memory.id: memory for memory in memories if is_live(memory)}
        self._texts = {id_: full_text(memory) for id_, memory in self._memories.items()}
        self._refused = refused
        self._readings = _StatementCache()
        self._judgements: dict[Ids, PairJudgment] = {}

    def run(self) -> ComparisonResult:
        """Return the findings."""
        contested = {pair for pair in contested_pairs(self._memories) if not self._refused(*pair)}
        near = sorted({pair for pair in self._nearby_pairs() if pair not in contested and self._is_open(*pair)})
        self._judgements = {pair: self._judge_pair(*pair) for pair in near}
        duplicates = [pair for pair in near if self._judgements[pair].verdict == "duplicate" and self._can_merge(*pair)]
        groups = tuple(map(tuple, cluster_pairs(duplicates, conflict=self._is_conflict)))
        against = [pair for pair in near if self._judgements[pair].verdict == "contradiction"]
        # What somebody has marked as contradicting does so, whatever its texts say.
        found = ((pair, self._judge_pair(*pair)) for pair in (*against, *contested))
        return ComparisonResult(
            groups=groups,
            proposals=_sort_by_score(
                self._find_proposals(near, {id_: number for number, group in enumerate(groups) for id_ in group})
            ),
            contradictions=_sort_by_score(
                ComparedPair(*pair, "contradiction", one.score, one.differences) for pair, one in found
            ),
        )

    def _nearby_pairs(self) -> Iterator[Ids]:
        """Yield the pairs worth a comparison: copies of one text, and texts that are near each other."""

        def order_copies(id_: str) -> tuple[str, str, str]:  # those that may be merged stand together
            return self._memories[id_].kind, str(self._memories[id_].more.get("project")), id_

        copies: defaultdict[str, list[str]] = defaultdict(list)
        for id_ in sorted(self._texts, key=order_copies):
            copies[self._texts[id_]].append(id_)
        for ids in copies.values():
            yield from map(_sort_pair, link_members(ids))
        held = {ids[0]: ids for ids in copies.values()}
        for left, right in find_candidates({first: self._texts[first] for first in held}):
            yield from (_sort_pair((left, other)) for other in held[right])
            yield from (_sort_pair((other, right)) for other in held[left][1:])

    def _is_open(self, left: str, right: str) -> bool:
        return may_contradict(self._memories[left], self._memories[right]) and not self._refused(left, right)

    def _judge_pair(self, left: str, right: str) -> PairJudgment:
        found = self._judgements.get((left, right))
        if found:
            return found
        mine, other = self._texts[left], self._texts[right]
        if mine == other:
            return PairJudgment("duplicate", 1.0)
        return judge_statements(self._readings[mine], self._readings[other])

    def _can_merge(self, left: str, right: str) -> bool:
        return can_merge(self._memories[left], self._memories[right])

    def _is_conflict(self, left: str, right: str) -> bool:
        """Return whether two memories must not be in one group, whatever a third has in common with both."""
        if self._refused(left, right) or not self._can_merge(left, right):
            return True
        return self._judge_pair(left, right).verdict == "contradiction"

    def _find_proposals(self, near: Sequence[Ids], together: Mapping[str, int]) -> Iterator[ComparedPair]:
        """Yield the pairs that may say the same, and those that do and still are not merged."""
        for left, right in near:
            found = self._judgements[left, right]
            is_merged = left in together and together[left] == together.get(right)
            if found.verdict in ("propose", "duplicate") and not is_merged and self._can_merge(left, right):
                yield ComparedPair(left, right, found.verdict, found.score)


def _sort_pair(pair: Ids) -> Ids:
    return min(pair), max(pair)


def _sort_by_score(pairs: Iterable[ComparedPair]) -> tuple[ComparedPair, ...]:
    """Sort pairs, the most alike first."""
    return tuple(sorted(pairs, key=lambda pair: (-pair.score, pair.left, pair.right)))
