"""Why a memory stands where it stands among the hits, in words a person understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from memvault.core.memory import Memory
from memvault.core.weight import Use, boost, days_idle, holds_still
from memvault.core.words import spans, stem
from memvault.render.escape import one_line
from memvault.render.paper import Paper

_PLACES = {
    "title": "the title",
    "tags": "its tags and names",
    "triggers": "its triggers",
    "heading": "the heading above",
    "text": "the passage",
}
_INDENT = "    "


def why(
    query: str, found: Mapping[str, Sequence[str]], paper: Paper, *, similarity: float, weak: bool, weight_reason: str
) -> str:
    """Which words were found where and which not, how alike that makes the two, and what the weight rests on."""
    words = _as_asked(query)
    there = [f"“{words.get(term, term)}” in {_joined(labels)}" for term, labels in found.items() if labels]
    missing = [f"“{words.get(term, term)}”" for term, labels in found.items() if not labels]
    lines = [
        f"found: {'; '.join(there)}" if there else "",
        f"not found: {', '.join(missing)}" if missing else "",
        f"similarity {similarity:.2f} of 1: {_measure(missing, weak=weak)}" if found else "",
        weight_reason,
    ]
    return "\n".join(paper.block(one_line(line), _INDENT) for line in lines if line)


def _measure(missing: list[str], *, weak: bool) -> str:
    if not missing:
        return "it says everything that was asked"
    share = "the share of the question that it says, rare words counting for more"
    return f"{share}; too little to be sure" if weak else share


def _joined(labels: Sequence[str]) -> str:
    names = [_PLACES.get(label, label) for label in labels]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _as_asked(query: str) -> dict[str, str]:
    """The words of the query as they were typed, by the stems that were looked for."""
    found: dict[str, str] = {}
    for token, start, end in spans(query):
        found.setdefault(stem(token), query[start:end])
    return found


def weight_reason(memory: Memory, weight: float, use: Use, now: datetime) -> str:
    """What the weight of a memory rests on; among hits equally alike, the weightier goes first."""
    head = f"weight {weight:.2f}:"
    if memory.pinned:
        return f"{head} pinned, so it never decays"
    days = days_idle(use, now)
    did = "last used" if use.count else "made"
    idle = f"{did} today" if days < 1 else f"{did} {days:.0f} day{'s' if round(days) != 1 else ''} ago"
    fades = "it does not decay" if holds_still(memory, now) else idle
    slower = ", fading slowly because it is significant" if memory.emotional_flag else ""
    times = f"{use.count} use{'s' if use.count != 1 else ''}"
    gain = f", {times} add {boost(use.count):.2f}" if use.count else ", never used yet"
    return f"{head} began at {memory.base:.2f}, {fades}{slower}{gain}"
