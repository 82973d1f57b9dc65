"""What a person can want of their memory by a spoken command: each is a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
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


# A person's own phrases for commands, as the settings give them: `remember = merk dir`.


def parse_phrase(row: str) -> tuple[str, str] | None:
    """Return the command and the phrase that a row names; None where it does not."""
    name, found, phrase = row.partition("=")
    words = " ".join(fold_text(phrase).split())
    return (name.strip().lower(), words) if found and words and name.strip().lower() in INTENTS_BY_NAME else None
