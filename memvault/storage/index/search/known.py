"""The memories of one segment in their order, where it is known what every passage earns that says any of the words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memvault.core.query import Match
from memvault.storage.index.postings import Section
from memvault.storage.index.search import Keep
from memvault.storage.index.search.score import PARTS, order
from memvault.storage.index.search.shares import Earned

_DIGITS = 9  # of a score: what is alike so far goes by its number


def in_known_order(section: Section, bodies: Earned, contexts: Earned, keep: Keep | None) -> Iterator[Match]:
    """The memories best first, given what passages earn, and by their first ones what memories do by their context."""
    keys, away = section.keys(), section.away()
    totals = _with_context(keys, bodies, contexts) if contexts else bodies
    given: set[int] = set()
    alike: dict[int, Match] = {}
    level = 0.0
    for document in sorted(totals, key=totals.__getitem__, reverse=True):
        memory, part = divmod(keys[document], PARTS)
        if memory in given:
            if memory in alike and _is_better(totals[document], part, alike[memory]):
                alike[memory] = Match(memory, part, totals[document])
        elif document not in away and (keep is None or keep(memory)):
            score = totals[document]
            if alike and round(score, _DIGITS) != level:
                yield from sorted(alike.values(), key=order) if len(alike) > 1 else alike.values()
                alike = {}
            level = round(score, _DIGITS)
            given.add(memory)
            alike[memory] = Match(memory, part, score)
    yield from sorted(alike.values(), key=order)


def _is_better(score: float, part: int, than: Match) -> bool:
    """Whether a passage goes before another of its memory: scores that are told apart no more are of the first."""
    return score == than.score and part < than.part


def _with_context(keys: Sequence[int], bodies: Earned, contexts: Earned) -> Mapping[int, float]:
    """What passages earn with the context of their memory; first passages count that say nothing but by that."""
    totals, size = {**contexts, **bodies}, len(keys)
    for head, context in contexts.items():  # of what says a word only some says it in its title, too
        at, end = head, keys[head] + PARTS
        while at < size and keys[at] < end:
            if at in bodies:
                totals[at] += context
            at += 1
    return totals
