"""The terms of turns: the informative ones, and how many turns share each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from memvault.core.conversation import Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.text.markdown import BlockKind, block_parts, parse_blocks
from memvault.text.stem import stem
from memvault.text.terms import STOPWORDS, split_tokens

READ = 6_000  # characters; enough to see what a longer turn is about

_MOST = 30  # terms of one turn: a long answer is still one turn on one topic
_LONG_NUMBER = 3
_CACHED = 65_536
_STEM = 7  # letters; where endings are not English, a word's beginning stands for it

Terms = tuple[str, ...]


def readable_text(turn: Turn) -> str:
    """Return the readable text of a turn: without private spans, and limited in length."""
    return strip_private(turn.text[:READ])


def text_terms(text: str) -> Counter[str]:
    """Count the informative terms of a text."""
    return Counter(filter(None, map(_TERMS.__getitem__, split_tokens(text))))


def normalize_term(token: str) -> str:
    """Return the form in which a token is compared."""
    stemmed = stem(token)
    return stemmed[:_STEM] if len(stemmed) > _STEM and stemmed.isalpha() else stemmed


def _is_informative(token: str) -> bool:
    """Return whether a token is no function word, single sign, or list number."""
    return len(token) > 1 and token not in STOPWORDS and not (len(token) < _LONG_NUMBER and token.isdecimal())


class _TermCache(dict[str, str]):
    """The term of each token, empty where it is not informative: most turns use the same few thousand."""

    def __missing__(self, token: str) -> str:
        found = normalize_term(token) if _is_informative(token) else ""
        if len(self) >= _CACHED:
            self.clear()
        self[token] = found
        return found


_TERMS = _TermCache()


class TermStatistics:
    """The terms of many turns, and in how many of them each stands."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        counted = [text_terms("\n".join((readable_text(turn), " ".join(turn.deeds)))) for turn in turns]
        self.spread = Counter(term for terms in counted for term in terms)
        self.turns: tuple[Terms, ...] = tuple(self._top_terms(terms) for terms in counted)
        self.usual = max(1.0, sum(map(len, self.turns)) / max(1, len(turns)))

    def _top_terms(self, terms: Counter[str]) -> Terms:
        """Return the top terms: repeated ones first, then shared ones, the rare before the common."""
        if len(terms) <= _MOST:
            return tuple(terms)
        spread = self.spread
        ranked = sorted(terms, key=lambda term: (terms[term] < 2, spread[term] < 2, spread[term]))
        return tuple(ranked[:_MOST])


# The sentences of a segment with their speakers: without code, tables, URLs and markup.

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+|\bwww\.\S+", re.IGNORECASE)
_BRACKETED = re.compile(r"\[(?:redacted|photo|image|truncated)\b[^\]]*\]", re.IGNORECASE)
_MARKUP = re.compile(
    r"^\s*(?:#{1,6}\s+|(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s*)?|>\s*)+|[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")
_IN_PROSE = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.HEADING})


@dataclass(frozen=True, slots=True)
class TopicSentence:
    """One sentence of a turn, and its terms."""

    place: int  # of its turn in the conversation
    speaker: str
    text: str
    terms: Counter[str]


def iter_sentences(turn: Turn, place: int, *, most: int) -> Iterator[TopicSentence]:
    """Yield the first sentences of a turn."""
    text = readable_text(turn)
    spans = (span for block in parse_blocks(text) if block.kind in _IN_PROSE for span in block_parts(text, block))
    lines = filter(None, (strip_markup(text[start:end]) for start, end in spans))
    for line in islice(lines, most):
        yield TopicSentence(place, turn.speaker, line, text_terms(line))


def strip_markup(text: str) -> str:
    """Return a text as one line without markup, URLs and invisible characters."""
    bare = _BRACKETED.sub(" ", _ADDRESS.sub(" ", _CONTROL.sub(" ", text)))
    return " ".join(_MARKUP.sub("", bare).split())
