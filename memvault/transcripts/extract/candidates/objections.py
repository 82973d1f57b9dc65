"""Why a sentence with a cue is not meant: it asks, supposes, quotes, doubts, or tells of somebody else."""

from __future__ import annotations

import re

_SUPPOSES = re.compile(
    r"\b(?:if|whether|suppose|supposing|imagine|assuming|what if|pretend|in case|ob|falls|angenommen|stell dir vor"
    r"|imagina|supón|imagine|supposons)\b|\bwenn (?:wir|ich|du|man)\b|^si "
)
_OTHERS_SAY = re.compile(
    r"\b(?:says?|said|told|tells|claims?|claimed|wrote|writes|according to|quote|reads|insists?|believes|asked me"
    r"|sagt|sagte"
    r"|meint|laut|dice|dijo|según|dit|selon)\b"
)
_OVER = re.compile(
    r"\b(?:used to|no longer|back then|years ago|changed (?:my|our) minds?|not anymore|früher|damals|antes (?:yo"
    r"|nosotros)"
    r"|autrefois|n'est plus)\b"
)
_DOUBTS = re.compile(
    r"\b(?:maybe|perhaps|might|not sure|some day|someday|i guess|i wonder|could be|haven't|hasn't|have not"
    r"|undecided|vielleicht|eventuell|quizás|quizá|tal vez|peut-être|je ne sais pas|thinking (?:about|of))\b"
)
_GUESSES = re.compile(r"\b(?:might|may|could|probably|possibly|i think|i suspect|not sure|seems?|perhaps|maybe)\b")
_TEXT_WORK = re.compile(
    r"^(?:please |can you |could you )*(?:translate|summari[sz]e|paraphrase|rewrite|proofread|rephrase|übersetze?"
    r"|traduce|"
    r"traduis|fasse? zusammen|resume|résume)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\?|\b(?:can|could|would) you\b|\bplease (?:fix|check|look|help|find|explain|debug)\b|\bhelp me\b|\bany ideas?\b"
    r"|\bhow (?:do|can) i\b|\bfix (?:it|this|that)\b",
    re.IGNORECASE,
)
_OPEN, _CLOSE = "“„«「", "”“»」"

HARD = frozenset(("decision", "preference", "todo"))
"""Sorts that are only meant where nothing is supposed."""


def is_text_work(turn: str) -> bool:
    """Whether a turn hands over a text to be worked on, whose words are nobody's wish."""
    return _TEXT_WORK.match(turn.lstrip()) is not None


def asks_for_help(turn: str) -> bool:
    """Whether a turn wants something looked into."""
    return _REQUEST.search(turn) is not None


def is_meant(sort: str, sentence: str, start: int, end: int, *, own: bool) -> bool:
    """Whether a cue that stands at a place of a sentence means what it says."""
    before = sentence[:start]
    if _is_within_quotes(sentence, start):
        return False
    if not own and _GUESSES.search(sentence):
        return False
    if sort == "gotcha":
        return True
    if _OTHERS_SAY.search(before) or _OVER.search(sentence):
        return False
    return sort not in HARD or not (_SUPPOSES.search(before) or _DOUBTS.search(sentence[: end + 20]))


def _is_within_quotes(sentence: str, start: int) -> bool:
    before = sentence[:start]
    if before.count('"') % 2:
        return True
    opened = max(before.rfind(sign) for sign in _OPEN)
    return opened >= 0 and not any(sign in before[opened + 1 :] for sign in _CLOSE)
