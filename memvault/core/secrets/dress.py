"""The forms in which a text is the same text, however it was dressed when it came back."""

from __future__ import annotations

import re
from unicodedata import normalize

from memvault.core.secrets.screens import normal

_FEWEST_WORDS = 2  # of a part of a text: "Notes" above a list is no text of its own
_MOST_PARTS = 2_000
# Marks of a list, a quotation or a heading at the beginning of a line, one within the other.
_LED = r"^(?:[ \t]*(?:[-*+•‣◦·–—>#]+|\d{1,3}[.)]|\[[ xX]\])(?=[ \t]|$))+[ \t]*"
_QUOTES = "\"'`*_~“”„‟«»‹›‘’‚‛「」『』"
_DROPPED = str.maketrans("", "", _QUOTES)
_AT_THE_EDGE = ".,;:!?…()[]{}。、，；：！？"
_DASHES = "-–—"


def bare(text: str) -> str:
    """A text without what only dresses it: list marks, quotes, emphasis, the stops at the edges of its words.

    What may change its meaning stays: digits with their points and signs, hyphens, and signs between words.
    """
    undressed = _unled(normalize("NFKC", text)).translate(_DROPPED)
    words = [word for word in (part.strip(_AT_THE_EDGE) for part in undressed.split()) if word]
    while words and not words[0].strip(_DASHES):
        del words[0]
    while words and not words[-1].strip(_DASHES):
        del words[-1]
    return normal(" ".join(words))


def spellings(text: str) -> tuple[str, ...]:
    """The forms by which a text is looked for: undressed, and as it may have stood where only its edges differ."""
    led = normal(_unled(text.strip()))
    core = led.strip(f"{_AT_THE_EDGE}{_QUOTES} ")
    found = (normal(text), led, core, f"{core}." if core else "", bare(text))
    return tuple(dict.fromkeys(filter(None, found)))


def _unled(text: str) -> str:
    return re.sub(_LED, "", text, flags=re.MULTILINE)


def parts(text: str) -> tuple[str, ...]:
    """A text, its paragraphs and its lines: each may be what somebody let go, with more around it."""
    paragraphs = re.split(r"\n[ \t]*\n", text)
    lines = text.splitlines()
    whole = [text, *(part for part in (*paragraphs, *lines) if len(part.split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS)]
    return tuple(dict.fromkeys(part.strip() for part in whole[:_MOST_PARTS]))
