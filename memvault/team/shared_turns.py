"""The conversations of a shared vault: turns around an engine's candidates, as scoring sees those of a whole index."""

from __future__ import annotations

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice, repeat
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
from memvault.team.engines import (
    FEWEST_CANDIDATES,
    MEMORY,
    TURN,
    Around,
    Counts,
    Engine,
    Reader,
    Ref,
    Sought,
    Source,
    Statistics,
    Totals,
    Unit,
)

SMALL, MOST_CANDIDATES, UNITS_PER_CANDIDATE = 10_000, 1_000, 25
STEPS = 3  # turns on either side of a candidate: no word counts further away


class VaultCounts:
    """What is counted of the terms of one question in one vault; looked up together, and once."""

    def __init__(self, engine: Engine, who: Reader, vault: int) -> None:
        self.engine, self.who, self.vault = engine, who, vault
        self._counts: Statistics | None = None
        self.is_cut = False  # whether postings of a common word were left out
        self._terms: set[str] = set()
        self._spelled: set[str] = set()

    @property
    def counts(self) -> Statistics:
        """Return what was counted so far."""
        if self._counts is None:
            self.look_up(())
        assert self._counts is not None
        return self._counts

    def look_up(
        self, terms: Iterable[str], groups: Iterable[tuple[str, ...]] = (), spelled: Iterable[str] = ()
    ) -> None:
        """Count what was not counted yet, and find what is spelled like terms that are unknown."""
        known = self._counts or Statistics(Totals(), {}, {}, {}, {})
        missing = [term for term in dict.fromkeys(terms) if term not in self._terms]
        others = [group for group in dict.fromkeys(groups) if len(group) > 1 and group not in known.groups]
        strange = [term for term in dict.fromkeys(spelled) if term not in self._spelled]
        if missing or others or strange or self._counts is None:
            self._terms.update(missing)
            self._spelled.update(strange)
            new = self.engine.statistics(self.who, self.vault, missing, others, strange)
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

    def similar(self, kind: int, term: str) -> tuple[str, ...]:
        """Return what is spelled nearly like a term that no unit of a kind holds."""
        self.look_up((), (), (term,))
        return self.counts.similar.get((kind, term), ())

    def find_around(self, kind: int, sought: Sought, terms: Sequence[str], *, steps: int = 0) -> Around:
        """Return what stands around the units that are worth ranking: the more, the more units there are."""
        totals = self.counts.totals
        units = totals.passages if kind == MEMORY else totals.units
        limit = FEWEST_CANDIDATES if units <= SMALL else min(MOST_CANDIDATES, units // UNITS_PER_CANDIDATE)
        found = self.engine.around(self.who, self.vault, kind, sought, limit=limit, terms=terms, steps=steps)
        self.is_cut = self.is_cut or found.is_cut
        return found


class SharedStatistics:
    """The counts of a whole vault, for the ranking of a few of its units.

    How many units of a sitting hold a term is known for whole sittings of people; of others, those at hand count.
    """

    def __init__(self, asked: VaultCounts, sittings: Sequence[int] = ()) -> None:
        totals = asked.counts.totals
        self.units, self.sittings, self.terms = totals.units, totals.sittings, totals.terms
        self.by_sitting: defaultdict[str, dict[int, int]] = defaultdict(dict)  # by term and sitting: its units
        self._asked, self._sittings = asked, sittings

    def units_with(self, terms: tuple[str, ...], here: int) -> int:
        """Return how many units of the vault hold any of the terms."""
        return max(here, self._count(terms).units)

    def sittings_with(self, terms: tuple[str, ...], here: int) -> int:
        """Return how many sittings do."""
        return max(here, self._count(terms).sittings)

    def count_by_sitting(self, term: str, units: Sequence[int]) -> Mapping[int, int]:
        """Return how many units of each sitting at hand hold a term."""
        return {**Counter(map(self._sittings.__getitem__, units)), **self.by_sitting.get(term, {})}

    def similar(self, term: str) -> Iterable[str]:
        """Return the terms of the vault that are spelled nearly so, and the two halves of a compound."""
        halves = split_compound(term, lambda half: bool(self._asked.holding(TURN, half).units))
        return (*self._asked.similar(TURN, term), *halves)

    def _count(self, terms: tuple[str, ...]) -> Counts:
        if len(terms) == 1:
            return self._asked.holding(TURN, terms[0])
        self._asked.look_up((), (terms,))
        return self._asked.counts.groups[terms]


class SharedTurns(TranscriptTurns):
    """Units around candidates, in order; where turns between them are missing, a run ends."""

    def __init__(self, found: Around, asked: VaultCounts) -> None:
        self._asked = asked
        self.at_hand = found.units
        self.keys = array("q", range(len(self.at_hand)))
        columns = zip(*self.at_hand, strict=True) if self.at_hand else repeat(())
        sources, turns, _, sittings, names, self.roles, self.days, self.signs, lengths, sums, said, hits = islice(
            columns, len(Unit._fields)
        )
        self.lengths = [length[0] for length in lengths]
        self.turns, self.sittings, self.runs = _number_places(sources, turns, sittings)
        self.first_units = first_places(self.turns)
        self.first_turns = first_places([self.runs[unit] for unit in self.first_units[:-1]])
        self.sitting_lengths = list(dict(zip(self.sittings, sums, strict=True)).values())
        self._speakers: dict[str, int] = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self.speakers = [self._speakers[name] for name in names]
        self.earliest, self.latest = asked.counts.totals.earliest, asked.counts.totals.latest
        self._named_days = {
            place: list(zip(days[::2], days[1::2], strict=True)) for place, days in enumerate(said) if days
        }
        self._holding = _list_postings(hits)
        self.statistics = statistics = SharedStatistics(asked, self.sittings)
        numbers = dict(zip(zip(sources, sittings, strict=True), self.sittings, strict=True))
        for key, often in found.sittings.items():
            for term, count in often.items():
                statistics.by_sitting[term][numbers[key]] = count

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """Return the units at hand that hold a term, and how often each does."""
        return self._holding.get(term, ((), ()))

    def speaking(self, term: str) -> frozenset[int]:
        """Return the people of the vault whose name has this term, whether or not they speak here."""
        names = self._asked.counts.speakers.get(term, ())
        return frozenset(self._speakers.setdefault(name, len(self._speakers)) for name in names)


class SharedTranscripts(TranscriptIndex):
    """The index of a shared vault's conversations, for one question."""

    def __init__(self, asked: VaultCounts, question: RankedQuestion, noted: Sequence[Word] = ()) -> None:
        self.folder = Path("/dev/null/shared")
        self._asked, self._question = asked, question
        self._shares = self._look_up_terms(question.words, question.called, noted)
        self._numbers: dict[str, int] = {}
        self._spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._heads: dict[int, IndexedConversation] = {}
        self._topics: dict[int, list[Trajectory]] = {}
        self._turns: dict[tuple[int, int], Turn] = {}

    @property
    def is_cut(self) -> bool:
        """Return whether postings of a common word were left out, of memories or of turns."""
        return self._asked.is_cut

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
        return SharedTurns(asked.find_around(TURN, sought, list(shares), steps=STEPS), asked)

    def _look_up_terms(
        self, words: Sequence[Word], called: Mapping[str, Sequence[str]], noted: Sequence[Word]
    ) -> dict[str, float]:
        """Count the terms that both rankings will ask for, and return each of turns with its share of a word."""
        terms = [term for word in (*words, *noted) for term in word.terms]
        halves = [half for word in words for pair in compound_halves(word.term) for half in pair]
        names = [name for others in called.values() for name in others]
        own = [word.term for word in (*words, *noted)]
        self._asked.look_up((*terms, *halves, *names), [word.terms for word in words], own)
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
        self._read_texts([unit.ref for unit in wanted.values()])
        places = {key: (self._numbers.get(unit.source, -1), unit.turn) for key, unit in wanted.items()}
        return {
            key: IndexUnit(key, *places[key], *self._spans[places[key]][unit.part])
            for key, unit in wanted.items()
            if unit.part < len(self._spans.get(places[key], ()))  # or else it was written anew in between
        }

    # -- conversations

    def get_conversation(self, number: int) -> IndexedConversation | None:
        """Return the conversation with a number of this question."""
        return self._heads.get(number)

    def find_conversations(self, ref: str) -> list[IndexedConversation]:
        """Return the conversations that match an id, its beginning, or a short id."""
        numbers = self._read_texts([Ref(ref, 0)])
        exact = [number for number in numbers if ref in (self._heads[number].talk.id, self._heads[number].short)]
        return [self._heads[number] for number in exact or numbers]

    def count_turns(self) -> tuple[int, int]:
        """Return how many conversations and turns there are."""
        totals = self._asked.counts.totals
        return totals.conversations, totals.turns

    def get_turns(self, number: int, first: int, last: int) -> list[Turn]:
        """Return the turns of a conversation from one place to another, both included."""
        source = self._heads[number].talk.id
        places = [(number, place) for place in range(max(first, 0), last + 1)]
        if missing := [Ref(source, turn) for place, turn in places if (place, turn) not in self._turns]:
            self._read_texts(missing)
        return [self._turns[place] for place in places if place in self._turns]

    def get_trajectories(self, number: int) -> list[Trajectory]:
        """Return the topics of a conversation, in order."""
        return self._topics.get(number, [])

    def trajectory_at(self, number: int, place: int) -> Trajectory | None:
        """Return the topic that a turn belongs to."""
        return next((topic for topic in self.get_trajectories(number) if topic.first <= place <= topic.last), None)

    def _read_texts(self, refs: Sequence[Ref]) -> list[int]:
        """Read turns and what is known of their conversations; return the numbers of these."""
        found = self._asked.engine.around(self._asked.who, self._asked.vault, TURN, refs, texts=True)
        for source in found.sources:
            number = self._numbers.setdefault(source.id, len(self._numbers))
            if number not in self._heads:
                self._heads[number], self._topics[number] = _read_head(number, source)
        for turn in found.turns:
            place = self._numbers[turn.source], turn.turn
            self._turns[place], self._spans[place] = _read_turn(turn.text, turn.data)
        return [self._numbers[source.id] for source in found.sources]


def _list_postings(hits: Iterable[Mapping[str, Mapping[int, int]]]) -> dict[str, tuple[list[int], list[float]]]:
    """Return where each term stands among the units at hand, and how often; a fact counts less."""
    holding: defaultdict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for place, terms in enumerate(hits):
        for term, fields in terms.items():
            places, counts = holding[term]
            places.append(place)
            counts.append(fields[0] if len(fields) == 1 and 0 in fields else _count_fields(fields))
    return dict(holding)


def _count_fields(fields: Mapping[int, int]) -> float:
    return fields.get(0, 0) + IN_A_FACT * fields.get(1, 0)


def _number_places(
    sources: Sequence[str], turns: Sequence[int], sittings: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Number the turns, the sittings, and the runs of turns without a gap, each from 0."""
    numbers: tuple[list[int], list[int], list[int]] = ([], [], [])
    turn = sitting = run = -1
    source, last, at = "", -1, -1
    for name, place, sat in zip(sources, turns, sittings, strict=True):
        if name != source or sat != at:
            source, at, last = name, sat, place
            turn, sitting, run = turn + 1, sitting + 1, run + 1
        elif place != last:
            turn, run, last = turn + 1, run + (place - last > 1), place
        numbers[0].append(turn)
        numbers[1].append(sitting)
        numbers[2].append(run)
    return numbers


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


def _read_turn(text: str, data: str) -> tuple[Turn, list[tuple[int, int]]]:
    id_, session, at, speaker, role, deeds, spans = json.loads(data)
    time = None if at is None else datetime.fromtimestamp(at, UTC)
    turn = Turn(id=id_, session=session, time=time, speaker=speaker, role=role, text=text, deeds=tuple(deeds))
    return turn, spans
