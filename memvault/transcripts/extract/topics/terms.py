"""What a turn is about: the terms of it that tell something, each once, the telling ones of a long turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memvault.core.secrets.private_spans import without_private
from memvault.text.stem import stem
from memvault.text.terms import STOPWORDS, tokens
from memvault.transcripts.model.talk import Turn

READ = 6_000  # characters; what a longer turn is about shows by then

_MOST = 30  # terms of one turn: a long answer says many words, and still is one turn on one topic
_LONG_NUMBER = 3
_CACHED = 65_536
_STEM = 7  # letters; where endings are not those of English, a word's beginning stands for it

Terms = tuple[str, ...]


def said(turn: Turn) -> str:
    """What a turn says that may be looked at, as far as it is read."""
    return without_private(turn.text[:READ])


def terms_of(turn: Turn) -> Counter[str]:
    """The terms of a turn and how often each stands in it."""
    return terms_in(f"{said(turn)}\n{' '.join(turn.deeds)}" if turn.deeds else said(turn))


def terms_in(text: str) -> Counter[str]:
    """The terms of a text that tell something, and how often each stands in it."""
    return Counter(filter(None, map(_TERMS.__getitem__, tokens(text))))


def term(token: str) -> str:
    """The form in which a token is compared."""
    stemmed = stem(token)
    return stemmed[:_STEM] if len(stemmed) > _STEM and stemmed.isalpha() else stemmed


def _tells(token: str) -> bool:
    """Not function words, single signs, or the numbers of lists."""
    return len(token) > 1 and token not in STOPWORDS and not (len(token) < _LONG_NUMBER and token.isdecimal())


class _Terms(dict[str, str]):
    """The term of each token, empty where it tells nothing: most of a talk is the same few thousand of them."""

    def __missing__(self, token: str) -> str:
        found = term(token) if _tells(token) else ""
        if len(self) >= _CACHED:
            self.clear()
        self[token] = found
        return found


_TERMS = _Terms()


class Contents:
    """The terms of many turns, and in how many of them each stands."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        counted = [terms_of(turn) for turn in turns]
        self.spread = Counter(term for terms in counted for term in terms)
        self.turns: tuple[Terms, ...] = tuple(self._telling(terms) for terms in counted)
        self.usual = max(1.0, sum(map(len, self.turns)) / max(1, len(turns)))

    def _telling(self, terms: Counter[str]) -> Terms:
        """Those said more than once first, then those that other turns share, the rare ones before the common ones."""
        if len(terms) <= _MOST:
            return tuple(terms)
        spread = self.spread
        ranked = sorted(terms, key=lambda term: (terms[term] < 2, spread[term] < 2, spread[term]))
        return tuple(ranked[:_MOST])
