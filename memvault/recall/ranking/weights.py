"""The weights by which units and passages are scored, each with its reason; and packing into a budget."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from memvault.core.value import Record
from memvault.text.terms import clip_to_budget, estimate_tokens


class RoleWeights(Record):
    """How the units of one role depend on their neighbors."""

    before: tuple[float, ...]  # how much of a word counts that the turn right before says, the one before that, …
    after: tuple[float, ...]  # the same for the turns that follow
    answer: float  # for the turn right before, where it ends as a question: this one is then its answer
    sitting: float  # for what is said anywhere in the same sitting
    asking: float  # taken off a unit that asks; one that tells is wanted
    voice: float  # the words of such a unit count as often


# People talk in short turns that depend on each other. What a person tells an assistant stands alone, is repeated in
# the reply, and nearly always ends in a request; the assistant's own words are long, and seldom what is looked for.
PEOPLE = RoleWeights(before=(0.6, 0.4, 0.2), after=(0.4, 0.2), answer=0.9, sitting=0.75, asking=1.0, voice=1.0)
USER = RoleWeights(before=(), after=(0.4,), answer=0.0, sitting=0.0, asking=0.0, voice=2.0)
ASSISTANT = RoleWeights(before=(), after=(0.4,), answer=0.0, sitting=0.0, asking=0.0, voice=1.0)
PAGE = RoleWeights(before=(0.4,), after=(0.2,), answer=0.4, sitting=0.75, asking=0.0, voice=1.0)

NOBODYS_ROLE, USERS_ROLE, ASSISTANTS_ROLE, NOTES_ROLE = range(4)
ROLE_WEIGHTS = (PEOPLE, USER, ASSISTANT, PAGE)  # in the order of the roles


class RankingWeights(Record, kw_only=True):
    """The weights for all sorts of text; words are counted in units of how rare they are."""

    k1: float = 1.0  # how fast a word that is said again stops counting
    b: float = 0.6  # how far long units are held back
    echo: float = 0.3  # a word counts from the nearest turn that says it; what the others say of it counts so much
    speaker: float = 3.0  # the unit was said by somebody whom the question names
    day: float = 5.0  # it was said on the days that the question names
    said_day: float = 2.0  # its words name these days: "yesterday", said a day later
    timed: float = 3.0  # it tells a time, and the question asks for one
    vague: float = 0.4  # question words that could be left out: kind of, recently, mention
    irregular: float = 0.5  # another form of the same word: bought for buy
    kin: float = 0.3  # a word that means nearly the same
    member: float = 0.3  # a thing of the kind that is asked for: a guitar is an instrument
    near: float = 0.5  # a word spelled nearly so, where nobody ever said the word itself
    namesake: float = 0.9  # another name of the same person
    written: float = 0.9  # the same number or day, written otherwise; in notes alone
    manners: tuple[RoleWeights, ...] = ROLE_WEIGHTS  # by role


WEIGHTS = RankingWeights()


# Fit texts into a budget of tokens that is never exceeded.

PackedItem = TypeVar("PackedItem")
LEAST_WORTH_SHOWING = 20


class PackedItems(Record, Generic[PackedItem]):
    """The items that fit, with their text as far as it fits, the cost, and how many did not fit."""

    kept: tuple[tuple[PackedItem, str], ...]
    used: int
    left_out: int


def pack_items(items: Iterable[tuple[PackedItem, str]], *, budget: int, overhead: int = 0) -> PackedItems[PackedItem]:
    """Take items until the budget is spent; cut the one that crosses the line, leave out the rest."""
    kept: list[tuple[PackedItem, str]] = []
    used = left_out = 0
    full = False
    for item, text in items:
        room = budget - used - overhead
        cost = 0 if full else estimate_tokens(text)
        full = full or room < min(LEAST_WORTH_SHOWING, cost)
        if full:
            left_out += 1
            continue
        fitting = text if cost <= room else clip_to_budget(text, room)
        full = fitting != text
        kept.append((item, fitting))
        used += (estimate_tokens(fitting) if full else cost) + overhead
    return PackedItems(tuple(kept), used, left_out)
