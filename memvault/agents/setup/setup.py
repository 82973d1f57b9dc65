"""Everything that makes a vault work with a person's agents, put in place and taken back part by part."""

from __future__ import annotations

import os
import shlex
import uuid
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Literal

from memvault.agents.setup.check import SetupCheck, check_hook
from memvault.agents.setup.clients import USER, AgentFolders, claude_instructions
from memvault.agents.setup.install import EntryOptions, HookSetup, ServerSetup
from memvault.agents.setup.settings_files import (
    RemovedEntries,
    SettingsWriter,
    claude_import,
    remove_imports,
    remove_setting,
    vault_setting,
)
from memvault.context.claude_md import write_claude_md
from memvault.core.settings import Settings
from memvault.errors import MemvaultError
from memvault.maintenance.schedule.install import Schedule, has_scheduler
from memvault.open_vault import Clock, OpenVault, load_own_settings, own_config_file, own_config_path, system_clock
from memvault.storage.pauses import INCOGNITO, active_pause
from memvault.storage.vault.create import CreateOptions, create_vault
from memvault.storage.vault.vault_file import is_vault
from memvault.system import files, paths
from memvault.system.programs import Machine
from memvault.system.project import project_of

_IS_ONE = "This folder is a vault."
_UNSET = "memvault config unset --user user.vault"

