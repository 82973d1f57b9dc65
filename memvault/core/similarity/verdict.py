"""The verdict on pairs of memories: what is merged, what is offered for review, what is contested."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memvault.core.memory import Memory
from memvault.core.similarity.alignment import (
    Alignment,
    Slot,
    StatementAlignment,
    align_statements,
    align_tokens,
    find_slots,
)
from memvault.core.similarity.contradiction import (
    Difference,
    contested_pairs,
    find_opposed_terms,
    find_retraction,
    is_harmless,
    is_live,
    may_contradict,
)
from memvault.core.similarity.differences import (
    aligned_differences,
)
from memvault.core.similarity.likeness import are_strangers, measure_likeness
from memvault.core.similarity.merge_memories import can_merge
from memvault.core.similarity.pairs import cluster_pairs, find_candidates, link_members
from memvault.core.similarity.same_words import says_same
from memvault.core.similarity.statements import (
    Statement,
    Statements,
    cached_statements,
    contained_share,
    full_text,
    read_statements,
)
from memvault.core.similarity.tokens import read_tokens, without_title
from memvault.text.sentence.opposites import are_opposed, opposite_sides
from memvault.text.sentence.terms import TermKind
from memvault.text.sentence.wording import base_form, word_set

# The verdict on two texts: merged, offered for review, contested, or left alone.

Verdict = Literal["duplicate", "propose", "contradiction", "distinct"]

AUTOMATIC = 0.9
"""From here on two texts may be merged: the one says all that the other says, and not much more."""

_CONTAINED, _PART = 0.8, 0.2  # what it counts that one text holds the other, and how large a part it is
_OTHERWISE = 0.79  # what two texts reach at most that differ in anything but spelling
_CONTESTED, _RETRACTED, _UNRELATED = 0.45, 0.6, 0.25
"""So much of one of two texts stands in the other where a difference between them counts, and a retraction."""
_SHORT = 6  # words up to which one that differs leaves little that is shared

_LIKE = 0.5  # as near in meaning as this, two texts are about the same
_OFFERED, _OFFERED_LESS = 0.5, 0.4
"""How much of two texts is common, on average and at least, that are offered for review."""
_OFFERED_BUT_ONE = 0.66  # where in one place each says something else
_WORD = re.compile(r"\w+")
_SEVERAL, _REWORDED, _TELLING = 2, 2, 0.5
_LISTING = word_set("like love enjoy have speak know play read eat drink collect own")  # of several things one is named


@dataclass(frozen=True, slots=True)
class PairJudgment:
    """The verdict on two texts, how alike they are, and their differences if they contradict each other."""

    verdict: Verdict
    score: float
    differences: tuple[Difference, ...] = ()


def compare_texts(a: str, b: str) -> Verdict:
    """Return whether two texts say the same, may say the same, contradict each other, or differ."""
    return "duplicate" if a.strip() == b.strip() != "" else _judge_texts(a, b).verdict


def text_similarity(a: str, b: str) -> float:
    """Return how alike two texts are, from 0 to 1; `AUTOMATIC` or more only if one says all of the other."""
    return (1.0 if a.strip() else 0.0) if a.strip() == b.strip() else _judge_texts(a, b).score


def find_differences(a: str, b: str) -> tuple[Difference, ...]:
    """Return what two texts say differently about the same thing; what only one of them says is none."""
    return () if a.strip() == b.strip() else _judge_texts(a, b).differences


def _judge_texts(a: str, b: str) -> PairJudgment:
    return judge_statements(cached_statements(a), cached_statements(b))


def judge_statements(left: Statements, right: Statements) -> PairJudgment:
    """Judge two texts by their statements; their order makes no difference."""
    if [each.text for each in right] < [each.text for each in left]:
        found = judge_statements(right, left)
        turned = tuple(Difference(one.sort, one.right, one.left) for one in found.differences)
        return PairJudgment(found.verdict, found.score, turned)
    contained = contained_share(left, right)
    score = _CONTAINED + _PART * contained
    if contained and score >= AUTOMATIC:
        return _judge_additions(left, right, align_statements(left, right), score)
    mine, others = without_title(left), without_title(right)
    words = align_tokens(read_tokens(mine), read_tokens(others))
    score = score if contained else _OTHERWISE * sum(words.shares) / 2
    is_like = measure_likeness(words, mine, others) >= _LIKE
    is_short = min(len(words.left), len(words.right)) <= _SHORT
    is_near = contained or is_like or is_short or max(words.shares) >= _UNRELATED
    if not is_near or _have_other_titles(left, right):
        return PairJudgment("distinct", score)
    found = _judge_words(words, mine, others, score, is_like=is_like)
    return PairJudgment("propose", score) if contained and found.verdict == "distinct" else found


def _judge_words(
    words: Alignment, mine: Statements, others: Statements, score: float, *, is_like: bool
) -> PairJudgment:
    """Judge two texts by what only one of them says, and by what each says in the place of the other's."""
    alignment = align_statements(mine, others)
    differences = tuple(aligned_differences(alignment))
    if max(words.shares) >= _RETRACTED and (taken := _find_retraction(alignment)):
        return PairJudgment("contradiction", score, (*differences, taken))
    if is_like and not differences and (opposed := _find_opposites(mine, others)):
        return PairJudgment("contradiction", score, opposed)
    slots = find_slots(words)
    is_like = is_like and not any(are_strangers(slot, words) for slot in slots)
    if sum(slot.width for slot in slots) >= _SEVERAL and not is_like:
        return PairJudgment("distinct", score)
    if differences:
        is_one_subject = is_like or max(words.shares) >= _CONTESTED or _differ_in_one_place(words, slots)
        return _judge_contrast(words, slots, differences if is_one_subject else (), score, is_like=is_like)
    if not slots and says_same(words, mine, others):
        return PairJudgment("duplicate", max(score, AUTOMATIC))
    if slots and _is_one_word_replaced(words, slots):
        replaced = _find_replacement(words, slots[0])
        return PairJudgment("contradiction" if replaced else "distinct", score, replaced)
    return PairJudgment("propose" if is_like or _is_offered(words, len(slots)) else "distinct", score)


