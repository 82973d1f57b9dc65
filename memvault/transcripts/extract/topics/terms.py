"""What a turn is about: the terms of it that tell something, each once, the telling ones of a long turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from memvault.core.secrets.private_spans import without_private
from memvault.text.markdown import Sort, blocks, parts
from memvault.text.stem import stem
from memvault.text.terms import STOPWORDS, tokens
from memvault.transcripts.model.turn import Turn

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


# The sentences of a stretch of talk, each with who said it: without code, tables, addresses and markup.

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+|\bwww\.\S+", re.IGNORECASE)
_BRACKETED = re.compile(r"\[(?:redacted|photo|image|truncated)\b[^\]]*\]", re.IGNORECASE)
_MARKUP = re.compile(
    r"^\s*(?:#{1,6}\s+|(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s*)?|>\s*)+|[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")
_IN_PROSE = frozenset({Sort.PROSE, Sort.ITEM, Sort.HEADING})


@dataclass(frozen=True, slots=True)
class Saying:
    """One sentence of a turn, and its terms."""

    place: int  # of its turn in the conversation
    speaker: str
    text: str
    terms: Counter[str]


def sayings(turn: Turn, place: int, *, most: int) -> Iterator[Saying]:
    """The first sentences of a turn."""
    text = said(turn)
    spans = (span for block in blocks(text) if block.sort in _IN_PROSE for span in parts(text, block))
    lines = filter(None, (plain(text[start:end]) for start, end in spans))
    for line in islice(lines, most):
        yield Saying(place, turn.speaker, line, terms_in(line))


def plain(text: str) -> str:
    """A piece of text as one line without markup, addresses and what nobody sees."""
    bare = _BRACKETED.sub(" ", _ADDRESS.sub(" ", _CONTROL.sub(" ", text)))
    return " ".join(_MARKUP.sub("", bare).split())
