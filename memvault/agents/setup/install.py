"""Have an agent call memvault at its events, or start it as an MCP server: install that, remove it, look at it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Self

from memvault.agents.setup import entries
from memvault.agents.setup.clients import (
    HOOK_AGENTS,
    PROJECT,
    SERVER_AGENTS,
    USER,
    AgentFolders,
    CommandWords,
    ServerAgent,
    SettingsAgent,
)
from memvault.agents.setup.entries import SettingsCall
from memvault.agents.setup.json_edit import MalformedJson
from memvault.agents.setup.settings_files import ManagedFile, RemovedEntries, SettingsWriter, unreadable_settings
from memvault.errors import BadInput, MemvaultError
from memvault.open_vault import OpenVault
from memvault.storage.finding import DoctorFinding
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import CONFIG
from memvault.storage.vault.vault_file import is_vault
from memvault.system import files, paths
from memvault.system.paths import repository_top
from memvault.system.programs import own_command

_SHARED_NOTE = (
    "It calls `memvault` by its name: all who work on this project need it in their PATH, and a vault of their own."
)
_NOT_FOUND_NOTE = (
    "From another folder no vault would be found: `memvault config --user user.vault PATH` names one for good, "
    "or install again with --vault."
)
_SETTINGS = Path("the settings of agents")  # for when the system does not say which file


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryOptions:
    """What is to be installed for which agent and which vault; an empty vault is the one that memvault finds."""

    agent: str = "claude-code"
    scope: str = USER
    profile: str = "production"  # which events hooks are for
    vault: str = ""
    is_found: bool = True  # whether memvault finds a vault wherever an agent is at work
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInstallResult:
    """What was installed: into which file, what is run, and how the file differs."""

    agent: str
    scope: str
    path: str
    command: CommandWords
    changed: bool
    diff: str = ""
    backup: str = ""
    warnings: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HookInstallResult(ServerInstallResult):
    """The same of hooks: for which events, and what else the person has to do."""

    events: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlace:
    """One file of settings in which an entry of ours stands."""

    agent: str
    scope: str
    path: str
    command: CommandWords
    vault: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HookPlace(ServerPlace):
    """One file of settings in which hooks of ours stand."""

    events: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """Where memvault is entered as a server, and what is wrong."""

    places: tuple[ServerPlace, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HookStatus:
    """Where hooks of ours are installed, whether a plugin brings them too, and what is wrong."""

    places: tuple[HookPlace, ...]
    plugins: tuple[str, ...] = ()  # the settings that have the plugin enabled
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    passed_over: str = ""  # a folder here that looks like a vault to a person, and is none


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of settings: whose, and of which scope."""

    agent: SettingsAgent
    scope: str
    path: Path