def _find_opposites(mine: Statements, others: Statements) -> tuple[Difference, ...]:
    """Return the opposites, whatever the sentences they stand in; a denial in other words may be none."""
    found = find_opposed_terms(*([term for each in side for term in each.terms] for side in (mine, others)))
    return tuple(one for one in found if one.sort is not TermKind.NEGATION and not _is_of_beginning(one))


def _judge_contrast(
    words: Alignment, slots: Sequence[Slot], differences: Sequence[Difference], score: float, *, is_like: bool
) -> PairJudgment:
    """Judge two texts by their differences, those left out that may be none."""
    held = tuple(one for one in differences if _counts(one, words))
    if held and not any(_names_others(slot, held) for slot in slots):
        return PairJudgment("contradiction", score, held)
    may_agree = differences and not held and (is_like or _is_offered(words, len(slots)))
    return PairJudgment("propose" if may_agree else "distinct", score)


def _counts(one: Difference, words: Alignment) -> bool:
    """Return whether a difference is not one of wording: a denial in other words may be none, an end a beginning."""
    if one.sort is TermKind.NEGATION:
        return (
            min(
                sum(not tokens[number].term.dense for number in rest)
                for tokens, rest in zip((words.left, words.right), words.rest, strict=True)
            )
            < _REWORDED
        )
    return not _is_of_beginning(one)


def _is_of_beginning(one: Difference) -> bool:
    return any(side.line == "start" for side in opposite_sides(one.left.casefold()))


def _differ_in_one_place(words: Alignment, slots: Sequence[Slot]) -> bool:
    """Return whether two texts are the same outside of one place."""
    return len(slots) == 1 and all(
        len(rest) == sum(token.weight >= _TELLING for token in side)
        for rest, side in zip(words.rest, slots[0], strict=True)
    )


