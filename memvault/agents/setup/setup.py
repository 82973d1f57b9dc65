"""Everything that makes a vault work with a person's agents, put in place and taken back part by part."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.agents.setup import instructions as pointers
from memvault.agents.setup.clients import USER, AgentFolders, claude_instructions
from memvault.agents.setup.ground import locate_agents
from memvault.agents.setup.hooks import HookSetup, RemovedEntries, SettingsWriter
from memvault.agents.setup.mcp import ServerSetup
from memvault.agents.setup.steps import (
    SetupCheck,
    SetupOptions,
    SetupRemoval,
    SetupResult,
    SetupStep,
    check_hook,
    run_parts,
    step_state,
)
from memvault.core.settings import Settings
from memvault.errors import MemvaultError
from memvault.open_vault import Clock, load_own_settings
from memvault.storage.pauses import INCOGNITO, active_pause
from memvault.storage.vault import vault_file as charter
from memvault.system import paths
from memvault.system import project as projects
from memvault.system.programs import Machine

if TYPE_CHECKING:
    from memvault.agents.setup.steps import SetupPart
    from memvault.api.maintain import MaintenanceMethods


_IS_ONE = "This folder is a vault."
_UNSET = "memvault config --user --unset user.vault"


def set_up(
    opening: type[MaintenanceMethods],
    root: Path,
    wanted: SetupOptions,
    *,
    environment: Mapping[str, str],
    clock: Clock,
    zone: tzinfo | None,
) -> SetupResult:
    """Make or use a vault, and put in place what is wanted; a part that fails keeps no other from being done."""
    made = _open_or_create(opening, root, wanted, clock)
    proof: SetupCheck | None = None
    with ExitStack() as opened:
        vault = None
        if charter.is_vault(root):
            vault = opened.enter_context(opening(root, environment=environment, clock=clock, zone=zone))
        work = _SetupRun(root, vault, wanted, environment, clock)
        steps = run_parts(work.list_parts())
        if vault is not None and wanted.check and not wanted.dry_run:
            proof = work.run_check(vault.memories_folder)
    return SetupResult(
        vault=str(root),
        steps=(made, *steps),
        checked=None if proof is None else proof.ok,
        complaint="" if proof is None else proof.complaint,
        dry_run=wanted.dry_run,
    )


def _open_or_create(opening: type[MaintenanceMethods], root: Path, wanted: SetupOptions, clock: Clock) -> SetupStep:
    if charter.is_vault(root):
        return SetupStep(part="vault", state="already", did=_IS_ONE, where=str(root))
    made = opening.init(root, profile=wanted.profile, clock=clock, dry_run=wanted.dry_run)
    return SetupStep(
        part="vault",
        state=step_state(changed=True, dry_run=wanted.dry_run),
        did=f"{_IS_ONE} No byte of the {made.notes:,} notes in it was changed." if made.adopted else _IS_ONE,
        where=str(root),
        undo="yours alone: memvault removes no vault, and neither does `memvault uninstall`",
    )


class _SetupRun:
    """The parts of one set-up, each of which can be done by itself."""

    def __init__(
        self,
        root: Path,
        vault: MaintenanceMethods | None,
        wanted: SetupOptions,
        environment: Mapping[str, str],
        clock: Clock,
    ) -> None:
        self._root, self._vault, self._wanted = root, vault, wanted
        self._environment = environment
        self._now = clock()
        self._entries = SettingsWriter(paths.state_folder(environment), self._now)

    def list_parts(self) -> Iterator[SetupPart]:
        """Yield what is wanted, in the order in which one part builds on another."""
        yield "name", self._set_vault_name
        for agent in self._wanted.hooks:
            yield "hooks", partial(self._install_hooks, agent)
        for agent in self._wanted.servers:
            yield "server", partial(self._install_server, agent)
        if self._wanted.claude_md:
            yield "claude-md", self._install_import
        if self._wanted.schedule:
            yield "schedule", self._install_schedule

    def run_check(self, memories: Path) -> SetupCheck | None:
        """Whether a memory written by hand reaches the model by way of the hook; None where no agent calls it."""
        hooks = HookSetup(*locate_agents(self._environment, None, self._now))
        found = hooks.status()
        place = next((each for each in found.places if each.scope == USER), None)
        if place is None and not found.plugins:
            return None
        words = (*Machine(self._environment).memvault_command(), "hook") if place is None else place.command
        # As an agent has it that was not started from this shell.
        unnamed = {name: value for name, value in self._environment.items() if name != "MEMVAULT_DIR"}
        home = AgentFolders(environment=self._environment, project=memories).home
        if quiet := self._pause_reason(home):
            return SetupCheck(ok=False, complaint=quiet)
        proof = check_hook(memories, words, unnamed, home=home)
        if proof.is_harmful:
            hooks.remove(scope=USER)
        return proof

    def _pause_reason(self, home: Path) -> str:
        """Return why no hook would answer now: the person has told memvault to keep quiet."""
        assert self._vault is not None
        found = active_pause(self._vault.state_folder, projects.project_of(home), "", self._now, self._environment)
        if found is None:
            return ""
        how = f"{INCOGNITO} is set" if found.scope.of == "session" else f"memvault is paused {found.scope.description}"
        return f"{how}, so its hooks say nothing, and nothing was checked: `memvault resume` ends a pause"

    def _set_vault_name(self) -> SetupStep:
        path = paths.config_folder(self._environment) / "config.toml"
        older = Settings(load_own_settings(self._environment)).text("user.vault")
        done = self._entries.install(pointers.vault_setting(self._root, path), dry_run=self._wanted.dry_run)
        return self._report_step(
            "name",
            "Your own config names this vault, so that it is found from everywhere.",
            str(path),
            f"memvault config --user user.vault {shlex.quote(older)}" if done.changed and older else _UNSET,
            changed=done.changed,
            notes=(f"It named {older} before.",) if done.changed and older else (),
        )

    def _install_hooks(self, agent: str) -> SetupStep:
        from memvault.agents.setup.hooks import HookOptions as WantedHooks

        profile = self._wanted.profile if self._vault is None else self._vault.settings.text("vault.profile")
        asked = WantedHooks(agent=agent, profile=profile, dry_run=self._wanted.dry_run)
        done = HookSetup(*locate_agents(self._environment, None, self._now)).install(asked)
        return self._report_step(
            "hooks",
            f"{agent} calls memvault at {', '.join(done.events)}.",
            done.path,
            f"memvault hooks uninstall --agent {agent}",
            changed=done.changed,
            notes=(*done.notes, *done.warnings),
        )

    def _install_server(self, agent: str) -> SetupStep:
        from memvault.agents.setup.mcp import ServerOptions as WantedServer

        asked = WantedServer(agent=agent, dry_run=self._wanted.dry_run)
        done = ServerSetup(*locate_agents(self._environment, None, self._now)).install(asked)
        return self._report_step(
            "server",
            f"{agent} starts memvault as an MCP server.",
            done.path,
            f"memvault mcp uninstall --agent {agent}",
            changed=done.changed,
            notes=done.warnings,
        )

    def _install_import(self) -> SetupStep:
        if self._vault is not None and not self._wanted.dry_run:
            self._vault.claude_md()
        path = claude_instructions(self._environment)
        done = self._entries.install(pointers.claude_import(self._root, path), dry_run=self._wanted.dry_run)
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
            return self._report_step("schedule", f"{did}.", "", command, changed=True)
        done = self._vault.schedule().install(dry_run=self._wanted.dry_run)
        said = f"{did} at {done.at}, by {done.scheduler}."
        return self._report_step(
            "schedule", said, ", ".join(done.where), command, changed=done.changed, notes=done.warnings
        )

    def _report_step(
        self, part: str, did: str, where: str, undo: str, *, changed: bool, notes: tuple[str, ...] = ()
    ) -> SetupStep:
        state = step_state(changed=changed, dry_run=self._wanted.dry_run)
        return SetupStep(part=part, state=state, did=did, where=where, undo=undo, notes=notes)


# -- taking back


def remove_setup(
    opening: type[MaintenanceMethods],
    path: str | Path | None,
    *,
    environment: Mapping[str, str],
    clock: Clock,
    dry_run: bool,
) -> SetupRemoval:
    """Take back all that was installed on this machine; no vault is touched."""
    with ExitStack() as opened:
        vault = None
        try:
            vault = opened.enter_context(opening(path, environment=environment, clock=clock))
        except MemvaultError:
            if path is not None:
                raise  # a vault that was named must be one; without a name, what was installed goes all the same
        parts = _removal_parts(vault, environment, clock, dry_run=dry_run)
        return SetupRemoval(
            steps=run_parts(parts),
            vault="" if vault is None else str(vault.root),
            plugins=HookSetup(*locate_agents(environment, None, clock())).status().plugins,
            dry_run=dry_run,
        )


def _removal_parts(
    vault: MaintenanceMethods | None,
    environment: Mapping[str, str],
    clock: Clock,
    *,
    dry_run: bool,
) -> Iterator[SetupPart]:
    """Yield all that may have been installed, by whatever command."""
    now = clock()
    entries = SettingsWriter(paths.state_folder(environment), now)
    hooks = HookSetup(*locate_agents(environment, None, now))
    servers = ServerSetup(*locate_agents(environment, None, now))
    own_config = paths.config_folder(environment) / "config.toml"
    removals: tuple[tuple[str, str, Callable[[], RemovedEntries]], ...] = (
        ("hooks", "No agent calls memvault any more.", partial(hooks.remove, dry_run=dry_run)),
        ("server", "No agent starts memvault as an MCP server any more.", partial(servers.remove, dry_run=dry_run)),
        (
            "claude-md",
            "Claude Code loads no CLAUDE.md of a vault any more.",
            partial(pointers.remove_imports, entries, claude_instructions(environment), dry_run=dry_run),
        ),
        (
            "name",
            "Your own config names the vault no more.",
            partial(pointers.remove_setting, entries, own_config, dry_run=dry_run),
        ),
    )
    if vault is not None:
        yield "schedule", partial(_remove_schedule, vault, dry_run=dry_run)
    for part, did, remove in removals:
        yield part, partial(_remove_entries, part, did, remove, dry_run=dry_run)


def _remove_schedule(vault: MaintenanceMethods, *, dry_run: bool) -> SetupStep:
    done = vault.schedule().remove(dry_run=dry_run)
    return SetupStep(
        part="schedule",
        state=step_state(changed=bool(done.removed), dry_run=dry_run),
        did="Upkeep runs by itself no more.",
        where=", ".join(done.where),
    )


def _remove_entries(part: str, did: str, remove: Callable[[], RemovedEntries], *, dry_run: bool) -> SetupStep:
    done = remove()
    where = ", ".join(each.path for each in done.files)
    if done.failed:
        told = tuple(sentence for _, sentence in done.failed)
        return SetupStep(part=part, state="failed", did=told[0], where=where, notes=told[1:])
    return SetupStep(part=part, state=step_state(changed=bool(done.files), dry_run=dry_run), did=did, where=where)
