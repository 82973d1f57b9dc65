"""Tags that a text earns by what it says: preference, decision, gotcha."""

from __future__ import annotations

import re

PREFERENCE, DECISION, GOTCHA = "preference", "decision", "gotcha"

# Short and cautious: a wrong tag costs more than a missing one.
_CUES: tuple[tuple[str, str], ...] = (
    (
        PREFERENCE,
        r"\b(?:i|we|user|he|she|they|\w+) (?:(?:really|strongly|always|usually) )?"
        r"(?:prefers?|dislikes?|hates?|loves?|likes?)\b"
        r"|\b(?:always|never) (?:use|write|add|put|ask|call)\b|\bpreference:|\bfavou?rite\b",
    ),
    (
        DECISION,
        r"\b(?:we|i|they|team) (?:have |finally )?(?:decided|chose|agreed|settled)\b"
        r"|\bdecision:|\bwe(?:'re| are| will) go(?:ing)? with\b",
    ),
    (
        GOTCHA,
        r"\bgotcha\b|\bbeware\b|\bwatch out\b|\bcareful\b|\bpitfall\b|\bturns out\b"
        r"|\b(?:doesn'?t|does not) work (?:if|when|unless)\b"
        r"|\b(?:fails|breaks) (?:silently|if|when|unless)\b|\bthe trick (?:is|was)\b",
    ),
)


def earned_tags(text: str) -> tuple[str, ...]:
    """The tags whose cues a text holds, in the table's order."""
    start = text[:2_000]
    return tuple(tag for tag, pattern in _CUES if re.search(pattern, start, re.IGNORECASE))
