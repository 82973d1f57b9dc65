"""Why a memory stands where it stands among the hits, in words a person understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from memvault.core.memory import Memory
from memvault.core.weight import Decay, MemoryUse, days_idle, is_paused, use_boost
from memvault.recall.query import DAY_LABEL, REST_LABEL, TermMatch
from memvault.recall.ranking.turns import ScoreParts
from memvault.recall.recall import RecallHit
from memvault.text.display import to_one_line
from memvault.text.stem import stem
from memvault.text.terms import token_spans

_PLACES = {
    "title": "the title",
    "tags": "its tags and names",
    "triggers": "its triggers",
    "heading": "the heading above",
    "text": "the passage",
    REST_LABEL: "the rest of its text",
    DAY_LABEL: "the day it was made",
}
_TERMS = {
    "words": "what was asked, in its own words",
    "around": "what the turns around it say of that",
    "sitting": "what its whole session says of it",
    "speaker": "said by somebody who was named",
    "day": "of the days asked for",
    "timed": "tells a time, as was wanted",
    "asking": "asks rather than tells",
    "voice": "said by whom it was wanted from",
    "meaning": "lies nearer in meaning than most",
}
_ONLY_NEAR = "near the question, though it says none of its words, which proves little"
_TIED = "it shares links, people, tags or topics with the best hits"
_LEAST_TOLD = 0.05  # less than that is shown as nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class HitEvidence:
    """What was found out about a hit: how far it says each word that was asked for, and how alike that makes it."""

    told: Sequence[TermMatch]
    text: str  # what can be read of it
    similarity: float
    weak: bool
    dated: bool = False
    meaning: float = 0.0  # of the score, what lying near in meaning adds
    ties: float = 0.0  # of the score, what hanging together with the best adds
    own: float = 0.0  # of the score, what being of the project that is worked on adds

    @classmethod
    def of(cls, hit: RecallHit) -> Self:
        """Return the evidence of a hit as recall gives it."""
        return cls(
            told=hit.matches,
            text=f"{hit.memory.title}\n{hit.text}",
            similarity=hit.similarity,
            weak=hit.weak,
            dated=hit.dated,
            meaning=hit.meaning,
            ties=hit.graph,
            own=hit.own_project,
        )


def explain_hit(query: str, hit: HitEvidence, *, weight_reason: str) -> list[str]:
    """Say which words were found where and which not, how alike that makes the two, and what the weight rests on."""
    words = _original_words(query)
    read = _original_words(hit.text) if any(one.said for one in hit.told) else {}
    there = [_format_match(one, words, read) for one in hit.told if one.places]
    missing = [f"“{words.get(one.term, one.term)}”" for one in hit.told if not one.places]
    lines = [
        f"found: {'; '.join(there)}" if there else "",
        f"not found: {', '.join(missing)}" if missing else "",
        "made on the days of which the question speaks, so it goes further up" if hit.dated else "",
        _explain_meaning(hit) if hit.meaning > 0 else "",
        f"{_TIED}; it goes {hit.ties:.1f} further up" if hit.ties >= _LEAST_TOLD else "",
        f"it is of this project; it goes {hit.own:.1f} further up" if hit.own >= _LEAST_TOLD else "",
        f"similarity {hit.similarity:.2f} of 1: {_explain_similarity(hit)}" if hit.told else "",
        weight_reason,
    ]
    return [to_one_line(line) for line in lines if line]


def explain_turn(reasons: ScoreParts, similarity: float) -> list[str]:
    """Say what the score of something said is made of, the most first, and how sure it is that it answers."""
    found = {words: getattr(reasons, name) for name, words in _TERMS.items()}
    told = [(value, words) for words, value in found.items() if abs(value) >= _LEAST_TOLD]
    terms = ", ".join(f"{value:+.1f} {words}" for value, words in sorted(told, key=lambda row: -abs(row[0])))
    return [f"score {reasons.total:.1f}: {terms}", f"similarity {similarity:.2f} of 1"]


def _explain_meaning(hit: HitEvidence) -> str:
    how = "nearer to the question than that of most others" if any(one.places for one in hit.told) else _ONLY_NEAR
    return f"what it means lies {how}; it goes {hit.meaning:.1f} further up"


def _format_match(one: TermMatch, words: Mapping[str, str], read: Mapping[str, str]) -> str:
    other = f", as “{read.get(one.said, one.said)}”," if one.said else ""
    return f"“{words.get(one.term, one.term)}”{other} in {_join_places(one.places)}"


def _explain_similarity(hit: HitEvidence) -> str:
    if all(one.share >= 1 for one in hit.told):
        return f"it says everything that was asked{', but others come before it' if hit.weak else ''}"
    in_part = ", other words and the rest of the text for less" if any(0 < one.share < 1 for one in hit.told) else ""
    share = f"how near it is to the best and how much of the question it says, rare words counting for more{in_part}"
    return f"{share}; too little to be sure" if hit.weak else share


def _join_places(labels: Sequence[str]) -> str:
    names = [_PLACES.get(label, label) for label in labels]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _original_words(text: str) -> dict[str, str]:
    """Return the words of a text as they stand there, by the stems that were looked for."""
    found: dict[str, str] = {}
    for token, start, end in token_spans(text):
        found.setdefault(stem(token), text[start:end])
    return found


def _describe_verdict(memory: Memory) -> str:
    """Say what a person said of a memory when it was given; that changes nothing here."""
    useless = memory.more.get("unhelpful_for", ())
    topics = ", ".join(map(str, useless)) if isinstance(useless, tuple) else str(useless)
    wrong = "you called it wrong, so it is given to nobody unasked; " if memory.more.get("called_wrong") else ""
    return wrong + (f"of no use for prompts about {topics}, so it is given less readily there; " if topics else "")


def explain_weight(memory: Memory, weight: float, use: MemoryUse, now: datetime, decay: Decay) -> str:
    """Say what the weight of a memory rests on; among hits equally alike, the weightier goes first."""
    head = f"{_describe_verdict(memory)}weight {weight:.2f}:"
    if memory.pinned:
        return f"{head} pinned, so it never decays"
    days = days_idle(use, now)
    did = "last used" if use.count else "made"
    idle = f"{did} today" if days < 1 else f"{did} {days:.0f} day{'s' if round(days) != 1 else ''} ago"
    fades = "it does not decay" if is_paused(memory, now) else idle
    slower = ", fading slowly because it is significant" if memory.emotional_flag else ""
    times = f"{use.count} use{'s' if use.count != 1 else ''}"
    gain = f", {times} add {use_boost(use.count, decay):.2f}" if use.count else ", never used yet"
    return f"{head} began at {memory.base:.2f}, {fades}{slower}{gain}"
