"""Have an agent call memvault at its events: install that, take it away, look at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memvault.agents.setup import entries as hooking
from memvault.agents.setup.agent import PROJECT, USER, Ground, HookAgent, Words
from memvault.agents.setup.calls import command_in
from memvault.agents.setup.entries import Hook
from memvault.agents.setup.jsonc import Malformed
from memvault.agents.setup.spots import Spot, check_words, is_there, known, spot, spots
from memvault.agents.setup.table import HOOKED
from memvault.agents.setup.verbs_entries import NOWHERE, SHARED, Entries, Lodging, Removed, unreadable
from memvault.errors import MemvaultError
from memvault.storage.vault.layout import CONFIG
from memvault.storage.vault.vault_file import is_vault
from memvault.system import files

WHAT = "hooks"
_AGAIN = "`memvault hooks install` puts that right."
_ALONE = "`--scope local` is for you alone."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which hooks are to be installed where, and for which vault; an empty vault is the one that memvault finds."""

    agent: str = "claude-code"
    scope: str = USER
    profile: str = "production"
    vault: str = ""
    is_found: bool = True  # whether memvault finds a vault wherever an agent is at work
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What was installed: into which file, for which events, what is run, and how the file differs."""

    agent: str
    scope: str
    path: str
    events: tuple[str, ...]
    command: Words
    changed: bool
    diff: str = ""
    backup: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One file of settings in which hooks of ours stand."""

    agent: str
    scope: str
    path: str
    events: tuple[str, ...]
    command: Words
    vault: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where hooks of ours are installed, whether a plugin brings them too, and what is wrong."""

    places: tuple[Place, ...]
    plugins: tuple[str, ...] = ()  # the settings that have the plugin enabled
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    passed_over: str = ""  # a folder here that looks like a vault to a person, and is none


_SETTINGS = Path("the settings of agents")  # for when the system does not say which file


class Hooks:
    """The hooks of this person's agents, as seen from one folder."""

    def __init__(self, ground: Ground, program: Words, entries: Entries) -> None:
        self._ground = ground
        self._program = program
        self._entries = entries

    @files.plainly(_SETTINGS)
    def install(self, wanted: Wanted) -> Installed:
        """Have an agent call memvault; whatever else stands in its settings stays byte for byte."""
        place = spot(HOOKED, wanted.agent, wanted.scope, self._ground)
        words = command_in(wanted.scope, self._program, "hook", vault=wanted.vault)
        check_words(words)
        events = place.agent.chosen(wanted.profile)
        groups = hooking.wanted(place.agent, events, words, self._ground.platform)
        lodging = replace(
            _lodging(place),
            stands=lambda text: hooking.stands(text, groups),
            put_in=lambda text: hooking.with_hooks(text, groups),
        )
        done = self._entries.install(lodging, dry_run=wanted.dry_run)
        return Installed(
            agent=place.agent.name,
            scope=wanted.scope,
            path=done.path,
            events=tuple(event.name for event in events),
            command=words,
            changed=done.changed,
            diff=done.diff,
            backup=done.backup,
            notes=tuple(filter(None, (place.agent.remark,))),
            warnings=self._warnings(wanted, place),
            dry_run=wanted.dry_run,
        )

    def remove(self, *, agent: str = "", scope: str = "", dry_run: bool = False) -> Removed:
        """Take our hooks out of every file they are known to be in, or of those that are named."""
        if agent:
            known(HOOKED, agent)
        found = (each for each in self._spots() if agent in ("", each.agent.name) and scope in ("", each.scope))
        return self._entries.remove_all(map(_lodging, found), dry_run=dry_run)

    @files.plainly(_SETTINGS)
    def status(self) -> Standing:
        """Where our hooks are installed, as seen from here, and whether they can do their work."""
        places: list[Place] = []
        plugins: list[str] = []
        problems: list[str] = []
        for each in self._spots():
            try:
                text = self._entries.read(each.path)
                hooks = hooking.ours(text) if text.strip() else ()
                plugins += [str(each.path)] if text.strip() and hooking.has_plugin(text) else []
            except (MemvaultError, Malformed) as error:
                problems.append(unreadable(each.path, error))
                continue
            if hooks:
                places.append(self._place(each, hooks, text))
        return Standing(
            places=tuple(places),
            plugins=tuple(plugins),
            problems=tuple(problems),
            notes=_twice(places, plugins),
            passed_over=_no_vault(self._ground.project),
        )

    def _spots(self) -> Iterator[Spot[HookAgent]]:
        return spots(HOOKED, WHAT, self._ground, self._entries.book)

    # -- what is wrong

    def _warnings(self, wanted: Wanted, place: Spot[HookAgent]) -> tuple[str, ...]:
        others = [
            each.path for each in self.status().places if each.agent == wanted.agent and each.path != str(place.path)
        ]
        told = (
            (f"{SHARED} {_ALONE}", wanted.scope == PROJECT),
            (NOWHERE, not wanted.vault and not wanted.is_found),
            (f"Hooks stand in {', '.join(others)} too; each event is served once.", bool(others)),
        )
        return tuple(sentence for sentence, applies in told if applies)

    def _place(self, place: Spot[HookAgent], hooks: Sequence[Hook], text: str) -> Place:
        call = hooks[0].call
        return Place(
            agent=place.agent.name,
            scope=place.scope,
            path=str(place.path),
            events=tuple(dict.fromkeys(hook.event for hook in hooks)),
            command=call.words,
            vault=call.vault,
            problems=tuple(self._problems(hooks, text)),
        )

    def _problems(self, hooks: Sequence[Hook], text: str) -> Iterator[str]:
        for program in dict.fromkeys(hook.call.program for hook in hooks):
            if not is_there(program, self._ground):
                yield f"{program} is not there; {_AGAIN}"
        for vault in dict.fromkeys(hook.call.vault for hook in hooks):
            if vault and not Path(vault).expanduser().is_dir():
                yield f"There is no vault {vault} any more; {_AGAIN}"
        events = [hook.event for hook in hooks]
        if len(set(events)) < len(events):
            yield f"An event has two hooks of memvault's here; {_AGAIN}"
        if hooking.is_switched_off(text):
            yield "All hooks are switched off there, by disableAllHooks."


def _no_vault(folder: Path) -> str:
    """The nearest folder with settings of a vault, at a folder or above it, that is no vault."""
    found = (each for each in (folder, *folder.parents) if (each / CONFIG).is_file() and not is_vault(each))
    return str(next(found, ""))


def _lodging(place: Spot[HookAgent]) -> Lodging:
    """The file as it stands without us."""
    return Lodging(
        path=place.path,
        what=WHAT,
        agent=place.agent.name,
        stands=lambda text: not hooking.ours(text),
        put_in=str,
        take_out=hooking.without_hooks,
        shared=place.scope == PROJECT,
    )


def _twice(places: Sequence[Place], plugins: Sequence[str]) -> tuple[str, ...]:
    """What is told where one agent has our hooks from several sides."""
    told = []
    for agent in HOOKED.values():
        sides = [place.path for place in places if place.agent == agent.name]
        sides += [f"the plugin ({path})" for path in plugins] if agent.name == "claude-code" else []
        if len(sides) > 1:
            both = " and ".join(sides)
            told.append(f"{agent.title} has them from {both}: each event is served once, by whichever is called first.")
    return tuple(told)
