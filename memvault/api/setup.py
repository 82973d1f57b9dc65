"""What memvault writes into the settings of agents on this machine; most of it needs no vault."""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.api.maintain import MaintenanceMethods
from memvault.open_vault import Clock, system_clock
from memvault.system import files

if TYPE_CHECKING:
    from memvault.agents.setup.hooks import HookSetup
    from memvault.agents.setup.mcp import ServerSetup
    from memvault.agents.setup.steps import AgentChoice, SetupOptions, SetupRemoval, SetupResult


class SetupMethods(MaintenanceMethods):
    """The agents of this person, as seen from the folder that they are in."""

    @staticmethod
    def hooks(
        *, environment: Mapping[str, str] | None = None, folder: Path | None = None, now: datetime | None = None
    ) -> HookSetup:
        """Return the hooks by which agents call memvault, to be looked at, installed or removed."""
        from memvault.agents.setup.ground import locate_agents
        from memvault.agents.setup.hooks import HookSetup

        return HookSetup(
            *locate_agents(os.environ if environment is None else environment, folder, now or system_clock())
        )

    @staticmethod
    def mcp_entry(
        *, environment: Mapping[str, str] | None = None, folder: Path | None = None, now: datetime | None = None
    ) -> ServerSetup:
        """Return the entries by which agents start memvault as an MCP server, to be looked at, installed or removed."""
        from memvault.agents.setup.ground import locate_agents
        from memvault.agents.setup.mcp import ServerSetup

        return ServerSetup(
            *locate_agents(os.environ if environment is None else environment, folder, now or system_clock())
        )

    @staticmethod
    def agents_here(
        *,
        named: AbstractSet[str] = frozenset(),
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> AgentChoice:
        """Return the agents that a set-up is for: those that were named, or those that this person has."""
        from memvault.agents.setup.ground import locate_agents
        from memvault.agents.setup.hooks import HookSetup
        from memvault.agents.setup.steps import choose_agents

        laid_out = locate_agents(os.environ if environment is None else environment, folder, system_clock())
        return choose_agents(laid_out[0], HookSetup(*laid_out).status().plugins, named)

    @classmethod
    def set_up(
        cls,
        path: str | Path,
        wanted: SetupOptions,
        *,
        environment: Mapping[str, str] | None = None,
        clock: Clock = system_clock,
        zone: tzinfo | None = None,
    ) -> SetupResult:
        """Make or use a vault, and put in place what is wanted; a part that fails keeps no other from being done."""
        from memvault.agents.setup.setup import set_up

        variables = os.environ if environment is None else environment
        root = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - links stay as they are named
        with files.system_errors(root):
            return set_up(cls, root, wanted, environment=variables, clock=clock, zone=zone)

    @classmethod
    def take_back(
        cls,
        path: str | Path | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        clock: Clock = system_clock,
        dry_run: bool = False,
    ) -> SetupRemoval:
        """Take back all that was installed on this machine; no vault is touched."""
        from memvault.agents.setup.setup import remove_setup

        variables = os.environ if environment is None else environment
        return remove_setup(cls, path, environment=variables, clock=clock, dry_run=dry_run)

    @property
    def is_found_anywhere(self) -> bool:
        """Whether an agent at work in this folder would find a vault."""
        from memvault.agents.setup.ground import find_project_root

        named = self.environment.get("MEMVAULT_DIR") or self.settings.text("user.vault")
        return bool(named) or files.is_inside(self.root, find_project_root(Path.cwd()))
