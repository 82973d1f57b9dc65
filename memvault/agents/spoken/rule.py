"""How a command reads in one language: its words, what may stand before and after them, and what follows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache


class Takes(Enum):
    """What follows the words of a command."""

    NOTHING = "nothing"  # the sentence ends, but for courtesies
    TEXT = "text"  # a colon or the like stood before it, so all that follows is meant
    CLAUSE = "clause"  # the rest of the sentence: so easily said in passing that more speaks against it
    TOPIC = "topic"  # the rest of the sentence, which may be a question


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to say a command; of a pattern, a space stands for any number of them."""

    intent: str
    pattern: str
    takes: Takes = Takes.NOTHING
    alone: bool = False  # only where the prompt says nothing else
    weak: bool = False  # not where the prompt asks for work: there it is a word on that work
    doubtful: bool = False  # not where what follows reads like a part of a program: such are kept in memory too


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that begin alike, so that their patterns are compiled only for a sentence which may be meant."""

    begins: tuple[str, ...]
    rules: tuple[Rule, ...]
    needs: tuple[str, ...] = ()  # of these, one stands in the sentence


@dataclass(frozen=True, slots=True)
class Language:
    """The commands of one language."""

    openers: str  # what may stand before a command
    polite: str  # how one asks for it, so that a question mark is no question
    tails: str  # what may stand after a command that takes nothing
    groups: tuple[Group, ...]

    def may_be_in(self, text: str) -> bool:
        """Whether a command may stand in a text at all."""
        return any(word in text for group in self.groups for word in group.needs or group.begins)


@cache
def before(language: Language) -> re.Pattern[str]:
    """What may stand before a command, from the beginning of a sentence."""
    return _compiled(
        rf"(?:(?:{language.openers})(?![a-z])[,.!;:…，。！]*\s*)*(?P<asked>(?:(?:{language.polite})(?![a-z])\s*)*)"
    )


@cache
def after(language: Language) -> re.Pattern[str]:
    """What may stand behind a command that takes nothing, to the end of the sentence."""
    return _compiled(rf"(?:[\s,，]*(?:{language.tails})(?!\w))*[\s.!…。！]*[?？]?[\s)]*$")


@cache
def words(rule: Rule) -> re.Pattern[str]:
    """The words of a command themselves."""
    return _compiled(rule.pattern)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"[ \t]+"))
