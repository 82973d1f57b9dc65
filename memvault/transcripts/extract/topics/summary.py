"""Label segments: a central sentence, and a few keywords."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log
from types import MappingProxyType

from memvault.core.conversation import Fact, Trajectory, Turn
from memvault.text.spelling import Spellings
from memvault.transcripts.extract.topics.boundaries import is_user
from memvault.transcripts.extract.topics.keywords import SpeakerNames, find_keywords
from memvault.transcripts.extract.topics.segments import central_sentence
from memvault.transcripts.extract.topics.terms import TermStatistics, iter_sentences

NONE_KNOWN: Mapping[str, int] = MappingProxyType({})

_LEAST_TALK = 60  # turns; in a shorter conversation a word of every turn may still be its topic
_MOST_SAYINGS, _FEWEST_OF_A_TURN = 240, 6


def label_segment(
    turns: Sequence[Turn], facts: Sequence[Fact], trajectory: Trajectory, *, known: Mapping[str, int] = NONE_KNOWN
) -> Trajectory:
    """Label a segment with a line and two to five keywords, known ones first."""
    return label_segments(turns, facts, (trajectory,), known=known)[0]


def label_segments(
    turns: Sequence[Turn],
    facts: Sequence[Fact],
    trajectories: Iterable[Trajectory],
    *,
    known: Mapping[str, int] = NONE_KNOWN,
) -> tuple[Trajectory, ...]:
    """Label several segments of one conversation, with one spelling for all of them."""
    labeller = _Labeller(turns, facts, known)
    return tuple(labeller.label_segment(one) for one in trajectories)


class _Labeller:
    """What labels need of the whole conversation: term rarity, speakers, known keywords."""

    def __init__(self, turns: Sequence[Turn], facts: Sequence[Fact], known: Mapping[str, int]) -> None:
        self._turns = turns
        self._spread = TermStatistics(turns).spread
        self._total = max(len(turns), _LEAST_TALK)
        self._known, self._spellings = known, Spellings(known)
        self._user = next((turn.speaker for turn in turns if is_user(turn)), "")
        self._speakers = SpeakerNames(frozenset(turn.speaker.casefold() for turn in turns), self._user)
        self._facts = _facts_by_place(turns, facts)

    def label_segment(self, trajectory: Trajectory) -> Trajectory:
        """Return the segment with its label."""
        places = range(trajectory.first, trajectory.last + 1)
        most = max(_FEWEST_OF_A_TURN, _MOST_SAYINGS // len(places))
        sentences = [saying for place in places for saying in iter_sentences(self._turns[place], place, most=most)]
        names = [name for place in places for fact in self._facts.get(place, ()) for name in fact.about]
        summary = central_sentence(sentences, self._term_rarity, user=self._user)
        keywords = find_keywords(sentences, names, self._term_rarity, self._known, self._spellings, self._speakers)
        return replace(trajectory, summary=summary, keywords=keywords)

    def _term_rarity(self, term: str) -> float:
        return log(1 + self._total / (1 + self._spread[term]))


def _facts_by_place(turns: Sequence[Turn], facts: Sequence[Fact]) -> dict[int, list[Fact]]:
    """Group facts by their first turn."""
    places = {turn.id: place for place, turn in enumerate(turns)} if facts else {}
    found: dict[int, list[Fact]] = {}
    for fact in facts:
        own = [places[id_] for id_ in fact.turns if id_ in places]
        if own:
            found.setdefault(min(own), []).append(fact)
    return found
