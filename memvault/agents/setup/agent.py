"""What every agent is described by: where it keeps hooks and servers, and how an entry of ours looks there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Words = tuple[str, ...]
Entry = dict[str, object]

USER, PROJECT, LOCAL = "user", "project", "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where an agent's files are looked for: a person's machine, and the project they are in."""

    environment: Mapping[str, str]
    project: Path
    platform: str = sys.platform

    @property
    def home(self) -> Path:
        """The person's home folder."""
        given = self.environment.get("HOME") or self.environment.get("USERPROFILE")
        return Path(given or os.path.expanduser("~"))  # noqa: PTH111 - pathlib raises where there is no home

    @property
    def applications(self) -> Path:
        """The folder in which desktop programs keep their settings, one folder for each."""
        match self.platform:
            case "win32":
                return Path(self.environment.get("APPDATA") or self.home / "AppData/Roaming")
            case "darwin":
                return self.home / "Library/Application Support"
            case _:
                given = self.environment.get("XDG_CONFIG_HOME", "")
                return Path(given) if given.startswith("/") else self.home / ".config"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event that an agent calls hooks for, and how we want to be called."""

    name: str
    timeout: int  # seconds
    matcher: str = ""
    in_background: bool = False
    minimal: bool = False  # whether the minimal profile has it too


@dataclass(frozen=True, slots=True, kw_only=True)
class HookAgent:
    """An agent that runs hooks: a file for each scope, the events, and a handler as it is written there."""

    name: str
    title: str
    scopes: tuple[str, ...]
    events: tuple[Event, ...]
    file: Callable[[Ground, str], Path]
    handler: Callable[[Event, Words, str], Entry]
    remark: str = ""  # what else the person has to do

    def chosen(self, profile: str) -> tuple[Event, ...]:
        """The events of a profile: a few for the minimal one, all for any other."""
        return tuple(event for event in self.events if event.minimal or profile != "minimal")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAgent:
    """An agent that starts MCP servers: a file for each scope, the object they stand in, an entry as it is written."""

    name: str
    title: str
    scopes: tuple[str, ...]
    under: str
    file: Callable[[Ground, str], Path]
    lenient: bool = False  # whether its files may hold comments
    typed: bool = False  # whether an entry says that it speaks over stdio

    def entry(self, words: Words) -> Entry:
        """The entry that has a command started."""
        kind: Entry = {"type": "stdio"} if self.typed else {}
        return {**kind, "command": words[0], "args": list(words[1:])}
