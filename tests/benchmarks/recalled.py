"""How much of the evidence for a question is among what was returned, within a budget of tokens; and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

BUDGETS = (250, 500, 738, 1000)
MEASURES = (*(f"R@{budget}t" for budget in BUDGETS), "MRR")
SHOWN = {number: MEASURES[number] for number in (BUDGETS.index(250), BUDGETS.index(500), BUDGETS.index(1000))}
RESAMPLES = 1_000

_WORD = re.compile(r"\w+")
_LONG = 3
_ENOUGH = 12

Row = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that was returned, and the turn that it is of."""

    turn: str
    text: str


def cost(text: str) -> int:
    """Tokens: 1.3 a word, at least a sixth of the characters."""
    return max(1, round(1.3 * len(text.split())), len(text) // 6)


def content(text: str) -> frozenset[str]:
    """The words of a text that say something: those of more than three letters, if there are any."""
    words = frozenset(_WORD.findall(text.casefold()))
    return frozenset(word for word in words if len(word) > _LONG) or words


def carries(text: str, said: Collection[str]) -> bool:
    """Whether a text really holds a turn: half of its content words, or twelve of them."""
    return len(content(text).intersection(said)) >= min(len(said) / 2, _ENOUGH)


def measured(hits: Sequence[Hit], gold: Collection[str], said: Mapping[str, Collection[str]]) -> Row:
    """The share of the gold turns within each budget, and one over the rank of the first."""
    spent, rank = 0, 0
    found: set[str] = set()
    within = dict.fromkeys(BUDGETS, 0)
    for place, hit in enumerate(hits, 1):
        spent += cost(hit.text)
        if hit.turn in gold and carries(hit.text, said[hit.turn]):
            found.add(hit.turn)
            rank = rank or place
        within |= {budget: len(found) for budget in BUDGETS if spent <= budget}
        if spent > BUDGETS[-1]:
            break
    return (*(within[budget] / len(gold) for budget in BUDGETS), 1 / rank if rank else 0.0)


def means(rows: Sequence[Row]) -> Row:
    """The mean of each measure, in percent."""
    return tuple(100 * fmean(column) for column in zip(*rows, strict=True))


def difference(base: Sequence[Row], other: Sequence[Row], measure: int) -> tuple[float, float, float]:
    """What the other is better by, over the same questions, in points, and the 95 % interval of a bootstrap."""
    gaps = [100 * (two[measure] - one[measure]) for one, two in zip(base, other, strict=True)]
    random = Random(0)
    samples = sorted(fmean(random.choices(gaps, k=len(gaps))) for _ in range(RESAMPLES))
    return fmean(gaps), samples[int(0.025 * RESAMPLES)], samples[int(0.975 * RESAMPLES)]


def gaps(base: Sequence[Row], other: Sequence[Row], measures: Mapping[int, str]) -> str:
    """By how much the other is better in some measures, with intervals of 95 %."""
    found = {name: difference(base, other, measure) for measure, name in measures.items()}
    return "   ".join(f"{name} {gain:+5.1f} [{low:+.1f}, {high:+.1f}]" for name, (gain, low, high) in found.items())
