"""The book of what other programs' files were before memvault wrote into them; it lies beside our state."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from memvault.agents.setup.clients import PROJECT, USER, Ground, HookAgent, ServerAgent, Words
from memvault.errors import BadInput, MemvaultError
from memvault.system import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One file: what was put into it and for whom, what it was before, and what it was right after."""

    path: Path
    what: str  # hooks, server, import or setting
    agent: str
    before: bytes | None  # None where the file was not there
    after: str  # its digest once our entries were in it
    folders: tuple[Path, ...] = ()  # made for it, outermost first


class Book:
    """Pages by file; a file has one at most."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def page(self, path: Path) -> Page | None:
        """The page of a file; None where there is none, or it cannot be read."""
        try:
            told = json.loads(files.read(self._told(path)))
            before = files.read(self._before(path)) if told["was_there"] else None
            return Page(
                path=Path(told["path"]),
                what=told["what"],
                agent=told["agent"],
                before=before,
                after=told["after"],
                folders=tuple(map(Path, told["folders"])),
            )
        except (MemvaultError, ValueError, KeyError, TypeError):
            return None  # then our entries are taken out one by one, which asks for no page

    def pages(self) -> Iterator[Page]:
        """Every page that can be read."""
        for told in sorted(self.folder.glob("*.json")):
            page = self._page_at(told)
            if page is not None:
                yield page

    def keep(self, page: Page) -> None:
        """Write a page, in place of an older one of the same file."""
        files.make_folder(self.folder)
        if page.before is not None:  # first: a page without it would be taken for a file that was not there
            files.overwrite(self._before(page.path), page.before)
        told = {
            "path": str(page.path),
            "what": page.what,
            "agent": page.agent,
            "was_there": page.before is not None,
            "after": page.after,
            "folders": [str(folder) for folder in page.folders],
        }
        files.overwrite(self._told(page.path), json.dumps(told, indent=1).encode())

    def drop(self, path: Path) -> None:
        """Take a file's page out."""
        files.remove(self._told(path))
        files.remove(self._before(path))

    def backup(self, path: Path) -> Path:
        """Where the bytes lie that a file had before."""
        return self._before(path)

    def _page_at(self, told: Path) -> Page | None:
        try:
            return self.page(Path(json.loads(files.read(told))["path"]))
        except (MemvaultError, ValueError, KeyError, TypeError):
            return None

    def _told(self, path: Path) -> Path:
        return self.folder / f"{_key(path)}.json"

    def _before(self, path: Path) -> Path:
        return self.folder / f"{_key(path)}.before"


def _key(path: Path) -> str:
    """A name that tells a person which file it is about, and no two files share."""
    return f"{path.stem.lstrip('.') or 'file'}-{files.digest(str(path).encode('utf-8', 'surrogateescape'))}"


# The files in which entries of ours may stand: those of here, and those that memvault wrote into elsewhere.

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
