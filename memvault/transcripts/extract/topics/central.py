"""The sentence that says most of what a stretch of talk is about, as one line."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from memvault.core.secrets.scan import redacted
from memvault.transcripts.extract.topics.sayings import Saying, plain

LONGEST = 100  # characters

_FIRST, _ASKED = 1.25, 1.3
_FEW_TERMS, _LONG_SENTENCE = 3, 240
_SHORT_OF_TERMS, _TOO_LONG = 0.5, 0.7
_ROOM, _LENGTH = 4, 0.6  # how far longer sentences, which have more terms to score by, are held back

Rarity = Callable[[str], float]


def central(sayings: Sequence[Saying], rarity: Rarity, *, user: str) -> str:
    """The line that tells what a stretch is about, with who said it; what opens it, and what a user says, tell most."""
    if not sayings:
        return ""
    spread = Counter(term for _, term in {(saying.place, term) for saying in sayings for term in saying.terms})
    first = min(saying.place for saying in sayings)

    def score(saying: Saying) -> float:
        weight = (_FIRST if saying.place == first else 1) * (_ASKED if user and saying.speaker == user else 1)
        return weight * _score(saying, spread, rarity)

    chosen = max(sayings, key=score)
    return line(chosen.speaker, chosen.text)


def _score(saying: Saying, spread: Counter[str], rarity: Rarity) -> float:
    terms = saying.terms
    total = sum(math.log(1 + max(spread[term], 1)) * rarity(term) for term in terms)
    fit = (_SHORT_OF_TERMS if len(terms) < _FEW_TERMS else 1) * (_TOO_LONG if len(saying.text) > _LONG_SENTENCE else 1)
    return fit * total / math.pow(len(terms) + _ROOM, _LENGTH)


def line(speaker: str, text: str) -> str:
    """Who said what, on one line, cut at a word."""
    who = plain(speaker)
    what = redacted(plain(text))
    return shortened(what if not who or what.casefold().startswith(who.casefold()) else f"{who}: {what}")


def shortened(text: str) -> str:
    """A text that fits on the line, cut at a word where there is one."""
    if len(text) <= LONGEST:
        return text
    cut = text[: LONGEST - 1]
    head = cut.rpartition(" ")[0] if " " in cut[LONGEST // 2 :] else cut
    return head.rstrip(" ,;:.-–—(") + "…"
