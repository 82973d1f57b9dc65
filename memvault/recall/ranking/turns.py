"""Score units, the turns of conversations, in the light of their neighbors."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from heapq import nlargest
from math import exp
from operator import itemgetter

from memvault.core.query import Word
from memvault.recall.ranking.question import NamedDays, RankedQuestion
from memvault.recall.ranking.weights import ASSISTANTS_ROLE, USERS_ROLE, WEIGHTS, RankingWeights
from memvault.storage.index.search.bm25 import term_rarity
from memvault.storage.transcript_index.rows import TranscriptTurns, TurnStatistics
from memvault.text.dates.time_words import ASKS, TIMED
from memvault.text.statements.chatter import CHATTER_WORDS
from memvault.text.terms import extract_terms

LIMIT = 100
_SHORTEST_HALF = 4
_ENOUGH = 4_000  # postings that are followed wherever they lead
_CLOSE = 3  # times as many turns as wanted are then looked at closely
_REACH = 4  # a word counts for no turn further away
FEW_DAYS = 31  # whatever was said on them is looked at, with the words of the question or without


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """The parts of a score."""

    words: float  # the question's words in the unit itself
    around: float  # words that only the turns around it say
    sitting: float  # words of its sitting
    speaker: float
    day: float
    timed: float
    asking: float
    voice: float  # what its role adds
    meaning: float = 0.0  # how far its meaning stands out, if there is a model

    @property
    def total(self) -> float:
        """Return the score."""
        of_words = self.words + self.around + self.sitting + self.voice
        return of_words + self.speaker + self.day + self.timed + self.asking + self.meaning


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A unit, its score for one question, and the chance that it answers at all, from 0 to 1."""

    unit: int
    score: float
    similarity: float
    reasons: ScoreParts


class WholeStatistics:
    """The statistics of an index that has every unit at hand."""

    def __init__(self, index: TranscriptTurns) -> None:
        self.units, self.sittings = len(index.lengths), len(index.sitting_lengths)
        self.terms = sum(index.sitting_lengths)
        self._index = index

    def units_with(self, terms: tuple[str, ...], here: int) -> int:  # noqa: ARG002 - all are at hand
        """Return the number at hand."""
        return here

    sittings_with = units_with

    def count_by_sitting(self, term: str, units: Sequence[int]) -> Mapping[int, int]:  # noqa: ARG002 - as above
        """Return how many of the units each sitting has."""
        return Counter(map(self._index.sittings.__getitem__, units))

    def similar(self, term: str) -> Iterable[str]:
        """Return the terms of the index that are spelled nearly so, and the two halves of a compound."""
        return (*self._index.near(term), *split_compound(term, lambda half: bool(self._index.postings(half)[0])))


@dataclass(frozen=True, slots=True)
class _TurnQuery:
    """A question as it is put to an index: the speakers it names there, and the days as ordinals."""

    question: RankedQuestion
    named: Collection[int]
    days: Collection[tuple[int, int]]
    weights: RankingWeights


@dataclass(slots=True)
class _WordScores:
    """What the words of a question earn in an index."""

    own: dict[int, float]  # by unit
    around: dict[int, float]  # by turn
    sittings: dict[int, float]  # by sitting
    evidence: list[tuple[Word, float, dict[int, float]]]  # each word, its rarity, and by turn how far it is said


def score_units(
    question: RankedQuestion,
    index: TranscriptTurns,
    *,
    limit: int = LIMIT,
    weights: RankingWeights = WEIGHTS,
    statistics: TurnStatistics | None = None,
) -> list[ScoredUnit]:
    """Return the best units for a question, best first: of each turn its best one.

    An index that has only some of a vault's units at hand comes with the statistics of all.
    """
    # Speakers that a word names, by whatever name they speak.
    meant = {
        word: frozenset().union(*map(index.speaking, (word.term, *question.called.get(word.term, ()))))
        for word in question.words
    }
    named = frozenset().union(*meant.values())
    words = [word for word in question.words if not meant[word]] if named else question.words
    sought = _TurnQuery(question, named, day_ordinals(question.days, index.earliest, index.latest), weights)
    counts = WholeStatistics(index) if statistics is None else statistics
    found = _score_words(words or question.words, index, weights, counts, limit=limit)
    rows = [
        (_score_parts(unit, sought, found, index), unit)
        for unit in _promising_units(sought, found, index, limit=2 * limit)
    ]
    best = nlargest(limit, ((reasons.total, -unit, reasons) for reasons, unit in rows), key=itemgetter(0, 1))
    return [
        ScoredUnit(-unit, total, _unit_similarity(-unit, sought, found, index), reasons)
        for total, unit, reasons in best
    ]


