"""The book of what other programs' files were before memvault wrote into them; it lies beside our state."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from memvault.agents.setup.clients import PROJECT, USER, AgentFolders, CommandWords, HookAgent, ServerAgent
from memvault.errors import BadInput, MemvaultError
from memvault.system import files


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBackup:
    """One file: what was put into it and for whom, what it was before, and what it was right after."""

    path: Path
    what: str  # hooks, server, import or setting
    agent: str
    before: bytes | None  # None where the file was not there
    after: str  # its digest once our entries were in it
    folders: tuple[Path, ...] = ()  # made for it, outermost first


class BackupStore:
    """Pages by file; a file has one at most."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read_backup(self, path: Path) -> FileBackup | None:
        """Return the page of a file; None where there is none, or it cannot be read."""
        try:
            told = json.loads(files.read_file(self._record_path(path)))
            before = files.read_file(self._original_path(path)) if told["was_there"] else None
            return FileBackup(
                path=Path(told["path"]),
                what=told["what"],
                agent=told["agent"],
                before=before,
                after=told["after"],
                folders=tuple(map(Path, told["folders"])),
            )
        except (MemvaultError, ValueError, KeyError, TypeError):
            return None  # then our entries are taken out one by one, which asks for no page

    def list_backups(self) -> Iterator[FileBackup]:
        """Yield every page that can be read."""
        for told in sorted(self.folder.glob("*.json")):
            page = self._read_record(told)
            if page is not None:
                yield page

    def save(self, page: FileBackup) -> None:
        """Write a page, in place of an older one of the same file."""
        files.make_folder(self.folder)
        if page.before is not None:  # first: a page without it would be taken for a file that was not there
            files.overwrite_file(self._original_path(page.path), page.before)
        told = {
            "path": str(page.path),
            "what": page.what,
            "agent": page.agent,
            "was_there": page.before is not None,
            "after": page.after,
            "folders": [str(folder) for folder in page.folders],
        }
        files.overwrite_file(self._record_path(page.path), json.dumps(told, indent=1).encode())

    def remove(self, path: Path) -> None:
        """Take a file's page out."""
        files.remove_file(self._record_path(path))
        files.remove_file(self._original_path(path))

    def original_path(self, path: Path) -> Path:
        """Return where the bytes lie that a file had before."""
        return self._original_path(path)

    def _read_record(self, told: Path) -> FileBackup | None:
        try:
            return self.read_backup(Path(json.loads(files.read_file(told))["path"]))
        except (MemvaultError, ValueError, KeyError, TypeError):
            return None

    def _record_path(self, path: Path) -> Path:
        return self.folder / f"{_file_key(path)}.json"

    def _original_path(self, path: Path) -> Path:
        return self.folder / f"{_file_key(path)}.before"


def _file_key(path: Path) -> str:
    """Return a name that tells a person which file it is about, and no two files share."""
    return f"{path.stem.lstrip('.') or 'file'}-{files.digest(str(path).encode('utf-8', 'surrogateescape'))}"


# The files in which entries of ours may stand: those of here, and those that memvault wrote into elsewhere.

AgentRow = TypeVar("AgentRow", HookAgent, ServerAgent)


@dataclass(frozen=True, slots=True)
class SettingsFile(Generic[AgentRow]):
    """A file of settings: whose, and of which scope."""

    agent: AgentRow
    scope: str
    path: Path


def find_settings_file(
    agents: Mapping[str, AgentRow], name: str, scope: str, ground: AgentFolders
) -> SettingsFile[AgentRow]:
    """Return the file of one agent's scope, or an error that says which there are."""
    agent = find_agent(agents, name)
    if scope not in agent.scopes:
        reason = f"{agent.title} has {', '.join(agent.scopes)}"
        raise BadInput(what="the scope", value=scope, reason=reason)
    return SettingsFile(agent, scope, agent.find_file(ground, scope))


def find_agent(agents: Mapping[str, AgentRow], name: str) -> AgentRow:
    """Return the agent of a name, or an error that says which there are."""
    if name not in agents:
        raise BadInput(what="the agent", value=name, reason=f"it must be one of {', '.join(agents)}")
    return agents[name]


def list_settings_files(
    agents: Mapping[str, AgentRow], what: str, ground: AgentFolders, book: BackupStore
) -> Iterator[SettingsFile[AgentRow]]:
    """Yield every file in which entries of one sort may stand, each once."""
    seen: set[str] = set()
    for agent in agents.values():
        for scope in agent.scopes:
            path = agent.find_file(ground, scope)
            if (real := os.path.realpath(path)) not in seen:
                seen.add(real)
                yield SettingsFile(agent, scope, path)
    for page in book.list_backups():
        if page.what == what and page.agent in agents and str(page.path) not in seen:
            yield SettingsFile(agents[page.agent], PROJECT, page.path)


def check_command(words: CommandWords) -> None:
    """Refuse a path that cannot be written into settings."""
    for word in words:
        if any(character < " " or "\ud800" <= character <= "\udfff" for character in word):
            raise BadInput(what="a path in settings", value=word, reason="no settings take such a character")


def is_program_found(program: str, ground: AgentFolders) -> bool:
    """Return whether a program that settings name can be found: at its path, or by its name."""
    if os.path.dirname(program):  # noqa: PTH120 - a path as Windows or this system writes it
        return Path(program).expanduser().is_file()
    return shutil.which(program, path=ground.environment.get("PATH")) is not None


def detect_agents(agents: Mapping[str, AgentRow], ground: AgentFolders) -> tuple[str, ...]:
    """Return the agents that this person has, as far as the folders of their settings tell."""
    return tuple(name for name, agent in agents.items() if agent.find_file(ground, USER).parent.is_dir())