class _EntrySetup:
    """The entries of one sort in the settings of this person's agents, as seen from one folder."""

    _agents: Mapping[str, SettingsAgent]
    _what: str  # hooks or server
    _does: str  # what an entry has memvault do
    _advice: str

    def __init__(self, ground: AgentFolders, program: CommandWords, writer: SettingsWriter) -> None:
        self._ground = ground
        self._program = program
        self._writer = writer

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], now: datetime, *, folder: Path | None = None) -> Self:
        """Return the entries as seen from a folder, with the command by which memvault is called from anywhere."""
        ground = AgentFolders(environment=environment, project=_project_root(folder or Path.cwd()))
        return cls(ground, own_command(environment), SettingsWriter(paths.state_folder(environment), now))

    def remove(self, *, agent: str = "", scope: str = "", dry_run: bool = False) -> RemovedEntries:
        """Take our entries out of every file they are known to be in, or of those that are named."""
        if agent:
            self._find_agent(agent)
        named = (each for each in self._list_files() if agent in ("", each.agent.name) and scope in ("", each.scope))
        return self._writer.remove_all(map(self._manage_file, named), dry_run=dry_run)

    def choose_agents(self, usual: AbstractSet[str], named: AbstractSet[str]) -> tuple[str, ...]:
        """Return the agents that were named; or the usual ones, and those whose folder of settings is there."""
        there = {name for name, row in self._agents.items() if row.find_file(self._ground, USER).parent.is_dir()}
        wanted = named or usual | (there - {"claude-code"})
        return tuple(name for name in self._agents if name in wanted)

    def _find_agent(self, name: str) -> SettingsAgent:
        if name not in self._agents:
            raise BadInput(what="the agent", value=name, reason=f"it must be one of {', '.join(self._agents)}")
        return self._agents[name]

    def _find_file(self, options: EntryOptions) -> SettingsFile:
        agent = self._find_agent(options.agent)
        if options.scope not in agent.scopes:
            reason = f"{agent.title} has {', '.join(agent.scopes)}"
            raise BadInput(what="the scope", value=options.scope, reason=reason)
        return SettingsFile(agent, options.scope, agent.find_file(self._ground, options.scope))

    def _build_command(self, options: EntryOptions) -> CommandWords:
        words = entries.build_command(options.scope, self._program, self._does, vault=options.vault)
        for word in words:
            if any(character < " " or "\ud800" <= character <= "\udfff" for character in word):
                raise BadInput(what="a path in settings", value=word, reason="no settings take such a character")
        return words

    def _list_files(self) -> Iterator[SettingsFile]:
        """Yield every file in which entries may stand, each once: those of here, and those written to elsewhere."""
        seen: set[str] = set()
        for agent in self._agents.values():
            for scope in agent.scopes:
                path = agent.find_file(self._ground, scope)
                if (real := os.path.realpath(path)) not in seen:
                    seen.add(real)
                    yield SettingsFile(agent, scope, path)
        for backup in self._writer.backups.list_backups():
            if backup.what == self._what and backup.agent in self._agents and str(backup.path) not in seen:
                yield SettingsFile(self._agents[backup.agent], PROJECT, backup.path)

    def _read_files(self, problems: list[str]) -> Iterator[tuple[SettingsFile, str, tuple[SettingsCall, ...]]]:
        """Yield each file with its text and our entries in it; what cannot be read is added to the problems."""
        for each in self._list_files():
            try:
                if (text := self._writer.read_text(each.path)).strip():
                    yield each, text, entries.find_entries(text, each.agent)
            except (MemvaultError, MalformedJson) as error:
                problems.append(unreadable_settings(each.path, error))

    def _manage_file(self, place: SettingsFile) -> ManagedFile:
        """Return the file as it stands without us."""
        return ManagedFile(
            path=place.path,
            what=self._what,
            agent=place.agent.name,
            is_installed=lambda text: not entries.find_entries(text, place.agent),
            add_entries=str,
            remove_entries=lambda text, before: entries.remove_entries(text, place.agent, before),
            shared=place.scope == PROJECT,
        )

    def _find_problems(self, found: Sequence[SettingsCall]) -> Iterator[str]:
        for program in dict.fromkeys(one.call.program for one in found):
            if not self._has_program(program):
                yield f"{program} is not there; {self._advice}"
        for vault in dict.fromkeys(one.call.vault for one in found):
            if vault and not Path(vault).expanduser().is_dir():
                yield f"There is no vault {vault} any more; {self._advice}"

    def _has_program(self, program: str) -> bool:
        """Return whether a program that settings name can be found: at its path, or by its name."""
        if os.path.dirname(program):  # noqa: PTH120 - a path as Windows or this system writes it
            return Path(program).expanduser().is_file()
        return shutil.which(program, path=self._ground.environment.get("PATH")) is not None


class ServerSetup(_EntrySetup):
    """The entries by which agents start memvault as an MCP server."""

    _agents = SERVER_AGENTS
    _what, _does, _advice = "server", "mcp", "`memvault agent mcp install` puts that right."

    @files.system_errors(_SETTINGS)
    def install(self, options: EntryOptions) -> ServerInstallResult:
        """Have an agent start memvault as a server; whatever else stands in its settings stays byte for byte."""
        place, words = self._find_file(options), self._build_command(options)
        agent = SERVER_AGENTS[options.agent]
        self._check_name_free(place.path, agent)
        entry = entries.build_server(agent, words)
        managed = replace(
            self._manage_file(place),
            is_installed=lambda text: entries.has_server(text, agent, entry),
            add_entries=lambda text: entries.add_server(text, agent, entry),
        )
        done = self._writer.install(managed, dry_run=options.dry_run)
        return ServerInstallResult(
            agent=agent.name,
            scope=options.scope,
            path=done.path,
            command=words,
            changed=done.changed,
            diff=done.diff,
            backup=done.backup,
            warnings=tuple(_list_warnings(options)),
            dry_run=options.dry_run,
        )

    @files.system_errors(_SETTINGS)
    def status(self) -> ServerStatus:
        """Return where memvault is entered, as seen from here, and whether it can be started."""
        problems: list[str] = []
        places = tuple(
            ServerPlace(
                agent=each.agent.name,
                scope=each.scope,
                path=str(each.path),
                command=one.call.words,
                vault=one.call.vault,
                problems=tuple(self._find_problems([one])),
            )
            for each, _, found in self._read_files(problems)
            for one in found
        )
        return ServerStatus(places=places, problems=tuple(problems))

    def _check_name_free(self, path: Path, agent: ServerAgent) -> None:
        try:
            text = self._writer.read_text(path)
            is_taken = bool(text.strip()) and entries.is_name_taken(text, agent)
        except MalformedJson:
            return  # the installation itself says what is wrong
        if is_taken:
            reason = f"{path} has a server of that name which is not memvault's"
            raise BadInput(what="the server's name", value=entries.SERVER_NAME, reason=reason)