# -- the words


def _score_words(
    words: Iterable[Word], index: TranscriptTurns, weights: RankingWeights, counts: TurnStatistics, *, limit: int
) -> _WordScores:
    """Score the words: rare ones anywhere, common ones only near the best that the rare ones found."""
    found = _WordScores({}, defaultdict(float), defaultdict(float), [])
    looked_up = [(word, *_word_frequencies(word, index, found, weights, counts)) for word in words]
    near: Collection[int] | None = None
    seen = 0
    for word, holding, frequencies in sorted(looked_up, key=lambda row: len(row[2])):
        if near is None and found.own and seen + len(frequencies) > _ENOUGH:
            near = _units_near_best(found, index, limit=limit)
        seen += len(frequencies)
        if near is not None:
            frequencies = {unit: often for unit, often in frequencies.items() if unit in near}
        rare = word.weight * term_rarity(holding, counts.units)
        tops = _add_own(found, frequencies, rare, index, weights, counts)
        found.evidence.append((word, rare, _add_around(found, tops, index, weights)))
    return found


def _units_near_best(found: _WordScores, index: TranscriptTurns, *, limit: int) -> Collection[int]:
    """Return the units of the turns that score best so far, and of those around them."""
    values = defaultdict(float, found.around)
    for unit, value in found.own.items():
        values[index.turns[unit]] += value
    best = nlargest(_CLOSE * limit, values, key=values.__getitem__)
    turns = {other for turn in best for other in range(turn - _REACH, turn + _REACH + 1)}
    last = len(index.first_units) - 1
    return {
        unit
        for turn in turns
        if 0 <= turn < last
        for unit in range(index.first_units[turn], index.first_units[turn + 1])
    }


def _word_frequencies(
    word: Word, index: TranscriptTurns, found: _WordScores, weights: RankingWeights, statistics: TurnStatistics
) -> tuple[int, dict[int, float]]:
    """Return how many units contain the word itself, and how often each has it or a substitute."""
    units, counts = index.postings(word.term)
    holding, others = statistics.units_with((word.term,), len(units)), word.others
    if not holding and weights.near:
        others += tuple((term, weights.near) for term in statistics.similar(word.term))
    frequencies: dict[int, float] = dict(zip(units, counts, strict=True))
    said: dict[int, float] = dict(statistics.count_by_sitting(word.term, units))
    for term, share in others:
        holders, counts = index.postings(term)
        for unit, count in zip(holders, counts, strict=True):
            frequencies[unit] = frequencies.get(unit, 0.0) + share * count
        for sitting, saying in statistics.count_by_sitting(term, holders).items():
            said[sitting] = said.get(sitting, 0.0) + share * saying
    terms = (word.term, *(term for term, _ in others))
    _add_sittings(found, said, word.weight, index, weights, statistics, statistics.sittings_with(terms, len(said)))
    return holding or statistics.units_with(terms, len(frequencies)), frequencies


