"""The sentences of a stretch of talk, each with who said it: without code, tables, addresses and markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from memvault.text.markdown import Sort, blocks, parts
from memvault.transcripts.extract.topics.terms import said, terms_in
from memvault.transcripts.model.talk import Turn

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
