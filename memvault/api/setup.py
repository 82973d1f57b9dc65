"""What memvault writes into the settings of agents on this machine; most of it needs no vault."""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.api.maintain import Upkeep
from memvault.open_vault import Clock, system_clock
from memvault.system import files

if TYPE_CHECKING:
    from memvault.agents.setup.hooks import Hooks
    from memvault.agents.setup.mcp import McpEntry
    from memvault.agents.setup.steps import Agents, SetUp, TakenBack, Wanted


class Installing(Upkeep):
    """The agents of this person, as seen from the folder that they are in."""

    @staticmethod
    def hooks(
        *, environment: Mapping[str, str] | None = None, folder: Path | None = None, now: datetime | None = None
    ) -> Hooks:
        """The hooks by which agents call memvault, to be looked at, installed or removed."""
        from memvault.agents.setup.ground import lay_out
        from memvault.agents.setup.hooks import Hooks

        return Hooks(*lay_out(os.environ if environment is None else environment, folder, now or system_clock()))

    @staticmethod
    def mcp_entry(
        *, environment: Mapping[str, str] | None = None, folder: Path | None = None, now: datetime | None = None
    ) -> McpEntry:
        """The entries by which agents start memvault as an MCP server, to be looked at, installed or removed."""
        from memvault.agents.setup.ground import lay_out
        from memvault.agents.setup.mcp import McpEntry

        return McpEntry(*lay_out(os.environ if environment is None else environment, folder, now or system_clock()))

    @staticmethod
    def agents_here(
        *,
        named: AbstractSet[str] = frozenset(),
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Agents:
        """The agents that a set-up is for: those that were named, or those that this person has."""
        from memvault.agents.setup.ground import lay_out
        from memvault.agents.setup.hooks import Hooks
        from memvault.agents.setup.steps import agents_here

        laid_out = lay_out(os.environ if environment is None else environment, folder, system_clock())
        return agents_here(laid_out[0], Hooks(*laid_out).status().plugins, named)

    @classmethod
    def set_up(
        cls,
        path: str | Path,
        wanted: Wanted,
        *,
        environment: Mapping[str, str] | None = None,
        clock: Clock = system_clock,
        zone: tzinfo | None = None,
    ) -> SetUp:
        """Make or use a vault, and put in place what is wanted; a part that fails keeps no other from being done."""
        from memvault.agents.setup.setup import set_up

        variables = os.environ if environment is None else environment
        root = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - links stay as they are named
        with files.plainly(root):
            return set_up(cls, root, wanted, environment=variables, clock=clock, zone=zone)

    @classmethod
    def take_back(
        cls,
        path: str | Path | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        clock: Clock = system_clock,
        dry_run: bool = False,
    ) -> TakenBack:
        """Take back all that was installed on this machine; no vault is touched."""
        from memvault.agents.setup.setup import take_back

        variables = os.environ if environment is None else environment
        return take_back(cls, path, environment=variables, clock=clock, dry_run=dry_run)

    @property
    def is_found_anywhere(self) -> bool:
        """Whether an agent at work in this folder would find a vault."""
        from memvault.agents.setup.ground import project

        named = self.environment.get("MEMVAULT_DIR") or self.settings.text("user.vault")
        return bool(named) or files.inside(self.root, project(Path.cwd()))
