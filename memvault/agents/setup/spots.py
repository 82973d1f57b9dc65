"""The files in which entries of ours may stand: those of here, and those that memvault wrote into elsewhere."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from memvault.agents.setup.agent import PROJECT, USER, Ground, HookAgent, ServerAgent, Words
from memvault.agents.setup.backup import Book
from memvault.errors import BadInput

Agent = TypeVar("Agent", HookAgent, ServerAgent)


@dataclass(frozen=True, slots=True)
class Spot(Generic[Agent]):
    """A file of settings: whose, and of which scope."""

    agent: Agent
    scope: str
    path: Path


def spot(agents: Mapping[str, Agent], name: str, scope: str, ground: Ground) -> Spot[Agent]:
    """The file of one agent's scope, or an error that says which there are."""
    agent = known(agents, name)
    if scope not in agent.scopes:
        reason = f"{agent.title} has {', '.join(agent.scopes)}"
        raise BadInput(what="the scope", value=scope, reason=reason)
    return Spot(agent, scope, agent.file(ground, scope))


def known(agents: Mapping[str, Agent], name: str) -> Agent:
    """The agent of a name, or an error that says which there are."""
    if name not in agents:
        raise BadInput(what="the agent", value=name, reason=f"it must be one of {', '.join(agents)}")
    return agents[name]


def spots(agents: Mapping[str, Agent], what: str, ground: Ground, book: Book) -> Iterator[Spot[Agent]]:
    """Every file in which entries of one sort may stand, each once."""
    seen: set[str] = set()
    for agent in agents.values():
        for scope in agent.scopes:
            path = agent.file(ground, scope)
            if (real := os.path.realpath(path)) not in seen:
                seen.add(real)
                yield Spot(agent, scope, path)
    for page in book.pages():
        if page.what == what and page.agent in agents and str(page.path) not in seen:
            yield Spot(agents[page.agent], PROJECT, page.path)


def check_words(words: Words) -> None:
    """Refuse a path that cannot be written into settings."""
    for word in words:
        if any(character < " " or "\ud800" <= character <= "\udfff" for character in word):
            raise BadInput(what="a path in settings", value=word, reason="no settings take such a character")


def is_there(program: str, ground: Ground) -> bool:
    """Whether a program that settings name can be found: at its path, or by its name."""
    if os.path.dirname(program):  # noqa: PTH120 - a path as Windows or this system writes it
        return Path(program).expanduser().is_file()
    return shutil.which(program, path=ground.environment.get("PATH")) is not None


def present(agents: Mapping[str, Agent], ground: Ground) -> tuple[str, ...]:
    """The agents that this person has, as far as the folders of their settings tell."""
    return tuple(name for name, agent in agents.items() if agent.file(ground, USER).parent.is_dir())
