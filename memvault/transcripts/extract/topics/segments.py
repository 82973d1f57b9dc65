"""How well stretches of talk hold together: how much better their own words foretell them than all words do."""

from __future__ import annotations

from math import lgamma, log

from memvault.transcripts.extract.topics.terms import Contents, Terms

LONGEST = 40  # turns

_PRIOR = 30.0  # so many average turns of talk in general weigh as much as what the stretch said itself
_LEAST_TALK = 150  # turns; less talk than this does not show how rare its words are
_UNSEEN = 0.5  # of a term, added to each count
_USUAL_TERMS = 9.0  # terms of one turn of chat, and
_DAMPING = 0.8  # how far more of them are discounted: words of a long turn come together, and prove less each


class Cohesion:
    """The scores of all stretches that end with the latest turn, kept up turn by turn.

    Each stretch is a Dirichlet-multinomial drawn to the frequencies of the whole talk, and its score the logarithm of
    how much likelier it makes its turns than those frequencies alone. A word said again raises it, by the more the
    rarer the word is; a word not said before lowers it a little. Adding a turn costs what its repeated words cost.
    """

    def __init__(self, contents: Contents) -> None:
        usual = contents.usual
        self._spread = contents.spread
        self._prior = _PRIOR * usual
        self._whole = max(contents.spread.total(), _LEAST_TALK * usual) + _UNSEEN * len(contents.spread)
        self._damped = min(1.0, (_USUAL_TERMS / usual) ** _DAMPING)
        self._said: dict[str, list[int]] = {}  # term -> the turns it stands in
        self._scores: list[float] = []  # by the turn that a stretch begins with, the last ones only
        self._sizes: list[int] = []
        self._first = 0
        self._next = 0

    def add(self, terms: Terms) -> list[float]:
        """Take the next turn in; the scores of the stretches that end with it, the longest first."""
        self._scores.append(0.0)
        self._sizes.append(0)
        if len(self._scores) > LONGEST:
            del self._scores[0], self._sizes[0]
            self._first += 1
        repeated = self._repeated(terms)
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

    def _repeated(self, terms: Terms) -> list[float]:
        """What words said again add, at the last stretch that has each: all that begin earlier have it too."""
        gains = [0.0] * len(self._scores)
        for term in terms:
            said = self._said.setdefault(term, [])
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
