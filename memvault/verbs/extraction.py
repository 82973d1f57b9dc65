"""Draw facts and topics out of what is new in a conversation, and remember what is worth it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from memvault.core.talk import Fact, Trajectory, Turn
from memvault.verbs.facting import facts_with_model
from memvault.verbs.labelling import divided, labelled_with_model

if TYPE_CHECKING:
    from memvault.llm.seam import Ask
    from memvault.vault.talks.archive import Talks

WINDOW = 1_000  # turns that are looked at together
_RULES = "rules-1"
_MODEL = "model-1"


@dataclass(frozen=True, slots=True)
class Extracted:
    """How many facts and topics were drawn out."""

    facts: int = 0
    topics: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """Turns that are looked at together, the place of the first, and the place from which they are new."""

    turns: tuple[Turn, ...]
    start: int
    new_from: int


def extract(store: Talks, path: str, ask: Ask | None, *, known: Mapping[str, int]) -> Extracted:
    """Write the facts and topics of what is new in a conversation beside it, window by window."""
    words = Counter(known)
    facts = topics = 0
    there = store.open(path)
    held = list(there.trajectories())[-2:]  # the last topics may go on in what is new
    covered, start = (held[-1].last + 1, held[0].first) if held else (0, 0)
    turns: list[Turn] = []
    for batch in _batches(islice(there.turns(), start, None), covered - start + WINDOW):
        turns += batch
        if start + len(turns) <= covered:
            break
        drawn, found = _drawn(Window(tuple(turns), start, covered), ask, words)
        store.learn(path, drawn, found, by=_RULES if ask is None else _MODEL)
        words.update(word for topic in found for word in topic.keywords)
        facts, topics = facts + len(drawn), topics + len(found)
        covered = start + len(turns)
        turns, start = turns[found[-2:][0].first - start :], found[-2:][0].first
    return Extracted(facts, topics)


def _batches(turns: Iterable[Turn], first: int) -> Iterator[list[Turn]]:
    """The turns, a window at a time; the first also takes what is looked at again."""
    stream = iter(turns)
    size = first
    while batch := list(islice(stream, size)):
        yield batch
        size = WINDOW


def _drawn(window: Window, ask: Ask | None, known: Mapping[str, int]) -> tuple[list[Fact], list[Trajectory]]:
    turns = window.turns
    facts = facts_with_model(turns, ask).facts
    fresh = {turn.id for turn in turns[window.new_from - window.start :]}
    runs = topics_of(turns, facts, ask, known=known)
    moved = [replace(run, first=run.first + window.start, last=run.last + window.start) for run in runs]
    return [fact for fact in facts if not fresh.isdisjoint(fact.turns)], moved


def topics_of(
    turns: Sequence[Turn], facts: Sequence[Fact], ask: Ask | None, *, known: Mapping[str, int]
) -> tuple[Trajectory, ...]:
    """The topics of some turns, each with its line and keywords."""
    runs = divided(turns, facts, ask).trajectories
    return labelled_with_model(turns, facts, runs, ask, known=known).trajectories
