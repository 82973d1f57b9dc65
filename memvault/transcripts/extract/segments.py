"""Segment conversations by topic: find the boundaries that fit the words of the turns best."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from math import lgamma, log, log2

from memvault.core.conversation import Fact, Trajectory, Turn, pause_between, starts_sitting
from memvault.core.secrets.scan import redact_secrets
from memvault.text.statements.judge import DECISION, judge_sentence
from memvault.transcripts.extract.speakers import is_assistant
from memvault.transcripts.extract.topic_terms import Terms, TermStatistics, TopicSentence, strip_markup

# Words that change the topic, in many languages.

_SPACED = """
anyway, anyways, by the way, btw, another question, another thing, one more question, next question, new question,
different question, different topic, another topic, next topic, new topic, unrelated, on another note,
on a different note, on a separate note, changing the subject, change of subject, change of topic, switching gears,
switching topics, moving on, off topic, that reminds me, before i forget, something else, separately
übrigens, andere frage, nächste frage, noch eine frage, anderes thema, themenwechsel, nächstes thema, apropos,
was anderes, etwas anderes, bevor ich es vergesse, nebenbei
au fait, autre question, autre chose, autre sujet, rien à voir, changeons de sujet, pour changer de sujet,
question suivante, avant que j'oublie
por cierto, otra pregunta, otra cosa, otro tema, cambiando de tema, siguiente pregunta, a propósito
aliás, outra pergunta, outra coisa, outro assunto, mudando de assunto, próxima pergunta
a proposito, un'altra domanda, altra domanda, un'altra cosa, cambiando argomento, cambiamo argomento
trouwens, andere vraag, iets anders, ander onderwerp, volgende vraag
przy okazji, inne pytanie, kolejne pytanie, zmieniając temat, a tak w ogóle
mimochodem, další otázka, jiná otázka, bu arada, başka bir soru, başka bir konu
förresten, en annan fråga, annan fråga, for øvrigt, forresten, et annet spørsmål, muuten, toinen kysymys
кстати, другой вопрос, ещё вопрос, еще вопрос, следующий вопрос, другая тема, сменим тему, до речі, інше питання
بالمناسبة, سؤال آخر, דרך אגב, שאלה אחרת, वैसे, एक और सवाल
"""
_DENSE = """
顺便, 順便, 换个话题, 換個話題, 另一个问题, 另一個問題, 另外一个问题, 下一个问题, 对了, 對了, 话说回来, 話說回來
ところで, 話は変わ, 話変わ, 話を変え, 別の質問, 別件, そういえば, 次の質問
그나저나, 그건 그렇고, 다른 질문, 다른 얘기, 다음 질문
"""


def _phrase_pattern(table: str) -> str:
    phrases = (phrase.strip() for phrase in table.replace("\n", ",").split(","))
    return "|".join(sorted(map(re.escape, filter(None, phrases)), key=lambda phrase: (-len(phrase), phrase)))


# Where a sentence or clause begins: "I like it anyway" changes nothing.
_BEGINS = r"(?:^|[.!?…:,;—–。！？、，\n]\s*|\b(?:and|but|so|oh|ok|okay|well|und|et|y|e)\s+)\W*"
TURNING = re.compile(rf"{_BEGINS}(?:(?:{_phrase_pattern(_SPACED)})\b|{_phrase_pattern(_DENSE)})")


_CHANGE = 6.0  # the base cost of a new topic: in doubt it is the same
_ANSWER, _REPLY, _GOES_ON = 2.0, 6.0, 3.0
_SPANNED, _WIDEST = 8.0, 6
_TURNING = 3.0
_PAUSE = timedelta(minutes=10)
_LONG_PAUSE, _PER_DOUBLING = 4.0, 1.2
_OPENING = 80  # characters of a turn in which turning words count
_ENDING = 300

_QUESTION = re.compile(r"[?？؟]\W*(?:\[[^\]]*\]\W*)?\Z")


def boundary_costs(turns: Sequence[Turn], facts: Sequence[Fact], start: int, end: int) -> list[float]:
    """Return the cost of a new topic at each turn from `start` to `end`; the first costs nothing."""
    spanned = set(_spanned_turns(turns, facts, start, end))
    between = [_boundary_cost(turns[at - 1], turns[at]) + _SPANNED * (at in spanned) for at in range(start + 1, end)]
    return [0.0, *between]


def continued_turns(turns: Sequence[Turn], facts: Sequence[Fact], start: int, end: int) -> frozenset[int]:
    """Return the turns that certainly continue a topic: assistant answers, and turns that share a fact."""
    answers = (at for at in range(start + 1, end) if is_assistant(turns[at]) and not is_assistant(turns[at - 1]))
    return frozenset((*answers, *_spanned_turns(turns, facts, start, end)))


def _boundary_cost(before: Turn, turn: Turn) -> float:
    if is_assistant(turn):  # who asks sets the topic, and who answers keeps it
        return _CHANGE + (_GOES_ON if is_assistant(before) else _REPLY)
    is_answer = turn.speaker != before.speaker and not is_assistant(before) and ends_with_question(before.text)
    pause = pause_between(before, turn)
    bonus = min(_LONG_PAUSE, _PER_DOUBLING * log2(pause / _PAUSE)) if pause > _PAUSE else 0.0
    return _CHANGE + _ANSWER * is_answer - _TURNING * changes_topic(turn.text) - bonus


def ends_with_question(text: str) -> bool:
    """Return whether a text ends with a question."""
    return _QUESTION.search(text[-_ENDING:]) is not None


def changes_topic(text: str) -> bool:
    """Return whether a text begins with words that change the topic."""
    return TURNING.search(text[:_OPENING].casefold()) is not None


def _spanned_turns(turns: Sequence[Turn], facts: Sequence[Fact], start: int, end: int) -> Iterator[int]:
    """Yield the turns that a fact joins to the turn before them."""
    if not facts:
        return
    places = {turns[at].id: at for at in range(start, end)}
    for fact in facts:
        found = [places[id_] for id_ in fact.turns if id_ in places] if len(fact.turns) > 1 else ()
        if found and max(found) - min(found) < _WIDEST:
            yield from range(min(found) + 1, max(found) + 1)


# Where one topic is cheapest to end.

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

Span = tuple[int, int]


def segment_turns(turns: Sequence[Turn], facts: Sequence[Fact] = ()) -> tuple[Trajectory, ...]:
    """Return the segments of a conversation, each within one session; in doubt the topic is the same."""
    contents = TermStatistics(turns)
    found: list[Trajectory] = []
    for first, end in split_sittings(turns):
        costs = boundary_costs(turns, facts, first, end)
        cuts = _best_cuts(CohesionScorer(contents), contents.turns[first:end], costs)
        for begin, after in zip(cuts, [*cuts[1:], end - first], strict=True):
            found.append(Trajectory(first=first + begin, last=first + after - 1))
    return tuple(found)


def split_sittings(turns: Sequence[Turn]) -> Iterator[Span]:
    """Yield where each session begins and ends."""
    first = 0
    for at in range(1, len(turns)):
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
    """Return the line that says most of a segment: the last thing that was decided in it, if anything was.

    Else its first turn and the user's sentences weigh more. The user's words stand without a name.
    """
    if not sayings:
        return ""
    own = (saying for saying in reversed(sayings) if not user or saying.speaker == user)
    decided = next((saying for saying in own if judge_sentence(saying.text).sort == DECISION), None)
    spread = Counter(term for _, term in {(saying.place, term) for saying in sayings for term in saying.terms})
    first = min(saying.place for saying in sayings)

    def weighted_score(saying: TopicSentence) -> float:
        terms = saying.terms
        total = sum(math.log(1 + max(spread[term], 1)) * rarity(term) for term in terms)
        total *= (_FIRST if saying.place == first else 1) * (_ASKED if user and saying.speaker == user else 1)
        total *= _SHORT_OF_TERMS if len(terms) < _FEW_TERMS else 1
        total *= _TOO_LONG if len(saying.text) > _LONG_SENTENCE else 1
        return total / math.pow(len(terms) + _ROOM, _LENGTH)

    chosen = decided or max(sayings, key=weighted_score)
    who = "" if user and chosen.speaker == user else strip_markup(chosen.speaker)
    what = redact_secrets(strip_markup(chosen.text))
    text = what if not who or what.casefold().startswith(who.casefold()) else f"{who}: {what}"
    if len(text) <= CENTRAL_LONGEST:
        return text
    cut = text[: CENTRAL_LONGEST - 1]
    head = cut.rpartition(" ")[0] if " " in cut[CENTRAL_LONGEST // 2 :] else cut
    return head.rstrip(" ,;:.-–—(") + "…"
