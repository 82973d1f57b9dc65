"""Reviewers that need no model: what a text's own words, and the memories nearest to it, say of its worth."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from memvault.core.similarity.differences import differences
from memvault.core.similarity.score import likeness
from memvault.memories.verdict import Answer
from memvault.text.stopwords import STOPWORDS
from memvault.text.words import tokens

_READ = 4_000  # characters: what a text is about, it says by then
_PLAIN = 5.0  # what a text scores that nothing speaks for or against
_DIFFERING = 4.5  # the novelty of a text that says almost the same, but another number, date or name


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One of the memories nearest to a text: its id, its title and what it says."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern that speaks for a text or against it, by how much, and in what words that is told."""

    points: float
    told: str
    pattern: str


_IMPORTANT: tuple[Sign, ...] = (
    Sign(2.0, "it is called important", r"\b(important|crucial|critical|essential|significant|remember (this|that))\b"),
    Sign(2.0, "it is a rule", r"\b(always|never|must|mustn't|required?|mandatory|forbidden|do not|don't ever)\b"),
    Sign(2.0, "it is a decision", r"\b(decided|decision|chose|chosen|agreed|settled on|opted|approved|rejected)\b"),
    Sign(2.0, "it is a preference", r"\b(prefers?|likes?|loves?|hates?|dislikes?|favou?rite|allergic|avoids?)\b"),
    Sign(
        2.0,
        "it is a lesson",
        r"\b(learne?[dt]|lesson|turns? out|root cause|because|caused by|the fix|gotcha|pitfall)\b",
    ),
    Sign(
        1.5,
        "it is a commitment",
        r"\b(deadline|due|promised|appointment|renew|until|by (mon|tues|wednes|thurs|fri)day)\b",
    ),
    Sign(
        1.5, "it is about a person", r"\b(birthday|married|daughter|son|wife|husband|lives in|works (at|for|as)|born)\b"
    ),
    Sign(1.0, "it is exact", r"\d{2,}|https?://|`[^`]+`|[/\\]\w+[/\\]|\b[A-Z]{2,}-\d+\b"),
    Sign(
        -2.0,
        "it is of the moment",
        r"\b(right now|just now|at the moment|brb|one sec|hold on|let me (see|check|try))\b",
    ),
    Sign(
        -2.5,
        "it is small talk",
        r"\b(good (morning|night)|how are you|haha+|lol|you're welcome|no worries|have a nice)\b",
    ),
)

_USEFUL: tuple[Sign, ...] = (
    Sign(
        1.5, "it holds beyond today", r"\b(always|usually|every (time|day|week|month)|whenever|prefers?|uses|lives)\b"
    ),
    Sign(1.5, "it says how something is done", r"(?m)^\s*\d+[.)] |\b(steps?|first|then|install|in order to|how to)\b"),
    Sign(1.0, "it gives a reason", r"\b(because|since|so that|therefore|due to|as a result)\b"),
    Sign(1.0, "it names what it is about", r"(?<=\w )[A-Z][a-z]+\b|`[^`]+`|\b[\w-]+\.(py|md|js|ts|go|rs|toml|json)\b"),
    Sign(-2.5, "it is output of a tool", r"(?m)^(Traceback|\s+at \S+\(|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\$ )"),
    Sign(-2.0, "it only asks", r"\A[^.!\n]{0,200}\?\s*\Z"),
    Sign(-1.5, "it points to what is not in it", r"\A(it|this|that|these|those|they|he|she)\b(?! is (my|our|the))"),
    Sign(-2.0, "it asks the assistant for something", r"\A(please |can you |could you |would you )"),
)

_SAID_IN_PASSING = """
ok okay k thanks thank thx ty cool great nice good fine sure yep yeah yup nope nah right alright done got
perfect awesome sounds exactly indeed hmm hm uh um oh wow haha lol hi hello hey bye please sorry welcome worries
danke bitte gut ja nein genau merci oui non gracias vale sí grazie si obrigado sim
"""
_FILLER = frozenset(_SAID_IN_PASSING.split())


def is_trivial(text: str) -> bool:
    """Whether a text tells next to nothing: filler, or not two words with a meaning."""
    words = tokens(text[:_READ])
    telling = {word for word in words if word not in STOPWORDS and word not in _FILLER and any(map(str.isalnum, word))}
    # A script without spaces comes in pieces of one or two characters: its words cannot be counted like this.
    return len(telling) < (2 if text.isascii() else 1)


def importance(text: str, _nearest: Sequence[Neighbour] = ()) -> Answer:
    """How much depends on it that a text is not forgotten, by what its words give away."""
    score, reason = _scored(text, _IMPORTANT)
    return Answer(by="importance", importance=score, trivial=is_trivial(text), reason=reason)


def relevance(text: str, _nearest: Sequence[Neighbour] = ()) -> Answer:
    """How likely a text is of use in a later conversation, where it has to stand on its own."""
    score, reason = _scored(text, _USEFUL)
    return Answer(by="relevance", relevance=score, trivial=is_trivial(text), reason=reason)


def novelty(text: str, nearest: Sequence[Neighbour] = ()) -> Answer:
    """How much a text says that the memories nearest to it do not say."""
    alike, closest = nearest_of(text, nearest)
    score = 10 * (1 - alike)
    reason = f"{alike:.0%} of it is known already" if alike else "nothing like it is known"
    if closest and differences(closest.text[:_READ], text[:_READ]):
        score = max(score, _DIFFERING)
        reason = "it says otherwise than what is known"
    return Answer(by="novelty", novelty=round(score, 1), trivial=is_trivial(text), reason=reason)


def nearest_of(text: str, nearest: Sequence[Neighbour]) -> tuple[float, Neighbour | None]:
    """How alike the most alike of some memories is, from 0 to 1, and which one it is; the first of equals."""
    ranked = [(likeness(neighbour.text[:_READ], text[:_READ]), neighbour) for neighbour in nearest]
    return max(ranked, key=lambda pair: pair[0], default=(0.0, None))


Judge = Callable[[str, Sequence[Neighbour]], Answer]

JUDGES: Mapping[str, Judge] = MappingProxyType({"importance": importance, "relevance": relevance, "novelty": novelty})
"""The twin, by rules, of each reviewer that memvault has."""


def _scored(text: str, signs: Sequence[Sign]) -> tuple[float, str]:
    """What the signs in a text add up to, and the one that speaks loudest."""
    read = text[:_READ]
    found = [sign for sign in signs if re.search(sign.pattern, read, re.IGNORECASE if _any_case(sign) else 0)]
    # Nothing in a text of another language is a sign: it is taken as a plain one, which is kept.
    score = min(10.0, max(0.0, _PLAIN + sum(sign.points for sign in found)))
    loudest = max(found, key=lambda sign: abs(sign.points), default=None)
    return score, loudest.told if loudest else "nothing speaks for or against it"


def _any_case(sign: Sign) -> bool:
    return "[A-Z]" not in sign.pattern