StepState = Literal["done", "already", "would", "failed", "left"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupOptions:
    """Which parts are wanted, and for which agents."""

    hooks: tuple[str, ...] = ("claude-code",)
    servers: tuple[str, ...] = ("claude-code",)
    claude_md: bool = True
    schedule: bool = True
    profile: str = "production"
    check: bool = True
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoice:
    """The agents that are to be set up: those that were named, or those that this person has."""

    hooks: tuple[str, ...]
    servers: tuple[str, ...]
    has_plugin: bool = False  # Claude Code has hooks and server from it already


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupStep:
    """What became of one part: where, how it is undone, and what else there is to say."""

    part: str
    state: StepState
    did: str
    where: str = ""
    undo: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupResult:
    """The vault, what became of each part, and what the check at the end showed."""

    vault: str
    steps: tuple[SetupStep, ...]
    checked: bool | None = None  # None where nothing was to be checked
    complaint: str = ""
    dry_run: bool = False

    @property
    def ok(self) -> bool:
        """Whether every part was done, and the check held."""
        return self.checked is not False and all(step.state != "failed" for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRemoval:
    """What became of each part that was taken back, and what stays: the vault, and a plugin, which is Claude Code's."""

    steps: tuple[SetupStep, ...]
    vault: str = ""
    plugins: tuple[str, ...] = ()  # the settings that have the plugin enabled
    dry_run: bool = False


SetupPart = tuple[str, Callable[[], SetupStep]]


def set_up(
    path: str | Path,
    options: SetupOptions,
    *,
    environment: Mapping[str, str],
    clock: Clock = system_clock,
    zone: tzinfo | None = None,
) -> SetupResult:
    """Make or use a vault, and put in place what is wanted; a part that fails keeps no other from being done."""
    root = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - links stay as they are named
    with files.system_errors(root), ExitStack() as opened:
        made = _open_or_create(root, options, environment, clock)
        vault = None
        if is_vault(root):
            vault = opened.enter_context(OpenVault(root, environment=environment, clock=clock, zone=zone))
        run = _SetupRun(root, vault, options, environment, clock)
        steps = _run_parts(run.list_parts())
        check = None if vault is None or not options.check or options.dry_run else run.check(vault)
    return SetupResult(
        vault=str(root),
        steps=(made, *steps),
        checked=None if check is None else check.ok,
        complaint="" if check is None else check.complaint,
        dry_run=options.dry_run,
    )


def choose_agents(
    named: AbstractSet[str] = frozenset(), *, environment: Mapping[str, str], folder: Path | None = None
) -> AgentChoice:
    """Return the agents that were named; or Claude Code, unless the plugin serves it, and what else this person has."""
    hooks = HookSetup.from_environment(environment, system_clock(), folder=folder)
    servers = ServerSetup.from_environment(environment, system_clock(), folder=folder)
    plugins = hooks.status().plugins
    usual = frozenset[str]() if plugins else frozenset({"claude-code"})
    return AgentChoice(
        hooks=hooks.choose_agents(usual, named), servers=servers.choose_agents(usual, named), has_plugin=bool(plugins)
    )


def _open_or_create(root: Path, options: SetupOptions, environment: Mapping[str, str], clock: Clock) -> SetupStep:
    if is_vault(root):
        return SetupStep(part="vault", state="already", did=_IS_ONE, where=str(root))
    made = create_vault(
        root,
        CreateOptions(profile=options.profile),
        own_config_file(environment),
        vault_id=str(uuid.uuid4()),
        now=clock(),
        dry_run=options.dry_run,
    )
    return SetupStep(
        part="vault",
        state=_step_state(changed=True, dry_run=options.dry_run),
        did=f"{_IS_ONE} No byte of the {made.notes:,} notes in it was changed." if made.adopted else _IS_ONE,
        where=str(root),
        undo="yours alone: memvault removes no vault, and neither does `memvault uninstall`",
    )


class _SetupRun:
    """The parts of one set-up, each of which can be done by itself."""

    def __init__(
        self, root: Path, vault: OpenVault | None, options: SetupOptions, environment: Mapping[str, str], clock: Clock
    ) -> None:
        self._root, self._vault, self._options = root, vault, options
        self._environment = environment
        self._now = clock()
        self._writer = SettingsWriter(paths.state_folder(environment), self._now)

    def list_parts(self) -> Iterator[SetupPart]:
        """Yield what is wanted, in the order in which one part builds on another."""
        yield "name", self._set_vault_name
        for agent in self._options.hooks:
            yield "hooks", partial(self._install_hooks, agent)
        for agent in self._options.servers:
            yield "server", partial(self._install_server, agent)
        if self._options.claude_md:
            yield "claude-md", self._install_import
        if self._options.schedule:
            yield "schedule", self._install_schedule

    def check(self, vault: OpenVault) -> SetupCheck | None:
        """Whether a memory written by hand reaches the model by way of the hook; None where no agent calls it."""
        hooks = HookSetup.from_environment(self._environment, self._now)
        status = hooks.status()
        place = next((each for each in status.places if each.scope == USER), None)
        if place is None and not status.plugins:
            return None
        words = (*Machine(self._environment).memvault_command(), "hook") if place is None else place.command
        # As an agent has it that was not started from this shell.
        unnamed = {name: value for name, value in self._environment.items() if name != "MEMVAULT_DIR"}
        memories = self._root / vault.run(lambda context: context.vault.layout.memories)
        home = AgentFolders(environment=self._environment, project=memories).home
        if reason := self._pause_reason(vault, home):
            return SetupCheck(ok=False, complaint=reason)
        check = check_hook(memories, words, unnamed, home=home)
        if check.is_harmful:
            hooks.remove(scope=USER)
        return check

    def _pause_reason(self, vault: OpenVault, home: Path) -> str:
        """Return why no hook would answer now: the person has told memvault to keep quiet."""
        pause = active_pause(vault.state_folder, project_of(home), "", self._now, self._environment)
        if pause is None:
            return ""
        how = f"{INCOGNITO} is set" if pause.scope.of == "session" else f"memvault is paused {pause.scope.description}"
        return f"{how}, so its hooks say nothing, and nothing was checked: `memvault agent resume` ends a pause"

    def _set_vault_name(self) -> SetupStep:
        path = own_config_path(self._environment)
        older = Settings(load_own_settings(self._environment)).text("user.vault")
        done = self._writer.install(vault_setting(self._root, path), dry_run=self._options.dry_run)
        return self._report_step(
            "name",
            "Your own config names this vault, so that it is found from everywhere.",
            str(path),
            f"memvault config --user user.vault {shlex.quote(older)}" if done.changed and older else _UNSET,
            changed=done.changed,
            notes=(f"It named {older} before.",) if done.changed and older else (),
        )

    def _install_hooks(self, agent: str) -> SetupStep:
        profile = self._options.profile if self._vault is None else self._vault.settings.text("vault.profile")
        entry = EntryOptions(agent=agent, profile=profile, dry_run=self._options.dry_run)
        done = HookSetup.from_environment(self._environment, self._now).install(entry)
        return self._report_step(
            "hooks",
            f"{agent} calls memvault at {', '.join(done.events)}.",
            done.path,
            f"memvault agent hooks uninstall --agent {agent}",
            changed=done.changed,
            notes=(*done.notes, *done.warnings),
        )

    def _install_server(self, agent: str) -> SetupStep:
        entry = EntryOptions(agent=agent, dry_run=self._options.dry_run)
        done = ServerSetup.from_environment(self._environment, self._now).install(entry)
        return self._report_step(
            "server",
            f"{agent} starts memvault as an MCP server.",
            done.path,
            f"memvault agent mcp uninstall --agent {agent}",
            changed=done.changed,
            notes=done.warnings,
        )

    def _install_import(self) -> SetupStep:
        if self._vault is not None and not self._options.dry_run:
            self._vault.run(write_claude_md)
        path = claude_instructions(self._environment)
        done = self._writer.install(claude_import(self._root, path), dry_run=self._options.dry_run)
        return self._report_step(
            "claude-md",
            "Claude Code loads the vault's CLAUDE.md, which upkeep keeps current.",
            str(path),
            f"take the lines from mark to mark out of {path}",
            changed=done.changed,
        )

    def _install_schedule(self) -> SetupStep:
        command = shlex.join(("memvault", "--vault", str(self._root), "schedule", "remove"))
        did = "Upkeep runs every day"
        if self._vault is None:  # a dry run, and the vault is not there yet
            if not has_scheduler(Machine(self._environment)):
                return _without_scheduler()
            return self._report_step("schedule", f"{did}.", "", command, changed=True)
        if not Schedule.of(self._vault).is_available():
            return _without_scheduler()
        done = Schedule.of(self._vault).install(dry_run=self._options.dry_run)
        did = f"{did} at {done.at}, by {done.scheduler}."
        return self._report_step(
            "schedule", did, ", ".join(done.where), command, changed=done.changed, notes=done.warnings
        )

    def _report_step(
        self, part: str, did: str, where: str, undo: str, *, changed: bool, notes: tuple[str, ...] = ()
    ) -> SetupStep:
        state = _step_state(changed=changed, dry_run=self._options.dry_run)
        return SetupStep(part=part, state=state, did=did, where=where, undo=undo, notes=notes)


def _without_scheduler() -> SetupStep:
    return SetupStep(
        part="schedule",
        state="left",
        did="No scheduler is installed on this machine: neither systemd for your own programs, nor cron.",
        notes=("Install cron and run `memvault vault schedule install`, or run `memvault maintain` yourself.",),
    )


# -- taking back


def remove_setup(
    path: str | Path | None = None,
    *,
    environment: Mapping[str, str],
    clock: Clock = system_clock,
    dry_run: bool = False,
) -> SetupRemoval:
    """Take back all that was installed on this machine; no vault is touched."""
    with ExitStack() as opened:
        vault = None
        try:
            vault = opened.enter_context(OpenVault(path, environment=environment, clock=clock))
        except MemvaultError:
            if path is not None:
                raise  # a vault that was named must be one; without a name, what was installed goes all the same
        return SetupRemoval(
            steps=_run_parts(_removal_parts(vault, environment, clock, dry_run=dry_run)),
            vault="" if vault is None else str(vault.root),
            plugins=HookSetup.from_environment(environment, clock()).status().plugins,
            dry_run=dry_run,
        )


def _removal_parts(
    vault: OpenVault | None, environment: Mapping[str, str], clock: Clock, *, dry_run: bool
) -> Iterator[SetupPart]:
    """Yield all that may have been installed, by whatever command."""
    now = clock()
    writer = SettingsWriter(paths.state_folder(environment), now)
    removals: tuple[tuple[str, str, Callable[..., RemovedEntries]], ...] = (
        ("hooks", "No agent calls memvault any more.", HookSetup.from_environment(environment, now).remove),
        (
            "server",
            "No agent starts memvault as an MCP server any more.",
            ServerSetup.from_environment(environment, now).remove,
        ),
        (
            "claude-md",
            "Claude Code loads no CLAUDE.md of a vault any more.",
            partial(remove_imports, writer, claude_instructions(environment)),
        ),
        (
            "name",
            "Your own config names the vault no more.",
            partial(remove_setting, writer, own_config_path(environment)),
        ),
    )
    if vault is not None:
        yield "schedule", partial(_remove_schedule, vault, dry_run=dry_run)
    for part, did, remove in removals:
        yield part, partial(_remove_entries, part, did, remove, dry_run=dry_run)


def _remove_schedule(vault: OpenVault, *, dry_run: bool) -> SetupStep:
    done = Schedule.of(vault).remove(dry_run=dry_run)
    return SetupStep(
        part="schedule",
        state=_step_state(changed=bool(done.removed), dry_run=dry_run),
        did="Upkeep runs by itself no more.",
        where=", ".join(done.where),
    )


def _remove_entries(part: str, did: str, remove: Callable[..., RemovedEntries], *, dry_run: bool) -> SetupStep:
    done = remove(dry_run=dry_run)
    where = ", ".join(each.path for each in done.files)
    if done.failed:
        reasons = tuple(sentence for _, sentence in done.failed)
        return SetupStep(part=part, state="failed", did=reasons[0], where=where, notes=reasons[1:])
    return SetupStep(part=part, state=_step_state(changed=bool(done.files), dry_run=dry_run), did=did, where=where)


# -- each part by itself


def _run_parts(parts: Iterator[SetupPart]) -> tuple[SetupStep, ...]:
    """Do each part; one that fails says why, and the others are done all the same."""
    return tuple(_try_part(name, act) for name, act in parts)


def _try_part(name: str, act: Callable[[], SetupStep]) -> SetupStep:
    try:
        with files.system_errors(Path(name)):
            return act()
    except MemvaultError as error:
        return SetupStep(part=name, state="failed", did=str(error), notes=tuple(filter(None, (error.advice,))))


def _step_state(*, changed: bool, dry_run: bool) -> StepState:
    if not changed:
        return "already"
    return "would" if dry_run else "done"
