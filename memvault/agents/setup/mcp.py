"""Have an agent start memvault as an MCP server: write that into its settings, take it out, look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memvault.agents.setup import entries as serving
from memvault.agents.setup.backup import (
    SettingsFile,
    check_command,
    find_agent,
    find_settings_file,
    is_program_found,
    list_settings_files,
)
from memvault.agents.setup.clients import PROJECT, SERVER_AGENTS, USER, AgentFolders, CommandWords, ServerAgent
from memvault.agents.setup.entries import build_scope_command
from memvault.agents.setup.hooks import (
    NOT_FOUND_NOTE,
    SHARED_NOTE,
    ManagedFile,
    RemovedEntries,
    SettingsWriter,
    unreadable_settings,
)
from memvault.agents.setup.json_edit import MalformedJson
from memvault.errors import BadInput, MemvaultError
from memvault.system import files

WHAT = "server"
_REINSTALL_ADVICE = "`memvault mcp install` puts that right."


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Whose server it is to be, and for which vault; an empty vault is the one that memvault finds."""

    agent: str = "claude-code"
    scope: str = USER
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
class ServerPlace:
    """One file in which memvault is entered as a server."""

    agent: str
    scope: str
    path: str
    command: CommandWords
    vault: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """Where memvault is entered as a server, and what is wrong."""

    places: tuple[ServerPlace, ...]
    problems: tuple[str, ...] = ()


_SETTINGS = Path("the settings of agents")  # for when the system does not say which file


class ServerSetup:
    """The entries of this person's agents, as seen from one folder."""

    def __init__(self, ground: AgentFolders, program: CommandWords, entries: SettingsWriter) -> None:
        self._ground = ground
        self._program = program
        self._entries = entries

    @files.system_errors(_SETTINGS)
    def install(self, wanted: ServerOptions) -> ServerInstallResult:
        """Have an agent start memvault as a server; whatever else stands in its settings stays byte for byte."""
        place = find_settings_file(SERVER_AGENTS, wanted.agent, wanted.scope, self._ground)
        agent = place.agent
        self._check_name_free(place)
        words = build_scope_command(wanted.scope, self._program, "mcp", vault=wanted.vault)
        check_command(words)
        entry = agent.build_entry(words)
        lodging = replace(
            _managed_file(place),
            is_installed=lambda text: serving.has_server(text, agent, entry),
            add_entries=lambda text: serving.add_server(text, agent, entry),
        )
        done = self._entries.install(lodging, dry_run=wanted.dry_run)
        told = ((SHARED_NOTE, wanted.scope == PROJECT), (NOT_FOUND_NOTE, not wanted.vault and not wanted.is_found))
        return ServerInstallResult(
            agent=agent.name,
            scope=wanted.scope,
            path=done.path,
            command=words,
            changed=done.changed,
            diff=done.diff,
            backup=done.backup,
            warnings=tuple(sentence for sentence, applies in told if applies),
            dry_run=wanted.dry_run,
        )

    def remove(self, *, agent: str = "", scope: str = "", dry_run: bool = False) -> RemovedEntries:
        """Take memvault out of every file it is known to be entered in, or of those that are named."""
        if agent:
            find_agent(SERVER_AGENTS, agent)
        found = (each for each in self._list_files() if agent in ("", each.agent.name) and scope in ("", each.scope))
        return self._entries.remove_all(map(_managed_file, found), dry_run=dry_run)

    @files.system_errors(_SETTINGS)
    def status(self) -> ServerStatus:
        """Return where memvault is entered, as seen from here, and whether it can be started."""
        places: list[ServerPlace] = []
        problems: list[str] = []
        for each in self._list_files():
            try:
                text = self._entries.read_text(each.path)
                found = serving.find_servers(text, each.agent) if text.strip() else {}
            except (MemvaultError, MalformedJson) as error:
                problems.append(unreadable_settings(each.path, error))
                continue
            places += [
                ServerPlace(
                    agent=each.agent.name,
                    scope=each.scope,
                    path=str(each.path),
                    command=call.words,
                    vault=call.vault,
                    problems=tuple(self._find_problems(call.program, call.vault)),
                )
                for call in found.values()
            ]
        return ServerStatus(places=tuple(places), problems=tuple(problems))

    def _find_problems(self, program: str, vault: str) -> Iterator[str]:
        if not is_program_found(program, self._ground):
            yield f"{program} is not there; {_REINSTALL_ADVICE}"
        if vault and not Path(vault).expanduser().is_dir():
            yield f"There is no vault {vault} any more; {_REINSTALL_ADVICE}"

    def _check_name_free(self, place: SettingsFile[ServerAgent]) -> None:
        try:
            text = self._entries.read_text(place.path)
            taken = bool(text.strip()) and serving.is_name_taken(text, place.agent)
        except MalformedJson:
            return  # the installation itself says what is wrong
        if taken:
            reason = f"{place.path} has a server of that name which is not memvault's"
            raise BadInput(what="the server's name", value=serving.SERVER_NAME, reason=reason)

    def _list_files(self) -> Iterator[SettingsFile[ServerAgent]]:
        return list_settings_files(SERVER_AGENTS, WHAT, self._ground, self._entries.backups)


def _managed_file(place: SettingsFile[ServerAgent]) -> ManagedFile:
    """Return the file as it stands without us."""
    return ManagedFile(
        path=place.path,
        what=WHAT,
        agent=place.agent.name,
        is_installed=lambda text: not serving.find_servers(text, place.agent),
        add_entries=str,
        remove_entries=lambda text, before: serving.remove_server(text, place.agent, before),
        shared=place.scope == PROJECT,
    )
