"""Scoring of units: turns of conversations and passages of notes, each in the light of what stands around it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from heapq import nlargest
from math import exp
from operator import itemgetter
from typing import Protocol

from memvault.core.query import Word
from memvault.recall.ranking.question import NamedDays, RankedQuestion
from memvault.recall.ranking.weights import (
    ASKS,
    ASSISTANTS_ROLE,
    TIMED,
    USERS_ROLE,
    WEIGHTS,
    RankingWeights,
    RoleWeights,
)
from memvault.storage.index.search.bm25 import term_rarity

# What scoring asks of an index: postings of a term, and a few small columns for each unit, turn and sitting.


class TurnIndex(Protocol):
    """Units in the order in which they were said: a turn's stand together, and so do the turns of a sitting.

    Units, turns, sittings and speakers are numbered through from 0; days are ordinals, 0 where nobody knows.
    """

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """The units that hold a term, ascending, and how often each does."""

    def near(self, term: str) -> Iterable[str]:
        """Terms that are spelled nearly like one that no unit holds."""

    def speaking(self, term: str) -> Collection[int]:
        """The speakers whose name has this term in it; never the two roles."""

    def dated(self, first: int, last: int) -> Iterable[int]:
        """The units that were said on these days."""

    def said(self, unit: int) -> Iterable[tuple[int, int]]:
        """The first and last days that the words of a unit name."""

    @property
    def lengths(self) -> Sequence[int]:
        """How many terms each unit has."""

    @property
    def turns(self) -> Sequence[int]:
        """The turn that each unit is a part of."""

    @property
    def sittings(self) -> Sequence[int]:
        """The sitting of each unit."""

    @property
    def speakers(self) -> Sequence[int]:
        """The speaker of each unit."""

    @property
    def roles(self) -> Sequence[int]:
        """The role of each unit: its place in `weights.MANNERS`."""

    @property
    def days(self) -> Sequence[int]:
        """The day on which each unit was said."""

    @property
    def signs(self) -> Sequence[int]:
        """What `signs.signs` tells of each unit."""

    @property
    def first_units(self) -> Sequence[int]:
        """The first unit of each turn, and one more entry for where the last turn ends."""

    @property
    def first_turns(self) -> Sequence[int]:
        """The first turn of each sitting, and one more entry for where the last sitting ends."""

    @property
    def sitting_lengths(self) -> Sequence[int]:
        """How many terms each sitting has."""

    @property
    def earliest(self) -> int:
        """The first known day."""

    @property
    def latest(self) -> int:
        """The last known day."""


LIMIT = 100
_SHORTEST_HALF = 4
_ENOUGH = 4_000  # postings that are followed wherever they lead
_CLOSE = 3  # times as many turns as wanted are then looked at closely
_REACH = 4  # no turn is heard further
_FEW_DAYS = 31  # whatever was said on them is looked at, with the words of the question or without


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What a score is made of."""

    words: float  # the question's words in the unit itself
    around: float  # words that only the turns around it say
    sitting: float  # words of its sitting
    speaker: float
    day: float
    timed: float
    asking: float
    voice: float  # what its role adds
    meaning: float = 0.0  # how far its meaning stands out, where a model tells

    @property
    def total(self) -> float:
        """The score."""
        told = self.words + self.around + self.sitting + self.voice
        return told + self.speaker + self.day + self.timed + self.asking + self.meaning


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A unit, its score among those of one question, and how sure it is that it answers at all, from 0 to 1."""

    unit: int
    score: float
    similarity: float
    reasons: ScoreParts


@dataclass(frozen=True, slots=True)
class _TurnQuery:
    """A question as it is put to a shelf: whom it names there, and the days as ordinals."""

    question: RankedQuestion
    named: Collection[int]
    days: Collection[tuple[int, int]]
    weights: RankingWeights


@dataclass(slots=True)
class _WordScores:
    """What the words of a question find on a shelf."""

    own: dict[int, float]  # by unit
    around: dict[int, float]  # by turn
    sittings: dict[int, float]  # by sitting
    evidence: list[tuple[Word, float, dict[int, float]]]  # each word, its rarity, and by turn how far it is said


def score_units(
    question: RankedQuestion, shelf: TurnIndex, *, limit: int = LIMIT, weights: RankingWeights = WEIGHTS
) -> list[ScoredUnit]:
    """The best units for a question, best first: of each turn one, its best."""
    meant = {word: _named_speakers(word, question, shelf) for word in question.words}
    named = frozenset().union(*meant.values())
    words = [word for word in question.words if not meant[word]] if named else question.words
    sought = _TurnQuery(question, named, _day_ordinals(question.days, shelf), weights)
    found = _score_words(words or question.words, shelf, weights, limit=limit)
    rows = [
        (_score_parts(unit, sought, found, shelf), unit)
        for unit in _promising_units(sought, found, shelf, limit=2 * limit)
    ]
    best = nlargest(limit, ((reasons.total, -unit, reasons) for reasons, unit in rows), key=itemgetter(0, 1))
    return [
        ScoredUnit(-unit, total, _unit_similarity(-unit, sought, found, shelf), reasons)
        for total, unit, reasons in best
    ]


def _named_speakers(word: Word, question: RankedQuestion, shelf: TurnIndex) -> frozenset[int]:
    """The speakers that a word names, by whatever name they speak."""
    return frozenset().union(*map(shelf.speaking, (word.term, *question.called.get(word.term, ()))))


# -- the words


def _score_words(words: Iterable[Word], shelf: TurnIndex, weights: RankingWeights, *, limit: int) -> _WordScores:
    """What the words find: rare ones anywhere, common ones only near the best that the rare ones found."""
    found = _WordScores({}, defaultdict(float), defaultdict(float), [])
    looked_up = [(word, *_word_frequencies(word, shelf, found, weights)) for word in words]
    near: Collection[int] | None = None
    seen = 0
    for word, holding, frequencies in sorted(looked_up, key=lambda row: len(row[2])):
        if near is None and found.own and seen + len(frequencies) > _ENOUGH:
            near = _units_near_best(found, shelf, limit=limit)
        seen += len(frequencies)
        if near is not None:
            frequencies = {unit: often for unit, often in frequencies.items() if unit in near}
        rare = word.weight * term_rarity(holding, len(shelf.lengths))
        tops = _add_own(found, frequencies, rare, shelf, weights)
        found.evidence.append((word, rare, _add_around(found, tops, shelf, weights)))
    return found


def _units_near_best(found: _WordScores, shelf: TurnIndex, *, limit: int) -> Collection[int]:
    """The units of the turns that have most so far, and of those around them."""
    values = defaultdict(float, found.around)
    for unit, value in found.own.items():
        values[shelf.turns[unit]] += value
    best = nlargest(_CLOSE * limit, values, key=values.__getitem__)
    turns = {other for turn in best for other in range(turn - _REACH, turn + _REACH + 1)}
    last = len(shelf.first_units) - 1
    return {
        unit
        for turn in turns
        if 0 <= turn < last
        for unit in range(shelf.first_units[turn], shelf.first_units[turn + 1])
    }


def _word_frequencies(
    word: Word, shelf: TurnIndex, found: _WordScores, weights: RankingWeights
) -> tuple[int, dict[int, float]]:
    """How many units hold the word itself, and how often each holds it or one that stands for it."""
    units, counts = shelf.postings(word.term)
    others = word.others
    if not units and weights.near:
        others += tuple((term, weights.near) for term in (*shelf.near(word.term), *_split_compound(word.term, shelf)))
    frequencies: dict[int, float] = dict(zip(units, counts, strict=True))
    sittings = shelf.sittings
    said: dict[int, float] = dict(Counter(map(sittings.__getitem__, units)))
    for term, share in others:
        for unit, count in zip(*shelf.postings(term), strict=True):
            frequencies[unit] = frequencies.get(unit, 0.0) + share * count
            said[sittings[unit]] = said.get(sittings[unit], 0.0) + share
    _add_sittings(found, said, word.weight, shelf, weights)
    return len(units) or len(frequencies), frequencies


def _split_compound(term: str, shelf: TurnIndex) -> tuple[str, ...]:
    """The two words that one was run together from, if both are known: road trip, for a roadtrip."""
    for cut in range(_SHORTEST_HALF, len(term) - _SHORTEST_HALF + 1) if term.isascii() and term.isalpha() else ():
        halves = term[:cut], term[cut:]
        if all(shelf.postings(half)[0] for half in halves):
            return halves
    return ()


def _add_own(
    found: _WordScores, frequencies: dict[int, float], rare: float, shelf: TurnIndex, weights: RankingWeights
) -> dict[int, float]:
    """Add what each unit says of a word; of each turn, the most that one of its units says."""
    own, lengths, turns = found.own, shelf.lengths, shelf.turns
    average = sum(shelf.sitting_lengths) / max(len(lengths), 1)
    gain, base = rare * (weights.k1 + 1), weights.k1 * (1 - weights.b)
    slope = weights.k1 * weights.b / (average or 1)
    tops: dict[int, float] = {}
    for unit, frequency in frequencies.items():
        earned = gain * frequency / (frequency + base + slope * lengths[unit])
        own[unit] = own.get(unit, 0.0) + earned
        turn = turns[unit]
        if earned > tops.get(turn, 0.0):
            tops[turn] = earned
    return tops


def _add_sittings(
    found: _WordScores, said: dict[int, float], weight: float, shelf: TurnIndex, weights: RankingWeights
) -> None:
    """Add what each sitting says of a word, by how many of its units do."""
    lengths, sittings = shelf.sitting_lengths, found.sittings
    gain = weight * term_rarity(len(said), len(lengths)) * (weights.k1 + 1)
    base = weights.k1 * (1 - weights.b)
    slope = weights.k1 * weights.b * len(lengths) / (sum(lengths) or 1)
    for sitting, count in said.items():
        sittings[sitting] += gain * count / (count + base + slope * lengths[sitting])


def _add_around(
    found: _WordScores, tops: dict[int, float], shelf: TurnIndex, weights: RankingWeights
) -> dict[int, float]:
    """Give each turn a word from the nearest one that says it, and a little from the others; what each then has."""
    nearest, together = _spread_to_neighbors(tops, shelf, weights)
    echo, around = weights.echo, found.around
    said = dict(tops)
    for turn, near in nearest.items():
        own = tops.get(turn, 0.0)
        most = own if own > near else near
        said[turn] = heard = most + echo * (own + together[turn] - most)
        around[turn] += heard - own
    return said


def _spread_to_neighbors(
    tops: dict[int, float], shelf: TurnIndex, weights: RankingWeights
) -> tuple[dict[int, float], dict[int, float]]:
    """For each turn the most that one around it gives it of a word, and all of them together."""
    nearest: dict[int, float] = {}
    together: dict[int, float] = {}
    first_units, first_turns = shelf.first_units, shelf.first_turns
    sittings, roles, signs = shelf.sittings, shelf.roles, shelf.signs
    reaches = [_neighbor_shares(manner) for manner in weights.manners]
    for turn, value in tops.items():
        start = first_units[turn]
        sitting = sittings[start]
        begins, ends = first_turns[sitting], first_turns[sitting + 1]
        asks = signs[first_units[turn + 1] - 1] & ASKS
        for step, share in reaches[roles[start]][asks]:
            other = turn + step
            if begins <= other < ends:
                given = share * value
                if other not in nearest:
                    nearest[other] = together[other] = given
                    continue
                together[other] += given
                if given > nearest[other]:
                    nearest[other] = given
    return nearest, together


def _neighbor_shares(manner: RoleWeights) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """How far a turn is heard, in steps to other turns, if it tells and if it asks."""
    tells = [(step, share) for step, share in enumerate(manner.before, 1)]
    tells += [(-step, share) for step, share in enumerate(manner.after, 1)]
    asks = [(step, manner.answer if step == 1 else share) for step, share in tells]
    return tells, asks


# -- the units


def _promising_units(sought: _TurnQuery, found: _WordScores, shelf: TurnIndex, *, limit: int) -> list[int]:
    """The best unit of each of the turns that have most of the words, and of those said on the days asked for."""
    best = _best_unit_by_turn(found, shelf)
    few = [(first, last) for first, last in sought.days if last - first < _FEW_DAYS]
    dated = [unit for first, last in few for unit in shelf.dated(first, last)]
    for unit in dated:
        best.setdefault(shelf.turns[unit], unit)
    own, around, said = found.own, found.around, found.sittings
    sittings, roles, speakers, named = shelf.sittings, shelf.roles, shelf.speakers, sought.named
    speaker = sought.weights.speaker
    ways = [(manner.sitting, _role_voice(sought, role)) for role, manner in enumerate(sought.weights.manners)]
    values: dict[int, float] = {}
    for turn, unit in best.items():
        share, voice = ways[roles[unit]]
        value = own.get(unit, 0.0) + around.get(turn, 0.0) + share * said.get(sittings[unit], 0.0)
        values[unit] = voice * value + speaker if speakers[unit] in named else voice * value
    told = (best[shelf.turns[unit]] for unit in dated)
    most = nlargest(limit, values, key=values.__getitem__)
    return list(dict.fromkeys((*most, *nlargest(limit, set(told), key=values.__getitem__))))


def _best_unit_by_turn(found: _WordScores, shelf: TurnIndex) -> dict[int, int]:
    own, turns, first_units = found.own, shelf.turns, shelf.first_units
    best: dict[int, int] = {}
    for unit, value in own.items():
        turn = turns[unit]
        if turn not in best or value > own[best[turn]]:
            best[turn] = unit
    for turn in found.around:
        if turn not in best:
            best[turn] = first_units[turn]
    return best


def _score_parts(unit: int, sought: _TurnQuery, found: _WordScores, shelf: TurnIndex) -> ScoreParts:
    role, signs, weights = shelf.roles[unit], shelf.signs[unit], sought.weights
    manner = weights.manners[role]
    on_day, names_day = _matches_days(unit, sought, shelf)
    words, around = found.own.get(unit, 0.0), found.around.get(shelf.turns[unit], 0.0)
    sitting = manner.sitting * found.sittings.get(shelf.sittings[unit], 0.0)
    return ScoreParts(
        words=words,
        around=around,
        sitting=sitting,
        speaker=weights.speaker * (shelf.speakers[unit] in sought.named),
        day=weights.day * on_day + weights.said_day * names_day,
        timed=weights.timed * bool(sought.question.asks_when and signs & TIMED),
        asking=-manner.asking * bool(signs & ASKS),
        voice=(_role_voice(sought, role) - 1) * (words + around + sitting),
    )


def _role_voice(sought: _TurnQuery, role: int) -> float:
    """Who is believed to have the answer: the person, unless the question is what the assistant said."""
    if sought.question.asks_assistant:
        role = {USERS_ROLE: ASSISTANTS_ROLE, ASSISTANTS_ROLE: USERS_ROLE}.get(role, role)
    return sought.weights.manners[role].voice


# -- the days


def _day_ordinals(days: Iterable[NamedDays], shelf: TurnIndex) -> list[tuple[int, int]]:
    """Days as ordinals; those of any year once for each year of the shelf."""
    found: list[tuple[int, int]] = []
    for some in days:
        if not some.of_any_year or not shelf.earliest:
            found.append((some.first, some.last))
            continue
        named = date.fromordinal(some.first)
        for year in range(date.fromordinal(shelf.earliest).year, date.fromordinal(shelf.latest).year + 1):
            day = named.replace(year=year, day=min(named.day, 28)).toordinal() + max(named.day - 28, 0)
            found.append((day, day + some.last - some.first))
    return found


def _matches_days(unit: int, sought: _TurnQuery, shelf: TurnIndex) -> tuple[bool, bool]:
    """Whether a unit was said on one of the days, and whether its words name one."""
    if not sought.days:
        return False, False
    day, named = shelf.days[unit], list(shelf.said(unit))
    on_day = any(first <= day <= last for first, last in sought.days)
    return on_day, any(start <= last and end >= first for first, last in sought.days for start, end in named)


# -- how sure it is

# Fitted over questions of one conversation asked of it and of others; see the benchmark of retrieval.
_COVERAGE, _MASS, _DOUBT = 7.0, 0.1, 4.4


def _unit_similarity(unit: int, sought: _TurnQuery, found: _WordScores, shelf: TurnIndex) -> float:
    """How far a unit says what the question says, as a chance that it answers."""
    turn, is_dated = shelf.turns[unit], any(_matches_days(unit, sought, shelf))
    whole = covered = 0.0
    for word, rare, said in found.evidence:
        whole += rare
        covered += rare if is_dated and word.is_date else min(rare, said.get(turn, 0.0))
    return 1 / (1 + exp(_DOUBT - _COVERAGE * covered / whole - _MASS * covered)) if covered else 0.0
