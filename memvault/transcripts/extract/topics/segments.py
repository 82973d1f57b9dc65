"""Segment conversations by topic: find the boundaries that fit the words of the turns best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import lgamma, log

from memvault.core.conversation import Fact, Trajectory, Turn, starts_sitting
from memvault.core.secrets.scan import redact_secrets
from memvault.transcripts.extract.topics.boundaries import boundary_costs
from memvault.transcripts.extract.topics.terms import Terms, TermStatistics, TopicSentence, strip_markup

LONGEST = 40  # turns

_PRIOR = 30.0  # as many average turns as weigh as much as the segment itself
_LEAST_TALK = 150  # turns; a shorter conversation does not show how rare its words are
_UNSEEN = 0.5  # of a term, added to each count
_USUAL_TERMS = 9.0  # terms of one turn of chat, and
_DAMPING = 0.8  # how far further terms are discounted: words of a long turn come together, and each proves less


class CohesionScorer:
    """The scores of all segments that end with the latest turn, updated turn by turn.

    Each segment is a Dirichlet-multinomial drawn to the frequencies of the whole conversation, and its score the
    logarithm of how much likelier it makes its turns than those frequencies alone. A repeated word raises it, by the
    more the rarer the word is; a new word lowers it a little. Adding a turn costs what its repeated words cost.
    """

    def __init__(self, contents: TermStatistics) -> None:
        usual = contents.usual
        self._spread = contents.spread
        self._prior = _PRIOR * usual
        self._whole = max(contents.spread.total(), _LEAST_TALK * usual) + _UNSEEN * len(contents.spread)
        self._damped = min(1.0, (_USUAL_TERMS / usual) ** _DAMPING)
        self._turns_by_term: dict[str, list[int]] = {}  # term -> the turns that have it
        self._scores: list[float] = []  # by the first turn of a segment, the last ones only
        self._sizes: list[int] = []
        self._first = 0
        self._next = 0

    def add_turn(self, terms: Terms) -> list[float]:
        """Add the next turn; return the scores of the segments that end with it, the longest first."""
        self._scores.append(0.0)
        self._sizes.append(0)
        if len(self._scores) > LONGEST:
            del self._scores[0], self._sizes[0]
            self._first += 1
        repeated = self._repetition_gains(terms)
        more, prior = len(terms), self._prior
        raised = 0.0
        for at in range(len(self._scores) - 1, -1, -1):
            raised += repeated[at]
            size = self._sizes[at]
            lowered = lgamma(size + prior) - lgamma(size + more + prior) + more * log(prior)
            self._scores[at] += self._damped * (raised + lowered)
            self._sizes[at] = size + more
        self._next += 1
        return self._scores

    def _repetition_gains(self, terms: Terms) -> list[float]:
        """Return what repeated words add, at the last segment that has each: all earlier ones have it too."""
        gains = [0.0] * len(self._scores)
        for term in terms:
            said = self._turns_by_term.setdefault(term, [])
            expected = self._prior * (self._spread[term] + _UNSEEN) / self._whole
            before = 0.0
            for count, at in enumerate(reversed(said), start=1):
                if at < self._first:
                    break
                gain = log((count + expected) / expected)
                gains[at - self._first] += gain - before
                before = gain
            said.append(self._next)
        return gains


# Where one topic ends and the next begins.

SHORTEST = 2  # turns, if the session has as many
_BEFORE = 400  # turns before a part of a conversation that show how rare its words are

Span = tuple[int, int]


def segment_turns(turns: Sequence[Turn], facts: Sequence[Fact] = ()) -> tuple[Trajectory, ...]:
    """Return the segments of a conversation, each within one session; in doubt the topic is the same."""
    return tuple(_find_segments(turns, facts, 0))


def _find_segments(turns: Sequence[Turn], facts: Sequence[Fact], start: int) -> Iterator[Trajectory]:
    known_from = max(0, start - _BEFORE)
    contents = TermStatistics(turns[known_from:])
    for first, end in split_sittings(turns, start):
        terms = contents.turns[first - known_from : end - known_from]
        cuts = _best_cuts(CohesionScorer(contents), terms, boundary_costs(turns, facts, first, end))
        for begin, after in zip(cuts, [*cuts[1:], end - first], strict=True):
            yield Trajectory(first=first + begin, last=first + after - 1)


def split_sittings(turns: Sequence[Turn], start: int = 0) -> Iterator[Span]:
    """Yield where each session begins and ends."""
    first = start
    for at in range(start + 1, len(turns)):
        if starts_sitting(turns[at - 1], turns[at]):
            yield first, at
            first = at
    if first < len(turns):
        yield first, len(turns)


def _best_cuts(cohesion: CohesionScorer, terms: Sequence[Terms], costs: Sequence[float]) -> list[int]:
    """Return where the segments of one session begin, maximizing their scores less the costs."""
    count = len(terms)
    best = [0.0] + [float("-inf")] * count
    begins = [0] * (count + 1)
    for end in range(1, count + 1):
        scores = cohesion.add_turn(terms[end - 1])
        long_enough = len(scores) - min(SHORTEST, count) + 1
        for begin, score in enumerate(islice(scores, max(0, long_enough)), start=end - len(scores)):
            value = best[begin] + score - costs[begin]
            if value > best[end]:
                best[end], begins[end] = value, begin
    cuts: list[int] = []
    at = count
    while at > 0:  # back from the end
        at = begins[at]
        cuts.append(at)
    return cuts[::-1]


# The sentence that says most about a segment, as one line.

CENTRAL_LONGEST = 100  # characters

_FIRST, _ASKED = 1.25, 1.3
_FEW_TERMS, _LONG_SENTENCE = 3, 240
_SHORT_OF_TERMS, _TOO_LONG = 0.5, 0.7
_ROOM, _LENGTH = 4, 0.6  # how far longer sentences are held back, as they have more terms to score by

Rarity = Callable[[str], float]


def central_sentence(sayings: Sequence[TopicSentence], rarity: Rarity, *, user: str) -> str:
    """Return the line that says most of a segment; its first turn and the user's sentences weigh more."""
    if not sayings:
        return ""
    spread = Counter(term for _, term in {(saying.place, term) for saying in sayings for term in saying.terms})
    first = min(saying.place for saying in sayings)

    def weighted_score(saying: TopicSentence) -> float:
        terms = saying.terms
        total = sum(math.log(1 + max(spread[term], 1)) * rarity(term) for term in terms)
        total *= (_FIRST if saying.place == first else 1) * (_ASKED if user and saying.speaker == user else 1)
        total *= _SHORT_OF_TERMS if len(terms) < _FEW_TERMS else 1
        total *= _TOO_LONG if len(saying.text) > _LONG_SENTENCE else 1
        return total / math.pow(len(terms) + _ROOM, _LENGTH)

    chosen = max(sayings, key=weighted_score)
    return speaker_line(chosen.speaker, chosen.text)


def speaker_line(speaker: str, text: str) -> str:
    """Return who said what, on one line, cut at a word."""
    who = strip_markup(speaker)
    what = redact_secrets(strip_markup(text))
    return shorten_line(what if not who or what.casefold().startswith(who.casefold()) else f"{who}: {what}")


def shorten_line(text: str) -> str:
    """Return a text that fits the line, cut at a word where possible."""
    if len(text) <= CENTRAL_LONGEST:
        return text
    cut = text[: CENTRAL_LONGEST - 1]
    head = cut.rpartition(" ")[0] if " " in cut[CENTRAL_LONGEST // 2 :] else cut
    return head.rstrip(" ,;:.-–—(") + "…"
