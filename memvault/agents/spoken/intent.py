"""What a person can want of their memory by a spoken command: each is a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from functools import cache
from types import MappingProxyType

from memvault.agents.spoken.prompt_text import fold_text


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep a text; without one, the exchange before it."""

    text: str = ""
    to_do: bool = False  # it is to be done, rather than known
    when: str = ""  # the day or the condition of what is to be done, as it was said
    sentence: str = field(default="", compare=False)  # in which it was said: how urgent and how often stands there


@dataclass(frozen=True, slots=True)
class Significant:
    """Keep a text that matters, so that it fades slowly; without one, the exchange before it."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class SaveProgress:
    """Keep what came of the session."""


@dataclass(frozen=True, slots=True)
class Dig:
    """Go deep into a topic: what faded too, and whole conversations."""

    topic: str


@dataclass(frozen=True, slots=True)
class WhatAbout:
    """Tell what is remembered about a topic."""

    topic: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Let go what is remembered about a topic; without one, what was just spoken of."""

    topic: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """Tick off what was to be done; without a topic, what was just spoken of."""

    topic: str = ""


@dataclass(frozen=True, slots=True)
class ListTodo:
    """Tell what is still to be done."""


@dataclass(frozen=True, slots=True)
class Update:
    """Keep a text in the place of what it corrects."""

    text: str


@dataclass(frozen=True, slots=True)
class Maintain:
    """Keep the vault in order."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Remember nothing by itself: for some time, or until told otherwise; of this session, or of anything."""

    span: timedelta | None = None
    session: bool = False
    until: str = ""  # a day or an hour, as it was said


@dataclass(frozen=True, slots=True)
class Resume:
    """Remember again."""


Intent = (
    Remember
    | Significant
    | Forget
    | Done
    | ListTodo
    | Update
    | SaveProgress
    | Dig
    | WhatAbout
    | Maintain
    | Pause
    | Resume
)

# By the names under which a person adds phrases of their own; what was said after the phrase is the argument.
INTENTS_BY_NAME: Mapping[str, Callable[[str], Intent]] = MappingProxyType(
    {
        "remember": Remember,
        "todo": lambda text: Remember(text, to_do=True),
        "significant": Significant,
        "forget": Forget,
        "done": Done,
        "list": lambda _text: ListTodo(),
        "update": Update,
        "save": lambda _text: SaveProgress(),
        "dig": Dig,
        "about": WhatAbout,
        "maintain": lambda _text: Maintain(),
        "pause": lambda _text: Pause(),
        "pause-session": lambda _text: Pause(session=True),
        "resume": lambda _text: Resume(),
    }
)


# How a command reads in one language: its words, what may stand before and after them, and what follows.


class RuleArgument(Enum):
    """What follows the words of a command."""

    NOTHING = "nothing"  # the sentence ends, but for courtesies
    TEXT = "text"  # a colon or the like stood before it, so all that follows is meant
    CLAUSE = "clause"  # the rest of the sentence: so easily said in passing that more speaks against it
    TOPIC = "topic"  # the rest of the sentence, which may be a question


