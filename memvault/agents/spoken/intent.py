"""What a person can want of their memory by a spoken command: each is a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep a text; without one, the exchange before it."""

    text: str = ""
    to_do: bool = False  # it is to be done, rather than known


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


Intent = Remember | Significant | SaveProgress | Dig | WhatAbout | Maintain | Pause | Resume

# By the names under which a person adds phrases of their own; what was said after the phrase is the argument.
BY_NAME: Mapping[str, Callable[[str], Intent]] = MappingProxyType(
    {
        "remember": Remember,
        "todo": lambda text: Remember(text, to_do=True),
        "significant": Significant,
        "save": lambda _text: SaveProgress(),
        "dig": Dig,
        "about": WhatAbout,
        "maintain": lambda _text: Maintain(),
        "pause": lambda _text: Pause(),
        "pause-session": lambda _text: Pause(session=True),
        "resume": lambda _text: Resume(),
    }
)