def _have_other_titles(left: Statements, right: Statements) -> bool:
    """Return whether two texts are called the same but for a word that the other text does not have."""
    titles = [side[:1] if side and side[0].sense[:1] == ("#",) else () for side in (left, right)]
    slots = find_slots(align_tokens(read_tokens(titles[0]), read_tokens(titles[1]))) if all(titles) else []
    known = [{name for token in read_tokens(side) for name in token.near} for side in (left, right)] if slots else []
    return any(
        not any(token.near & known[1] for token in slot.left) and not any(token.near & known[0] for token in slot.right)
        for slot in slots
    )


def _names_others(slot: Slot, found: Sequence[Difference]) -> bool:
    """Return whether beside a difference two texts name other things in one place: cold store, Hot Springs."""
    if len(sorts := {one.sort for one in found}) > 1 and TermKind.NAME in sorts:
        return True
    words = {word for one in found for word in _WORD.findall(f"{one.left} {one.right}")}
    return all(
        any(
            token.weight >= _TELLING and not token.explains and not words.issuperset(_WORD.findall(token.term.text))
            for token in side
        )
        for side in slot
    )


def _is_offered(words: Alignment, slots: int) -> bool:
    """Return whether two texts have so many words in common that they may say the same."""
    return min(words.shares) >= _OFFERED_LESS and sum(words.shares) / 2 >= (_OFFERED_BUT_ONE if slots else _OFFERED)


def _is_one_word_replaced(words: Alignment, slots: Sequence[Slot]) -> bool:
    """Return whether two texts are the same but for one word, in the place of which stands another."""
    if not _differ_in_one_place(words, slots) or any(len(side) != 1 or " " in side[0].term.text for side in slots[0]):
        return False
    is_near = slots[0].left[0].near & slots[0].right[0].near
    return not is_near and all(words.left[one].denied == words.right[its].denied for one, its in words.pairs.items())


def _find_replacement(words: Alignment, slot: Slot) -> tuple[Difference, ...]:
    """Return the difference that a replaced word makes; none where it is one of several things that may be named."""
    mine, other = slot.left[0], slot.right[0]
    place = words.left.index(mine)
    if not place or words.left[place - 1].statement != mine.statement:
        return ()  # what a sentence begins with is what it is about: beans climb, peas climb
    if base_form(words.left[place - 1].term.key) in _LISTING:
        return ()
    is_opposite = are_opposed(mine.term.key, other.term.key)
    kind = TermKind.ANTONYM if is_opposite else mine.term.kind if mine.term.kind is other.term.kind else TermKind.WORD
    return (Difference(kind, mine.term.text, other.term.text),)


def _judge_additions(left: Statements, right: Statements, alignment: StatementAlignment, score: float) -> PairJudgment:
    """Judge a text and one that says all of it and more: the addition may retract it."""
    taken = _find_retraction(alignment)
    if taken:
        return PairJudgment("contradiction", score, (taken,))
    for mine, others in ((alignment.left, right), (left, alignment.right)):
        paired = align_statements(mine, others)
        if found := tuple(aligned_differences(paired)):
            slots = find_slots(align_tokens(read_tokens(mine), read_tokens(others)))
            is_other = any(each.sort is TermKind.NAME for each in found) or any(
                _names_others(slot, found) for slot in slots
            )
            return PairJudgment("propose", score) if is_other else PairJudgment("contradiction", score, found)
    is_safe = all(map(is_harmless, (*alignment.left, *alignment.right)))
    return PairJudgment("duplicate" if is_safe else "propose", score)


def _find_retraction(alignment: StatementAlignment) -> Difference | None:
    """Return the difference if only one of two texts retracts something."""
    mine, others = find_retraction(alignment.left), find_retraction(alignment.right)
    return Difference(TermKind.NEGATION, mine, others) if bool(mine) != bool(others) else None


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