def split_compound(term: str, is_known: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the two words that one was run together from, if both are known: road trip, for a roadtrip."""
    return next((halves for halves in compound_halves(term) if all(map(is_known, halves))), ())


def compound_halves(term: str) -> list[tuple[str, str]]:
    """Return every way in which a term may be run together from two words."""
    is_plain = term.isascii() and term.isalpha()
    cuts = range(_SHORTEST_HALF, len(term) - _SHORTEST_HALF + 1) if is_plain else ()
    return [(term[:cut], term[cut:]) for cut in cuts]


def _add_own(
    found: _WordScores,
    frequencies: dict[int, float],
    rare: float,
    index: TranscriptTurns,
    weights: RankingWeights,
    counts: TurnStatistics,
) -> dict[int, float]:
    """Add what each unit earns by a word; return for each turn the most that one of its units earns."""
    own, lengths, turns = found.own, index.lengths, index.turns
    average = counts.terms / max(counts.units, 1)
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
    found: _WordScores,
    said: dict[int, float],
    weight: float,
    index: TranscriptTurns,
    weights: RankingWeights,
    counts: TurnStatistics,
    saying: int,
) -> None:
    """Add what each sitting earns by a word, by how many of its units say it, and how many sittings do."""
    lengths, sittings = index.sitting_lengths, found.sittings
    gain = weight * term_rarity(saying, counts.sittings) * (weights.k1 + 1)
    base = weights.k1 * (1 - weights.b)
    slope = weights.k1 * weights.b * counts.sittings / (counts.terms or 1)
    for sitting, count in said.items():
        sittings[sitting] += gain * count / (count + base + slope * lengths[sitting])


def _add_around(
    found: _WordScores, tops: dict[int, float], index: TranscriptTurns, weights: RankingWeights
) -> dict[int, float]:
    """Give each turn a word from the nearest turn that says it, and a little from others; return the sums."""
    nearest, together = _spread_to_neighbors(tops, index, weights)
    echo, around = weights.echo, found.around
    said = dict(tops)
    for turn, near in nearest.items():
        own = tops.get(turn, 0.0)
        most = own if own > near else near
        said[turn] = heard = most + echo * (own + together[turn] - most)
        around[turn] += heard - own
    return said


def _spread_to_neighbors(
    tops: dict[int, float], index: TranscriptTurns, weights: RankingWeights
) -> tuple[dict[int, float], dict[int, float]]:
    """Return, for each turn, the most that a neighbor gives it of a word, and the sum of all neighbors."""
    nearest: dict[int, float] = {}
    together: dict[int, float] = {}
    first_units, first_turns = index.first_units, index.first_turns
    runs, roles, signs = index.runs, index.roles, index.signs
    reaches = []  # the share of a word that each neighboring turn gets, if the turn tells and if it asks
    for manner in weights.manners:
        tells = [(step, share) for step, share in enumerate(manner.before, 1)]
        tells += [(-step, share) for step, share in enumerate(manner.after, 1)]
        reaches.append((tells, [(step, manner.answer if step == 1 else share) for step, share in tells]))
    for turn, value in tops.items():
        start = first_units[turn]
        run = runs[start]
        begins, ends = first_turns[run], first_turns[run + 1]
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


# -- the units


def _promising_units(sought: _TurnQuery, found: _WordScores, index: TranscriptTurns, *, limit: int) -> list[int]:
    """Return the best unit of each turn that scores high, and of those said on the days asked for."""
    best = _best_unit_by_turn(found, index)
    few = [(first, last) for first, last in sought.days if last - first < FEW_DAYS]
    dated = [unit for first, last in few for unit in index.dated(first, last)]
    for unit in dated:
        best.setdefault(index.turns[unit], unit)
    own, around, said = found.own, found.around, found.sittings
    sittings, roles, speakers, named = index.sittings, index.roles, index.speakers, sought.named
    speaker = sought.weights.speaker
    ways = [(manner.sitting, _role_voice(sought, role)) for role, manner in enumerate(sought.weights.manners)]
    values: dict[int, float] = {}
    for turn, unit in best.items():
        share, voice = ways[roles[unit]]
        value = own.get(unit, 0.0) + around.get(turn, 0.0) + share * said.get(sittings[unit], 0.0)
        values[unit] = voice * value + speaker if speakers[unit] in named else voice * value
    told = (best[index.turns[unit]] for unit in dated)
    most = nlargest(limit, values, key=values.__getitem__)
    return list(dict.fromkeys((*most, *nlargest(limit, set(told), key=values.__getitem__))))


def _best_unit_by_turn(found: _WordScores, index: TranscriptTurns) -> dict[int, int]:
    own, turns, first_units = found.own, index.turns, index.first_units
    best: dict[int, int] = {}
    for unit, value in own.items():
        turn = turns[unit]
        if turn not in best or value > own[best[turn]]:
            best[turn] = unit
    for turn in found.around:
        if turn not in best:
            best[turn] = first_units[turn]
    return best


def _score_parts(unit: int, sought: _TurnQuery, found: _WordScores, index: TranscriptTurns) -> ScoreParts:
    role, signs, weights = index.roles[unit], index.signs[unit], sought.weights
    manner = weights.manners[role]
    on_day, names_day = _matches_days(unit, sought, index)
    words, around = found.own.get(unit, 0.0), found.around.get(index.turns[unit], 0.0)
    sitting = manner.sitting * found.sittings.get(index.sittings[unit], 0.0)
    return ScoreParts(
        words=words,
        around=around,
        sitting=sitting,
        speaker=weights.speaker * (index.speakers[unit] in sought.named),
        day=weights.day * on_day + weights.said_day * names_day,
        timed=weights.timed * bool(sought.question.asks_when and signs & TIMED),
        asking=-manner.asking * bool(signs & ASKS),
        voice=(_role_voice(sought, role) - 1) * (words + around + sitting),
    )


def _role_voice(sought: _TurnQuery, role: int) -> float:
    """Return how far a role is believed: the person, unless the question is what the assistant said."""
    if sought.question.asks_assistant:
        role = {USERS_ROLE: ASSISTANTS_ROLE, ASSISTANTS_ROLE: USERS_ROLE}.get(role, role)
    return sought.weights.manners[role].voice


# -- the days


def day_ordinals(days: Iterable[NamedDays], earliest: int, latest: int) -> list[tuple[int, int]]:
    """Return days as ordinals; those of any year once for each year from the earliest day to the latest."""
    found: list[tuple[int, int]] = []
    for some in days:
        if not some.of_any_year or not earliest:
            found.append((some.first, some.last))
            continue
        named = date.fromordinal(some.first)
        for year in range(date.fromordinal(earliest).year, date.fromordinal(latest).year + 1):
            day = named.replace(year=year, day=min(named.day, 28)).toordinal() + max(named.day - 28, 0)
            found.append((day, day + some.last - some.first))
    return found


def _matches_days(unit: int, sought: _TurnQuery, index: TranscriptTurns) -> tuple[bool, bool]:
    """Return whether a unit was said on one of the days, and whether its words name one."""
    if not sought.days:
        return False, False
    day, named = index.days[unit], list(index.named_days(unit))
    on_day = any(first <= day <= last for first, last in sought.days)
    return on_day, any(start <= last and end >= first for first, last in sought.days for start, end in named)


# -- how sure it is

# Fitted over questions of one conversation asked of it and of others; see the benchmark of retrieval.
_COVERAGE, _MASS, _DOUBT = 7.0, 0.1, 4.4


def _unit_similarity(unit: int, sought: _TurnQuery, found: _WordScores, index: TranscriptTurns) -> float:
    """Return how far a unit matches the question, as the chance that it answers."""
    turn, is_dated = index.turns[unit], any(_matches_days(unit, sought, index))
    whole = covered = 0.0
    for word, rare, said in found.evidence:
        whole += rare
        covered += rare if is_dated and word.is_date else min(rare, said.get(turn, 0.0))
    return 1 / (1 + exp(_DOUBT - _COVERAGE * covered / whole - _MASS * covered)) if covered else 0.0


# Sentences of a turn that are small talk, so that more of it fits into a budget.

# Rough on purpose: a sentence that is cut in two at an abbreviation is put together again as it was.
_SENTENCE = re.compile(r"[^.!?…。？！]+(?:[.!?…。？！]+[\"'”’»)\]]*\s*)?|[.!?…。？！\s]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ADDRESS = re.compile(r",\s*[^\W\d_]+\s*[.!?…]*\s*$")  # "Thanks, Mel!"
_ASKS = re.compile(r"[?？][\"'”’»)\s]*$")
_CODE = ("```", "\n    ", "\t", "|")

_KEPT = 0.6  # of the different words of some length at least, or it would be another text
_SHORTEST = 4
_LONGEST_CHAT = 60  # characters: nobody thanks at such length without saying something


def strip_small_talk(text: str, wanted: Collection[str] = ()) -> str:
    """Return the text without sentences that only greet, thank or ask back; those with a wanted term stay."""
    if any(sign in text for sign in _CODE):
        return text
    sentences = _SENTENCE.findall(text)
    chat = [place for place, sentence in enumerate(sentences) if _is_small_talk(sentence, wanted)]
    if not chat or len(chat) == len(sentences):
        return text
    words_in = [{word for word in _split_words(sentence) if len(word) >= _SHORTEST} for sentence in sentences]
    least = _KEPT * len(set().union(*words_in))
    remaining = set(range(len(sentences)))
    for place in sorted(chat, key=lambda place: (not _ASKS.search(sentences[place]), len(words_in[place]))):
        rest = set().union(*(words_in[other] for other in remaining if other != place))
        if rest and len(rest) >= least:
            remaining.remove(place)
    return "".join(sentences[place] for place in sorted(remaining)).strip() if len(remaining) < len(sentences) else text


def _is_small_talk(sentence: str, wanted: Collection[str]) -> bool:
    if len(sentence) > _LONGEST_CHAT and not _ASKS.search(sentence):
        return False
    is_empty = _ASKS.search(sentence) or all(word in CHATTER_WORDS for word in _split_words(_ADDRESS.sub("", sentence)))
    return bool(is_empty) and not any(term in wanted for term in extract_terms(sentence))


def _split_words(sentence: str) -> list[str]:
    return [word.replace("’", "").replace("'", "") for word in _WORD.findall(sentence.casefold())]
