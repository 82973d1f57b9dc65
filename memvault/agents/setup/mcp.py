"""Have an agent start memvault as an MCP server: write that into its settings, take it out, look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memvault.agents.setup import entries as serving
from memvault.agents.setup.backup import Spot, check_words, is_there, known, spot, spots
from memvault.agents.setup.clients import PROJECT, SERVED, USER, Ground, ServerAgent, Words
from memvault.agents.setup.entries import command_in
from memvault.agents.setup.hooks import NOWHERE, SHARED, Entries, Lodging, Removed, unreadable
from memvault.agents.setup.json_edit import Malformed
from memvault.errors import BadInput, MemvaultError
from memvault.system import files

WHAT = "server"
_AGAIN = "`memvault mcp install` puts that right."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Whose server it is to be, and for which vault; an empty vault is the one that memvault finds."""

    agent: str = "claude-code"
    scope: str = USER
    vault: str = ""
    is_found: bool = True  # whether memvault finds a vault wherever an agent is at work
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What was installed: into which file, what is run, and how the file differs."""

    agent: str
    scope: str
    path: str
    command: Words
    changed: bool
    diff: str = ""
    backup: str = ""
    warnings: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One file in which memvault is entered as a server."""

    agent: str
    scope: str
    path: str
    command: Words
    vault: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where memvault is entered as a server, and what is wrong."""

    places: tuple[Place, ...]
    problems: tuple[str, ...] = ()


_SETTINGS = Path("the settings of agents")  # for when the system does not say which file


class McpEntry:
    """The entries of this person's agents, as seen from one folder."""

    def __init__(self, ground: Ground, program: Words, entries: Entries) -> None:
        self._ground = ground
        self._program = program
        self._entries = entries

    @files.plainly(_SETTINGS)
    def install(self, wanted: Wanted) -> Installed:
        """Have an agent start memvault as a server; whatever else stands in its settings stays byte for byte."""
        place = spot(SERVED, wanted.agent, wanted.scope, self._ground)
        agent = place.agent
        self._check_free(place)
        words = command_in(wanted.scope, self._program, "mcp", vault=wanted.vault)
        check_words(words)
        entry = agent.entry(words)
        lodging = replace(
            _lodging(place),
            stands=lambda text: serving.server_stands(text, agent, entry),
            put_in=lambda text: serving.with_entry(text, agent, entry),
        )
        done = self._entries.install(lodging, dry_run=wanted.dry_run)
        told = ((SHARED, wanted.scope == PROJECT), (NOWHERE, not wanted.vault and not wanted.is_found))
        return Installed(
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

    def remove(self, *, agent: str = "", scope: str = "", dry_run: bool = False) -> Removed:
        """Take memvault out of every file it is known to be entered in, or of those that are named."""
        if agent:
            known(SERVED, agent)
        found = (each for each in self._spots() if agent in ("", each.agent.name) and scope in ("", each.scope))
        return self._entries.remove_all(map(_lodging, found), dry_run=dry_run)

    @files.plainly(_SETTINGS)
    def status(self) -> Standing:
        """Where memvault is entered, as seen from here, and whether it can be started."""
        places: list[Place] = []
        problems: list[str] = []
        for each in self._spots():
            try:
                text = self._entries.read(each.path)
                found = serving.entries(text, each.agent) if text.strip() else {}
            except (MemvaultError, Malformed) as error:
                problems.append(unreadable(each.path, error))
                continue
            places += [
                Place(
                    agent=each.agent.name,
                    scope=each.scope,
                    path=str(each.path),
                    command=call.words,
                    vault=call.vault,
                    problems=tuple(self._problems(call.program, call.vault)),
                )
                for call in found.values()
            ]
        return Standing(places=tuple(places), problems=tuple(problems))

    def _problems(self, program: str, vault: str) -> Iterator[str]:
        if not is_there(program, self._ground):
            yield f"{program} is not there; {_AGAIN}"
        if vault and not Path(vault).expanduser().is_dir():
            yield f"There is no vault {vault} any more; {_AGAIN}"

    def _check_free(self, place: Spot[ServerAgent]) -> None:
        try:
            text = self._entries.read(place.path)
            taken = bool(text.strip()) and serving.is_taken(text, place.agent)
        except Malformed:
            return  # the installation itself says what is wrong
        if taken:
            reason = f"{place.path} has a server of that name which is not memvault's"
            raise BadInput(what="the server's name", value=serving.NAME, reason=reason)

    def _spots(self) -> Iterator[Spot[ServerAgent]]:
        return spots(SERVED, WHAT, self._ground, self._entries.book)


def _lodging(place: Spot[ServerAgent]) -> Lodging:
    """The file as it stands without us."""
    return Lodging(
        path=place.path,
        what=WHAT,
        agent=place.agent.name,
        stands=lambda text: not serving.entries(text, place.agent),
        put_in=str,
        take_out=lambda text, before: serving.without_entry(text, place.agent, before),
        shared=place.scope == PROJECT,
    )
