"""The sentences of a stretch of talk, each with who said it: without code, tables, addresses and markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from memvault.core.blocks import Sort, blocks, parts
from memvault.core.talk import Turn
from memvault.core.trajectories.content import said, terms_in

_MOST_OF_A_TURN = 40

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


def sayings(turn: Turn, place: int) -> Iterator[Saying]:
    """The sentences of a turn, as far as it is read."""
    text = said(turn)
    count = 0
    for block in blocks(text):
        for start, end in parts(text, block) if block.sort in _IN_PROSE else ():
            line = plain(text[start:end])
            if line and count < _MOST_OF_A_TURN:
                count += 1
                yield Saying(place, turn.speaker, line, terms_in(line))


def plain(text: str) -> str:
    """A piece of text as one line without markup, addresses and what nobody sees."""
    bare = _BRACKETED.sub(" ", _ADDRESS.sub(" ", _CONTROL.sub(" ", text)))
    return " ".join(_MARKUP.sub("", bare).split())
