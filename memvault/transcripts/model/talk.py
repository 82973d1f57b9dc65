"""A conversation: who said what and when, what it says in single facts, and its stretches on one topic."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one speaker said at a time."""

    id: str  # its own in its conversation
    speaker: str  # a person's name, "user" or "assistant"; empty where nobody is named
    text: str  # what was said, without what tools, hooks and programs put in
    time: datetime | None = None
    session: str = ""  # the sitting; turns of another sitting are another talk
    role: str = ""  # "user" or "assistant", where one of the two talks to a machine
    deeds: tuple[str, ...] = ()  # what was done meanwhile, in our own few words: "Edit src/app.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement that can be read on its own, and the turns that it was taken from."""

    text: str
    speaker: str
    turns: tuple[str, ...]  # ids
    day: date | None = None  # the day it speaks of, or on which it was said
    about: tuple[str, ...] = ()  # people, places, things by their names


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """A stretch of talk on one topic, within one sitting."""

    first: int  # places of its first and last turn in the conversation
    last: int
    summary: str = ""
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation as a whole, without its turns."""

    id: str
    source: str  # "claude-code", "chat", "chatgpt", "claude-ai"
    title: str = ""
    project: str = ""  # the folder it was held in, where there is one
    speakers: tuple[str, ...] = ()
    opening: str = field(default="", repr=False)  # what the title was cut from; gone once it is cleaned
