"""The clause of a sentence that a cue stands in, without the request that goes with it."""

from __future__ import annotations

import re

_LONG = 160  # characters: of a longer sentence what stands before the clause is left out too
_SHORTEST = 25

_REQUEST = re.compile(
    r"[,;]? (?:[-–—] )?(?:so |and |but )?(?:can|could|would) you\b|[,;]? (?:and|but|so"
    r"|which is why) (?:now )?i(?:'m| am)"
    r" (?:not sure|unsure|worried|wondering|hoping|curious|stuck|asking)\b|, (?:but )?(?:how|what|which|why"
    r"|do you|is that|is it"
    r"|any )\b|,? but (?:how|what|i'm|i am|i don't know)\b"
)
_JOINTS = re.compile(r"(?:, (?:and|so|but)|; |\. |: )\s*(?=(?:i|i'm|i've|i'd|we|we're|we've|my|our)\b)")
_JOINED_ON = re.compile(r"^(?:and|but|so) ")
_POINTS_BACK = re.compile(r"\b(?:it|this|that|them|these|those|so)\b")


def clause(sentence: str, low: str, start: int, end: int) -> str:
    """What of a sentence says what its cue is about; `low` is the same text in small letters."""
    if len(low) != len(sentence):
        return sentence
    last = next(
        (found.start() for found in _REQUEST.finditer(low, end) if found.start() - start >= _SHORTEST), len(low)
    )
    first = 0
    if last - first > _LONG:
        joints = [found.end() for found in _JOINTS.finditer(low, 0, start + 1)]
        ends = (found.start() for found in _JOINTS.finditer(low, end, last) if found.start() - start >= _SHORTEST)
        last = next(ends, last)
        first = joints[-1] if joints and not _POINTS_BACK.search(low, start, min(end + 6, last)) else 0
    cut = _JOINED_ON.sub("", sentence[first:last].strip(" ,;"))
    whole = cut[:1].upper() + cut[1:] if first else cut
    return whole.rstrip("?") if last < len(sentence) or whole.endswith("?") else whole
