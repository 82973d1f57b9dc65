"""What reviewers say of a text, and the verdict that follows: stored, an update of what is known, or rejected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import fsum
from types import MappingProxyType
from typing import Literal

TRIVIAL_VOTES = 2
"""So many reviewers who call a text trivial have it rejected."""

LEAST_IMPORTANCE = 4.0
LEAST_RELEVANCE = 5.0
LEAST_NOVELTY = 4.0
"""Below these means a text is rejected, or (novelty) taken as an update of what is known."""

LEAST_OF_ONE = 3.0
"""The importance from which the word of a single reviewer is enough."""

UNKNOWN_IMPORTANCE = 5.0
"""What a text is stored with of which nobody said how important it is."""

LEAST_WEIGHT = 0.4

_LONGEST_REASON = 200

SCORES = ("importance", "relevance", "novelty")

SCHEMA: Mapping[str, object] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            **{score: {"type": "number", "minimum": 0, "maximum": 10} for score in SCORES},
            "trivial": {"type": "boolean"},
            "reason": {"type": "string"},
        },
        "required": ["reason"],
    }
)
"""The form of every reviewer's answer; what a reviewer does not judge is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswer:
    """What one reviewer says: scores from 0 to 10, None for what it does not judge."""

    by: str
    importance: float | None = None
    relevance: float | None = None
    novelty: float | None = None
    trivial: bool | None = None
    reason: str = ""

    def journal_entry(self) -> dict[str, object]:
        """Return the answer without what was left out, as it is journaled."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None and value != ""}


def parse_answer(by: str, given: Mapping[str, object]) -> ReviewAnswer:
    """Return a reviewer's answer from values that fit the schema."""
    scores = {name: given.get(name) for name in SCORES}
    trivial = given.get("trivial")
    reason = " ".join(str(given.get("reason") or "").split())
    return ReviewAnswer(
        by=by,
        trivial=trivial if isinstance(trivial, bool) else None,
        reason=reason if len(reason) <= _LONGEST_REASON else reason[: _LONGEST_REASON - 1] + "…",
        **{name: float(score) for name, score in scores.items() if isinstance(score, int | float)},
    )


Outcome = Literal["store", "update", "reject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of a text, why, and the weight that it is stored with."""

    outcome: Outcome
    reason: str
    importance: float = UNKNOWN_IMPORTANCE

    @property
    def weight(self) -> float:
        """Return a tenth of the importance, and never so little that it would fade at once."""
        return round(max(LEAST_WEIGHT, self.importance / 10), 6)


def combine_answers(answers: Sequence[ReviewAnswer], *, trivial: bool = False) -> Verdict:
    """Return the verdict that follows from the answers; `trivial` is what the rules say if nobody answered."""
    match len(answers):
        case 0:
            return _default_verdict(trivial=trivial)
        case 1:
            return _single_verdict(answers[0])
        case _:
            return _joint_verdict(answers)


def _default_verdict(*, trivial: bool) -> Verdict:
    if trivial:
        return Verdict(outcome="reject", reason="no reviewer answered, and by the rules it is trivial")
    return Verdict(outcome="store", reason="no reviewer answered, and nothing speaks against it")


def _single_verdict(answer: ReviewAnswer) -> Verdict:
    importance = UNKNOWN_IMPORTANCE if answer.importance is None else answer.importance
    accepted = importance >= LEAST_OF_ONE
    return Verdict(
        outcome="store" if accepted else "reject",
        reason=f"the only reviewer who answered gives it importance {importance:g}",
        importance=importance,
    )


def _joint_verdict(answers: Sequence[ReviewAnswer]) -> Verdict:
    votes = sum(answer.trivial is True for answer in answers)
    importance = _mean_score(answer.importance for answer in answers)
    relevance = _mean_score(answer.relevance for answer in answers)
    novelty = _mean_score(answer.novelty for answer in answers)
    found = UNKNOWN_IMPORTANCE if importance is None else importance
    rules: tuple[tuple[bool, Outcome, str], ...] = (
        (votes >= TRIVIAL_VOTES, "reject", f"{votes} of {len(answers)} reviewers call it trivial"),
        (
            _is_below(importance, LEAST_IMPORTANCE),
            "reject",
            f"it is of little importance ({_format_score(importance)})",
        ),
        (_is_below(relevance, LEAST_RELEVANCE), "reject", f"it is of little use later on ({_format_score(relevance)})"),
        (
            _is_below(novelty, LEAST_NOVELTY),
            "update",
            f"most of it is known already (novelty {_format_score(novelty)})",
        ),
        (True, "store", f"{len(answers)} reviewers agree that it is worth keeping"),
    )
    outcome, reason = next((outcome, reason) for applies, outcome, reason in rules if applies)
    return Verdict(outcome=outcome, reason=reason, importance=found)


def _mean_score(scores: Iterable[float | None]) -> float | None:
    """Return the mean of the scores that were given; None where none was."""
    given = [score for score in scores if score is not None]
    return fsum(given) / len(given) if given else None  # exact, so that their order decides nothing


def _is_below(score: float | None, least: float) -> bool:
    return score is not None and score < least


def _format_score(score: float | None) -> str:
    return "" if score is None else f"{round(score, 1):g}"