class HookSetup(_EntrySetup):
    """The hooks by which agents call memvault at their events."""

    _agents = HOOK_AGENTS
    _what, _does, _advice = "hooks", "hook", "`memvault agent hooks install` puts that right."

    @files.system_errors(_SETTINGS)
    def install(self, options: EntryOptions) -> HookInstallResult:
        """Have an agent call memvault; whatever else stands in its settings stays byte for byte."""
        place, words = self._find_file(options), self._build_command(options)
        agent = HOOK_AGENTS[options.agent]
        groups = entries.build_hook_groups(agent, agent.select_events(options.profile), words, self._ground.platform)
        managed = replace(
            self._manage_file(place),
            is_installed=lambda text: entries.has_exact_hooks(text, agent, groups),
            add_entries=lambda text: entries.add_hooks(text, groups),
        )
        done = self._writer.install(managed, dry_run=options.dry_run)
        others = [
            each.path for each in self.status().places if each.agent == agent.name and each.path != str(place.path)
        ]
        also = f"Hooks stand in {', '.join(others)} too; each event is served once."
        return HookInstallResult(
            agent=agent.name,
            scope=options.scope,
            path=done.path,
            events=tuple(groups),
            command=words,
            changed=done.changed,
            diff=done.diff,
            backup=done.backup,
            notes=tuple(filter(None, (agent.remark,))),
            warnings=(*_list_warnings(options, "`--scope local` is for you alone."), *([also] if others else [])),
            dry_run=options.dry_run,
        )

    @files.system_errors(_SETTINGS)
    def status(self) -> HookStatus:
        """Return where our hooks are installed, as seen from here, and whether they can do their work."""
        places: list[HookPlace] = []
        plugins: list[str] = []
        problems: list[str] = []
        for each, text, hooks in self._read_files(problems):
            plugins += [str(each.path)] if entries.has_plugin(text) else []
            places += [self._describe_place(each, hooks, text)] if hooks else []
        notes = []
        for agent in HOOK_AGENTS.values():
            sides = [place.path for place in places if place.agent == agent.name]
            sides += [f"the plugin ({path})" for path in plugins] if agent.name == "claude-code" else []
            if len(sides) > 1:
                both = " and ".join(sides)
                notes.append(
                    f"{agent.title} has them from {both}: each event is served once, by whichever is called first."
                )
        return HookStatus(
            places=tuple(places),
            plugins=tuple(plugins),
            problems=tuple(problems),
            notes=tuple(notes),
            passed_over=_find_foreign_vault(self._ground.project),
        )

    def _describe_place(self, place: SettingsFile, hooks: Sequence[SettingsCall], text: str) -> HookPlace:
        problems = list(self._find_problems(hooks))
        events = tuple(dict.fromkeys(hook.event for hook in hooks))
        if len(events) < len(hooks):
            problems.append(f"An event has two hooks of memvault's here; {self._advice}")
        if entries.is_switched_off(text):
            problems.append("All hooks are switched off there, by disableAllHooks.")
        return HookPlace(
            agent=place.agent.name,
            scope=place.scope,
            path=str(place.path),
            events=events,
            command=hooks[0].call.words,
            vault=hooks[0].call.vault,
            problems=tuple(problems),
        )


def check_hooks(context: VaultContext) -> Iterator[DoctorFinding]:
    """Find hooks that cannot do their work, settings that cannot be read, hooks from two sides."""
    status = HookSetup.from_environment(context.environment, context.now).status()
    for place in status.places:
        for problem in place.problems:
            sentence, _, advice = problem.partition("; ")
            sentence = f"{sentence.removesuffix('.')}."
            yield DoctorFinding(severity="warning", path=place.path, sentence=sentence, advice=advice)
    for problem in status.problems:
        advice = (
            "Fix that file. Until then its program may fail to read it, and `memvault agent hooks` leaves it alone."
        )
        yield DoctorFinding(severity="warning", path="", sentence=problem, advice=advice)
    for note in status.notes:
        advice = "`memvault agent hooks uninstall` with --scope takes one away."
        yield DoctorFinding(severity="note", path="", sentence=note, advice=advice)


def is_found_anywhere(vault: OpenVault) -> bool:
    """Return whether an agent at work in this folder would find a vault."""
    named = vault.environment.get("MEMVAULT_DIR") or vault.settings.text("user.vault")
    return bool(named) or files.is_inside(vault.root, _project_root(Path.cwd()))


def _project_root(folder: Path) -> Path:
    """Return the top of the repository that a folder lies in, where agents keep a project's settings; or itself."""
    return repository_top(folder) or folder


def _list_warnings(options: EntryOptions, advice: str = "") -> Iterator[str]:
    if options.scope == PROJECT:
        yield f"{_SHARED_NOTE} {advice}".rstrip()
    if not options.vault and not options.is_found:
        yield _NOT_FOUND_NOTE


def _find_foreign_vault(folder: Path) -> str:
    """Return the nearest folder with settings of a vault, at a folder or above it, that is no vault."""
    found = (each for each in (folder, *folder.parents) if (each / CONFIG).is_file() and not is_vault(each))
    return str(next(found, ""))