@dataclass(frozen=True, slots=True)
class SpokenRule:
    """One way to say a command; of a pattern, a space stands for any number of them."""

    intent: str
    pattern: str
    takes: RuleArgument = RuleArgument.NOTHING
    alone: bool = False  # only where the prompt says nothing else
    weak: bool = False  # not where the prompt asks for work: there it is a word on that work
    doubtful: bool = False  # not where what is said reads like a part of a program: such are kept in memory too


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules that begin alike, so that their patterns are compiled only for a sentence which may be meant."""

    begins: tuple[str, ...]
    table: str  # read where a sentence may be meant
    needs: tuple[str, ...] = ()  # of these, one stands in the sentence

    @property
    def rules(self) -> tuple[SpokenRule, ...]:
        """The rules of the table: a row has the command with what holds of it, two spaces or more, and the pattern."""
        return _read_table(self.table)


def rule_group(*, table: str, begins: str = "", needs: str = "") -> RuleGroup:
    """Return the rules of a table, and the words that they begin with and need, divided by bars."""
    return RuleGroup(tuple(begins.split("|")), table, tuple(filter(None, needs.split("|"))))


@cache
def _read_table(table: str) -> tuple[SpokenRule, ...]:
    return tuple(_parse_rule(*row.split("  ", 1)) for row in table.splitlines())


def _parse_rule(words: str, pattern: str) -> SpokenRule:
    intent, *marks = words.split()
    takes = next((argument for argument in RuleArgument if argument.value in marks), RuleArgument.NOTHING)
    return SpokenRule(intent, pattern, takes, **{name: True for name in ("alone", "weak", "doubtful") if name in marks})


@dataclass(frozen=True, slots=True)
class Language:
    """The commands of one language."""

    openers: str  # what may stand before a command
    polite: str  # how one asks for it, so that a question mark is no question
    tails: str  # what may stand after a command that takes nothing
    groups: tuple[RuleGroup, ...]

    def may_be_in(self, text: str) -> bool:
        """Return whether a command may stand in a text at all."""
        return any(word in text for group in self.groups for word in group.needs or group.begins)


@cache
def opener_pattern(language: Language) -> re.Pattern[str]:
    """Return what may stand before a command, from the beginning of a sentence."""
    return _compile_pattern(
        rf"(?:(?:{language.openers})(?![a-z])[,.!;:…，。！]*\s*)*(?P<asked>(?:(?:{language.polite})(?![a-z])\s*)*)"
    )


@cache
def ending_pattern(language: Language) -> re.Pattern[str]:
    """Return what may stand behind a command that takes nothing, to the end of the sentence."""
    return _compile_pattern(rf"(?:[\s,，]*(?:{language.tails})(?!\w))*[\s.!…。！]*[?？]?[\s)]*$")


@cache
def rule_pattern(rule: SpokenRule) -> re.Pattern[str]:
    """Return the words of a command themselves."""
    return _compile_pattern(rule.pattern)


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    spelled = re.sub(_MISSPELLED, lambda found: _allow_misspelling(found[0]), pattern)
    return re.compile(spelled.replace(" ", r"[ \t]+"))


_MISSPELLED = r"\b(?:remember|remind|forget|actually|correction)\b"


@cache
def _allow_misspelling(word: str) -> str:
    """Return a pattern for a word with one letter too many, too few, another or in the wrong place."""
    ways = [word, f"{word}{word[-1]}"]
    for at in range(1, len(word) - 1):
        before, letter, behind = word[:at], word[at], word[at + 1 :]
        ways += f"{before}{behind}", f"{before}[a-z]{letter}{behind}", f"{before}{behind[0]}{letter}{behind[1:]}"
        ways += [f"{before}[b-df-hj-np-tvxz]{behind}"] if letter not in "aeiou" else []
        ways += [f"{before}{behind[1:]}"] if len(word) > 7 else []
    return f"(?:{'|'.join(ways)})"


# A person's own phrases for commands, as the settings give them: `remember = merk dir`.

_TEXTS = frozenset(("remember", "todo", "significant", "update"))
_TOPICS = frozenset(("dig", "about", "forget", "done"))


def parse_phrase(row: str) -> tuple[str, str] | None:
    """Return the command and the phrase that a row names; None where it does not."""
    name, found, phrase = row.partition("=")
    words = " ".join(fold_text(phrase).split())
    return (name.strip().lower(), words) if found and words and name.strip().lower() in INTENTS_BY_NAME else None


@cache
def phrase_rules(rows: tuple[str, ...]) -> tuple[Language, ...]:
    """Return the rules that a person's own phrases make; what is no such row makes none."""
    named = [found for row in rows if (found := parse_phrase(row))]
    if not named:
        return ()
    groups = tuple(rule_group(begins=phrase.split()[0], table=_phrase_table(name, phrase)) for name, phrase in named)
    courtesies = r"please|bitte|s'il te plaît|por favor|per favore|alsjeblieft"
    return (Language(r"ok(?:ay)?|hey|claude", courtesies, courtesies, groups),)


def _phrase_table(name: str, phrase: str) -> str:
    escaped = re.escape(phrase).replace(r"\ ", " ")
    ends = r"(?!\w)" if phrase[-1:].isascii() else ""
    if name in _TOPICS:
        return f"{name} topic  {escaped}{ends}"
    rows = [f"{name}  {escaped}{ends}"]
    if name in _TEXTS:
        rows += [f"{name} text  {escaped}\\s*[:–—]", f"{name} clause  {escaped}{ends}[\\s,]*(?=\\S)"]
    return "\n".join(rows)
