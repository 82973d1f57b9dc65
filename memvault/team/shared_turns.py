"""The conversations of a shared vault: turns around an engine's candidates, as scoring sees those of a whole index."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from memvault.core.conversation import Conversation, Trajectory, Turn
from memvault.core.query import Word
from memvault.recall.ranking.question import RankedQuestion
from memvault.recall.ranking.turns import FEW_DAYS, compound_halves, day_ordinals, split_compound
from memvault.recall.ranking.weights import WEIGHTS
from memvault.storage.transcript_index.index import Key, TranscriptChanges, TranscriptIndex
from memvault.storage.transcript_index.rows import (
    IN_A_FACT,
    IndexedConversation,
    IndexUnit,
    TranscriptTurns,
    first_places,
)
from memvault.team.engines import TURN, Counts, Engine, Reader, Ref, Sought, Source, Statistics, Totals, Unit

DEPTH, MOST_DEPTH, UNITS_PER_DEPTH = 200, 1_000, 100
STEPS = 3  # turns on either side of a candidate: no word counts further away


class VaultCounts:
    """What is counted of the terms of one question in one vault; looked up together, and once."""

    def __init__(self, engine: Engine, who: Reader, vault: int) -> None:
        self.engine, self.who, self.vault = engine, who, vault
        self._counts: Statistics | None = None
        self._terms: set[str] = set()

    @property
    def counts(self) -> Statistics:
        """Return what was counted so far."""
        if self._counts is None:
            self.look_up(())
        assert self._counts is not None
        return self._counts

    def look_up(self, terms: Iterable[str], groups: Iterable[tuple[str, ...]] = ()) -> None:
        """Count what was not counted yet."""
        known = self._counts or Statistics(Totals(), {}, {}, {}, {})
        missing = [term for term in dict.fromkeys(terms) if term not in self._terms]
        others = [group for group in dict.fromkeys(groups) if len(group) > 1 and group not in known.groups]
        if missing or others or self._counts is None:
            self._terms.update(missing)
            new = self.engine.statistics(self.who, self.vault, missing, others)
            self._counts = Statistics(
                new.totals,
                {**known.terms, **new.terms},
                {**known.groups, **new.groups},
                {**known.similar, **new.similar},
                {**known.speakers, **new.speakers},
            )

    def holding(self, kind: int, term: str) -> Counts:
        """Return how many units of a kind hold a term."""
        self.look_up((term,))
        return self.counts.terms.get((kind, term), Counts())

    def depth(self, units: int) -> int:
        """Return how many candidates are worth ranking among so many units."""
        return min(MOST_DEPTH, max(DEPTH, units // UNITS_PER_DEPTH))


class SharedStatistics:
    """The counts of a whole vault, for the ranking of a few of its units."""

    def __init__(self, asked: VaultCounts) -> None:
        totals = asked.counts.totals
        self.units, self.sittings, self.terms = totals.units, totals.sittings, totals.terms
        self._asked = asked

    def units_with(self, terms: tuple[str, ...], here: int) -> int:
        """Return how many units of the vault hold any of the terms."""
        return max(here, self._count(terms).units)

    def sittings_with(self, terms: tuple[str, ...], here: int) -> int:
        """Return how many sittings do."""
        return max(here, self._count(terms).sittings)

    def similar(self, term: str) -> Iterable[str]:
        """Return the terms of the vault that are spelled nearly so, and the two halves of a compound."""
        self._asked.look_up((term,))
        halves = split_compound(term, lambda half: bool(self._asked.holding(TURN, half).units))
        return (*self._asked.counts.similar.get((TURN, term), ()), *halves)

    def _count(self, terms: tuple[str, ...]) -> Counts:
        if len(terms) == 1:
            return self._asked.holding(TURN, terms[0])
        self._asked.look_up((), (terms,))
        return self._asked.counts.groups[terms]


class SharedTurns(TranscriptTurns):
    """Units around candidates, in order; where turns between them are missing, a run ends."""

    def __init__(self, units: Sequence[Unit], asked: VaultCounts) -> None:
        self.statistics = SharedStatistics(asked)
        self._asked = asked
        self.at_hand = units
        self.keys = array("q", range(len(self.at_hand)))
        self.lengths = [unit.lengths[0] for unit in self.at_hand]
        self.roles = [unit.role for unit in self.at_hand]
        self.days = [unit.day for unit in self.at_hand]
        self.signs = [unit.signs for unit in self.at_hand]
        self.turns, self.sittings, self.runs = _number_places(self.at_hand)
        self.first_units = first_places(self.turns)
        self.first_turns = first_places([self.runs[unit] for unit in self.first_units[:-1]])
        sums = dict(zip(self.sittings, (unit.sitting_terms for unit in self.at_hand), strict=True))
        self.sitting_lengths = [sums[sitting] for sitting in range(len(sums))]
        self._speakers: dict[str, int] = {}
        self.speakers = [self._speakers.setdefault(unit.speaker, len(self._speakers)) for unit in self.at_hand]
        self.earliest, self.latest = asked.counts.totals.earliest, asked.counts.totals.latest
        self._holding: dict[str, tuple[list[int], list[float]]] = {}
        for place, unit in enumerate(self.at_hand):
            for term, fields in unit.hits.items():
                places, counts = self._holding.setdefault(term, ([], []))
                places.append(place)
                counts.append(fields.get(0, 0) + IN_A_FACT * fields.get(1, 0))

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """Return the units at hand that hold a term, and how often each does."""
        return self._holding.get(term, ((), ()))

    def speaking(self, term: str) -> frozenset[int]:
        """Return the people of the vault whose name has this term, whether or not they speak here."""
        names = self._asked.counts.speakers.get(term, ())
        return frozenset(self._speakers.setdefault(name, len(self._speakers)) for name in names)

    @cached_property
    def _named_days(self) -> dict[int, list[tuple[int, int]]]:
        pairs = ((place, unit.named_days) for place, unit in enumerate(self.at_hand) if unit.named_days)
        return {place: list(zip(days[::2], days[1::2], strict=True)) for place, days in pairs}


class SharedTranscripts(TranscriptIndex):
    """The index of a shared vault's conversations, for one question."""

    def __init__(self, asked: VaultCounts, question: RankedQuestion) -> None:
        self.folder = Path("/dev/null/shared")
        self._asked, self._question = asked, question
        self._shares = self._look_up_terms(question.words, question.called)  # at once, for memories as well
        self._numbers: dict[str, int] = {}
        self._heads: dict[int, IndexedConversation] = {}
        self._topics: dict[int, list[Trajectory]] = {}
        self._turns: dict[tuple[int, int], Turn] = {}
        self.is_cut = False  # whether postings of a common word were left out

    def find_changes(self, listing: Iterable[tuple[str, Key]]) -> TranscriptChanges:  # noqa: ARG002 - none is behind
        """Return none: the worker keeps it current."""
        return TranscriptChanges()

    # -- scoring

    def turn_index(self) -> TranscriptTurns:
        """Return the units around the candidates for the question."""
        return self._shared_turns

    @cached_property
    def _shared_turns(self) -> SharedTurns:
        asked, question, shares = self._asked, self._question, self._shares
        called = {term for word in question.words for term in (word.term, *question.called.get(word.term, ()))}
        speakers = {name for term in called for name in asked.counts.speakers.get(term, ())}
        sought = Sought(shares, tuple(sorted(speakers)), self._few_days(question))
        depth = asked.depth(asked.counts.totals.units)
        refs = asked.engine.candidates(asked.who, asked.vault, TURN, sought, limit=depth)
        self.is_cut = any(ref.is_cut for ref in refs)
        found = asked.engine.around(asked.who, asked.vault, TURN, refs, terms=list(shares), steps=STEPS)
        return SharedTurns(found.units, asked)

    def _look_up_terms(self, words: Sequence[Word], called: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Count the terms that the ranking will ask for, and return each with its share of a word."""
        terms = [term for word in words for term in word.terms]
        halves = [half for word in words for pair in compound_halves(word.term) for half in pair]
        names = [name for others in called.values() for name in others]
        self._asked.look_up((*terms, *halves, *names), [word.terms for word in words])
        statistics = SharedStatistics(self._asked)
        shares: dict[str, float] = {}
        groups = []
        for word in words:
            others = word.others
            if not self._asked.holding(TURN, word.term).units:
                others += tuple((term, WEIGHTS.near) for term in statistics.similar(word.term))
                groups.append((word.term, *(term for term, _ in others)))
            for term, share in ((word.term, 1.0), *others):
                shares[term] = max(shares.get(term, 0.0), share * word.weight)
        self._asked.look_up(shares, groups)
        return shares

    def _few_days(self, question: RankedQuestion) -> tuple[int, ...]:
        totals = self._asked.counts.totals
        days = day_ordinals(question.days, totals.earliest, totals.latest)
        return tuple(number for first, last in days if last - first < FEW_DAYS for number in (first, last))

    def get_units(self, keys: Iterable[int]) -> dict[int, IndexUnit]:
        """Return the units of some keys, whose texts and conversations are read together."""
        wanted = {key: self._shared_turns.at_hand[key] for key in keys}
        self._read_heads(sorted({unit.source for unit in wanted.values()}))
        self._read_turns([unit.ref for unit in wanted.values()])
        return {
            key: IndexUnit(key, self._numbers[unit.source], unit.turn, unit.start, unit.stop)
            for key, unit in wanted.items()
            if unit.source in self._numbers
        }

    # -- conversations

    def get_conversation(self, number: int) -> IndexedConversation | None:
        """Return the conversation with a number of this question."""
        return self._heads.get(number)

    def find_conversations(self, ref: str) -> list[IndexedConversation]:
        """Return the conversations that match an id, its beginning, or a short id."""
        numbers = self._read_heads([ref])
        exact = [number for number in numbers if ref in (self._heads[number].talk.id, self._heads[number].short)]
        return [self._heads[number] for number in exact or numbers]

    def count_turns(self) -> tuple[int, int]:
        """Return how many conversations and turns there are."""
        totals = self._asked.counts.totals
        return totals.conversations, totals.turns

    def get_turns(self, number: int, first: int, last: int) -> list[Turn]:
        """Return the turns of a conversation from one place to another, both included."""
        source = self._heads[number].talk.id
        self._read_turns([Ref(source, place) for place in range(first, last + 1)])
        places = ((number, place) for place in range(first, last + 1))
        return [self._turns[place] for place in places if place in self._turns]

    def get_trajectories(self, number: int) -> list[Trajectory]:
        """Return the topics of a conversation, in order."""
        return self._topics.get(number, [])

    def trajectory_at(self, number: int, place: int) -> Trajectory | None:
        """Return the topic that a turn belongs to."""
        return next((topic for topic in self.get_trajectories(number) if topic.first <= place <= topic.last), None)

    def _read_heads(self, refs: Sequence[str]) -> list[int]:
        known = [ref for ref in refs if ref in self._numbers]
        missing = [ref for ref in refs if ref not in self._numbers]
        sources = self._asked.engine.sources(self._asked.who, self._asked.vault, TURN, missing) if missing else []
        for source in sources:
            number = self._numbers.setdefault(source.id, len(self._numbers))
            self._heads[number], self._topics[number] = _read_head(number, source)
        return [self._numbers[name] for name in (*known, *(source.id for source in sources))]

    def _read_turns(self, refs: Sequence[Ref]) -> None:
        missing = [ref for ref in refs if (self._numbers.get(ref.source, -1), ref.turn) not in self._turns]
        if missing:
            found = self._asked.engine.around(self._asked.who, self._asked.vault, TURN, missing, texts=True)
            for turn in found.turns:
                if turn.source in self._numbers:
                    self._turns[self._numbers[turn.source], turn.turn] = _read_turn(turn.text, turn.data)


def _number_places(units: Sequence[Unit]) -> tuple[list[int], list[int], list[int]]:
    """Number the turns, the sittings, and the runs of turns without a gap, each from 0."""
    turns, sittings, runs = [], [], []
    turn = sitting = run = -1
    before: Unit | None = None
    for unit in units:
        is_same_sitting = before is not None and (before.source, before.sitting) == (unit.source, unit.sitting)
        is_same_turn = before is not None and (before.source, before.turn) == (unit.source, unit.turn)
        turn += not is_same_turn
        sitting += not is_same_sitting
        run += not (is_same_sitting and before is not None and unit.turn - before.turn <= 1)
        turns.append(turn)
        sittings.append(sitting)
        runs.append(run)
        before = unit
    return turns, sittings, runs


def _read_head(number: int, source: Source) -> tuple[IndexedConversation, list[Trajectory]]:
    kept: dict[str, Any] = json.loads(source.data)
    talk = Conversation(
        id=source.id,
        source=kept["source"],
        title=kept["title"],
        project=kept["project"],
        speakers=tuple(kept["speakers"]),
    )
    first, last = (None if at is None else datetime.fromtimestamp(at, UTC) for at in (kept["first"], kept["last"]))
    head = IndexedConversation(number, source.path, source.short, talk, kept["turns"], kept["units"], first, last)
    topics = [
        Trajectory(first=begin, last=end, summary=summary, keywords=tuple(keywords))
        for begin, end, summary, keywords in kept["topics"]
    ]
    return head, topics


def _read_turn(text: str, data: str) -> Turn:
    id_, session, at, speaker, role, deeds = json.loads(data)
    time = None if at is None else datetime.fromtimestamp(at, UTC)
    return Turn(id=id_, session=session, time=time, speaker=speaker, role=role, text=text, deeds=tuple(deeds))
